package agui

// ReasoningStart opens a reasoning span (events/reasoning).
type ReasoningStart struct {
	Base
	MessageID string `json:"messageId"`
	Attributable
}

// ReasoningMessageStart opens a message of reasoning text.
type ReasoningMessageStart struct {
	Base
	MessageID string `json:"messageId"`
	Role      Role   `json:"role"`
	Attributable
}

// ReasoningMessageContent appends Delta to an open reasoning message.
type ReasoningMessageContent struct {
	Base
	MessageID string `json:"messageId"`
	Delta     string `json:"delta"`
	Attributable
}

// ReasoningMessageEnd closes a reasoning message.
type ReasoningMessageEnd struct {
	Base
	MessageID string `json:"messageId"`
	Attributable
}

// ReasoningMessageChunk stands for start, content and end of a reasoning message.
type ReasoningMessageChunk struct {
	Base
	MessageID Text    `json:"messageId,omitzero"`
	Delta     *string `json:"delta,omitzero"`
	Attributable
}

// ReasoningEnd closes a reasoning span.
type ReasoningEnd struct {
	Base
	MessageID string `json:"messageId"`
	Attributable
}

// ReasoningEncryptedValue stores an opaque value on a message or a tool call.
type ReasoningEncryptedValue struct {
	Base
	Subtype            string `json:"subtype"` // "tool-call" or "message"
	EntityID           string `json:"entityId"`
	EncryptedValue     string `json:"encryptedValue"`
	EncryptedValueType Text   `json:"encryptedValueType,omitzero"`
	Attributable
}
