package session

import (
	"maps"
	"slices"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// Fold applies one record to a state. It decides nothing: whatever is in the log
// happened.
func Fold(s State, r Record) State { return s.fold(r, false) }

// fold is Fold. With own, nobody else has the state: what grows with the thread is changed
// in place, so that a long log is folded in a time that grows with its length and not with
// its square.
func (s State) fold(r Record, own bool) State {
	switch r := r.(type) {
	case Input:
		s.Next = &r.Submission
		return s.knows(r.RunID, RunRecord{Digest: r.Digest, Agent: r.Agent}, own)
	case Queued:
		s.Queue = append(slices.Clone(s.Queue), r.Submission)
		return s.knows(r.RunID, RunRecord{Digest: r.Digest, Agent: r.Agent}, own)
	case Released:
		if i := slices.IndexFunc(s.Queue, func(q Submission) bool { return q.RunID == r.RunID }); i >= 0 {
			s.Next = &s.Queue[i]
		}
		s.Queue = without(s.Queue, r.RunID)
	case Answered:
		return s.answered(r.Settled, own)
	case Started:
		return s.started(r, own)
	case Sent:
		if r.RunID == s.Run.ID {
			s.Run.Sent, s.Run.SentBy = r.By != "", r.By
		}
	case Frames:
		if r.RunID == s.Run.ID {
			s.Run.Heard = true
		}
	case Asked:
		s.Phase, s.Pending = Awaiting, r.Requests
	case Ended:
		return s.ended(r, own)
	case Withdrawn:
		s.Settled = append(s.journal(own), r.Settled...)
		s.Phase, s.Pending, s.Run = Idle, nil, Run{}
	}
	return s
}

func without(queue []Submission, runID string) []Submission {
	return slices.DeleteFunc(slices.Clone(queue), func(q Submission) bool { return q.RunID == runID })
}

// knows notes what is known of a run.
func (s State) knows(runID string, r RunRecord, own bool) State {
	if !own {
		s.Runs = maps.Clone(s.Runs)
	}
	if s.Runs == nil {
		s.Runs = map[string]RunRecord{}
	}
	s.Runs[runID] = r
	return s
}

// journal is the journal to add to.
func (s State) journal(own bool) []Settled {
	if own {
		return s.Settled
	}
	return slices.Clone(s.Settled)
}

func (s State) answered(a Settled, own bool) State {
	s = s.remembers(a)
	if a.Automatic {
		s.Settled = append(s.journal(own), a)
		return s
	}
	s.Pending = slices.DeleteFunc(slices.Clone(s.Pending), func(q hitl.Request) bool { return q.ID == a.Request.ID })
	s.Settled = append(s.journal(own), a)
	if len(s.Pending) == 0 {
		s.Phase = Resuming
	}
	return s
}

func (s State) started(r Started, own bool) State {
	next := Run{ID: r.RunID, Agent: r.Agent, Protocol: r.Protocol, StartedAt: r.At, Sent: !r.Unsent}
	if r.Resumes != "" {
		next.Turn = append(slices.Clone(s.Run.Turn), s.Run.ID)
		s.Settled = s.resumedBy(r.Resumes, r.RunID, own)
	}
	s.Phase, s.Run, s.Pending, s.Agent, s.Next, s.Paused = Running, next, nil, r.Agent, nil, false
	return s
}

func (s State) ended(r Ended, own bool) State {
	if known, ok := s.Runs[r.RunID]; ok {
		known.Ended, known.Status = true, r.Status
		s = s.knows(r.RunID, known, own)
	}
	if r.Held {
		s.Queue, s.Next = without(s.Queue, r.RunID), nil
	}
	// A run that stopped to ask stays: it is what the answers resume.
	if r.Status != Interrupted && r.RunID == s.Run.ID {
		s.Phase, s.Run, s.Paused = Idle, Run{}, r.Paused
	}
	return s
}
