package inproc

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

// fate asks and reports what it was told.
func fate() (Func, chan error) {
	told := make(chan error, 10)
	return func(ctx context.Context, run *Run) error {
		d, err := run.Decide(ctx, run.ToolCall("send", nil).ID)
		if d.Approved {
			err = errors.New("it was approved")
		}
		told <- err
		return err
	}, told
}

// TestAParkedFunctionIsTold what becomes of it, and is never approved thereby.
func TestAParkedFunctionIsTold(t *testing.T) {
	tests := []struct {
		name string
		do   func(*rig)
		want error
	}{
		{"withdrawn with its thread", func(r *rig) {
			if err := r.hub.Cancel(r.t.Context(), "t", "ada"); err != nil {
				r.t.Fatal(err)
			}
			r.agent.Withdrawn("elsewhere")
			r.agent.Withdrawn("t")
			r.agent.Withdrawn("t")
		}, session.ErrCancelled},
		{"a new turn after its thread was cancelled", func(r *rig) {
			if err := r.hub.Cancel(r.t.Context(), "t", "ada"); err != nil {
				r.t.Fatal(err)
			}
			r.begin("r2").is(session.Interrupted)
		}, session.ErrCancelled},
		{"the bridge goes down", func(r *rig) { r.close() }, session.ErrShutdown},
		{"nobody answers", func(*rig) { time.Sleep(DefaultParkFor + time.Second) }, ErrParkedTooLong},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				fn, told := fate()
				r := newRig(t, fn, Options{})
				defer r.close()
				r.begin("r1").is(session.Interrupted)
				tt.do(r)
				if err := <-told; !errors.Is(err, tt.want) {
					t.Errorf("told %v, want %v", err, tt.want)
				}
			})
		})
	}
}

// TestAnAnswerToAFunctionThatIsGone fails the run, and runs nothing again.
func TestAnAnswerToAFunctionThatIsGone(t *testing.T) {
	for name, lose := range map[string]func(*rig, Func){
		"a restart":              func(r *rig, fn Func) { r.restart(fn, Options{}) },
		"it was parked too long": func(*rig, Func) { time.Sleep(DefaultParkFor + time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				calls := 0
				fn := func(ctx context.Context, run *Run) error {
					calls++
					return mail(ctx, run)
				}
				r := newRig(t, fn, Options{})
				defer func() { r.close() }()
				r.begin("r1").is(session.Interrupted)
				lose(r, fn)
				r.answer("r2", `{"approved":true}`).failed(CodeResumeUnknown)
				if calls != 1 {
					t.Errorf("the function ran %d times", calls)
				}
				r.begin("r3").is(session.Interrupted) // the thread goes on
			})
		})
	}
}

// TestRecover goes on by hand with answers whose function is gone.
func TestRecover(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fn := func(ctx context.Context, run *Run) error {
			_, err := run.Decide(ctx, run.ToolCall("send", map[string]int{"n": 1}).ID)
			return err
		}
		recovery := func(ctx context.Context, run *Run, answers []session.Settled) error {
			for _, a := range answers {
				call := a.Request.Call
				d, err := run.Decide(ctx, call.ID)
				if err != nil {
					return err
				}
				run.Result(call.ID, d.EditedArgs)
				run.Text(fmt.Sprint(string(call.Args), d.Approved))
			}
			_, err := run.Input(ctx, hitl.InputRequest{Message: "More?"})
			return err
		}
		r := newRig(t, fn, Options{})
		r.begin("r1").is(session.Interrupted)
		r.restart(fn, Options{Recover: recovery})
		r.answer("r2", `{"approved":true,"editedArgs":{"n":2}}`).is(session.Interrupted).says(`{"n":1}true`)
		r.answer("r3", `true`).is(session.Success)
		r.close()
	})
}

// TestParkedFunctionsAreBounded: beyond the bound asking is refused, and the run goes on.
func TestParkedFunctionsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fn, told := fate()
		a := New("a", fn, Options{MaxParked: 2})
		run := func(thread string) (end *session.End) {
			in := fmt.Appendf(nil, `{"threadId":%q,"runId":"r","messages":[]}`, thread)
			for out, err := range a.Run(t.Context(), session.Call{ThreadID: thread, RunID: "r", Protocol: session.AGUI, Input: in}) {
				if err != nil {
					t.Fatal(err)
				}
				end = out.End
			}
			return end
		}
		for i, want := range []session.Status{session.Interrupted, session.Interrupted, session.Failed} {
			if end := run(fmt.Sprint(i)); end.Status != want {
				t.Errorf("run %d ended %s", i, end.Status)
			}
		}
		if err := <-told; !errors.Is(err, ErrTooManyParked) {
			t.Error(err)
		}
		a.Withdrawn("0")
		synctest.Wait()
		if end := run("3"); end.Status != session.Interrupted {
			t.Errorf("after one was given up: %s", end.Status)
		}
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestAFunctionThatIgnoresItsEndCounts as parked until it returns, and Close says so.
func TestAFunctionThatIgnoresItsEndCounts(t *testing.T) {
	fn := func(_ context.Context, run *Run) error {
		if run.UserText() == "" {
			time.Sleep(time.Hour)
			return nil
		}
		return mail(context.Background(), run)
	}
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fn, Options{MaxParked: 1})
		feed := r.submit("r1", `"messages":[]`)
		time.Sleep(time.Second)
		if err := r.hub.Cancel(t.Context(), "t", "ada"); err != nil {
			t.Fatal(err)
		}
		r.read(feed).is(session.Cancelled)
		r.begin("r2").is(session.Failed).says(spell(false, "", "", ErrTooManyParked))
		if err := r.hub.Close(t.Context()); err != nil {
			t.Error(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := r.agent.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("closing: %v", err)
		}
		time.Sleep(time.Hour)
	})
}

// TestGoingDown fails runs as lost, in whichever order hub and agent are closed, and
// lets nothing begin after.
func TestGoingDown(t *testing.T) {
	for name, down := range map[string]func(*rig) error{
		"the hub first":   func(r *rig) error { return r.hub.Close(r.t.Context()) },
		"the agent first": func(r *rig) error { return r.agent.Close(r.t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			fn := func(ctx context.Context, _ *Run) error { <-ctx.Done(); return ctx.Err() }
			bubble(t, fn, Options{}, func(r *rig) {
				feed := r.submit("r1", `"messages":[]`)
				time.Sleep(time.Second)
				if err := down(r); err != nil {
					t.Error(err)
				}
				r.read(feed).failed(session.CodeRunLost)
				if feed, err := r.try("r2", `"messages":[]`); err == nil {
					r.read(feed).failed(session.CodeRunLost)
				}
			})
		})
	}
}
