package session

import (
	"github.com/agui-bridge/agui-bridge/hitl"
)

// submit decides what an input does: start a run, wait, resume what stopped, or join
// a run that is known already.
func (s State) submit(e Submit, l Limits) ([]Record, []Effect, error) {
	if known, ok := s.Runs[e.RunID]; ok {
		if known.Digest != e.Digest {
			return nil, nil, ErrRunReused
		}
		return nil, []Effect{AttachRun{RunID: e.RunID}}, nil
	}
	if !e.Resume {
		return s.begin(e, l)
	}
	fresh, repeated, warnings, err := s.sort(e)
	if err != nil {
		return nil, nil, err
	}
	if len(fresh) == 0 && repeated != "" { // an old answer joins its run, whatever is asked by now
		return nil, append(warnings, AttachRun{RunID: repeated}), nil
	}
	if missing := s.uncovered(fresh); len(missing) > 0 {
		if e.Partial {
			return partially(fresh), append(warnings, Await{}), nil
		}
		return nil, nil, missing[0]
	}
	var records []Record
	var effects []Effect
	if len(fresh) > 0 {
		records, effects = s.resume(e.kept(), fresh)
	} else if records, effects, err = s.begin(e, l); err != nil { // it names nothing this thread ever asked
		return nil, nil, err
	}
	return records, append(warnings, effects...), nil
}

// kept is the submission as the log keeps it: what was answered has records of its own.
func (e Submit) kept() Submission {
	sub := e.Submission
	sub.Answers, sub.Resume, sub.Partial, sub.Supersede = nil, false, false, false
	return sub
}

// partially records answers that do not resume the run yet.
func partially(fresh []Settled) []Record {
	records := make([]Record, len(fresh))
	for i, f := range fresh {
		f.ResumedBy = ""
		records[i] = Answered{f}
	}
	return records
}

// begin starts a run for a new turn, or holds it while the thread is busy.
func (s State) begin(e Submit, l Limits) ([]Record, []Effect, error) {
	if s.phase() == Idle && len(s.Queue) > 0 {
		return s.unpause(e)
	}
	if s.phase() == Idle {
		return []Record{Input{e.kept()}}, []Effect{StartRun{Submission: e.kept()}}, nil
	}
	if s.phase() == Awaiting && l.RejectPending {
		return nil, nil, ErrInterruptsPending
	}
	if s.phase() == Awaiting && e.Supersede {
		return s.supersede(e)
	}
	if len(s.Queue) >= l.Queue {
		return nil, nil, ErrQueueFull
	}
	return []Record{Queued{e.kept()}}, []Effect{Hold{RunID: e.RunID}}, nil
}

// unpause lets go what a failed run has left waiting; the input that does waits behind it, in
// its place: there is room for it.
func (s State) unpause(e Submit) ([]Record, []Effect, error) {
	records, effects := s.release()
	return append(records, Queued{e.kept()}), append(effects, Hold{RunID: e.RunID}), nil
}

// supersede gives up what the stopped run asks, for the sake of a new turn. What was held
// before it still comes before it.
func (s State) supersede(e Submit) ([]Record, []Effect, error) {
	records, effects, err := s.stop(Stop{Actor: e.Actor, Now: e.Now})
	if err != nil {
		return nil, nil, err
	}
	if len(s.Queue) > 0 {
		return append(records, Queued{e.kept()}), append(effects, Hold{RunID: e.RunID}), nil
	}
	return append(records, Input{e.kept()}), append(effects, StartRun{Submission: e.kept()}), nil
}

// sort tells the answers to open requests from repeated ones. An answer that differs
// from the one already given is refused; one to nothing this thread asked is dropped.
// repeated is the run that the repeated answers resumed.
func (s State) sort(e Submit) (fresh []Settled, repeated string, warnings []Effect, err error) {
	seen := map[string]bool{}
	for _, a := range e.Answers {
		if seen[a.RequestID] {
			return nil, "", nil, answerError(a.RequestID, hitl.ErrInvalidPayload, "answered twice in one input")
		}
		seen[a.RequestID] = true
		if q, open := s.pending(a.RequestID); open {
			r, err := s.accept(q, a, e)
			if err != nil {
				return nil, "", nil, err
			}
			fresh = append(fresh, Settled{Request: q, Response: r, Agent: s.Run.Agent, ResumedBy: e.RunID})
			continue
		}
		done, known := s.settled(a.RequestID)
		if !known {
			warnings = append(warnings, Warn{Detail: "an answer to " + a.RequestID + ", which this thread never asked, was dropped"})
			continue
		}
		if r, err := a.Read(done.Request); err != nil || !hitl.Same(r, done.Response) {
			return nil, "", nil, done.contradicted()
		}
		if s.isPartial(done) {
			continue // somebody else gave the same answer already
		}
		if done.ResumedBy == "" { // it was given up together with its run: there is nothing to join
			return nil, "", nil, &hitl.AnswerError{RequestID: a.RequestID, Rule: hitl.ErrAlreadySettled, By: &done.Response}
		}
		repeated = done.ResumedBy
	}
	return fresh, repeated, warnings, nil
}

// contradicted is why another answer than the one that stands is refused.
func (d Settled) contradicted() error {
	rule := hitl.ErrAlreadySettled
	if d.Expired {
		rule = hitl.ErrExpired
	}
	return &hitl.AnswerError{RequestID: d.Request.ID, Rule: rule, By: &d.Response}
}

// accept checks one answer to an open request.
func (s State) accept(q hitl.Request, a Answer, e Submit) (hitl.Response, error) {
	if e.Agent != s.Run.Agent {
		return hitl.Response{}, ErrWrongAgent
	}
	r, err := a.Read(q)
	if err != nil {
		return hitl.Response{}, err
	}
	r.Actor, r.At = e.Actor, e.Now
	if err := q.Check(r, e.Now, e.Check); err != nil {
		return hitl.Response{}, err
	}
	return r, nil
}

// uncovered returns one error for each open request that was not answered.
func (s State) uncovered(fresh []Settled) []error {
	var missing []error
	for _, q := range s.Pending {
		found := false
		for _, f := range fresh {
			found = found || f.Request.ID == q.ID
		}
		if !found {
			missing = append(missing, answerError(q.ID, hitl.ErrIncomplete, "every open request must be answered at once"))
		}
	}
	return missing
}

// resume settles what was still asked and starts the run that goes on with all answers.
func (s State) resume(sub Submission, fresh []Settled) ([]Record, []Effect) {
	records := []Record{Input{sub}}
	for _, f := range fresh {
		records = append(records, Answered{f})
	}
	turn := append(append([]string(nil), s.Run.Turn...), s.Run.ID)
	return records, []Effect{StartRun{Submission: sub, Settled: append(s.partial(), fresh...), Turn: turn}}
}

func answerError(id string, rule error, detail string) error {
	return &hitl.AnswerError{RequestID: id, Rule: rule, Issues: []hitl.Issue{{Message: detail}}}
}
