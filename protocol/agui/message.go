package agui

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A Role says who a message is from.
type Role string

// The roles of AG-UI 1.1.
const (
	RoleDeveloper Role = "developer"
	RoleSystem    Role = "system"
	RoleAssistant Role = "assistant"
	RoleUser      Role = "user"
	RoleTool      Role = "tool"
	RoleActivity  Role = "activity"
	RoleReasoning Role = "reasoning"
)

// A Message is one message of a conversation, whatever its role (AG-UI 1.1, Message).
// Which members are there depends on the role; ParseRunInput has checked that.
type Message struct {
	ID            string         `json:"id"`
	Role          Role           `json:"role"`
	Name          Text           `json:"name,omitzero"`
	Content       jsontext.Value `json:"content,omitzero"` // a string; user and tool: or an array of parts; activity: an object
	ToolCalls     []ToolCall     `json:"toolCalls,omitzero"`
	ToolCallID    Text           `json:"toolCallId,omitzero"`
	Error         Text           `json:"error,omitzero"` // tool: set when the call failed
	ActivityType  Text           `json:"activityType,omitzero"`
	Metadata      jsontext.Value `json:"metadata,omitzero"`
	SubagentRunID Text           `json:"subagentRunId,omitzero"`
	Encrypted
	Extra jsontext.Value `json:",embed"`
}

// Encrypted is embedded by what can carry a provider's opaque value, such as the
// signature of its reasoning.
type Encrypted struct {
	EncryptedValue     Text `json:"encryptedValue,omitzero"`
	EncryptedValueType Text `json:"encryptedValueType,omitzero"`
}

// A ToolCall is a call inside an assistant message.
type ToolCall struct {
	ID       string         `json:"id"`
	Type     string         `json:"type"` // "function"
	Function FunctionCall   `json:"function"`
	Metadata jsontext.Value `json:"metadata,omitzero"`
	Encrypted
	Extra jsontext.Value `json:",embed"`
}

// A FunctionCall names a tool and holds its arguments as text, by custom a JSON object.
type FunctionCall struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`

	Extra jsontext.Value `json:",embed"`
}

// Text returns the content as plain text: the string, or its text parts joined.
func (m Message) Text() string {
	if m.Content.Kind() == '"' {
		return shape.Unquote(m.Content)
	}
	var b strings.Builder
	for _, p := range m.Parts() {
		if p.Type == PartText {
			b.WriteString(p.Text.String())
		}
	}
	return b.String()
}

// Parts returns the content as parts; a string is one text part, nothing is none.
func (m Message) Parts() []ContentPart {
	switch m.Content.Kind() {
	case '"':
		return []ContentPart{{Type: PartText, Text: Set(shape.Unquote(m.Content))}}
	case '[':
		var parts []ContentPart
		if err := json.Unmarshal(m.Content, &parts); err != nil {
			return nil // cannot be: the content was checked when it came in
		}
		return parts
	}
	return nil
}
