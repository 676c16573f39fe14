package inproc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

// direct runs an agent without a hub, as one would that checks nothing.
func direct(t *testing.T, a *Agent, run, more string, settled ...session.Settled) (frames string, end *session.End, err error) {
	t.Helper()
	in := fmt.Appendf(nil, `{"threadId":"t","runId":%q,%s}`, run, more)
	call := session.Call{ThreadID: "t", RunID: run, Protocol: session.AGUI, Input: in, Settled: settled}
	for out, err := range a.Run(t.Context(), call) {
		if err != nil {
			return frames, nil, err
		}
		frames += string(out.Frame) + "\n"
		end = out.End
	}
	return frames, end, nil
}

// TestWhatTheSessionWouldRefuseIsNoApproval: the function does not rely on its host.
func TestWhatTheSessionWouldRefuseIsNoApproval(t *testing.T) {
	accept := hitl.Accept(jsonOf(`true`))
	tests := map[string]struct {
		answer hitl.Response
		want   error
	}{
		"nothing":                {hitl.Response{}, ErrNoAnswer},
		"an input":               {hitl.Response{Input: &accept}, ErrNoAnswer},
		"an output":              {hitl.Response{ToolOutput: &hitl.ToolOutput{Output: jsonOf(`{"approved":true}`)}}, ErrNoAnswer},
		"a decision and more":    {hitl.Response{Decision: &hitl.ToolDecision{Approved: true}, Input: &accept}, ErrNoAnswer},
		"edits it does not take": {hitl.Response{Decision: &hitl.ToolDecision{Approved: true, EditedArgs: jsonOf(`{}`)}}, hitl.ErrEditsNotSupported},
		"edits of another kind":  {hitl.Response{Decision: &hitl.ToolDecision{Approved: true, EditedArgs: jsonOf(`7`)}}, hitl.ErrEditsNotSupported},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				a := New("a", func(ctx context.Context, run *Run) error {
					call := run.Propose(Proposal{Name: "send", NoEdits: strings.HasPrefix(name, "edits it")})
					d, err := run.Decide(ctx, call.ID)
					if d.Approved || !errors.Is(err, tt.want) {
						t.Error(d, err)
					}
					return nil
				}, Options{})
				_, end, _ := direct(t, a, "r1", `"messages":[]`)
				_, end, _ = direct(t, a, "r2", `"messages":[]`, session.Settled{Request: end.Requests[0], Response: tt.answer})
				if end.Status != session.Success {
					t.Error(end.Status)
				}
				if err := a.Close(t.Context()); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// TestAnswersToSomethingElse do not reach the function, which stays parked; and what is
// missing among them is no approval.
func TestAnswersToSomethingElse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var got []hitl.ToolDecision
		a := New("a", func(ctx context.Context, run *Run) error {
			one, two := run.ToolCall("one", nil), run.ToolCall("two", nil)
			_, err := run.DecideAll(ctx, one.ID, two.ID)
			for _, id := range []string{one.ID, two.ID} {
				d, _ := run.Decide(ctx, id)
				got = append(got, d)
			}
			if !errors.Is(err, ErrNoAnswer) {
				t.Error(err)
			}
			return nil
		}, Options{})
		_, end, _ := direct(t, a, "r1", `"messages":[]`)
		yes := hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}
		var gone *session.Failure
		if _, _, err := direct(t, a, "r2", `"messages":[]`, session.Settled{Request: hitl.Request{ID: "x"}, Response: yes}); !errors.As(err, &gone) || gone.Code != CodeResumeUnknown {
			t.Error(err)
		}
		_, end, err := direct(t, a, "r3", `"messages":[]`, session.Settled{Request: end.Requests[0], Response: yes})
		if err != nil || end.Status != session.Success || !got[0].Approved || got[1].Approved {
			t.Error(err, end, got)
		}
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestAQuestionThatCannotBeWritten reaches nobody, and leaves nothing parked.
func TestAQuestionThatCannotBeWritten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New("a", func(ctx context.Context, run *Run) error {
			call := run.Propose(Proposal{Name: "send", Question: "\xff"})
			if d, err := run.Decide(ctx, call.ID); d.Approved || err == nil {
				t.Error(d, err)
			}
			return nil
		}, Options{})
		if _, end, err := direct(t, a, "r1", `"messages":[]`); err == nil {
			t.Error(end)
		}
		synctest.Wait()
		if len(a.parked)+len(a.straying) > 0 {
			t.Error("it is kept")
		}
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestSnapshotsHoldWhatTheClientHolds: its own words when it resumes with them, and else
// what went before.
func TestSnapshotsHoldWhatTheClientHolds(t *testing.T) {
	for resumed, want := range map[string]string{
		`"messages":[]`: `"content":"first"`,
		`"messages":[{"id":"m9","role":"user","content":"mine"}]`: `"content":"mine"`,
	} {
		synctest.Test(t, func(t *testing.T) {
			a := New("a", func(ctx context.Context, run *Run) error {
				run.State(map[string]int{"n": 1})
				for range 2 {
					if _, err := run.Input(ctx, hitl.InputRequest{Message: "?"}); err != nil {
						return err
					}
				}
				return nil
			}, Options{})
			_, end, _ := direct(t, a, "r1", `"messages":[{"id":"m1","role":"user","content":"first"}]`)
			yes := hitl.Accept(nil)
			frames, _, err := direct(t, a, "r2", resumed, session.Settled{Request: end.Requests[0], Response: hitl.Response{Input: &yes}})
			if err != nil || !strings.Contains(frames, want) || !strings.Contains(frames, `"snapshot":{"n":1}`) {
				t.Errorf("%v: no %s in\n%s", err, want, frames)
			}
			if err := a.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestPassedOnAsAnApprover: code that only asks works with a run.
func TestPassedOnAsAnApprover(t *testing.T) {
	ask := func(ctx context.Context, a hitl.Approver, id string) (bool, error) {
		d, err := a.Decide(ctx, id)
		return d.Approved, err
	}
	fn := func(ctx context.Context, run *Run) error {
		call := run.ToolCall("send", nil)
		ok, err := ask(ctx, run.Approver(), call.ID)
		run.Failed(call.ID, "no server")
		run.Text(fmt.Sprint(run.ThreadID(), len(run.RunInput().Messages), ok, err))
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) {
		r.begin("r1").is(session.Interrupted)
		r.answer("r2", `{"approved":true}`).is(session.Success).says("t1 true <nil>")
	})
}
