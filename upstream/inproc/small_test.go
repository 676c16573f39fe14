package inproc

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

// TestWhatIsOverBeforeTheRunStopsIsNotAsked: it expired while more was gathered, or was
// one of several that could not be asked together.
func TestWhatIsOverBeforeTheRunStopsIsNotAsked(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		soon := run.Propose(Proposal{Name: "send", ExpiresAt: time.Now().Add(time.Millisecond)})
		if _, err := run.Decide(ctx, soon.ID); !errors.Is(err, hitl.ErrExpired) {
			t.Error(err)
		}
		other := run.ToolCall("send", nil)
		if _, err := run.DecideAll(ctx, other.ID, "nowhere"); !errors.Is(err, ErrNotShown) {
			t.Error(err)
		}
		time.Sleep(time.Second)
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) { r.begin("r1").is(session.Success) })
}

// TestARefusedQuestionMayBeAskedAgain once there is room.
func TestARefusedQuestionMayBeAskedAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var a *Agent
		a = New("a", func(ctx context.Context, run *Run) error {
			call := run.ToolCall("send", nil)
			_, err := run.Decide(ctx, call.ID)
			if errors.Is(err, ErrTooManyParked) {
				a.Withdrawn("t")
				time.Sleep(time.Second)
				_, err = run.Decide(ctx, call.ID)
			}
			return err
		}, Options{MaxParked: 1})
		_, first, _ := direct(t, a, "r1", `"messages":[]`)
		call := session.Call{ThreadID: "u", RunID: "r1", Protocol: session.AGUI, Input: []byte(`{"threadId":"u","runId":"r1","messages":[]}`)}
		var second *session.End
		for out := range a.Run(t.Context(), call) {
			second = out.End
		}
		if first.Status != session.Interrupted || second == nil || second.Status != session.Interrupted {
			t.Error(first, second)
		}
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestAnAgentThatIsClosedEndsItsRuns, also of a function that does not care.
func TestAnAgentThatIsClosedEndsItsRuns(t *testing.T) {
	fn := func(context.Context, *Run) error { time.Sleep(time.Hour); return nil }
	bubble(t, fn, Options{}, func(r *rig) {
		feed := r.submit("r1", `"messages":[]`)
		time.Sleep(time.Second)
		ctx, cancel := context.WithTimeout(r.t.Context(), time.Second)
		defer cancel()
		if err := r.agent.Close(ctx); err == nil {
			t.Error("it did not say that a function was still at work")
		}
		start := time.Now()
		r.read(feed).failed(session.CodeRunLost)
		if time.Since(start) > time.Second {
			t.Error("the run waited for its function")
		}
		time.Sleep(time.Hour)
	})
}

// TestACallAfterAResultIsAMessageOfItsOwn: the order of what happened is kept.
func TestACallAfterAResultIsAMessageOfItsOwn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := New("a", func(ctx context.Context, run *Run) error {
			run.Text("x")
			run.Result(run.ToolCall("one", nil).ID, 1)
			_, err := run.Decide(ctx, run.ToolCall("two", nil).ID)
			return err
		}, Options{})
		frames, _, err := direct(t, a, "r1", `"messages":[]`)
		_, snapshot, _ := strings.Cut(frames, "MESSAGES_SNAPSHOT")
		one, result, two := strings.Index(snapshot, `"one"`), strings.Index(snapshot, `"role":"tool"`), strings.Index(snapshot, `"two"`)
		if err != nil || one < 0 || one > result || result > two {
			t.Errorf("%v: %d %d %d in %s", err, one, result, two, snapshot)
		}
		if err := a.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}
