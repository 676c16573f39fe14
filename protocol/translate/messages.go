package translate

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// Messages turns the messages of an AI SDK chat into those that an AG-UI client would
// hold, and the agent's state, nil if the chat knows of none. An answer is read as a
// stream is (ToAGUI), so that what the agent said comes back under its own ids. A call
// that nobody has answered has no tool message, and one whose input never became whole
// is left out: neither was executed. The error matches aisdk.ErrMalformed or
// agui.ErrMalformed.
func Messages(messages []aisdk.Message) (out []agui.Message, state jsontext.Value, err error) {
	b := backwards{}
	for i := range messages {
		m := &messages[i]
		switch m.Role {
		case aisdk.RoleUser, aisdk.RoleSystem:
			b.out = append(b.out, saidMessage(m))
		case aisdk.RoleAssistant:
			if err := b.answer(m); err != nil {
				return nil, nil, err
			}
		}
	}
	return b.out, b.state, nil
}

// RunInput is the input by which an AG-UI agent is given the conversation of a chat. The
// members that an application added to its request become the forwarded properties. The
// error matches aisdk.ErrMalformed or agui.ErrMalformed.
func RunInput(chat aisdk.ChatRequest, runID string) ([]byte, error) {
	messages, state, err := Messages(chat.Messages)
	if err != nil {
		return nil, err
	}
	if state.Kind() == 'n' {
		state = nil // an input has no state, or one that is not null
	}
	if messages == nil {
		messages = []agui.Message{}
	}
	in := runInput{
		ThreadID: chat.ID, RunID: runID, ProtocolVersion: agui.PlainVersion, State: state, Messages: messages,
		Tools: jsontext.Value("[]"), Context: jsontext.Value("[]"), ForwardedProps: jsontext.Value("{}"),
	}
	if len(chat.Extra) > 0 {
		in.ForwardedProps = chat.Extra
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	raw, _, err = agui.Outgoing(raw)
	return raw, err
}

// runInput is an agui.RunInput that says also what is empty: agents of 0.x need every
// member.
type runInput struct {
	ThreadID        string         `json:"threadId"`
	RunID           string         `json:"runId"`
	ProtocolVersion string         `json:"protocolVersion"`
	State           jsontext.Value `json:"state,omitzero"`
	Messages        []agui.Message `json:"messages"`
	Tools           jsontext.Value `json:"tools"`
	Context         jsontext.Value `json:"context"`
	ForwardedProps  jsontext.Value `json:"forwardedProps"`
}

// InputAlone writes the messages of an input as an input that has nothing else.
func InputAlone(in agui.RunInput) (jsontext.Value, error) {
	messages := in.Messages
	if messages == nil {
		messages = []agui.Message{}
	}
	return json.Marshal(runInput{
		ThreadID: in.ThreadID, RunID: in.RunID, ProtocolVersion: agui.PlainVersion, Messages: messages,
		Tools: jsontext.Value("[]"), Context: jsontext.Value("[]"), ForwardedProps: jsontext.Value("{}"),
	})
}

type backwards struct {
	out   []agui.Message
	state jsontext.Value
}

// answer adds the messages that one answer of the assistant is made of.
func (b *backwards) answer(m *aisdk.Message) error {
	before := agui.RunInput{State: b.state}
	whole := restates(m)
	if whole {
		before.Messages = b.out
	}
	held := agui.NewConversation(before)
	t := NewToAGUI(Run{First: m.ID, Message: m.ID})
	t.unnamed = unnamed(m)
	results := map[string]agui.Message{}
	for _, c := range chunksOf(m) {
		f, err := aisdk.Encode(c)
		if err != nil {
			return err
		}
		if err := take(held, t, f); err != nil {
			return err
		}
		switch c.Type() {
		case aisdk.TypeToolOutputAvailable, aisdk.TypeToolOutputError, aisdk.TypeToolOutputDenied:
			if whole {
				keepResults(results, held.Messages())
			}
		}
	}
	if whole {
		b.out = nil
	}
	failed := failures(m)
	for _, said := range withResults(held.Messages(), results) {
		if text, ok := failed[said.ToolCallID.String()]; ok && said.Role == agui.RoleTool {
			said.Error = agui.Set(text)
		}
		b.out = append(b.out, said)
	}
	if b.state != nil || string(held.State()) != "{}" {
		b.state = held.State()
	}
	return nil
}

// keepResults remembers the tool messages. A chat keeps the result of a call with the call,
// which may stand before a snapshot that is older than the result.
func keepResults(results map[string]agui.Message, messages []agui.Message) {
	for _, m := range messages {
		if m.Role == agui.RoleTool {
			results[m.ToolCallID.String()] = m
		}
	}
}

// withResults gives the calls that a snapshot has without a result the one they got.
func withResults(messages []agui.Message, results map[string]agui.Message) []agui.Message {
	if len(results) == 0 {
		return messages
	}
	for _, m := range messages {
		if m.Role == agui.RoleTool {
			delete(results, m.ToolCallID.String())
		}
	}
	var out []agui.Message
	for i := 0; i < len(messages); i++ {
		calls := messages[i].ToolCalls
		out = append(out, messages[i])
		for len(calls) > 0 && i+1 < len(messages) && messages[i+1].Role == agui.RoleTool {
			i++
			out = append(out, messages[i])
		}
		for _, call := range calls {
			if result, has := results[call.ID]; has {
				out = append(out, result)
			}
		}
	}
	return out
}

// failures are the texts of the calls that failed, by the agent's ids. Events have no
// place for them, messages do.
func failures(m *aisdk.Message) map[string]string {
	texts := map[string]string{}
	for i := range m.Parts {
		if p := &m.Parts[i]; p.IsTool() && p.State == aisdk.StateOutputError {
			texts[ownCallID(p)] = p.ErrorText.String()
		}
	}
	return texts
}

func take(held *agui.Conversation, t *ToAGUI, f aisdk.Frame) error {
	events, err := t.Next(f)
	if err != nil {
		return err
	}
	for _, raw := range events {
		e, _, err := agui.ParseFrame(raw)
		if err != nil {
			return err
		}
		if _, err := held.Apply(e); err != nil {
			return err
		}
	}
	return nil
}

// restates reports whether the agent restated the conversation in this answer: then it
// is about the messages before it, too.
func restates(m *aisdk.Message) bool {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Type == dataEvent {
			if eventType(p.Data) == agui.TypeMessagesSnapshot {
				return true
			}
		}
	}
	return false
}

// eventType is the type of the event that a data part carries.
func eventType(data jsontext.Value) agui.EventType {
	n := readNote(data)
	return agui.EventType(unquoted(n.get("type")))
}
