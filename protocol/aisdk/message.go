package aisdk

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Role says who a message is from.
type Role string

// The roles of a UIMessage; there is no tool role, results live in the call's part.
const (
	RoleSystem    Role = "system"
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
)

// A Message is a UIMessage: one turn of one side, in parts.
type Message struct {
	ID       string         `json:"id"`
	Role     Role           `json:"role"`
	Metadata jsontext.Value `json:"metadata,omitzero"`
	Parts    []Part         `json:"parts"`
	Extra    jsontext.Value `json:",embed"`
}

// ParseMessages reads the messages of a history, an array, leniently: parts of unknown
// types and members that are not what they should be are kept, and nothing is demanded
// of what nobody acts on. The error matches ErrMalformed.
func ParseMessages(raw []byte) ([]Message, error) {
	var messages []Message
	if err := json.Unmarshal(raw, &messages); err != nil {
		return nil, fmt.Errorf("%w: messages: %w", ErrMalformed, err)
	}
	return messages, nil
}

// ParseMessage reads one message, like ParseMessages.
func ParseMessage(raw []byte) (Message, error) {
	var m Message
	if err := json.Unmarshal(raw, &m); err != nil {
		return Message{}, fmt.Errorf("%w: message: %w", ErrMalformed, err)
	}
	return m, nil
}

// ToolPart returns the newest part of the call with the given id, or nil.
func (m *Message) ToolPart(callID string) *Part {
	for i := len(m.Parts) - 1; i >= 0; i-- {
		if p := &m.Parts[i]; p.IsTool() && p.ToolCallID.Is(callID) {
			return p
		}
	}
	return nil
}
