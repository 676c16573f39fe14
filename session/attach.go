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
	past, err := s.past(ctx)
	if err != nil {
		return nil, err
	}
	agent, err := s.hub.Agent(s.state.Runs[runID].Agent)
	if err != nil {
		return nil, err
	}
	f := newFeed(runID, agent)
	f.past = past.before(runID)
	for _, a := range s.state.Settled {
		if a.ResumedBy == runID {
			f.past.Answers = append(f.past.Answers, a)
		}
	}
	run := past[runID]
	if run == nil || run.end == nil {
		f.close(nil, &End{Status: Failed, Failure: lostRun()})
		return f, nil
	}
	f.frames = run.frames
	f.close(nil, run.end)
	return f, nil
}

// turnFrames reads back the frames of the given runs, in that order.
func (s *Session) turnFrames(ctx context.Context, runs []string) ([][]byte, error) {
	if len(runs) == 0 {
		return nil, nil
	}
	past, err := s.past(ctx)
	if err != nil {
		return nil, err
	}
	var frames [][]byte
	for _, id := range runs {
		if run := past[id]; run != nil {
			frames = append(frames, run.frames...)
		}
	}
	return frames, nil
}

// pastRuns is what the log holds of each run.
type pastRuns map[string]*pastRun

type pastRun struct {
	asked   Submission
	resumes string
	frames  [][]byte
	end     *End
}

// before returns the runs that the given one continues.
func (p pastRuns) before(runID string) Past {
	past := Past{First: runID}
	if run := p[runID]; run != nil {
		past.Input, past.Protocol = run.asked.Input, run.asked.Protocol
	}
	var chain []*pastRun
	for run := p[runID]; run != nil && run.resumes != ""; run = p[run.resumes] {
		past.First = run.resumes
		if before := p[run.resumes]; before != nil {
			chain = append(chain, before)
		}
	}
	for _, run := range slices.Backward(chain) {
		past.Frames = append(past.Frames, run.frames...)
	}
	return past
}

func (s *Session) past(ctx context.Context) (pastRuns, error) {
	past := pastRuns{}
	of := func(id string) *pastRun {
		if past[id] == nil {
			past[id] = &pastRun{}
		}
		return past[id]
	}
	for e, err := range s.hub.opts.Log.Read(ctx, s.id, 0) {
		if err != nil {
			return nil, fmt.Errorf("read thread %q: %w", s.id, err)
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
