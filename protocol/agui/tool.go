package agui

import "github.com/go-json-experiment/json/jsontext"

// ToolCallStart opens a tool call (events/tool-calls).
type ToolCallStart struct {
	Base
	ToolCallID      string `json:"toolCallId"`
	ToolCallName    string `json:"toolCallName"`
	ParentMessageID Text   `json:"parentMessageId,omitzero"`
	Attributable
}

// ToolCallArgs appends Delta, a fragment of the arguments' text, to an open call.
type ToolCallArgs struct {
	Base
	ToolCallID string `json:"toolCallId"`
	Delta      string `json:"delta"`
	Attributable
}

// ToolCallEnd says that a call's arguments are complete; nobody acts before it.
type ToolCallEnd struct {
	Base
	ToolCallID string `json:"toolCallId"`
	Attributable
}

// ToolCallChunk stands for start, arguments and end of a call.
type ToolCallChunk struct {
	Base
	ToolCallID      Text    `json:"toolCallId,omitzero"`
	ToolCallName    Text    `json:"toolCallName,omitzero"`
	ParentMessageID Text    `json:"parentMessageId,omitzero"`
	Delta           *string `json:"delta,omitzero"`
	Attributable
}

// ToolCallResult is a tool message of its own, with what the call returned.
type ToolCallResult struct {
	Base
	MessageID  string         `json:"messageId"`
	ToolCallID string         `json:"toolCallId"`
	Content    jsontext.Value `json:"content"` // a string, or an array of content parts
	Role       Role           `json:"role,omitzero"`
	Attributable
}
