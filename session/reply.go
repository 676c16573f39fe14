package session

import (
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// Reply answers one open request of the thread, by whoever may answer it and without a
// run of their own. Resume is the input of the run that goes on once nothing is open any
// more; without one, Step says by Compose that it is needed.
type Reply struct {
	Answer
	Actor  string
	Now    time.Time
	Check  hitl.SchemaCheck
	Resume *Submission
}

func (Reply) event() {}

// Compose: the answer is the last one that the stopped run waits for, and the run that
// goes on needs an input. Nothing was recorded; step again with it.
type Compose struct{ Settled []Settled }

func (Compose) effect() {}

// reply settles one request. The same answer again changes nothing, and another one is
// refused with what stands. The last answer resumes the run, with all of them.
func (s State) reply(e Reply) ([]Record, []Effect, error) {
	q, open := s.pending(e.RequestID)
	if !open {
		return nil, nil, s.replied(e)
	}
	r, err := s.accept(q, e.Answer, Submit{Submission: Submission{Agent: s.Run.Agent}, Actor: e.Actor, Now: e.Now, Check: e.Check})
	if err != nil {
		return nil, nil, err
	}
	fresh := Settled{Request: q, Response: r, Agent: s.Run.Agent}
	if len(s.Pending) > 1 {
		return []Record{Answered{fresh}}, nil, nil
	}
	if e.Resume == nil {
		return nil, []Effect{Compose{Settled: append(s.partial(), fresh)}}, nil
	}
	records, effects := s.resume(*e.Resume, []Settled{fresh})
	return records, effects, nil
}

// replied tells what became of a request that is not open.
func (s State) replied(e Reply) error {
	done, known := s.settled(e.RequestID)
	if !known {
		return answerError(e.RequestID, hitl.ErrUnknown, "this thread never asked it")
	}
	if r, err := e.Read(done.Request); err != nil || !hitl.Same(r, done.Response) {
		return done.contradicted()
	}
	return nil
}

// partial returns the answers to the stopped run that have not resumed it yet.
func (s State) partial() []Settled {
	var given []Settled
	for _, a := range s.Settled {
		if s.isPartial(a) {
			given = append(given, a)
		}
	}
	return given
}

// answersTo returns all answers to what a run asked.
func (s State) answersTo(run string) (given []Settled) {
	for _, a := range s.Settled {
		if a.Request.RaisedInRun == run && !a.Automatic {
			given = append(given, a)
		}
	}
	return given
}

func (s State) isPartial(a Settled) bool {
	return s.phase() == Awaiting && a.ResumedBy == "" && a.Request.RaisedInRun == s.Run.ID && !a.Automatic
}

// resumedBy notes in the journal which run the answers to a stopped run have resumed.
func (s State) resumedBy(stopped, run string, own bool) []Settled {
	journal := s.journal(own)
	for i, a := range journal {
		if a.Request.RaisedInRun == stopped && !a.Automatic {
			journal[i].ResumedBy = run
		}
	}
	return journal
}
