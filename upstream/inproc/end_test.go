package inproc

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// TestHowAFunctionEndsIsHowItsRunEnds.
func TestHowAFunctionEndsIsHowItsRunEnds(t *testing.T) {
	tests := []struct {
		name    string
		fn      func(run *Run) error
		status  session.Status
		code    session.Code
		message string
	}{
		{"nil", func(*Run) error { return nil }, session.Success, "", ""},
		{"an open message", func(r *Run) error { r.Message().Write("x"); return nil }, session.Success, "", ""},
		{"a failure", func(*Run) error { return &session.Failure{Code: "quota", Message: "used up"} }, session.Failed, "quota", "used up"},
		{"a wrapped failure", func(*Run) error { return fmt.Errorf("x: %w", &session.Failure{Message: "used up"}) }, session.Failed, "", "used up"},
		{"an error", func(*Run) error { return errors.New("password=hunter2") }, session.Failed, "", "the agent failed"},
		{"an error amid a message", func(r *Run) error { r.Message().Write("x"); return errors.New("y") }, session.Failed, "", "the agent failed"},
		{"a panic", func(*Run) error { panic("boom") }, session.Failed, "", "the agent failed"},
		{"a panic with nil", func(*Run) error { panic(nil) }, session.Failed, "", "the agent failed"}, //nolint:govet // it is what the rule is about
		{"the end of its goroutine", func(*Run) error { runtime.Goexit(); return nil }, session.Failed, "", "the agent failed"},
		{"text that is none", func(r *Run) error { r.Text("\xff"); return nil }, session.Failed, session.CodeInternal, "the run failed inside the agent"},
		{"arguments that are no object", func(r *Run) error { r.ToolCall("a", 7); return nil }, session.Failed, session.CodeInternal, "the run failed inside the agent"},
		{"a value that is no JSON", func(r *Run) error { r.State(func() {}); return nil }, session.Failed, session.CodeInternal, "the run failed inside the agent"},
		{"a result of no call", func(r *Run) error { r.Result("x", 1); return nil }, session.Failed, session.CodeInternal, "the run failed inside the agent"},
		{"a second result", func(r *Run) error { id := r.ToolCall("a", nil).ID; r.Result(id, 1); r.Denied(id, ""); return nil }, session.Failed, session.CodeInternal, "the run failed inside the agent"},
		{"a call id twice", func(r *Run) error { r.Propose(Proposal{ID: "a"}); r.Propose(Proposal{ID: "a"}); return nil }, session.Failed, session.CodeInternal, "the run failed inside the agent"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			fn := func(_ context.Context, run *Run) error { return tt.fn(run) }
			bubble(t, fn, Options{}, func(r *rig) {
				h := r.begin("r1").is(tt.status)
				if f := h.end.Failure; f != nil && (f.Code != tt.code || f.Message != tt.message) {
					t.Errorf("failed with %v", f)
				}
			})
		})
	}
}

// TestAfterAFaultNothingIsApproved: asking returns the fault.
func TestAfterAFaultNothingIsApproved(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		call := run.ToolCall("a", nil)
		run.Text("\xff")
		d, err := run.Decide(ctx, call.ID)
		if d.Approved || err == nil {
			t.Error(d, err)
		}
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) { r.begin("r1").failed(session.CodeInternal) })
}

// TestARunUsedAfterTheFunctionIsOver asks nobody and says nothing.
func TestARunUsedAfterTheFunctionIsOver(t *testing.T) {
	var kept *Run
	var call hitl.ToolCall
	fn := func(_ context.Context, run *Run) error {
		kept, call = run, run.ToolCall("a", nil)
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) {
		r.begin("r1").is(session.Success)
		if _, err := kept.Decide(r.t.Context(), call.ID); !errors.Is(err, ErrOver) {
			t.Error(err)
		}
		if _, err := kept.Input(r.t.Context(), hitl.InputRequest{}); !errors.Is(err, ErrOver) {
			t.Error(err)
		}
		kept.Text("x")
		kept.Result(call.ID, 1)
	})
}

// TestAQuestionLeftBehindIsNoApproval: the function returned, its goroutine still asks.
func TestAQuestionLeftBehindIsNoApproval(t *testing.T) {
	got := make(chan error, 1)
	fn := func(_ context.Context, run *Run) error {
		call := run.ToolCall("a", nil)
		go func() {
			_, err := run.Decide(context.Background(), call.ID)
			got <- err
		}()
		time.Sleep(time.Millisecond)
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) {
		got = make(chan error, 1)
		r.begin("r1").is(session.Success)
		if err := <-got; !errors.Is(err, ErrOver) {
			t.Error(err)
		}
	})
}

// TestCancel ends the run at once, whatever the function does.
func TestCancel(t *testing.T) {
	for name, fn := range map[string]func(ctx context.Context, r *Run){
		"waiting":           func(ctx context.Context, r *Run) { r.Message().Write("x"); <-ctx.Done() },
		"ignoring":          func(_ context.Context, r *Run) { r.Message().Write("x"); time.Sleep(time.Hour); r.Text("never heard") },
		"asking":            func(ctx context.Context, r *Run) { c := r.ToolCall("a", nil); _, _ = r.Decide(ctx, c.ID) },
		"talking all along": func(ctx context.Context, r *Run) { say(ctx, r) },
		"thinking and state": func(ctx context.Context, r *Run) {
			r.Reasoning("a", "", "b")
			r.State(map[string]int{"n": 1})
			r.StateDelta(jsonOf(`[{"op":"replace","path":"/n","value":2}]`))
			<-ctx.Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			cause := make(chan error, 1)
			work := func(ctx context.Context, run *Run) error {
				fn(ctx, run)
				cause <- context.Cause(ctx)
				return ctx.Err()
			}
			bubble(t, work, Options{Gather: time.Minute}, func(r *rig) {
				cause = make(chan error, 1)
				feed := r.submit("r1", `"messages":[]`)
				time.Sleep(10 * time.Millisecond)
				start := time.Now()
				if err := r.hub.Cancel(r.t.Context(), "t", "ada"); err != nil {
					t.Fatal(err)
				}
				r.read(feed).is(session.Cancelled)
				if took := time.Since(start); took > time.Second {
					t.Errorf("it took %v", took)
				}
				if err := <-cause; !errors.Is(err, session.ErrCancelled) {
					t.Errorf("the cause is %v", err)
				}
			})
		})
	}
}

// say talks until ctx ends, faster than anybody listens, but lets time pass.
func say(ctx context.Context, r *Run) {
	for ctx.Err() == nil {
		r.Text("x")
		time.Sleep(time.Microsecond)
	}
}

// TestATalkerDoesNotRunAhead: what nobody has read yet is bounded.
func TestATalkerDoesNotRunAhead(t *testing.T) {
	fn := func(_ context.Context, run *Run) error {
		m := run.Message()
		for range 10 * maxUnread {
			m.Write("x")
			run.f.mu.Lock()
			if n := len(run.f.unread); n > maxUnread+1 { // START and the first piece come together
				t.Errorf("%d frames are unread", n)
			}
			run.f.mu.Unlock()
		}
		return nil
	}
	synctest.Test(t, func(t *testing.T) {
		a := New("a", fn, Options{})
		call := session.Call{ThreadID: "t", RunID: "r", Protocol: session.AGUI, Input: []byte(`{"threadId":"t","runId":"r","messages":[]}`)}
		n := 0
		for out, err := range a.Run(t.Context(), call) {
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait() // the function is as far ahead as it may be
			if f, _, err := agui.ParseFrame(out.Frame); err == nil && f.Type == agui.TypeTextMessageContent {
				n++
			}
		}
		if n != 10*maxUnread {
			t.Errorf("%d pieces came", n)
		}
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestADroppedRunLetsItsFunctionGo.
func TestADroppedRunLetsItsFunctionGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gone := false
		a := New("a", func(ctx context.Context, r *Run) error { say(ctx, r); gone = true; return nil }, Options{})
		call := session.Call{ThreadID: "t", RunID: "r", Protocol: session.AGUI, Input: []byte(`{"threadId":"t","runId":"r","messages":[]}`)}
		for range a.Run(t.Context(), call) {
			break
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if !gone {
			t.Error("it goes on talking")
		}
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestOtherInputIsRefused: there is no reader of the AI SDK's here yet.
func TestOtherInputIsRefused(t *testing.T) {
	a := New("a", func(context.Context, *Run) error { return nil }, Options{})
	for _, call := range []session.Call{{Protocol: session.AISDK}, {Protocol: session.AGUI, Input: []byte(`{}`)}} {
		for _, err := range a.Run(t.Context(), call) {
			if err == nil {
				t.Error("it ran")
			}
		}
	}
	if err := a.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
