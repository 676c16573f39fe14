package inproc

import (
	"errors"
	"fmt"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// A Proposal is a tool call to be shown, and how it is asked about.
type Proposal struct {
	ID   string // must be new on the thread; empty: one is made
	Name string
	Args any // a JSON object, or a value that is written as one; nil: no arguments

	Question  string    // for [Run.Decide]; empty: one is made of the name
	ExpiresAt time.Time // from when on it is too late to approve; zero: never
	NoEdits   bool      // it may be approved as it is, or not at all
}

// shownCall is a call that a front end was shown.
type shownCall struct {
	hitl.ToolCall
	proposal Proposal
	done     bool // it has a result
}

// ToolCall shows a call of the named tool. It asks nothing, and runs nothing.
func (r *Run) ToolCall(name string, args any) hitl.ToolCall {
	return r.Propose(Proposal{Name: name, Args: args})
}

// Propose shows a call. It returns the call as it was shown; one that could not be shown
// has no id, and is never approved.
func (r *Run) Propose(p Proposal) (call hitl.ToolCall) {
	f := r.f
	f.say(func() {
		args, ok := f.arguments(p)
		if !ok {
			return
		}
		id := p.ID
		if id == "" {
			id = f.newID("call")
		}
		if f.calls[id] != nil {
			f.spoil(fmt.Errorf("tool call id %q is used twice", id))
			return
		}
		f.push(&agui.ToolCallStart{Base: head(agui.TypeToolCallStart), ToolCallID: id, ToolCallName: p.Name, ParentMessageID: agui.NotEmpty(f.parent)})
		f.push(&agui.ToolCallArgs{Base: head(agui.TypeToolCallArgs), ToolCallID: id, Delta: string(args)})
		f.push(&agui.ToolCallEnd{Base: head(agui.TypeToolCallEnd), ToolCallID: id})
		if f.fault != nil {
			return
		}
		call = hitl.ToolCall{ID: id, Name: p.Name, Args: args, Executor: hitl.ExecutorAgent}
		f.calls[id] = &shownCall{ToolCall: call, proposal: p}
		call.Args = args.Clone() // what a person is shown does not change with it
	})
	return call
}

func (f *function) arguments(p Proposal) (jsontext.Value, bool) {
	if p.Args == nil {
		return jsontext.Value("{}"), true
	}
	args, ok := f.encode(p.Args)
	if ok && args.Kind() != jsontext.KindBeginObject {
		f.spoil(fmt.Errorf("the arguments of %q are no JSON object", p.Name))
		return nil, false
	}
	return args, ok
}

// Result shows what a call came to: JSON, or a value that is written as JSON. A call has
// one result.
func (r *Run) Result(callID string, output any) {
	r.f.say(func() {
		if raw, ok := r.f.encode(output); ok {
			r.f.result(callID, string(raw))
		}
	})
}

// Failed shows that a call failed, and why.
func (r *Run) Failed(callID, why string) {
	r.f.say(func() { r.f.result(callID, "Error: "+why) })
}

// Denied shows that a call did not run because a person did not allow it. The reason,
// which may be empty, is what the person gave.
func (r *Run) Denied(callID, reason string) {
	text := "The user denied this tool call; it did not run."
	if reason != "" {
		text += " Reason: " + reason
	}
	r.f.say(func() { r.f.result(callID, text) })
}

// result is called with mu held.
func (f *function) result(callID, text string) {
	call := f.calls[callID]
	switch {
	case call == nil:
		f.spoil(fmt.Errorf("a result of the call %q, which was not shown", callID))
		return
	case call.done:
		f.spoil(fmt.Errorf("a second result of the call %q", callID))
		return
	}
	content, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		f.spoil(errors.Join(errors.New("the result is not text"), err))
		return
	}
	call.done, f.parent = true, "" // calls that follow belong to a message after this one
	f.push(&agui.ToolCallResult{
		Base: head(agui.TypeToolCallResult), MessageID: f.newID("result"), ToolCallID: callID, Content: content, Role: agui.RoleTool,
	})
}
