package session

import (
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// Expire says that time has passed. Open requests that ran out are given up, as if a
// person had cancelled them; when nothing else is open, the run goes on with that. Resume
// is as in [Reply].
//
// Two kinds stay open, for a person to cancel: what had run out before it was asked, by a
// clock that is wrong, and what is asked by a run that went on because everything before
// it had run out. An agent that asks again and again would go on for ever, and nobody
// would see it.
type Expire struct {
	Now    time.Time
	Resume *Submission
}

func (Expire) event() {}

func (s State) expire(e Expire) ([]Record, []Effect, error) {
	var gone []Settled
	for _, q := range s.Pending {
		if at := s.runsOut(q); !at.IsZero() && !e.Now.Before(at) {
			cancel := hitl.Cancel()
			gone = append(gone, Settled{Request: q, Response: hitl.Response{Input: &cancel, At: e.Now}, Agent: s.Run.Agent, Expired: true})
		}
	}
	switch {
	case len(gone) == 0:
		return nil, nil, nil
	case len(gone) < len(s.Pending):
		return partially(gone), nil, nil
	case e.Resume == nil:
		return nil, []Effect{Compose{Settled: append(s.partial(), gone...)}}, nil
	}
	records, effects := s.resume(*e.Resume, gone)
	return records, effects, nil
}

// runsOut is the moment at which an open request is given up; zero: never.
func (s State) runsOut(q hitl.Request) time.Time {
	at := q.Expiry()
	if !at.After(q.RaisedAt) || s.unattended() {
		return time.Time{}
	}
	return at
}

// unattended reports whether the run went on only because all that was asked had run out.
func (s State) unattended() bool {
	gone := false
	for _, a := range s.Settled {
		if a.ResumedBy == s.Run.ID {
			if !a.Expired {
				return false
			}
			gone = true
		}
	}
	return gone
}

// expires is the first moment at which an open request is given up; zero: none is.
func (s State) expires() (first time.Time) {
	for _, q := range s.Pending {
		if at := s.runsOut(q); !at.IsZero() && (first.IsZero() || at.Before(first)) {
			first = at
		}
	}
	return first
}
