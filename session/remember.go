package session

import (
	"maps"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// Automatic says that the active run has asked for what is remembered, and goes on with
// that. It gates nothing and resumes nothing: nobody is asked.
type Automatic struct {
	RunID   string
	Before  int // how many answers of this kind the run had before these
	Settled []Settled
	Now     time.Time
}

func (Automatic) event() {}

func (s State) automatic(e Automatic) ([]Record, []Effect, error) {
	if s.phase() != Running || s.Run.ID != e.RunID {
		return nil, nil, errNotSender
	}
	had := 0
	for _, a := range s.Settled {
		if a.Request.RaisedInRun == e.RunID { // what an active run asked can only be of this kind
			had++
		}
	}
	if had > e.Before { // it is in the log already
		return nil, nil, nil
	}
	requests := make([]hitl.Request, len(e.Settled))
	for i, a := range e.Settled {
		requests[i] = a.Request
	}
	requests = s.raised(requests, Finish{RunID: e.RunID, Now: e.Now})
	records := make([]Record, len(requests))
	for i, q := range requests {
		a := e.Settled[i]
		by, known := s.Remembered[s.Run.Agent][toolOf(q)]
		if !known || !mayRemember(q) || a.Response.Decision == nil || !a.Response.Decision.Approved {
			return nil, nil, answerError(q.ID, hitl.ErrInvalidPayload, "nobody said that this tool may run without being asked")
		}
		a.Request, a.Agent, a.ResumedBy, a.Automatic = q, s.Run.Agent, "", true
		a.Response.Actor, a.Response.At = by, e.Now
		records[i] = Answered{a}
	}
	return records, nil, nil
}

// mayRemember reports whether a request is one that an earlier answer can settle.
func mayRemember(q hitl.Request) bool {
	return q.Kind == hitl.KindApproval && q.Answers.Remember && toolOf(q) != ""
}

func toolOf(q hitl.Request) string {
	if q.Call == nil {
		return ""
	}
	return q.Call.Name
}

// remembers notes that a tool was approved for the rest of the thread.
func (s State) remembers(a Settled) State {
	d := a.Response.Decision
	if d == nil || !d.Approved || !d.Remember || !mayRemember(a.Request) {
		return s
	}
	s.Remembered = maps.Clone(s.Remembered)
	if s.Remembered == nil {
		s.Remembered = map[string]map[string]string{}
	}
	tools := maps.Clone(s.Remembered[a.Agent])
	if tools == nil {
		tools = map[string]string{}
	}
	tools[toolOf(a.Request)] = a.Response.Actor
	s.Remembered[a.Agent] = tools
	return s
}
