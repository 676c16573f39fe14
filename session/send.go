package session

import (
	"errors"
	"slices"
)

// Send says that the agent is about to get the active run. By names the process that
// sends it. Of a resumed run, and of one whose input was held, that is recorded before
// the agent gets it: after a crash, what was not sent yet is sent, and what may have been
// is not sent again.
type Send struct {
	RunID string
	By    string
}

func (Send) event() {}

// SendAgain: the active run, which is known to the log only, has to be sent.
type SendAgain struct{ RunID string }

func (SendAgain) effect() {}

// errNotSender: the run has ended, or another process sends it.
var errNotSender = errors.New("the run is not this process's to send")

func (s State) send(e Send) ([]Record, []Effect, error) {
	switch {
	case s.phase() != Running || s.Run.ID != e.RunID:
		return nil, nil, errNotSender
	case !s.Run.Sent:
		return []Record{Sent(e)}, nil, nil
	case s.Run.SentBy != "" && s.Run.SentBy != e.By:
		return nil, nil, errNotSender
	}
	return nil, nil, nil
}

// recovered takes up the thread: a run that was never sent is sent now, any other that
// nobody runs any more has ended, and what waited behind it is let go.
func (s State) recovered(l Limits) ([]Record, []Effect, error) {
	if s.Next != nil && s.phase() != Awaiting {
		return nil, []Effect{s.next()}, nil
	}
	var records []Record
	switch s.phase() {
	case Running:
		if !s.Run.Sent {
			return nil, []Effect{SendAgain{RunID: s.Run.ID}}, nil
		}
		if l.ResumeAgain && s.mayBeUnknown() {
			return []Record{Sent{RunID: s.Run.ID}}, []Effect{SendAgain{RunID: s.Run.ID}}, nil
		}
		lost := lostRun()
		if s.mayBeUnknown() {
			lost = &Failure{
				Code:    CodeResumeUnknown,
				Message: "the answers may have reached the agent before the bridge stopped; they are not sent again, and what came of them is not known",
			}
		}
		ended := Ended{RunID: s.Run.ID, Status: Failed, Failure: lost, Waiting: len(s.Queue), Paused: s.pauses(Failed, l)}
		if records = []Record{ended}; ended.Paused {
			return records, nil, nil
		}
	case Idle:
		if s.Paused {
			return nil, nil, nil // it waits for the next input
		}
	default:
		return nil, nil, nil // it waits for people
	}
	released, effects := s.release()
	return append(records, released...), effects, nil
}

// mayBeUnknown: the run goes on with answers, and the agent has said nothing to them.
func (s State) mayBeUnknown() bool { return len(s.Run.Turn) > 0 && !s.Run.Heard }

// next starts the run of an input that the log has let go and whose run it does not have.
func (s State) next() StartRun {
	start := StartRun{Submission: *s.Next}
	if s.phase() == Resuming {
		start.Turn = append(slices.Clone(s.Run.Turn), s.Run.ID)
		start.Settled = s.answersTo(s.Run.ID)
	}
	return start
}
