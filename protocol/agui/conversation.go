package agui

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A Conversation is what a consumer holds of a thread: its messages, activities among
// them, and the agent's state (AG-UI 1.1, events/*). It is fed the frames that a
// Pipeline delivers. What cannot be applied is reported and changes nothing.
type Conversation struct {
	messages []*held
	byID     map[string]*held // the first message of an id
	calls    map[string]*heldCall
	state    jsontext.Value
}

// held is a message that may still grow.
type held struct {
	Message
	text  []byte // appended to the content
	grown bool   // text is the content
	calls []*heldCall
}

type heldCall struct {
	ToolCall
	args  []byte
	owner *held
}

// NewConversation returns what a consumer holds before a run: the input's messages and
// state. An input without a state starts from {}.
func NewConversation(in RunInput) *Conversation {
	c := &Conversation{state: in.State, byID: map[string]*held{}, calls: map[string]*heldCall{}}
	if len(c.state) == 0 {
		c.state = jsontext.Value("{}")
	}
	for _, m := range in.Messages {
		c.add(m)
	}
	return c
}

// State returns the agent's state, any JSON value.
func (c *Conversation) State() jsontext.Value { return c.state }

// Messages returns the messages in order.
func (c *Conversation) Messages() []Message {
	out := make([]Message, len(c.messages))
	for i, h := range c.messages {
		out[i] = h.message()
	}
	return out
}

func (h *held) message() Message {
	m := h.Message
	if h.grown {
		m.Content = quote(string(h.text))
	}
	if m.ToolCalls != nil || len(h.calls) > 0 {
		m.ToolCalls = make([]ToolCall, len(h.calls))
	}
	for i, call := range h.calls {
		m.ToolCalls[i] = call.ToolCall
		m.ToolCalls[i].Function.Arguments = string(call.args)
	}
	return m
}

func (c *Conversation) add(m Message) *held {
	h := c.hold(m)
	c.messages = append(c.messages, h)
	return h
}

// hold makes a message known without giving it a place.
func (c *Conversation) hold(m Message) *held {
	h := &held{Message: m}
	for _, call := range m.ToolCalls {
		c.addCall(h, call)
	}
	if c.byID[m.ID] == nil {
		c.byID[m.ID] = h
	}
	return h
}

func (c *Conversation) addCall(h *held, call ToolCall) *heldCall {
	k := &heldCall{ToolCall: call, args: []byte(call.Function.Arguments), owner: h}
	h.calls = append(h.calls, k)
	if c.calls[call.ID] == nil {
		c.calls[call.ID] = k
	}
	return k
}

// append adds to the text of a message. Content that was not text is replaced by it.
func (h *held) append(delta string) {
	if !h.grown {
		h.text, h.grown = []byte(shape.Unquote(h.Content)), true
	}
	h.text = append(h.text, delta...)
}

// Apply takes in the next delivered frame.
func (c *Conversation) Apply(f Frame) ([]Warning, error) {
	switch f.Type { // what comes once a token is not decoded
	case TypeTextMessageContent, TypeReasoningMessageContent:
		return c.grow(f)
	case TypeToolCallArgs:
		return c.growArgs(f)
	}
	e, err := f.Event()
	if err != nil {
		return nil, err
	}
	switch e := e.(type) {
	case *RunStarted:
		return nil, c.echo(e)
	case *TextMessageStart:
		role := e.Role
		if role == "" {
			role = RoleAssistant
		}
		return c.start(f, Message{ID: e.MessageID, Role: role, Name: e.Name, SubagentRunID: e.SubagentRunID}, e.Metadata)
	case *ReasoningMessageStart:
		return c.start(f, Message{ID: e.MessageID, Role: RoleReasoning, SubagentRunID: e.SubagentRunID}, e.Metadata)
	case *TextMessageEnd:
		return c.note(f, e.MessageID, e.Metadata)
	case *ReasoningMessageEnd:
		return c.note(f, e.MessageID, e.Metadata)
	case *ToolCallStart:
		return c.startCall(e)
	case *ToolCallEnd:
		return c.noteCall(f, e.ToolCallID, e.Metadata)
	case *ToolCallResult:
		return nil, c.result(e)
	}
	return c.applyOther(e)
}

func (c *Conversation) applyOther(e Event) ([]Warning, error) {
	switch e := e.(type) {
	case *StateSnapshot:
		c.state = e.Snapshot
	case *StateDelta:
		state, err := Patch(c.state, e.Delta)
		if err != nil {
			return warn(PatchFailed, "/delta", err.Error()), nil
		}
		c.state = state
	case *MessagesSnapshot:
		c.snapshot(e.Messages)
	case *ActivitySnapshot:
		return nil, c.activitySnapshot(e)
	case *ActivityDelta:
		return c.activityDelta(e)
	case *ReasoningEncryptedValue:
		return c.encrypt(e), nil
	}
	return nil, nil
}

func warn(code WarningCode, path, detail string) []Warning {
	return []Warning{{Code: code, Path: path, Detail: detail}}
}

// echo takes over messages that RUN_STARTED repeats and nobody has.
func (c *Conversation) echo(e *RunStarted) error {
	if len(e.Input) == 0 {
		return nil
	}
	var in RunInput
	if err := json.Unmarshal(e.Input, &in); err != nil {
		return malformed("RUN_STARTED", err)
	}
	for _, m := range in.Messages {
		if c.byID[m.ID] == nil {
			c.add(m)
		}
	}
	return nil
}

// merge adds metadata key by key; the last word on a key counts, whole.
func merge(into *jsontext.Value, more jsontext.Value) error {
	if len(more) == 0 {
		return nil
	}
	if len(*into) == 0 {
		*into = more
		return nil
	}
	o, err := readObject(*into)
	if err != nil {
		return malformed("metadata", err)
	}
	for m, err := range shape.Fields(more) {
		if err != nil {
			return malformed("metadata", err)
		}
		o.set(shape.Unquote(m.Name), m.Value)
	}
	*into = o.bytes()
	return nil
}
