package session

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/storetest"
)

func rememberable(id string) hitl.Request {
	q := approvalOf(id)
	q.Answers.Remember = true
	return q
}

// A tool is remembered by the agent and the name, and only if a person allowed it, wanted
// it remembered, and was offered that.
func TestWhatIsRemembered(t *testing.T) {
	input := rememberable("q")
	input.Kind = hitl.KindInput
	nameless := rememberable("q")
	nameless.Call = nil
	accept := hitl.Accept(nil)
	for _, tc := range []struct {
		rule    string
		request hitl.Request
		answer  hitl.Response
		want    bool
	}{
		{"allowed and to be remembered", rememberable("q"), hitl.Response{Decision: &hitl.ToolDecision{Approved: true, Remember: true}}, true},
		{"with other arguments", rememberable("q"), hitl.Response{Decision: &hitl.ToolDecision{Approved: true, Remember: true, EditedArgs: []byte(`{}`)}}, true},
		{"allowed", rememberable("q"), hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}, false},
		{"denied", rememberable("q"), hitl.Response{Decision: &hitl.ToolDecision{Remember: true}}, false},
		{"not offered", approvalOf("q"), hitl.Response{Decision: &hitl.ToolDecision{Approved: true, Remember: true}}, false},
		{"an input", input, hitl.Response{Input: &accept}, false},
		{"about no tool", nameless, hitl.Response{Decision: &hitl.ToolDecision{Approved: true, Remember: true}}, false},
	} {
		tc.answer.Actor = "ada"
		s := Fold(State{}, Answered{Settled{Request: tc.request, Response: tc.answer, Agent: "a"}})
		want := map[string]map[string]string{"a": {"tool": "ada"}}
		if !tc.want {
			want = nil
		}
		if diff := cmp.Diff(want, s.Remembered); diff != "" {
			t.Errorf("%s: %s", tc.rule, diff)
		}
	}
}

// remembering is a thread on which ada said that tool may always run.
func remembering(t *testing.T) State {
	s, _ := take(t, running(t), ended("r1", Interrupted, rememberable("q")), few)
	s, _ = take(t, s, answering("r2", says("q", `{"approved":true,"remember":true}`)), few)
	return s
}

func automatic(run string, requests ...hitl.Request) Automatic {
	e := Automatic{RunID: run, Now: now}
	for _, q := range requests {
		e.Settled = append(e.Settled, Settled{Request: q, Response: hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}})
	}
	return e
}

func TestWhatIsRememberedAnswersForItself(t *testing.T) {
	s, effects := take(t, remembering(t), automatic("r2", rememberable("q"), rememberable("p")), few)
	if len(effects) > 0 || s.phase() != Running || len(s.Pending) > 0 || len(s.Settled) != 3 {
		t.Fatalf("%v, %s, %+v", effects, s.phase(), s.Settled)
	}
	for i, id := range []string{"q@2", "p"} {
		a := s.Settled[i+1]
		if a.Request.ID != id || !a.Automatic || a.Agent != "a" || a.Response.Actor != "ada" || !a.Response.At.Equal(now) || a.ResumedBy != "" || a.Request.RaisedInRun != "r2" {
			t.Errorf("%+v", a)
		}
	}
	again := automatic("r2", rememberable("q"), rememberable("p"))
	if more, _ := take(t, s, again, few); len(more.Settled) != 3 {
		t.Errorf("what is in the log already is there twice: %+v", more.Settled)
	}
	again.Before = 2
	if more, _ := take(t, s, again, few); len(more.Settled) != 5 {
		t.Errorf("what was asked again is not there: %+v", more.Settled)
	}
	next, _ := take(t, s, ended("r2", Success), few)
	next, _ = take(t, next, plain("r9"), few)
	if next, _ = take(t, next, automatic("r9", rememberable("z")), few); len(next.Settled) != 4 {
		t.Errorf("what another run had counts for the next one: %+v", next.Settled)
	}
	// What the run asks later has answers of its own.
	s, _ = take(t, s, ended("r2", Interrupted, approvalOf("n")), few)
	_, effects = take(t, s, answering("r3", says("n", `{"approved":false}`)), few)
	start, ok := effects[0].(StartRun)
	if !ok || len(start.Settled) != 1 || start.Settled[0].Request.ID != "n" {
		t.Errorf("the next run goes on with %+v", effects)
	}
	s, _ = take(t, s, answering("r3", says("n", `{"approved":false}`)), few)
	if a := s.Settled[1]; a.ResumedBy != "" {
		t.Errorf("an automatic answer has resumed %s", a.ResumedBy)
	}
	if answers := s.answersTo("r2"); len(answers) != 1 {
		t.Errorf("r2 was answered %+v", answers)
	}
}

func TestWhatIsNotRememberedIsNotAnswered(t *testing.T) {
	other := rememberable("n")
	call := *other.Call
	call.Name = "other"
	other.Call = &call
	denied := automatic("r2", rememberable("n"))
	denied.Settled[0].Response.Decision = &hitl.ToolDecision{}
	undecided := automatic("r2", rememberable("n"))
	accept := hitl.Accept(nil)
	undecided.Settled[0].Response = hitl.Response{Input: &accept}
	for rule, e := range map[string]Automatic{
		"no decision":  undecided,
		"another tool": automatic("r2", other), "one of two": automatic("r2", rememberable("m"), other),
		"a request that is not offered": automatic("r2", approvalOf("n")), "a denial": denied, "another run": automatic("r9", rememberable("n")),
	} {
		if records, _, err := Step(remembering(t), e, few); err == nil {
			t.Errorf("%s: %v", rule, records)
		}
	}
	elsewhere := remembering(t)
	elsewhere.Run.Agent = "b"
	if _, _, err := Step(elsewhere, automatic("r2", rememberable("n")), few); err == nil {
		t.Error("another agent's tool of that name is taken for it")
	}
	if _, _, err := Step(awaiting(t, "q"), automatic("r1", rememberable("n")), few); !errors.Is(err, errNotSender) {
		t.Errorf("a run that has stopped: %v", err)
	}
}

// A run that answers for itself does so when it is in the log, and not if it cannot be.
func TestAnAutomaticAnswerIsInTheLogFirst(t *testing.T) {
	for _, broken := range []bool{false, true} {
		log := storetest.NewFaulty(store.NewMemory())
		wentOn := false
		h := openHub(t, log, script(func(ctx context.Context, c Call, yield func(Output, error) bool) {
			if c.RunID == "r1" {
				saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{rememberable("q")}})(ctx, c, yield)
				return
			}
			if c.Remembered["tool"] != "ada" {
				t.Errorf("remembered is %v", c.Remembered)
			}
			if broken {
				for n := range 2 * recordTries {
					log.Fail(n+1, storetest.BeforeWrite)
				}
			}
			if !yield(Output{Settled: automatic("", rememberable("q")).Settled}, nil) {
				return
			}
			wentOn = true
			log.Fail(1, storetest.AfterWrite)
			saying(End{Status: Success, Spoken: true}, "ran")(ctx, c, yield)
		}))
		readAll(t, submitTo(t, h, "t", "r1"))
		a := resumeOn(t, h, "r2", says("q", `{"approved":true,"remember":true}`))
		readAll(t, a)
		if wentOn == broken {
			t.Errorf("broken: %t, and went on: %t", broken, wentOn)
		}
		if status := a.End().Status; (status == Success) == broken {
			t.Errorf("broken: %t, and ended %s", broken, status)
		}
		if !broken {
			s, err := Read(t.Context(), log, "t")
			if err != nil || len(s.Settled) != 2 || !s.Settled[1].Automatic || s.Remembered["a"]["tool"] != "ada" {
				t.Errorf("%v, the log has %+v", err, s.Settled)
			}
		}
	}
}
