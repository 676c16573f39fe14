package session

import (
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agui-bridge/agui-bridge/hitl"
)

var now = time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC)

func approvalOf(id string) hitl.Request {
	return hitl.Request{
		ID: id, Kind: hitl.KindApproval, Answers: hitl.ApprovalAnswers{Reason: true},
		Call: &hitl.ToolCall{ID: "call-" + id, Name: "tool", Args: jsontext.Value(`{}`), Executor: hitl.ExecutorAgent},
	}
}

func sub(run string) Submission {
	return Submission{RunID: run, Agent: "a", Protocol: AGUI, Digest: "digest-" + run, Input: []byte(`{}`)}
}

// says gives an answer that reads as the given payload of a decision.
func says(id, payload string) Answer {
	return Answer{RequestID: id, Read: func(hitl.Request) (hitl.Response, error) {
		d, err := hitl.ParseDecision(jsontext.Value(payload))
		if err != nil {
			return hitl.Response{}, err
		}
		return hitl.Response{Decision: &d, Payload: jsontext.Value(payload)}, nil
	}}
}

func answering(run string, answers ...Answer) Submit {
	s := sub(run)
	s.Resume, s.Answers = true, answers
	return Submit{Submission: s, Actor: "ada", Now: now}
}

func plain(run string) Submit { return Submit{Submission: sub(run), Actor: "ada", Now: now} }

// take steps a state and folds what comes of it, launching what is to start.
func take(t testing.TB, s State, e Event, l Limits) (State, []Effect) {
	t.Helper()
	records, effects, err := Step(s, e, l)
	if err != nil {
		t.Fatalf("%T is refused: %v", e, err)
	}
	s = foldAll(t, s, records)
	for _, effect := range effects {
		if start, ok := effect.(StartRun); ok {
			s, _ = take(t, s, Launch{RunID: start.Submission.RunID, Protocol: AGUI, Now: now}, l)
		}
	}
	return s, effects
}

// A failer is what *testing.T and *rapid.T have in common.
type failer interface {
	Helper()
	Fatal(args ...any)
}

// foldAll folds records as they come back from the log.
func foldAll(t failer, s State, records []Record) State {
	t.Helper()
	for _, r := range records {
		e, err := encode(r, now)
		if err != nil {
			t.Fatal(err)
		}
		back, err := decode(e)
		if err != nil {
			t.Fatal(err)
		}
		s = Fold(s, back)
	}
	return s
}

func ended(run string, status Status, requests ...hitl.Request) Finish {
	return Finish{RunID: run, End: End{Status: status, Requests: requests, Spoken: true}, Now: now}
}

var few = Limits{Queue: 2}

func running(t testing.TB) State {
	s, _ := take(t, State{}, plain("r1"), few)
	return s
}

func awaiting(t testing.TB, ids ...string) State {
	var requests []hitl.Request
	for _, id := range ids {
		requests = append(requests, approvalOf(id))
	}
	s, _ := take(t, running(t), ended("r1", Interrupted, requests...), few)
	return s
}

func TestAnInputIsRefusedAndNothingHappens(t *testing.T) {
	yes := `{"approved":true}`
	settled, _ := take(t, awaiting(t, "q"), answering("r2", says("q", yes)), few)
	full, _ := take(t, running(t), plain("h1"), few)
	full, _ = take(t, full, plain("h2"), few)
	expiring := approvalOf("q")
	expiring.ExpiresAt = now
	expired, _ := take(t, running(t), ended("r1", Interrupted, expiring), few)
	other := answering("r2", says("q", yes))
	other.Agent = "b"
	reused := plain("r1")
	reused.Digest = "another"
	stopped, _ := take(t, awaiting(t, "q"), Stop{Actor: "ada", Now: now}, few)
	giveUp := Answer{RequestID: "q", Read: func(hitl.Request) (hitl.Response, error) {
		cancel := hitl.Cancel()
		return hitl.Response{Input: &cancel}, nil
	}}
	for _, tc := range []struct {
		rule  string
		state State
		event Submit
		limit Limits
		want  error
	}{
		{"a run id names one input", running(t), reused, few, ErrRunReused},
		{"only so many inputs may wait", full, plain("h3"), few, ErrQueueFull},
		{"an input may be refused while a request is open", awaiting(t, "q"), plain("r2"), Limits{Queue: 2, RejectPending: true}, ErrInterruptsPending},
		{"every open request must be answered at once", awaiting(t, "q", "p"), answering("r2", says("q", yes)), few, hitl.ErrIncomplete},
		{"an empty list answers nothing", awaiting(t, "q"), answering("r2"), few, hitl.ErrIncomplete},
		{"an answer to something else covers nothing", awaiting(t, "q"), answering("r2", says("x", yes)), few, hitl.ErrIncomplete},
		{"approved must be a boolean", awaiting(t, "q"), answering("r2", says("q", `{"approved":"true"}`)), few, hitl.ErrInvalidPayload},
		{"one answer to one request", awaiting(t, "q"), answering("r2", says("q", yes), says("q", yes)), few, hitl.ErrInvalidPayload},
		{"edits need an agent that takes them", awaiting(t, "q"), answering("r2", says("q", `{"approved":true,"editedArgs":{"x":1}}`)), few, hitl.ErrEditsNotSupported},
		{"what has expired is not answered", expired, answering("r2", says("q", yes)), few, hitl.ErrExpired},
		{"only the agent that asked gets the answer", awaiting(t, "q"), other, few, ErrWrongAgent},
		{"a settled request stays as it is", settled, answering("r3", says("q", `{"approved":false}`)), few, hitl.ErrAlreadySettled},
		{"what was given up with its run starts nothing", stopped, answering("r3", giveUp), few, hitl.ErrAlreadySettled},
		{"what cannot be read contradicts", settled, answering("r3", says("q", `{}`)), few, hitl.ErrAlreadySettled},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			records, effects, err := Step(tc.state, tc.event, tc.limit)
			if !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if len(records)+len(effects) > 0 {
				t.Errorf("something happens all the same: %v %v", records, effects)
			}
		})
	}
}

func TestWhatAnInputDoes(t *testing.T) {
	yes := says("q", `{"approved":true}`)
	resumed, _ := take(t, awaiting(t, "q"), answering("r2", yes), few)
	for _, tc := range []struct {
		rule  string
		state State
		event Submit
		want  []Effect
		phase Phase
	}{
		{"it starts on an idle thread", State{}, plain("r1"), []Effect{StartRun{Submission: sub("r1")}}, Running},
		{"it is held on a busy one", running(t), plain("r2"), []Effect{Hold{"r2"}}, Running},
		{"it is held while a request is open", awaiting(t, "q"), plain("r2"), []Effect{Hold{"r2"}}, Awaiting},
		{"it joins the run it already started", running(t), plain("r1"), []Effect{AttachRun{"r1"}}, Running},
		{"a repeated answer joins the run it resumed", resumed, answering("r9", yes), []Effect{AttachRun{"r2"}}, Running},
		{"a repeated answer may be written otherwise", resumed, answering("r9", says("q", ` { "approved" : true , "reason" : null } `)), []Effect{AttachRun{"r2"}}, Running},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			s, effects := take(t, tc.state, tc.event, few)
			if diff := cmp.Diff(tc.want, effects); diff != "" {
				t.Error(diff)
			}
			if s.phase() != tc.phase {
				t.Errorf("phase %s, want %s", s.phase(), tc.phase)
			}
		})
	}
}

func TestACompleteAnswerResumesOnceWithTheWholeTurn(t *testing.T) {
	s, effects := take(t, awaiting(t, "q", "p"), answering("r2", says("p", `{"approved":false,"reason":"no"}`), says("q", `{"approved":true}`)), few)
	start, ok := effects[0].(StartRun)
	if !ok || len(start.Settled) != 2 || !cmp.Equal(start.Turn, []string{"r1"}) {
		t.Fatalf("effects %v", effects)
	}
	if s.phase() != Running || s.Run.ID != "r2" || len(s.Pending) != 0 || len(s.Settled) != 2 {
		t.Fatalf("state %+v", s)
	}
	if a := s.Settled[0]; a.Response.Actor != "ada" || !a.Response.At.Equal(now) || a.ResumedBy != "r2" {
		t.Errorf("the journal does not say who, when and what for: %+v", a)
	}
	s, _ = take(t, s, ended("r2", Interrupted, approvalOf("o")), few)
	_, effects = take(t, s, answering("r3", says("o", `{"approved":true}`)), few)
	if start, ok := effects[0].(StartRun); !ok || !cmp.Equal(start.Turn, []string{"r1", "r2"}) {
		t.Errorf("the third run goes on with both stopped ones, got %v", effects)
	}
}

func TestAnAnswerToNothingIsDroppedWithAWarning(t *testing.T) {
	_, effects := take(t, State{}, answering("r1", says("never", `{"approved":true}`)), few)
	if _, warned := effects[0].(Warn); !warned || len(effects) != 2 {
		t.Fatalf("effects %v", effects)
	}
	if start, ok := effects[1].(StartRun); !ok || len(start.Settled) > 0 {
		t.Errorf("the input goes on as a plain one, got %v", effects[1])
	}
}

func TestHeldInputsAreReleasedOneByOneInOrder(t *testing.T) {
	for _, status := range []Status{Success, Cancelled, Failed} {
		s, _ := take(t, running(t), plain("h1"), few)
		s, _ = take(t, s, plain("h2"), few)
		s, effects := take(t, s, ended("r1", status), few)
		if diff := cmp.Diff([]Effect{StartRun{Submission: sub("h1")}}, effects); diff != "" {
			t.Errorf("%s: %s", status, diff)
		}
		if s.Run.ID != "h1" || len(s.Queue) != 1 {
			t.Errorf("%s: run %s, %d held", status, s.Run.ID, len(s.Queue))
		}
	}
}

func TestHeldInputsWaitForTheAnswer(t *testing.T) {
	s, _ := take(t, running(t), plain("h1"), few)
	s, effects := take(t, s, ended("r1", Interrupted, approvalOf("q")), few)
	if len(effects) > 0 || len(s.Queue) != 1 {
		t.Fatalf("released beside an open request: %v", effects)
	}
	s, _ = take(t, s, answering("r2", says("q", `{"approved":false}`)), few)
	if s.Run.ID != "r2" || len(s.Queue) != 1 {
		t.Fatalf("released between settled and resumed: %+v", s)
	}
	if s, _ = take(t, s, ended("r2", Success), few); s.Run.ID != "h1" {
		t.Errorf("not released after the resumed run: %+v", s)
	}
}

func TestAnEndThatComesTooLateDoesNothing(t *testing.T) {
	for _, s := range []State{{}, awaiting(t, "q"), running(t)} {
		records, effects, err := Step(s, ended("another", Failed), few)
		if len(records)+len(effects) > 0 || err != nil {
			t.Errorf("%s: %v %v %v", s.phase(), records, effects, err)
		}
	}
}

func TestStop(t *testing.T) {
	stop := Stop{Actor: "ada", Now: now}
	if _, effects := take(t, running(t), stop, few); !cmp.Equal(effects, []Effect{CancelRun{"r1"}}) {
		t.Errorf("running: %v", effects)
	}
	held, _ := take(t, awaiting(t, "q"), plain("h1"), few)
	s, effects := take(t, held, stop, few)
	if len(s.Pending) > 0 || !s.Settled[0].Response.Cancelled() || s.Run.ID != "h1" || len(effects) != 2 || effects[0] != (GiveUp{Agent: "a"}) {
		t.Errorf("awaiting: %+v %v", s, effects)
	}
	if records, effects, err := Step(State{}, stop, few); len(records)+len(effects) > 0 || err != nil {
		t.Errorf("idle: %v %v %v", records, effects, err)
	}
}

// States share memory: a fold leaves the one that it was given as it was.
func TestAFoldLeavesItsStateAsItWas(t *testing.T) {
	base, _ := take(t, awaiting(t, "q", "p"), Reply{Answer: says("q", `{"approved":true}`), Actor: "bob", Now: now}, few)
	base.Settled = append(make([]Settled, 0, 10), base.Settled...) // there is room to write over
	before := snapshotOf(t, base)
	answered := func(id string) State {
		return Fold(base, Answered{Settled{Request: approvalOf(id), Agent: "a"}})
	}
	one, other := answered("p"), answered("x")
	if got := one.Settled[1].Request.ID; got != "p" || other.Settled[1].Request.ID != "x" {
		t.Errorf("the second answer of one state is %s", got)
	}
	Fold(base, Started{RunID: "r2", Agent: "a", Protocol: AGUI, Resumes: "r1", At: now})
	Fold(base, Input{sub("r2")})
	Fold(base, Ended{RunID: "r1", Status: Failed})
	Fold(base, Withdrawn{Settled: []Settled{{Request: approvalOf("p")}}})
	if diff := cmp.Diff(before, base, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
}
