package aisdk

import "github.com/go-json-experiment/json/jsontext"

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

// ToolPart returns the newest part of the call with the given id, or nil.
func (m *Message) ToolPart(callID string) *Part {
	for i := len(m.Parts) - 1; i >= 0; i-- {
		if p := &m.Parts[i]; p.IsTool() && p.ToolCallID == callID {
			return p
		}
	}
	return nil
}
