package gateway

import (
	"context"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// A client of before answers in forwardedProps.command.resume and knows no resume. It
// must not wait behind its own question.
func TestAnAnswerInTheFormOfBefore(t *testing.T) {
	frame := func(raw string) session.Output { return session.Output{Frame: []byte(raw)} }
	var answered []session.Settled
	asks := stub{name: "before", protocol: session.AGUI, run: func(_ context.Context, call session.Call, yield func(session.Output, error) bool) {
		started := strings.Replace(`{"type":"RUN_STARTED","threadId":"t","runId":"?"}`, "?", call.RunID, 1)
		finished := strings.Replace(`{"type":"RUN_FINISHED","threadId":"t","runId":"?"}`, "?", call.RunID, 1)
		if !yield(frame(started), nil) {
			return
		}
		out := frame(finished)
		out.End = &session.End{Status: session.Success, Spoken: true}
		if len(call.Settled) == 0 {
			q := hitl.Request{ID: call.RunID + "#on_interrupt-1", Kind: hitl.KindInput, Input: &hitl.InputRequest{Message: "Which colour?"}}
			out.End = &session.End{Status: session.Interrupted, Spoken: true, Requests: []hitl.Request{q}}
		}
		answered = call.Settled
		yield(out, nil)
	}}
	r := newRig(t, func(h *session.Options, _ *Options) { h.Agents = append(h.Agents, asks) })
	c := r.dial("before")
	c.do(input("t", "r1", "paint"))
	answer := `{"threadId":"t","runId":"r2","messages":[{"id":"u","role":"user","content":"paint"}],"forwardedProps":{"command":{"resume":{"colour":"blue"}}}}`
	frames := c.do(answer)
	if last := frames[len(frames)-1]; last.Type != agui.TypeRunFinished {
		t.Fatalf("the answer ended in %s", last.Raw)
	}
	if len(answered) != 1 || answered[0].Response.Input == nil || string(answered[0].Response.Input.Content) != `{"colour":"blue"}` {
		t.Errorf("the agent heard %+v", answered)
	}
	same(t, "the same answer again", c.do(answer), frames)
	if v := r.view("t"); v.Phase != session.Idle {
		t.Errorf("the thread is %+v", v)
	}
}
