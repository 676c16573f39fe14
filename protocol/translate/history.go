package translate

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// History turns the messages of an AG-UI client into those of an AI SDK chat. What
// the agent said between two messages of the user is one message there. A call
// without a result is left out: nobody may run it, and no model accepts it. Activity
// messages never travel back to an agent.
func History(messages []agui.Message) []aisdk.Message {
	h := history{results: map[string]agui.Message{}}
	for _, m := range messages {
		if m.Role == agui.RoleTool {
			h.results[m.ToolCallID.String()] = m
		}
	}
	for _, m := range messages {
		h.add(m)
	}
	return h.out
}

type history struct {
	out     []aisdk.Message
	results map[string]agui.Message // tool messages by call id
}

func (h *history) add(m agui.Message) {
	switch m.Role {
	case agui.RoleUser:
		h.out = append(h.out, aisdk.Message{ID: m.ID, Role: aisdk.RoleUser, Parts: userParts(m)})
	case agui.RoleSystem, agui.RoleDeveloper:
		h.out = append(h.out, aisdk.Message{ID: m.ID, Role: aisdk.RoleSystem, Parts: []aisdk.Part{aisdk.TextPart(m.Text())}})
	case agui.RoleReasoning:
		text := m.Text()
		h.answer(m.ID, []aisdk.Part{{Type: aisdk.PartReasoning, Text: &text, State: aisdk.StateDone}})
	case agui.RoleAssistant:
		h.answer(m.ID, h.assistantParts(m))
	}
}

// answer adds parts to the assistant's message of this turn.
func (h *history) answer(id string, parts []aisdk.Part) {
	if len(parts) == 0 {
		return
	}
	n := len(h.out)
	if n == 0 || h.out[n-1].Role != aisdk.RoleAssistant {
		h.out = append(h.out, aisdk.Message{ID: messageOf(id), Role: aisdk.RoleAssistant})
		n++
	}
	last := &h.out[n-1]
	last.Parts = append(last.Parts, aisdk.Part{Type: aisdk.PartStepStart})
	last.Parts = append(last.Parts, parts...)
}

func (h *history) assistantParts(m agui.Message) []aisdk.Part {
	var parts []aisdk.Part
	if text := m.Text(); text != "" {
		parts = append(parts, aisdk.TextPart(text))
	}
	for _, call := range m.ToolCalls {
		if result, ok := h.results[call.ID]; ok {
			parts = append(parts, settledPart(call, result))
		}
	}
	return parts
}

func settledPart(call agui.ToolCall, result agui.Message) aisdk.Part {
	p := aisdk.ToolPart(call.Function.Name, call.ID, aisdk.StateOutputAvailable)
	p.Input = callInput(call)
	note := readToolResult(result.Metadata)
	text := result.Text()
	switch {
	case note.State == aisdk.StateOutputDenied && note.ApprovalID != "":
		no := false
		p.State, p.Approval = aisdk.StateOutputDenied, &aisdk.Approval{ID: note.ApprovalID, Approved: &no, Reason: aisdk.NotEmpty(note.Reason)}
	case result.Error.Present():
		p.State, p.ErrorText = aisdk.StateOutputError, aisdk.Set(result.Error.String())
	case note.State == aisdk.StateOutputError || note.State == aisdk.StateOutputDenied:
		p.State, p.ErrorText = aisdk.StateOutputError, aisdk.Set(text)
	case note.JSON && jsontext.Value(text).IsValid():
		p.Output = jsontext.Value(text)
	default:
		p.Output = quoted(text)
	}
	return p
}

// callInput is the input of a call: the value its argument text stands for, or what
// the metadata says it really was, or the text itself if it is not JSON.
func callInput(call agui.ToolCall) jsontext.Value {
	var notes map[string]toolInput
	if len(call.Metadata) > 0 && json.Unmarshal(call.Metadata, &notes) == nil && len(notes[metadataKey].Input) > 0 {
		return notes[metadataKey].Input
	}
	text := jsontext.Value(call.Function.Arguments)
	switch {
	case len(text) == 0:
		return jsontext.Value("{}")
	case text.IsValid():
		return text
	}
	return quoted(call.Function.Arguments)
}

// userParts turns the content of a user message into text and file parts.
func userParts(m agui.Message) []aisdk.Part {
	parts := []aisdk.Part{}
	for _, c := range m.Parts() {
		if c.Type == agui.PartText {
			text := c.Text.String()
			parts = append(parts, aisdk.Part{Type: aisdk.PartText, Text: &text})
			continue
		}
		if p, ok := filePart(c); ok {
			parts = append(parts, p)
		}
	}
	return parts
}

func filePart(c agui.ContentPart) (aisdk.Part, bool) {
	if c.Source == nil {
		return aisdk.Part{}, false
	}
	media := c.Source.MimeType.String()
	if media == "" {
		media = "application/octet-stream"
	}
	switch c.Source.Type {
	case agui.SourceURL:
		return aisdk.Part{Type: aisdk.PartFile, MediaType: aisdk.Set(media), URL: aisdk.Set(c.Source.Value)}, true
	case agui.SourceData:
		return aisdk.Part{Type: aisdk.PartFile, MediaType: aisdk.Set(media), URL: aisdk.Set("data:" + media + ";base64," + c.Source.Value)}, true
	}
	return aisdk.Part{}, false
}
