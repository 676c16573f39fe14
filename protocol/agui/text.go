package agui

// TextMessageStart opens a streamed text message (events/text-messages).
type TextMessageStart struct {
	Base
	MessageID string `json:"messageId"`
	Role      Role   `json:"role,omitzero"` // absent means assistant
	Name      Text   `json:"name,omitzero"`
	Attributable
}

// TextMessageContent appends Delta, which may be empty, to an open message.
type TextMessageContent struct {
	Base
	MessageID string `json:"messageId"`
	Delta     string `json:"delta"`
	Attributable
}

// TextMessageEnd closes a message.
type TextMessageEnd struct {
	Base
	MessageID string `json:"messageId"`
	Attributable
}

// TextMessageChunk stands for start, content and end of a message whose limits the
// producer does not know; a continuation leaves out what has not changed.
type TextMessageChunk struct {
	Base
	MessageID Text    `json:"messageId,omitzero"`
	Role      Role    `json:"role,omitzero"`
	Delta     *string `json:"delta,omitzero"`
	Name      Text    `json:"name,omitzero"`
	Attributable
}
