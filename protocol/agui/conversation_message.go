package agui

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// start makes a message, or goes on with the one of that id.
func (c *Conversation) start(f Frame, m Message, metadata jsontext.Value) ([]Warning, error) {
	h := c.byID[m.ID]
	switch {
	case h == nil:
		m.Content = jsontext.Value(`""`)
		h = c.add(m)
	case h.Role == RoleActivity:
		return activityClash(f, m.ID), nil
	}
	return nil, merge(&h.Metadata, metadata)
}

func activityClash(f Frame, id string) []Warning {
	return warn(EntityClash, "/messageId", string(f.Type)+": message "+id+" is an activity")
}

func (c *Conversation) grow(f Frame) ([]Warning, error) {
	h, warnings := c.text(f, f.Text("messageId"))
	if h == nil {
		return warnings, nil
	}
	h.append(f.Text("delta"))
	return nil, merge(&h.Metadata, f.Member("metadata"))
}

// text returns the message that text goes to, or what there is to warn about.
func (c *Conversation) text(f Frame, id string) (*held, []Warning) {
	h := c.byID[id]
	switch {
	case h == nil:
		return nil, warn(UnknownEntity, "/messageId", string(f.Type)+": there is no message "+id)
	case h.Role == RoleActivity:
		return nil, activityClash(f, id)
	}
	return h, nil
}

func (c *Conversation) note(f Frame, id string, metadata jsontext.Value) ([]Warning, error) {
	h, warnings := c.text(f, id)
	if h == nil {
		return warnings, nil
	}
	return nil, merge(&h.Metadata, metadata)
}

// startCall adds a call to the assistant message that holds it: its parent, or a message
// made for it. A call that is known goes on, under the name it is given now.
func (c *Conversation) startCall(e *ToolCallStart) ([]Warning, error) {
	if k := c.calls[e.ToolCallID]; k != nil {
		var warnings []Warning
		if k.Function.Name != e.ToolCallName {
			warnings = warn(EntityClash, "/toolCallName", "tool call "+e.ToolCallID+" was named "+k.Function.Name)
			k.Function.Name = e.ToolCallName
		}
		return warnings, merge(&k.Metadata, e.Metadata)
	}
	var warnings []Warning
	id := e.ToolCallID
	var parent *held
	if e.ParentMessageID.String() != "" { // clients take an empty one for none
		id = e.ParentMessageID.String()
		if parent = c.byID[id]; parent != nil && parent.Role != RoleAssistant {
			warnings = warn(EntityClash, "/parentMessageId", "message "+id+" is no assistant message; the call gets one of its own")
			id, parent = e.ToolCallID, nil
		}
	}
	if parent == nil {
		known := c.byID[id] != nil
		parent = c.add(Message{ID: id, Role: RoleAssistant})
		if !known {
			parent.SubagentRunID = e.SubagentRunID
		}
	}
	k := c.addCall(parent, ToolCall{ID: e.ToolCallID, Type: "function", Function: FunctionCall{Name: e.ToolCallName}})
	return warnings, merge(&k.Metadata, e.Metadata)
}

func (c *Conversation) growArgs(f Frame) ([]Warning, error) {
	k, ok := shape.Lookup(c.calls, f.Record, "toolCallId")
	if !ok {
		return noCall(f, f.Text("toolCallId")), nil
	}
	k.args = append(k.args, f.Text("delta")...)
	return nil, merge(&k.Metadata, f.Member("metadata"))
}

func noCall(f Frame, id string) []Warning {
	return warn(UnknownEntity, "/toolCallId", string(f.Type)+": there is no tool call "+id)
}

func (c *Conversation) noteCall(f Frame, id string, metadata jsontext.Value) ([]Warning, error) {
	k := c.calls[id]
	if k == nil {
		return noCall(f, id), nil
	}
	return nil, merge(&k.Metadata, metadata)
}

// result adds a tool message behind its call and the results that are there already, or
// at the end when nobody knows the call.
func (c *Conversation) result(e *ToolCallResult) error {
	h := c.hold(Message{
		ID: e.MessageID, Role: RoleTool, ToolCallID: Set(e.ToolCallID), Content: e.Content, SubagentRunID: e.SubagentRunID,
	})
	at := len(c.messages)
	if k := c.calls[e.ToolCallID]; k != nil && k.owner.Role == RoleAssistant {
		at = slices.Index(c.messages, k.owner) + 1
		for at < len(c.messages) && c.messages[at].Role == RoleTool {
			at++
		}
	}
	c.messages = slices.Insert(c.messages, at, h)
	return merge(&h.Metadata, e.Metadata)
}

// snapshot reconciles by id: what is known is replaced in its place, what is new comes
// behind, and what is missing goes, except activity and reasoning messages of a kind
// that the snapshot does not carry.
func (c *Conversation) snapshot(messages []Message) {
	now, has := map[string]Message{}, map[Role]bool{}
	for _, m := range messages {
		now[m.ID], has[m.Role] = m, true
	}
	before := c.messages
	c.messages, c.byID, c.calls = nil, map[string]*held{}, map[string]*heldCall{}
	kept := map[string]bool{}
	for _, h := range before {
		m, restated := now[h.ID]
		switch {
		case restated:
			c.add(m)
		case (h.Role == RoleActivity || h.Role == RoleReasoning) && !has[h.Role]:
			c.add(h.message())
		default:
			continue
		}
		kept[h.ID] = true
	}
	for _, m := range messages {
		if !kept[m.ID] {
			c.add(m)
		}
	}
}

// encrypt stores an opaque value on a message or call, with its type or without one.
func (c *Conversation) encrypt(e *ReasoningEncryptedValue) []Warning {
	value := Encrypted{EncryptedValue: Set(e.EncryptedValue), EncryptedValueType: e.EncryptedValueType}
	if e.Subtype == "tool-call" {
		if k := c.calls[e.EntityID]; k != nil && k.owner.Role == RoleAssistant {
			k.Encrypted = value
			return nil
		}
	} else if h := c.byID[e.EntityID]; h != nil && h.Role != RoleActivity {
		h.Encrypted = value
		return nil
	}
	return warn(UnknownEntity, "/entityId", "there is no "+e.Subtype+" "+e.EntityID+" that could hold it")
}
