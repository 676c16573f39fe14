package session

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
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
	held    []string                 // in the order in which they were held, without those taken back
	begun   []string                 // held inputs, in the order in which they began
	toSend  string                   // the run that this process is about to send
	sent    map[string]bool          // the runs that agents got
	ended   map[string]Status        // the runs that have ended, or never began
	clock   time.Time
	limits  Limits
	// withdrawn are the requests that were given up with their thread.
	withdrawn map[string]bool
}

func (m *machine) id(kind string) string {
	m.next++
	return fmt.Sprintf("%s%d", kind, m.next)
}

func (m *machine) step(t *rapid.T, e Event) error {
	records, effects, err := Step(m.state, e, m.limits)
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
		case SendAgain:
			m.toSend = effect.RunID
		case DropHeld:
			m.held = slices.DeleteFunc(m.held, func(id string) bool { return id == effect.RunID })
		}
	}
	return nil
}

// send gives the agent the run that is about to be sent.
func (m *machine) send(t *rapid.T) {
	id := m.toSend
	if id == "" || m.state.phase() != Running {
		return
	}
	if err := m.step(t, Send{RunID: id, By: "this"}); err != nil {
		t.Fatal(err)
	}
	if m.sent[id] && !m.limits.ResumeAgain {
		t.Fatalf("%s is sent twice", id)
	}
	if !m.state.Run.Sent {
		t.Fatalf("%s is sent, and the log does not know it", id)
	}
	m.sent[id], m.toSend = true, ""
}

func (m *machine) start(t *rapid.T, e StartRun) {
	id := e.Submission.RunID
	if how, over := m.ended[id]; over {
		t.Fatalf("%s starts, and is %s", id, how)
	}
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
	if err := m.step(t, Launch{RunID: id, Protocol: AGUI, Held: slices.Contains(m.held, id), Now: m.clock}); err != nil {
		t.Fatal(err)
	}
	m.toSend = id
	if m.state.Run.Sent { // a new turn is sent at once
		m.send(t)
	}
}

func (m *machine) record(t *rapid.T, records []Record) {
	for _, r := range records {
		if a, ok := r.(Answered); ok {
			if _, twice := m.settled[a.Request.ID]; twice {
				t.Fatalf("%s is settled twice", a.Request.ID)
			}
			m.settled[a.Request.ID] = a.Response
			if a.Request.Expired(m.clock) && !a.Response.Cancelled() {
				t.Fatalf("%s ran out and is answered", a.Request.ID)
			}
		}
		if a, ok := r.(Asked); ok {
			for _, q := range a.Requests {
				m.asked[a.RunID] = append(m.asked[a.RunID], q.ID)
			}
			slices.Sort(m.asked[a.RunID])
		}
		switch r := r.(type) {
		case Ended:
			m.ended[r.RunID] = r.Status
		case Withdrawn:
			for _, a := range r.Settled {
				m.withdrawn[a.Request.ID] = true
			}
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
	for id, how := range m.ended {
		if r := m.state.Runs[id]; !r.Ended || r.Status != how {
			t.Fatalf("%s is %s, and the state has %+v", id, how, r)
		}
	}
	for _, a := range m.state.Settled {
		if m.withdrawn[a.Request.ID] && a.ResumedBy != "" {
			t.Fatalf("%s was given up, and resumes %s", a.Request.ID, a.ResumedBy)
		}
		if first, ok := m.settled[a.Request.ID]; ok && !hitl.Same(first, a.Response) {
			t.Fatalf("the answer to %s has changed", a.Request.ID)
		}
	}
	for _, q := range m.state.Pending {
		if q.Token != "" && q.Token == q.ID || slices.ContainsFunc(m.state.Settled, func(a Settled) bool { return a.Request.ID == q.ID }) {
			t.Fatalf("%s, for the agent's %q, was settled before", q.ID, q.Token)
		}
	}
	if open := len(m.state.Pending) > 0; open != (m.state.phase() == Awaiting) {
		t.Fatalf("%d requests are open in phase %s", len(m.state.Pending), m.state.phase())
	}
	if m.state.phase() == Idle && len(m.state.Queue) > 0 && !m.mayPause(m.state) {
		t.Fatalf("%d inputs are stranded", len(m.state.Queue))
	}
	waiting := m.held[len(m.begun):]
	if !slices.Equal(m.begun, m.held[:len(m.begun)]) || len(waiting) != len(m.state.Queue) {
		t.Fatalf("held %v, begun %v, still held %d", m.held, m.begun, len(m.state.Queue))
	}
	var own State
	for _, r := range m.log {
		own = own.fold(r, true)
	}
	if diff := cmp.Diff(m.state, own, cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("folding in place gives another state:\n%s", diff)
	}
	var again State
	for _, r := range m.log {
		again = foldAll(t, again, []Record{r})
	}
	if diff := cmp.Diff(m.state, again, cmpopts.EquateEmpty()); diff != "" {
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
	id := rapid.SampledFrom(ids).Draw(t, "id")
	text := payload.Draw(t, "payload")
	m.settle(t, func(resume *Submission) Event {
		return Reply{Answer: says(id, text), Actor: "bob", Now: m.clock, Resume: resume}
	})
}

func (m *machine) finish(t *rapid.T) {
	if m.send(t); m.state.phase() != Running {
		return
	}
	if rapid.Bool().Draw(t, "said something") {
		m.record(t, []Record{Frames{RunID: m.state.Run.ID, Frames: [][]byte{[]byte("a frame")}}})
	}
	status := rapid.SampledFrom([]Status{Success, Interrupted, Cancelled, Failed}).Draw(t, "status")
	var requests []hitl.Request
	if status == Interrupted {
		for range rapid.IntRange(1, 3).Draw(t, "asked") {
			id := m.id("q")
			if old := len(m.state.Settled); old > 0 && rapid.IntRange(0, 3).Draw(t, "uses an id again") == 0 {
				id = m.state.Settled[rapid.IntRange(0, old-1).Draw(t, "which")].Request.Own().ID
			}
			if slices.ContainsFunc(requests, func(q hitl.Request) bool { return q.ID == id }) {
				continue
			}
			q := approvalOf(id)
			if rapid.Bool().Draw(t, "runs out") {
				q.ExpiresAt = m.clock.Add(time.Duration(rapid.IntRange(-1, 2).Draw(t, "in")) * time.Minute)
			}
			requests = append(requests, q)
		}
	}
	end := ended(m.state.Run.ID, status, requests...)
	end.Now = m.clock
	if err := m.step(t, end); err != nil {
		t.Fatal(err)
	}
}

// settle steps with an event that may need the input of a run that goes on.
func (m *machine) settle(t *rapid.T, event func(*Submission) Event) {
	records, effects, err := Step(m.state, event(nil), m.limits)
	var resume *Submission
	if err == nil && len(effects) == 1 {
		if _, last := effects[0].(Compose); last {
			if len(records) > 0 {
				t.Fatalf("recorded before there was an input: %v", records)
			}
			sub := plain(m.id("r")).Submission
			resume = &sub
		}
	}
	if again := m.step(t, event(resume)); (again == nil) != (err == nil) {
		t.Fatalf("%v at first, then %v", err, again)
	}
}

// snapshotOf is a state that was written down and read again.
func snapshotOf(t failer, s State) State {
	t.Helper()
	e, err := encode(Snapshot{State: s}, now)
	if err != nil {
		t.Fatal(err)
	}
	r, err := decode(e)
	if err != nil {
		t.Fatal(err)
	}
	return r.(Snapshot).State
}

// restart is another process that takes up what the log holds.
func (m *machine) restart(t *rapid.T) {
	if m.state.phase() == Running && rapid.Bool().Draw(t, "in order") && m.state.Run.Sent {
		last := ended(m.state.Run.ID, Failed)
		last.Closing = true
		if err := m.step(t, last); err != nil {
			t.Fatal(err)
		}
	}
	m.toSend = ""
	if rapid.Bool().Draw(t, "from a snapshot") {
		m.state = snapshotOf(t, m.state)
	}
	if err := m.step(t, Recover{Now: m.clock}); err != nil {
		t.Fatal(err)
	}
}

// mayPause reports whether inputs may wait on an idle thread.
func (m *machine) mayPause(s State) bool { return s.Paused && m.limits.PauseFailed }

// heldIn are the inputs that were held, and have neither begun nor been taken back.
func heldIn(log []Record) map[string]bool {
	held := map[string]bool{}
	for _, r := range log {
		switch r := r.(type) {
		case Queued:
			held[r.RunID] = true
		case Started:
			delete(held, r.RunID)
		case Ended:
			delete(held, r.RunID)
		}
	}
	return held
}

// startsAfterACut checks a run that starts because the log was cut after n records.
func (m *machine) startsAfterACut(t *rapid.T, n int, cut State, e StartRun) {
	if resumes := len(e.Turn) > 0; resumes != (cut.phase() == Resuming) {
		t.Fatalf("after %d records the thread is %s, and %s goes on with %v", n, cut.phase(), e.Submission.RunID, e.Turn)
	}
	if len(e.Turn) == 0 {
		return
	}
	var told, asked []string
	for _, a := range e.Settled {
		told = append(told, a.Request.ID)
	}
	stopped := e.Turn[len(e.Turn)-1]
	for _, r := range m.log[:n] {
		if a, ok := r.(Asked); ok && a.RunID == stopped {
			for _, q := range a.Requests {
				asked = append(asked, q.ID)
			}
		}
	}
	slices.Sort(told)
	slices.Sort(asked)
	if !slices.Equal(told, asked) {
		t.Fatalf("after %d records %s, which asked %v, is told of %v", n, stopped, asked, told)
	}
}

// prefix takes up what a log holds that ends in the middle of anything.
func (m *machine) prefix(t *rapid.T) {
	n := rapid.IntRange(0, len(m.log)).Draw(t, "length")
	s := foldAll(t, State{}, m.log[:n])
	cut := s
	records, effects, err := Step(s, Recover{Now: m.clock}, m.limits)
	if err != nil {
		t.Fatal(err)
	}
	s = foldAll(t, s, records)
	goesOn, waiting := false, heldIn(m.log[:n])
	for _, effect := range effects {
		switch e := effect.(type) {
		case StartRun:
			m.startsAfterACut(t, n, cut, e)
			delete(waiting, e.Submission.RunID)
			launched, _, err := Step(s, Launch{RunID: e.Submission.RunID, Protocol: AGUI, Now: m.clock}, m.limits)
			if err != nil {
				t.Fatal(err)
			}
			s, goesOn = foldAll(t, s, launched), true
		case SendAgain:
			goesOn = true
		}
	}
	switch phase := s.phase(); {
	case phase == Resuming, (phase == Running) != goesOn, phase == Idle && len(s.Queue) > 0 && !m.mayPause(s), (phase == Awaiting) != (len(s.Pending) > 0):
		t.Fatalf("after %d records the thread is %s, goes on: %t, with %d open and %d held", n, phase, goesOn, len(s.Pending), len(s.Queue))
	}
	if cut.phase() == Awaiting && (s.phase() != Awaiting || len(s.Pending) != len(cut.Pending)) {
		t.Fatalf("after %d records %d requests are open, and then %d", n, len(cut.Pending), len(s.Pending))
	}
	for _, held := range s.Queue {
		delete(waiting, held.RunID)
	}
	if len(waiting) > 0 {
		t.Fatalf("after %d records %v is held and nobody has it", n, waiting)
	}
	for _, q := range s.Pending {
		if _, done := s.settled(q.ID); done {
			t.Fatalf("after %d records %s is open again", n, q.ID)
		}
	}
}

// submit gives an input at the time it is.
func (m *machine) submit(t *rapid.T, e Submit) error {
	e.Now = m.clock
	return m.step(t, e)
}

func TestTheMachineKeepsItsPromises(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := &machine{
			settled: map[string]hitl.Response{}, resumes: map[string]string{}, asked: map[string][]string{}, sent: map[string]bool{}, clock: now,
			ended: map[string]Status{}, withdrawn: map[string]bool{},
			limits: Limits{Queue: 2, PauseFailed: rapid.Bool().Draw(t, "pauses"), ResumeAgain: rapid.Bool().Draw(t, "resumes again")},
		}
		t.Repeat(map[string]func(*rapid.T){
			"input": func(t *rapid.T) { _ = m.submit(t, plain(m.id("r"))) },
			"input instead": func(t *rapid.T) {
				e := plain(m.id("r"))
				e.Supersede = true
				_ = m.submit(t, e)
			},
			"answer": func(t *rapid.T) {
				e := answering(m.id("r"), m.answers(t)...)
				e.Partial = rapid.Bool().Draw(t, "partial")
				_ = m.submit(t, e)
			},
			"answer all": func(t *rapid.T) {
				var all []Answer
				expired := false
				for _, q := range m.state.Pending {
					all = append(all, says(q.ID, `{"approved":true}`))
					expired = expired || q.Expired(m.clock)
				}
				if err := m.submit(t, answering(m.id("r"), all...)); (err != nil) != expired && m.state.phase() == Awaiting {
					t.Fatalf("a complete answer, expired: %t, gives %v", expired, err)
				}
			},
			"reply": m.reply,
			"wait":  func(*rapid.T) { m.clock = m.clock.Add(30 * time.Second) },
			"expire": func(t *rapid.T) {
				m.settle(t, func(resume *Submission) Event { return Expire{Now: m.clock, Resume: resume} })
				if at := m.state.expires(); !at.IsZero() && !at.After(m.clock) {
					t.Fatalf("something ran out at %s and is open at %s", at, m.clock)
				}
			},
			"send":   m.send,
			"finish": m.finish,
			"late finish": func(t *rapid.T) {
				if err := m.step(t, ended("gone", Success)); err != nil {
					t.Fatal(err)
				}
			},
			"restart": m.restart,
			"prefix":  m.prefix,
			"stop": func(t *rapid.T) {
				if err := m.step(t, Stop{Actor: "ada", Now: m.clock}); err != nil {
					t.Fatal(err)
				}
			},
			"stop one": func(t *rapid.T) {
				ids := []string{"never", m.state.Run.ID}
				for _, held := range m.state.Queue {
					ids = append(ids, held.RunID)
				}
				if err := m.step(t, Stop{RunID: rapid.SampledFrom(ids).Draw(t, "id"), Actor: "ada", Now: m.clock}); err != nil {
					t.Fatal(err)
				}
			},
			"": m.check,
		})
	})
}
