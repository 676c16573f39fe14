package session

import (
	"context"
	"fmt"
	"slices"
)

// attach returns the feed of a run that is known: the live one, or one made from the
// log. It is called with mu held.
func (s *Session) attach(ctx context.Context, runID string) (*Feed, error) {
	if f := s.feeds[runID]; f != nil {
		return f, nil
	}
	for _, held := range s.state.Queue { // by an earlier process
		if held.RunID == runID {
			return s.feed(held)
		}
	}
	past, err := s.past(ctx, runID)
	if err != nil {
		return nil, err
	}
	agent, err := s.hub.Agent(s.state.Runs[runID].Agent)
	if err != nil {
		return nil, err
	}
	f := newFeed(runID, agent)
	f.past = past.before(runID, s.state.Settled)
	run := past[runID]
	if run == nil || run.end == nil {
		f.close(nil, &End{Status: Failed, Failure: lostRun()})
		return f, nil
	}
	for _, frame := range run.frames {
		f.window.add(frame)
	}
	if f.bytes > windowBytes { // whoever reads it reads the log
		f.window, f.older = window{base: len(run.frames)}, s.logged(runID)
	}
	f.close(nil, run.end)
	return f, nil
}

// goesOnWith tells a run that is about to start what it goes on with.
func (s *Session) goesOnWith(ctx context.Context, e StartRun) (Past, error) {
	asked := Asking{Input: e.Submission.Input, Protocol: e.Submission.Protocol}
	if len(e.Turn) == 0 {
		return Past{First: e.Submission.RunID, Answers: e.Settled, Asking: asked, Origin: asked}, nil
	}
	runs, err := s.past(ctx, e.Turn...)
	if err != nil {
		return Past{}, err
	}
	past := runs.turn(e.Turn, s.state.Settled)
	past.Answers, past.Asking = e.Settled, asked
	return past, nil
}

// pastRuns is what the log holds of each run.
type pastRuns map[string]*pastRun

type pastRun struct {
	asked   Submission
	resumes string
	frames  [][]byte
	end     *End
}

// before tells what the given run went on with.
func (p pastRuns) before(runID string, journal []Settled) Past {
	var ids []string
	for run := p[runID]; run != nil && run.resumes != ""; run = p[run.resumes] {
		ids = append(ids, run.resumes)
	}
	slices.Reverse(ids)
	past := p.turn(ids, journal)
	past.Answers = answersOf(runID, journal)
	if run := p[runID]; run != nil {
		past.Asking = run.asking()
	}
	if len(ids) == 0 {
		past.First, past.Origin = runID, past.Asking
	}
	return past
}

// turn tells of the given runs, which have stopped to ask, oldest first.
func (p pastRuns) turn(ids []string, journal []Settled) (past Past) {
	for i, id := range ids {
		run := p[id]
		if run == nil {
			run = &pastRun{}
		}
		if i == 0 {
			past.First, past.Origin = id, run.asking()
		}
		stopped := Stopped{RunID: id, Frames: run.frames, Answers: answersOf(id, journal)}
		if run.end != nil {
			stopped.Requests = run.end.Requests
		}
		past.Turn = append(past.Turn, stopped)
	}
	return past
}

func (r *pastRun) asking() Asking { return Asking{Input: r.asked.Input, Protocol: r.asked.Protocol} }

// answersOf returns what a run went on with.
func answersOf(runID string, journal []Settled) (answers []Settled) {
	for _, a := range journal {
		if a.ResumedBy == runID {
			answers = append(answers, a)
		}
	}
	return answers
}

// past reads the given runs, and those that they go on with. Others may be there in part.
func (s *Session) past(ctx context.Context, runIDs ...string) (pastRuns, error) {
	first, last := s.places.around(runIDs...)
	past := pastRuns{}
	of := func(id string) *pastRun {
		if past[id] == nil {
			past[id] = &pastRun{}
		}
		return past[id]
	}
	for e, err := range s.hub.opts.Log.Read(ctx, s.id, first-1) {
		if err != nil {
			return nil, fmt.Errorf("read thread %q: %w", s.id, err)
		}
		if e.Seq > last {
			break
		}
		r, err := decode(e)
		if err != nil {
			return nil, fmt.Errorf("read thread %q: %w", s.id, err)
		}
		switch r := r.(type) {
		case Input:
			of(r.RunID).asked = r.Submission
		case Queued:
			of(r.RunID).asked = r.Submission
		case Started:
			of(r.RunID).resumes = r.Resumes
		case Frames:
			of(r.RunID).frames = append(of(r.RunID).frames, r.Frames...)
		case Asked: // follows the Ended of its run
			if end := of(r.RunID).end; end != nil {
				end.Requests = r.Requests
			}
		case Ended:
			of(r.RunID).end = &End{Status: r.Status, Failure: r.Failure, Spoken: r.Spoken, Requests: r.Left}
		}
	}
	return past, nil
}
