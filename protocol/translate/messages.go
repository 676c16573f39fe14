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
	for _, c := range chunksOf(m) {
		f, err := aisdk.Encode(c)
		if err != nil {
			return err
		}
		if err := take(held, t, f); err != nil {
			return err
		}
	}
	if whole {
		b.out = nil
	}
	failed := failures(m)
	for _, said := range held.Messages() {
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
