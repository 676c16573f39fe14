package session

import (
	"maps"
	"slices"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// Fold applies one record to a state. It decides nothing: whatever is in the log
// happened.
func Fold(s State, r Record) State {
	switch r := r.(type) {
	case Input:
		s.Next = &r.Submission
		return s.known(r.Submission)
	case Queued:
		s.Queue = append(slices.Clone(s.Queue), r.Submission)
		return s.known(r.Submission)
	case Released:
		if i := slices.IndexFunc(s.Queue, func(q Submission) bool { return q.RunID == r.RunID }); i >= 0 {
			s.Next = &s.Queue[i]
		}
		s.Queue = without(s.Queue, r.RunID)
	case Answered:
		return s.answered(r.Settled)
	case Started:
		return s.started(r)
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
		return s.ended(r)
	case Withdrawn:
		s.Settled = append(slices.Clone(s.Settled), r.Settled...)
		s.Phase, s.Pending, s.Run = Idle, nil, Run{}
	}
	return s
}

func without(queue []Submission, runID string) []Submission {
	return slices.DeleteFunc(slices.Clone(queue), func(q Submission) bool { return q.RunID == runID })
}

func (s State) known(sub Submission) State {
	s.Runs = maps.Clone(s.Runs)
	if s.Runs == nil {
		s.Runs = map[string]RunRecord{}
	}
	s.Runs[sub.RunID] = RunRecord{Digest: sub.Digest, Agent: sub.Agent}
	return s
}

func (s State) answered(a Settled) State {
	s = s.remembers(a)
	if a.Automatic {
		s.Settled = append(slices.Clone(s.Settled), a)
		return s
	}
	s.Pending = slices.DeleteFunc(slices.Clone(s.Pending), func(q hitl.Request) bool { return q.ID == a.Request.ID })
	s.Settled = append(slices.Clone(s.Settled), a)
	if len(s.Pending) == 0 {
		s.Phase = Resuming
	}
	return s
}

func (s State) started(r Started) State {
	next := Run{ID: r.RunID, Agent: r.Agent, Protocol: r.Protocol, StartedAt: r.At, Sent: !r.Unsent}
	if r.Resumes != "" {
		next.Turn = append(slices.Clone(s.Run.Turn), s.Run.ID)
		s.Settled = s.resumedBy(r.Resumes, r.RunID)
	}
	s.Phase, s.Run, s.Pending, s.Agent, s.Next = Running, next, nil, r.Agent, nil
	return s
}

func (s State) ended(r Ended) State {
	s.Runs = maps.Clone(s.Runs)
	if known, ok := s.Runs[r.RunID]; ok {
		known.Ended, known.Status = true, r.Status
		s.Runs[r.RunID] = known
	}
	if r.Held {
		s.Queue, s.Next = without(s.Queue, r.RunID), nil
	}
	// A run that stopped to ask stays: it is what the answers resume.
	if r.Status != Interrupted && r.RunID == s.Run.ID {
		s.Phase, s.Run = Idle, Run{}
	}
	return s
}
