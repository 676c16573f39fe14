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
	Name          string         `json:"name,omitzero"`
	Content       jsontext.Value `json:"content,omitzero"` // a string; user and tool: or an array of parts; activity: an object
	ToolCalls     []ToolCall     `json:"toolCalls,omitzero"`
	ToolCallID    string         `json:"toolCallId,omitzero"`
	Error         string         `json:"error,omitzero"` // tool: set when the call failed
	ActivityType  string         `json:"activityType,omitzero"`
	Metadata      jsontext.Value `json:"metadata,omitzero"`
	SubagentRunID string         `json:"subagentRunId,omitzero"`
	Encrypted
	Extra jsontext.Value `json:",embed"`
}

// MarshalJSONTo writes the message. What its role requires is there also when it is empty.
func (m Message) MarshalJSONTo(e *jsontext.Encoder) error {
	type plain Message
	switch {
	case m.Role == RoleTool && m.ToolCallID == "":
		return json.MarshalEncode(e, struct {
			plain
			ToolCallID string `json:"toolCallId"`
		}{plain: plain(m)})
	case m.Role == RoleActivity && m.ActivityType == "":
		return json.MarshalEncode(e, struct {
			plain
			ActivityType string `json:"activityType"`
		}{plain: plain(m)})
	}
	return json.MarshalEncode(e, plain(m))
}

// Encrypted is embedded by what can carry a provider's opaque value, such as the
// signature of its reasoning.
type Encrypted struct {
	EncryptedValue     string `json:"encryptedValue,omitzero"`
	EncryptedValueType string `json:"encryptedValueType,omitzero"`
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
		if p.Type == PartText && p.Text != nil {
			b.WriteString(*p.Text)
		}
	}
	return b.String()
}

// Parts returns the content as parts; a string is one text part, nothing is none.
func (m Message) Parts() []ContentPart {
	switch m.Content.Kind() {
	case '"':
		text := shape.Unquote(m.Content)
		return []ContentPart{{Type: PartText, Text: &text}}
	case '[':
		var parts []ContentPart
		if err := json.Unmarshal(m.Content, &parts); err != nil {
			return nil // cannot be: the content was checked when it came in
		}
		return parts
	}
	return nil
}
