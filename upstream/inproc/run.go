package inproc

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// A Run is what a function speaks and asks through. It is safe for concurrent use, and
// stays the same when the function goes on in another run of the bridge.
//
// What is said waits while nobody can hear it, and is dropped when nobody will. Saying
// what cannot be said, such as text that is not UTF-8 or a second result of a call,
// fails the run.
type Run struct{ f *function }

var _ hitl.Approver = (*Run)(nil)

// ThreadID is the thread that the function runs on.
func (r *Run) ThreadID() string { return r.f.thread }

// RunInput is what the front end sent to start the function: messages, state, context, the
// tools it offers.
func (r *Run) RunInput() agui.RunInput { return r.f.first }

// UserText is the text of the user's last message.
func (r *Run) UserText() string {
	m, _ := r.f.first.LastUserMessage()
	return strings.TrimSpace(m.Text())
}

// Text says one message in the given pieces.
func (r *Run) Text(pieces ...string) {
	m := r.Message()
	r.f.say(func() {
		for _, p := range pieces {
			m.write(p)
		}
		m.end()
	})
}

// Message returns a message to be written piece by piece. Close it.
func (r *Run) Message() *Message { return &Message{f: r.f} }

// Reasoning says what the agent thinks, in the given pieces.
func (r *Run) Reasoning(pieces ...string) {
	f := r.f
	f.say(func() {
		id := f.newID("reasoning")
		f.push(&agui.ReasoningStart{Base: head(agui.TypeReasoningStart), MessageID: id})
		f.push(&agui.ReasoningMessageStart{Base: head(agui.TypeReasoningMessageStart), MessageID: id, Role: agui.RoleReasoning})
		for _, p := range pieces {
			if p != "" {
				f.push(&agui.ReasoningMessageContent{Base: head(agui.TypeReasoningMessageContent), MessageID: id, Delta: p})
			}
		}
		f.push(&agui.ReasoningMessageEnd{Base: head(agui.TypeReasoningMessageEnd), MessageID: id})
		f.push(&agui.ReasoningEnd{Base: head(agui.TypeReasoningEnd), MessageID: id})
	})
}

// State replaces the state that the agent shares with its front ends by any value that
// can be written as JSON.
func (r *Run) State(snapshot any) {
	r.f.say(func() {
		if raw, ok := r.f.encode(snapshot); ok {
			r.f.push(&agui.StateSnapshot{Base: head(agui.TypeStateSnapshot), Snapshot: raw})
		}
	})
}

// StateDelta changes the state by a JSON Patch (RFC 6902), given as JSON or as a value
// that is written as such.
func (r *Run) StateDelta(patch any) {
	r.f.say(func() {
		if raw, ok := r.f.encode(patch); ok {
			r.f.push(&agui.StateDelta{Base: head(agui.TypeStateDelta), Delta: raw})
		}
	})
}

// encode writes a value as JSON; a jsontext.Value is JSON already. It is called with mu
// held.
func (f *function) encode(v any) (jsontext.Value, bool) {
	if raw, ok := v.(jsontext.Value); ok {
		v = jsontext.Value(bytes.Clone(raw)) // the caller may change it later
	}
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		f.spoil(err)
		return nil, false
	}
	return raw, true
}

// A Message is a message of the agent that is being written. If the run ends while it is
// open, it is closed, and what is written later is a message of its own. It must not be
// used by several goroutines at once.
type Message struct {
	f      *function
	id     string // guarded by f.mu, as all; empty while it is not open
	closed bool
}

// Write adds a piece.
func (m *Message) Write(piece string) { m.f.say(func() { m.write(piece) }) }

// Close ends the message.
func (m *Message) Close() {
	m.f.say(func() {
		m.end()
		m.closed = true
	})
}

// write is called with f.mu held.
func (m *Message) write(piece string) {
	if piece == "" || m.closed {
		return
	}
	if m.id == "" {
		m.id = m.f.newID("msg")
		m.f.open, m.f.parent = append(m.f.open, m), m.id
		m.f.push(&agui.TextMessageStart{Base: head(agui.TypeTextMessageStart), MessageID: m.id, Role: agui.RoleAssistant})
	}
	m.f.push(&agui.TextMessageContent{Base: head(agui.TypeTextMessageContent), MessageID: m.id, Delta: piece})
}

// end is called with f.mu held.
func (m *Message) end() {
	if m.id == "" {
		return
	}
	m.f.push(&agui.TextMessageEnd{Base: head(agui.TypeTextMessageEnd), MessageID: m.id})
	for i, open := range m.f.open {
		if open == m {
			m.f.open = append(m.f.open[:i:i], m.f.open[i+1:]...)
			break
		}
	}
	m.id = ""
}
