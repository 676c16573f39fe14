package translate

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// RunInput turns what a chat posted into the input of an AG-UI agent. The error matches
// agui.ErrMalformed.
func RunInput(chat aisdk.ChatRequest, runID string) ([]byte, error) {
	messages, state, err := Messages(chat.Messages)
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(struct {
		ThreadID        string         `json:"threadId"`
		RunID           string         `json:"runId"`
		ProtocolVersion string         `json:"protocolVersion"`
		State           jsontext.Value `json:"state,omitzero"`
		Messages        []agui.Message `json:"messages"`
		Tools           []agui.Tool    `json:"tools"`
		Context         []agui.Context `json:"context"`
		ForwardedProps  jsontext.Value `json:"forwardedProps,omitzero"`
	}{chat.ID, runID, agui.PlainVersion, state, messages, []agui.Tool{}, []agui.Context{}, chat.Extra})
	if err != nil {
		return nil, err
	}
	_, _, err = agui.ParseRunInput(raw)
	return raw, err
}

// Messages turns the messages of a chat into those of AG-UI.
func Messages(messages []aisdk.Message) (out []agui.Message, state jsontext.Value, err error) {
	for i := range messages {
		m := &messages[i]
		switch m.Role {
		case aisdk.RoleAssistant:
			out = append(out, assistantMessages(m)...)
		case aisdk.RoleSystem:
			out = append(out, agui.Message{ID: m.ID, Role: agui.RoleSystem, Content: quoted(textOf(m))})
		default:
			out = append(out, userMessage(m))
		}
	}
	return out, nil, nil
}

func textOf(m *aisdk.Message) string {
	var text strings.Builder
	for _, p := range m.Parts {
		if p.Type == aisdk.PartText && p.Text != nil {
			text.WriteString(*p.Text)
		}
	}
	return text.String()
}

func userMessage(m *aisdk.Message) agui.Message {
	return agui.Message{ID: m.ID, Role: agui.RoleUser, Content: quoted(textOf(m))}
}

func assistantMessages(m *aisdk.Message) (out []agui.Message) {
	count, reasons := 0, 0
	var current *agui.Message
	var results []agui.Message
	flush := func() {
		if current != nil {
			out = append(out, *current)
		}
		out = append(out, results...)
		current, results = nil, nil
	}
	begin := func() {
		flush()
		id := m.ID
		if count > 0 {
			id += "#" + strconv.Itoa(count)
		}
		count++
		current = &agui.Message{ID: id, Role: agui.RoleAssistant}
	}
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case p.Type == aisdk.PartStepStart:
			flush()
		case p.Type == aisdk.PartText && p.Text != nil:
			if current == nil || len(current.Content) > 0 || len(current.ToolCalls) > 0 {
				begin()
			}
			current.Content = quoted(*p.Text)
		case p.Type == aisdk.PartReasoning && p.Text != nil:
			out = append(out, agui.Message{ID: m.ID + "#r" + strconv.Itoa(reasons), Role: agui.RoleReasoning, Content: quoted(*p.Text)})
			reasons++
		case p.IsTool():
			if current == nil {
				begin()
			}
			id := p.ToolCallID.String()
			current.ToolCalls = append(current.ToolCalls, agui.ToolCall{ID: id, Type: "function", Function: agui.FunctionCall{Name: p.Tool(), Arguments: string(p.Input)}})
			if r, ok := resultMessage(m.ID, p); ok {
				results = append(results, r)
			}
		}
	}
	flush()
	return out
}

func resultMessage(messageID string, p *aisdk.Part) (agui.Message, bool) {
	id := p.ToolCallID.String()
	r := agui.Message{ID: messageID + "#result-" + id, Role: agui.RoleTool, ToolCallID: agui.Set(id)}
	switch p.State {
	case aisdk.StateOutputAvailable:
		content, isJSON := outputText(p.Output)
		r.Content = content
		if isJSON {
			r.Metadata = metadataOf(toolResult{JSON: true})
		}
	case aisdk.StateOutputError:
		r.Content, r.Error = quoted(p.ErrorText.String()), agui.Set(p.ErrorText.String())
	case aisdk.StateOutputDenied:
		r.Content = quoted("The user denied this tool call; it did not run.")
	default:
		return r, false
	}
	return r, true
}
