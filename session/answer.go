package session

import (
	"context"
	"errors"
	"fmt"
)

// A Resumption is a stopped run that goes on without a front end: all that it asked is
// answered, and nobody sent an input for the next run.
type Resumption struct {
	ThreadID string
	RunID    string // of the run that goes on
	Stopped  *Feed  // the run that stopped; it has ended
	Settled  []Settled
}

// ErrNoComposer: the hub was not told how to make the input of a resumed run.
var ErrNoComposer = errors.New("an answer needs a front end that resumes the run")

// Answer settles one open request of a thread, by whoever may. When nothing is open any
// more, the run goes on, with nobody attached to it. The error matches ErrUnknownThread,
// is a *hitl.AnswerError, or is one of the log; then nothing happened.
func (h *Hub) Answer(ctx context.Context, thread string, a Answer, actor string) error {
	s, done, err := h.use(ctx, thread, false)
	if err != nil {
		return err
	}
	defer done()
	return s.answer(ctx, a, actor)
}

func (s *Session) answer(ctx context.Context, a Answer, actor string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.settle(ctx, func(resume *Submission) Event {
		return Reply{Answer: a, Actor: actor, Now: s.hub.opts.Clock(), Check: s.hub.opts.Check, Resume: resume}
	})
}

// settle steps with an event that settles requests, and resumes the run if they were the
// last ones: it steps again with the input of the run that goes on. It is called with mu
// held.
func (s *Session) settle(ctx context.Context, event func(resume *Submission) Event) error {
	var resume *Submission
	for range 3 { // another process may answer in between
		effects, err := s.step(ctx, event(resume))
		if err != nil {
			return err
		}
		again := false
		for _, effect := range effects {
			switch e := effect.(type) {
			case Compose:
				sub, err := s.compose(ctx, e)
				if err != nil {
					return fmt.Errorf("resume thread %q: %w", s.id, err)
				}
				resume, again = &sub, true
			case StartRun:
				// What is in the log is carried out, also if the client has left meanwhile.
				if _, err := s.start(context.WithoutCancel(ctx), e); err != nil {
					return err
				}
			}
		}
		if !again {
			return nil
		}
	}
	return errors.New("other answers came in between, again and again")
}

// compose makes the input of the run that goes on.
func (s *Session) compose(ctx context.Context, e Compose) (Submission, error) {
	if s.hub.opts.Compose == nil {
		return Submission{}, ErrNoComposer
	}
	stopped, err := s.attach(ctx, s.state.Run.ID)
	if err != nil {
		return Submission{}, err
	}
	sub, err := s.hub.opts.Compose(Resumption{
		ThreadID: s.id, RunID: s.hub.opts.NewID(), Stopped: stopped, Settled: e.Settled,
	})
	if err != nil {
		return Submission{}, err
	}
	sub.Agent = s.state.Run.Agent
	if sub.Digest, err = inputDigest(sub.Input); err != nil {
		return Submission{}, err
	}
	return sub, nil
}
