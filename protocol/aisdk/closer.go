package aisdk

import "github.com/agui-bridge/agui-bridge/internal/shape"

// A Closer sees to it that an answer never ends in a way that makes a chat post again by
// itself. Chats do so, for ever, when every call of the last step that they show has a
// result (lastAssistantMessageIsCompleteWithToolCalls), or every one is decided
// (lastAssistantMessageIsCompleteWithApprovalResponses), and the agent has nothing to add.
// A step counts as the last one once something in it is shown.
//
// Give it every chunk by See, and ask it by Before what has to be said before the end.
type Closer struct {
	calls map[string]*closing // of the last step that is shown
	fresh bool                // a step has begun, and nothing of it is shown
}

// A closing is what a call has come to.
type closing struct {
	state    PartState
	approval string
}

// NewCloser makes a Closer for an answer that goes on with the message, or begins one if
// it is nil.
func NewCloser(m *Message) *Closer {
	c := &Closer{}
	if m == nil {
		return c
	}
	for _, p := range m.Parts[lastStep(m.Parts):] {
		if p.IsTool() {
			call := c.call(p.ToolCallID.String())
			call.state = p.State
			if p.Approval != nil {
				call.approval = p.Approval.ID
			}
			if p.State == StateOutputAvailable && p.Preliminary.True() {
				call.state = StateInputAvailable
			}
		}
	}
	return c
}

func (c *Closer) call(id string) *closing {
	if c.calls == nil {
		c.calls = map[string]*closing{}
	}
	if c.calls[id] == nil {
		c.calls[id] = &closing{}
	}
	return c.calls[id]
}

// See takes a chunk that the chat gets.
func (c *Closer) See(f Frame) {
	switch f.Type {
	case TypeTextDelta, TypeReasoningDelta, TypeToolInputDelta: // of a part that is shown already
		return
	case TypeStartStep:
		c.fresh = true
		return
	case TypeFinishStep, TypeAbort, TypeError:
		return
	case TypeFinish, TypeStart:
		if f.Member("messageMetadata") != nil || f.Member("messageId") != nil {
			c.show()
		}
		return
	case TypeToolOutputAvailable, TypeToolOutputError, TypeToolOutputDenied:
		c.result(f)
		return
	}
	if _, data := f.Type.IsData(); data && string(f.Member("transient")) == "true" {
		return
	}
	c.show()
	c.opened(f)
}

// show makes the step that has begun the last one that is shown.
func (c *Closer) show() {
	if c.fresh {
		c.fresh = false
		clear(c.calls)
	}
}

// result settles a call. One of a step before shows the step that has begun, too.
func (c *Closer) result(f Frame) {
	state := StateInputAvailable
	switch {
	case f.Type == TypeToolOutputError:
		state = StateOutputError
	case f.Type == TypeToolOutputDenied:
		state = StateOutputDenied
	case string(f.Member("preliminary")) != "true":
		state = StateOutputAvailable
	}
	c.show()
	call, known := shape.Lookup(c.calls, f.Record, "toolCallId")
	if !known {
		return // of an earlier step: it stays what it was for the last one
	}
	call.state = state
	if string(f.Member("providerExecuted")) == "true" {
		delete(c.calls, f.Text("toolCallId")) // no chat waits for it
	}
}

// opened takes a chunk that makes or asks about a call.
func (c *Closer) opened(f Frame) {
	switch f.Type {
	case TypeToolInputStart, TypeToolInputAvailable:
		c.call(f.Text("toolCallId")).state = StateInputAvailable
		if string(f.Member("providerExecuted")) == "true" {
			delete(c.calls, f.Text("toolCallId"))
		}
	case TypeToolInputError:
		c.call(f.Text("toolCallId")).state = StateOutputError
	case TypeToolApprovalRequest:
		call := c.call(f.Text("toolCallId"))
		call.state, call.approval = StateApprovalRequested, f.Text("approvalId")
	case TypeToolApprovalResponse:
		for _, call := range c.calls {
			if call.approval != "" && call.approval == f.Text("approvalId") {
				call.state = StateApprovalResponded
			}
		}
	}
}

// Before returns what has to be said before the answer ends: nothing, or a step that is
// shown and empty. A failure needs none; chats post nothing after it.
func (c *Closer) Before() [][]byte {
	if len(c.calls) == 0 {
		return nil
	}
	decided, denied := false, false
	for _, call := range c.calls {
		switch call.state {
		case StateOutputAvailable, StateOutputError:
		case StateOutputDenied:
			denied = true
		case StateApprovalResponded:
			decided = true
		default:
			return nil // it waits for something, and a chat does, too
		}
	}
	if denied && !decided {
		return nil
	}
	c.show()
	clear(c.calls)
	return [][]byte{[]byte(`{"type":"start-step"}`), []byte(`{"type":"message-metadata","messageMetadata":{}}`), []byte(`{"type":"finish-step"}`)}
}
