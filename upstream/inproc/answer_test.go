package inproc

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// TestDecideReturnsWhatWasDecided: the function gets the answer, in the middle.
func TestDecideReturnsWhatWasDecided(t *testing.T) {
	tests := []struct {
		name, payload string
		says          string
		status        session.Status
	}{
		{"approved", `{"approved":true}`, spell(true, "", "", nil), session.Success},
		{"approved with edits", `{"approved":true,"editedArgs":{"to":"grace"}}`, spell(true, "", `{"to":"grace"}`, nil), session.Success},
		{"denied", `{"approved":false}`, spell(false, "", "", nil), session.Success},
		{"denied with a reason", `{"approved":false,"reason":"no"}`, spell(false, "no", "", nil), session.Success},
		{"denied with edits", `{"approved":false,"editedArgs":{"to":"grace"}}`, spell(false, "", "", nil), session.Success},
		{"given up", ``, spell(false, "", "", ErrGivenUp), session.Cancelled},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, mail, Options{}, func(r *rig) {
				h := r.begin("r1").is(session.Interrupted)
				if q := h.end.Requests; len(q) != 1 || q[0].Kind != hitl.KindApproval || string(q[0].Call.Args) != `{"to":"ada"}` {
					t.Fatalf("asked %+v", q)
				}
				r.answer("r2", tt.payload).is(tt.status).says(tt.says)
			})
		})
	}
}

// TestInvalidAnswersChangeNothing: the function stays parked.
func TestInvalidAnswersChangeNothing(t *testing.T) {
	bubble(t, mail, Options{}, func(r *rig) {
		r.begin("r1").is(session.Interrupted)
		for i, payload := range []string{`{"approved":1}`, `{"approved":"true"}`, `{}`, `{"approved":true,"editedArgs":7}`, `true`} {
			_, err := r.try(fmt.Sprint("bad", i), `"messages":[],"resume":[`+r.entries([]string{payload})[0]+`]`)
			if !errors.Is(err, hitl.ErrInvalidPayload) {
				t.Errorf("%s: %v", payload, err)
			}
		}
		r.answer("r2", `{"approved":true}`).is(session.Success).says(spell(true, "", "", nil))
	})
}

// TestARepeatedAnswerRunsNothingTwice: the same resume again, under the same run id and
// under another, joins the run it started.
func TestARepeatedAnswerRunsNothingTwice(t *testing.T) {
	sent := 0
	fn := func(ctx context.Context, run *Run) error {
		call := run.ToolCall("send", nil)
		d, err := run.Decide(ctx, call.ID)
		if err == nil && d.Approved {
			sent++
		}
		return err
	}
	bubble(t, fn, Options{}, func(r *rig) {
		r.begin("r1").is(session.Interrupted)
		body := `"messages":[],"resume":[` + r.entries([]string{`{"approved":true}`})[0] + `]`
		for _, run := range []string{"r2", "r2", "r3", "r2"} {
			r.read(r.submit(run, body)).is(session.Success)
		}
		if sent != 1 {
			t.Errorf("it ran %d times", sent)
		}
	})
}

// TestTheSameCallIsAskedOnce: whoever asks about it again gets the same answer.
func TestTheSameCallIsAskedOnce(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		call := run.ToolCall("send", nil)
		again := make(chan hitl.ToolDecision)
		go func() {
			d, _ := run.Decide(ctx, call.ID)
			again <- d
		}()
		first, _ := run.Decide(ctx, call.ID)
		second := <-again
		third, err := run.Decide(ctx, call.ID)
		run.Text(fmt.Sprint(first.Reason, second.Reason, third.Reason))
		return err
	}
	bubble(t, fn, Options{}, func(r *rig) {
		if h := r.begin("r1").is(session.Interrupted); len(h.end.Requests) != 1 {
			t.Fatalf("asked %d times", len(h.end.Requests))
		}
		r.answer("r2", `{"approved":false,"reason":"no"}`).is(session.Success).says("nonono")
	})
}

// TestACallNotShownIsNotAsked, nor one that has a result.
func TestACallNotShownIsNotAsked(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		_, unknown := run.Decide(ctx, "nowhere")
		_, empty := run.Decide(ctx, "")
		call := run.ToolCall("send", nil)
		run.Result(call.ID, true)
		_, done := run.Decide(ctx, call.ID)
		_, about := run.Input(ctx, hitl.InputRequest{ToolCallID: "nowhere"})
		if !errors.Is(unknown, ErrNotShown) || !errors.Is(empty, ErrNotShown) || !errors.Is(done, ErrDone) || !errors.Is(about, ErrNotShown) {
			t.Error(unknown, empty, done, about)
		}
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) { r.begin("r1").is(session.Success) })
}

// TestParallelQuestionsAreOneInterrupt, answered at once, each with its own answer.
func TestParallelQuestionsAreOneInterrupt(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		reasons := make([]string, 3)
		done := make(chan struct{})
		for i := range reasons {
			call := run.ToolCall("send", map[string]int{"n": i})
			go func() {
				time.Sleep(time.Duration(i) * 10 * time.Millisecond) // within what is gathered
				d, err := run.Decide(ctx, call.ID)
				reasons[i] = fmt.Sprint(d.Reason, err)
				done <- struct{}{}
			}()
		}
		for range reasons {
			<-done
		}
		run.Text(fmt.Sprint(reasons))
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) {
		if h := r.begin("r1").is(session.Interrupted); len(h.end.Requests) != 3 {
			t.Fatalf("asked %d", len(h.end.Requests))
		}
		no := func(s string) string { return `{"approved":false,"reason":"` + s + `"}` }
		if _, err := r.try("part", `"messages":[],"resume":[`+r.entries([]string{no("a"), no("b"), no("c")})[0]+`]`); !errors.Is(err, hitl.ErrIncomplete) {
			t.Errorf("a part of the answers: %v", err)
		}
		r.answer("r2", no("a"), "", no("c")).is(session.Success).says(fmt.Sprint([]string{"a<nil>", "" + ErrGivenUp.Error(), "c<nil>"}))
	})
}

// TestDecideAllIsOneInterrupt without any goroutine of the author.
func TestDecideAllIsOneInterrupt(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		a, b := run.ToolCall("a", nil), run.ToolCall("b", nil)
		if _, err := run.DecideAll(ctx, a.ID, "nowhere"); !errors.Is(err, ErrNotShown) {
			t.Error(err)
		}
		d, err := run.DecideAll(ctx, a.ID, b.ID)
		run.Text(fmt.Sprint(len(d), err))
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) {
		if h := r.begin("r1").is(session.Interrupted); len(h.end.Requests) != 2 {
			t.Fatalf("asked %d", len(h.end.Requests))
		}
		r.answer("r2", `{"approved":true}`, "").is(session.Success).says(fmt.Sprint(0, errors.Join(ErrGivenUp)))
	})
}

// TestALateAskerIsAskedForInTheNextRun: what comes while the function is parked waits.
func TestALateAskerIsAskedForInTheNextRun(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		a, b := run.ToolCall("a", nil), run.ToolCall("b", nil)
		late := make(chan error)
		go func() {
			time.Sleep(time.Minute)
			_, err := run.Decide(ctx, b.ID)
			late <- err
		}()
		_, err := run.Decide(ctx, a.ID)
		return errors.Join(err, <-late)
	}
	bubble(t, fn, Options{}, func(r *rig) {
		r.begin("r1").is(session.Interrupted)
		time.Sleep(time.Hour)
		r.answer("r2", `{"approved":true}`).is(session.Interrupted)
		r.answer("r3", `{"approved":true}`).is(session.Success)
	})
}

// TestAMessageGoesOnAsANewOne when the run stops while it is written.
func TestAMessageGoesOnAsANewOne(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		m := run.Message()
		m.Write("half ")
		if _, err := run.Decide(ctx, run.ToolCall("a", nil).ID); err != nil {
			return err
		}
		m.Write("other half")
		m.Close()
		m.Write("nothing")
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) {
		h := r.begin("r1").is(session.Interrupted)
		h.says("half ")
		if h.has(agui.TypeMessagesSnapshot) != 1 || h.has(agui.TypeStateSnapshot) != 1 {
			t.Error("no snapshots before the interrupt")
		}
		h = r.answer("r2", `{"approved":true}`).is(session.Success)
		h.says("other half")
		if h.has(agui.TypeTextMessageEnd) != 1 {
			t.Error("not one message")
		}
	})
}

// TestInput gives the three answers, and the same answer for the same id.
func TestInput(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		req := hitl.InputRequest{ID: "seats", Message: "How many?", Schema: jsonOf(`{"type":"integer"}`)}
		first, err := run.Input(ctx, req)
		second, again := run.Input(ctx, req)
		req.Message = "How few?"
		_, other := run.Input(ctx, req)
		if err != nil || again != nil || !errors.Is(other, ErrReused) {
			t.Error(err, again, other)
		}
		run.Text(string(first.Action), string(first.Content), string(second.Content))
		return nil
	}
	for payload, says := range map[string]string{`3`: "accept33", ``: "cancel"} {
		bubble(t, fn, Options{}, func(r *rig) {
			r.begin("r1").is(session.Interrupted)
			if _, err := r.try("bad", `"messages":[],"resume":[`+r.entries([]string{`"three"`})[0]+`]`); !errors.Is(err, hitl.ErrInvalidPayload) {
				t.Errorf("an answer that breaks the schema: %v", err)
			}
			r.answer("r2", payload).is(session.Success).says(says)
		})
	}
}

// TestAnAnswerOfAnEarlierTurnDoesNotCount, though the author's id is the same.
func TestAnAnswerOfAnEarlierTurnDoesNotCount(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		_, err := run.Input(ctx, hitl.InputRequest{ID: "sure", Message: "Sure?"})
		return err
	}
	bubble(t, fn, Options{}, func(r *rig) {
		r.begin("r1").is(session.Interrupted)
		body := `"messages":[],"resume":[` + r.entries([]string{`true`})[0] + `]`
		r.read(r.submit("r2", body)).is(session.Success)
		r.begin("r3").is(session.Interrupted)
		r.read(r.submit("r2", body)).is(session.Success)
		r.read(r.submit("r4", body)).is(session.Success) // it joins the run that it resumed
		if state, _ := r.hub.Thread(r.t.Context(), "t"); len(state.Pending) != 1 {
			t.Error("the old answer was taken for the new question")
		}
	})
}

// TestAsk asks, checks and shows the result.
func TestAsk(t *testing.T) {
	ask := hitl.AskUser{Questions: []hitl.Question{{Header: "Colour", Question: "Which?", Options: []hitl.Choice{{Label: "Red"}, {Label: "Blue"}}}}}
	fn := func(ctx context.Context, run *Run) error {
		var wrong *hitl.CallError
		if _, err := run.Ask(ctx, hitl.AskUser{}); !errors.As(err, &wrong) {
			t.Error("no questions:", err)
		}
		picked, err := run.Ask(ctx, ask)
		run.Text(fmt.Sprint(picked["Colour"]))
		return err
	}
	for payload, says := range map[string]string{`{"Colour":"Red"}`: "[Red]", `{"Colour":"green, please"}`: "[green, please]", ``: "[]"} {
		bubble(t, fn, Options{}, func(r *rig) {
			r.begin("r1").is(session.Interrupted)
			h := r.answer("r2", payload).is(session.Success)
			h.says(says)
			if h.has(agui.TypeToolCallResult) != 1 {
				t.Error("the call has no result")
			}
		})
	}
}

// TestExpiry: the function learns it at that moment; afterwards only giving up is left.
func TestExpiry(t *testing.T) {
	var told time.Duration
	fn := func(ctx context.Context, run *Run) error {
		start := time.Now()
		call := run.Propose(Proposal{Name: "send", ExpiresAt: start.Add(time.Hour)})
		_, err := run.Decide(ctx, call.ID)
		told = time.Since(start)
		run.Text(err.Error())
		return err
	}
	bubble(t, fn, Options{}, func(r *rig) {
		r.begin("r1").is(session.Interrupted)
		time.Sleep(2 * time.Hour)
		synctest.Wait()
		if told != time.Hour {
			t.Errorf("told after %v", told)
		}
		if _, err := r.try("late", `"messages":[],"resume":[`+r.entries([]string{`{"approved":true}`})[0]+`]`); !errors.Is(err, hitl.ErrExpired) {
			t.Errorf("a late approval: %v", err)
		}
		r.answer("r2", "").is(session.Cancelled).says(hitl.ErrExpired.Error())
	})
}

// TestWhatTimedOutForTheAskerIsKept: an approval that comes later is not lost on who
// asks about that call again, and is nothing to anybody else.
func TestWhatTimedOutForTheAskerIsKept(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		call := run.ToolCall("send", nil)
		brief, cancel := context.WithTimeout(ctx, time.Minute)
		defer cancel()
		d, err := run.Decide(brief, call.ID)
		if d.Approved || !errors.Is(err, context.DeadlineExceeded) {
			t.Error(d, err)
		}
		d, err = run.Decide(ctx, call.ID)
		run.Text(fmt.Sprint(d.Approved, err))
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) {
		r.begin("r1").is(session.Interrupted)
		time.Sleep(time.Hour)
		r.answer("r2", `{"approved":true}`).is(session.Success).says("true <nil>")
	})
}

// TestAnAskerWhoLeavesInTimeAsksNothing.
func TestAnAskerWhoLeavesInTimeAsksNothing(t *testing.T) {
	fn := func(ctx context.Context, run *Run) error {
		call := run.ToolCall("send", nil)
		brief, cancel := context.WithTimeout(ctx, time.Millisecond)
		defer cancel()
		_, err := run.Decide(brief, call.ID)
		_, ended := run.Decide(brief, call.ID)
		if !errors.Is(err, context.DeadlineExceeded) || !errors.Is(ended, context.DeadlineExceeded) {
			t.Error(err, ended)
		}
		return nil
	}
	bubble(t, fn, Options{}, func(r *rig) { r.begin("r1").is(session.Success) })
}
