package session

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// A machine drives Step with whatever rapid thinks of, and keeps a book of its own.
type machine struct {
	state   State
	next    int
	log     []Record
	settled map[string]hitl.Response // as first answered
	resumes map[string]string        // stopped run → the run that resumed it
	asked   map[string][]string      // stopped run → what it asked
	held    []string                 // in the order in which they were held
	begun   []string                 // held inputs, in the order in which they began
}

func (m *machine) id(kind string) string {
	m.next++
	return fmt.Sprintf("%s%d", kind, m.next)
}

func (m *machine) step(t *rapid.T, e Event) error {
	records, effects, err := Step(m.state, e, few)
	if err != nil {
		if len(records)+len(effects) > 0 {
			t.Fatalf("refused, and yet %v %v", records, effects)
		}
		return err
	}
	m.record(t, records)
	for _, effect := range effects {
		switch effect := effect.(type) {
		case Hold:
			m.held = append(m.held, effect.RunID)
		case StartRun:
			m.start(t, effect)
		}
	}
	return nil
}

func (m *machine) start(t *rapid.T, e StartRun) {
	id := e.Submission.RunID
	if len(e.Turn) > 0 {
		stopped := e.Turn[len(e.Turn)-1]
		if by, twice := m.resumes[stopped]; twice {
			t.Fatalf("%s is resumed by %s and by %s", stopped, by, id)
		}
		m.resumes[stopped] = id
		var told []string
		for _, a := range e.Settled {
			told = append(told, a.Request.ID)
		}
		slices.Sort(told)
		if !slices.Equal(told, m.asked[stopped]) {
			t.Fatalf("%s asked %v and is told of %v", stopped, m.asked[stopped], told)
		}
	}
	if slices.Contains(m.held, id) {
		m.begun = append(m.begun, id)
	}
	if err := m.step(t, Launch{RunID: id, Protocol: AGUI, Now: now}); err != nil {
		t.Fatal(err)
	}
}

func (m *machine) record(t *rapid.T, records []Record) {
	for _, r := range records {
		if a, ok := r.(Answered); ok {
			if _, twice := m.settled[a.Request.ID]; twice {
				t.Fatalf("%s is settled twice", a.Request.ID)
			}
			m.settled[a.Request.ID] = a.Response
		}
		if a, ok := r.(Asked); ok {
			for _, q := range a.Requests {
				m.asked[a.RunID] = append(m.asked[a.RunID], q.ID)
			}
			slices.Sort(m.asked[a.RunID])
		}
		m.log = append(m.log, r)
		m.state = Fold(m.state, r)
	}
}

func (m *machine) check(t *rapid.T) {
	for _, q := range m.state.Pending {
		if _, settled := m.settled[q.ID]; settled {
			t.Fatalf("%s is open again", q.ID)
		}
	}
	for _, a := range m.state.Settled {
		if first, ok := m.settled[a.Request.ID]; ok && !hitl.Same(first, a.Response) {
			t.Fatalf("the answer to %s has changed", a.Request.ID)
		}
	}
	if open := len(m.state.Pending) > 0; open != (m.state.phase() == Awaiting) {
		t.Fatalf("%d requests are open in phase %s", len(m.state.Pending), m.state.phase())
	}
	if m.state.phase() == Idle && len(m.state.Queue) > 0 {
		t.Fatalf("%d inputs are stranded", len(m.state.Queue))
	}
	waiting := m.held[len(m.begun):]
	if !slices.Equal(m.begun, m.held[:len(m.begun)]) || len(waiting) != len(m.state.Queue) {
		t.Fatalf("held %v, begun %v, still held %d", m.held, m.begun, len(m.state.Queue))
	}
	var again State
	for _, r := range m.log {
		again = foldAll(t, again, []Record{r})
	}
	if diff := cmp.Diff(m.state, again); diff != "" {
		t.Fatalf("the log gives another state:\n%s", diff)
	}
}

// answers draws answers to some of what is and was asked, and to what never was.
func (m *machine) answers(t *rapid.T) []Answer {
	var ids []string
	for _, q := range m.state.Pending {
		ids = append(ids, q.ID)
	}
	if rapid.Bool().Draw(t, "leave one out") && len(ids) > 0 {
		ids = ids[1:]
	}
	for _, a := range m.state.Settled {
		if rapid.IntRange(0, 4).Draw(t, "repeat") == 0 {
			ids = append(ids, a.Request.ID)
		}
	}
	if rapid.IntRange(0, 4).Draw(t, "unknown") == 0 {
		ids = append(ids, "never")
	}
	payload := rapid.SampledFrom([]string{
		`{"approved":true}`, `{"approved":false,"reason":"no"}`, `{"approved":1}`, `{"approved":true,"editedArgs":{}}`, `[]`,
	})
	var answers []Answer
	for _, id := range ids {
		answers = append(answers, says(id, payload.Draw(t, "payload")))
	}
	return answers
}

// reply answers one request that is or was open, without an input.
func (m *machine) reply(t *rapid.T) {
	ids := []string{"never"}
	for _, q := range m.state.Pending {
		ids = append(ids, q.ID, q.ID) // more often than the rest
	}
	for _, a := range m.state.Settled {
		ids = append(ids, a.Request.ID)
	}
	payload := rapid.SampledFrom([]string{`{"approved":true}`, `{"approved":false}`, `{"approved":1}`})
	e := Reply{Answer: says(rapid.SampledFrom(ids).Draw(t, "id"), payload.Draw(t, "payload")), Actor: "bob", Now: now}
	records, effects, err := Step(m.state, e, few)
	if err == nil && len(effects) == 1 {
		if _, last := effects[0].(Compose); last {
			if len(records) > 0 {
				t.Fatalf("recorded before there was an input: %v", records)
			}
			sub := plain(m.id("r")).Submission
			e.Resume = &sub
		}
	}
	if again := m.step(t, e); (again == nil) != (err == nil) {
		t.Fatalf("%v at first, then %v", err, again)
	}
}

func (m *machine) finish(t *rapid.T) {
	if m.state.phase() != Running {
		return
	}
	status := rapid.SampledFrom([]Status{Success, Interrupted, Cancelled, Failed}).Draw(t, "status")
	var requests []hitl.Request
	if status == Interrupted {
		for range rapid.IntRange(1, 3).Draw(t, "asked") {
			requests = append(requests, approvalOf(m.id("q")))
		}
	}
	if err := m.step(t, ended(m.state.Run.ID, status, requests...)); err != nil {
		t.Fatal(err)
	}
}

func TestTheMachineKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{settled: map[string]hitl.Response{}, resumes: map[string]string{}, asked: map[string][]string{}}
		t.Repeat(map[string]func(*rapid.T){
			"input":  func(t *rapid.T) { _ = m.step(t, plain(m.id("r"))) },
			"answer": func(t *rapid.T) { _ = m.step(t, answering(m.id("r"), m.answers(t)...)) },
			"answer all": func(t *rapid.T) {
				var all []Answer
				for _, q := range m.state.Pending {
					all = append(all, says(q.ID, `{"approved":true}`))
				}
				if err := m.step(t, answering(m.id("r"), all...)); err != nil && m.state.phase() == Awaiting {
					t.Fatalf("a complete answer is refused: %v", err)
				}
			},
			"reply":  m.reply,
			"finish": m.finish,
			"late finish": func(t *rapid.T) {
				if err := m.step(t, ended("gone", Success)); err != nil {
					t.Fatal(err)
				}
			},
			"restart": func(t *rapid.T) {
				if m.state.phase() == Running && rapid.Bool().Draw(t, "in order") {
					last := ended(m.state.Run.ID, Failed)
					last.Closing = true
					if err := m.step(t, last); err != nil {
						t.Fatal(err)
					}
				}
				if err := m.step(t, Recover{Now: now}); err != nil {
					t.Fatal(err)
				}
			},
			"stop": func(t *rapid.T) {
				if err := m.step(t, Stop{Actor: "ada", Now: now}); err != nil {
					t.Fatal(err)
				}
			},
			"": m.check,
		})
	})
}
