package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.uber.org/zap"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

// A Session runs one thread: it is the only writer of the thread's log in this process.
type Session struct {
	hub *Hub
	id  string

	ready  chan struct{} // closed when the log was read
	failed error         // why it could not be read; set before ready

	users int    // who work with it now; guarded by hub.mu
	used  uint64 // when somebody last began to; guarded by hub.mu

	mu      sync.Mutex // held while deciding and appending, never while an agent runs
	state   State
	seq     uint64 // of the last entry of the log that state holds
	begun   begun
	places  places
	tail    tail             // of the log, after the newest snapshot
	feeds   map[string]*Feed // of runs that wait or go on
	stopRun context.CancelCauseFunc
	alarm   alarm
}

func inputDigest(input []byte) (string, error) {
	text, err := hitl.Canonical(jsontext.Value(input))
	if err != nil {
		return "", fmt.Errorf("digest of the input: %w", err)
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}

// recover takes a thread up that this process has not touched yet, and reports whether
// there is one.
func (s *Session) recover(ctx context.Context) (known bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.load(ctx); err != nil {
		return false, err
	}
	known = s.seq > 0
	effects, err := s.step(ctx, Recover{Now: s.hub.opts.Clock()})
	if errors.Is(err, ErrUnknownAgent) {
		s.hub.opts.Logger.Warn("an input waits for an agent that is not configured", zap.String("thread", s.id), zap.Error(err))
		return known, nil
	}
	if err != nil {
		return known, err
	}
	for _, effect := range effects {
		switch e := effect.(type) {
		case StartRun:
			_, err = s.start(context.WithoutCancel(ctx), e)
		case SendAgain:
			err = s.startAgain(context.WithoutCancel(ctx), e)
		}
		if err != nil {
			return known, err
		}
	}
	return known, nil
}

// startAgain starts a run that the log shows as started and that was never sent.
func (s *Session) startAgain(ctx context.Context, e SendAgain) error {
	runs, err := s.past(ctx, e.RunID)
	if err != nil {
		return err
	}
	run := runs[e.RunID]
	if run == nil {
		return fmt.Errorf("%w: %q", ErrUnknownRun, e.RunID)
	}
	_, err = s.start(ctx, StartRun{Submission: run.asked, Settled: answersOf(e.RunID, s.state.Settled), Turn: s.state.Run.Turn})
	if !errors.Is(err, ErrUnknownAgent) {
		return err
	}
	effects, err := s.step(ctx, Finish{RunID: e.RunID, End: End{Status: Failed, Failure: lostRun()}, Now: s.hub.opts.Clock()})
	if err != nil {
		return err
	}
	for _, effect := range effects {
		if next, ok := effect.(StartRun); ok {
			if _, err := s.start(ctx, next); err != nil {
				return err
			}
		}
	}
	return nil
}

func lostRun() *Failure {
	return &Failure{Code: CodeRunLost, Message: "the process that ran this run is gone; its outcome is not known"}
}

func (s *Session) current() State {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.state
}

// append writes records and folds them. It is called with mu held, or before the
// session is shared.
func (s *Session) append(ctx context.Context, records ...Record) error {
	if len(records) == 0 {
		return nil
	}
	entries := make([]store.Entry, len(records))
	for i, r := range records {
		e, err := encode(r, s.hub.opts.Clock())
		if err != nil {
			return err
		}
		entries[i] = e
	}
	last, err := s.hub.opts.Log.Append(ctx, s.id, s.seq, entries...)
	if err != nil {
		return fmt.Errorf("append to thread %q: %w", s.id, err)
	}
	s.seq = last
	for _, e := range entries {
		s.tail.add(e)
	}
	for i, r := range records {
		s.state = Fold(s.state, r)
		s.places.follow(r, last-uint64(len(records)-1-i))
	}
	s.begun.follow(records)
	s.hub.inbox.follow(s.id, s.state, settledBy(records))
	s.setAlarm()
	return nil
}

// settledBy returns what the records settle.
func settledBy(records []Record) (settled []Settled) {
	for _, r := range records {
		switch r := r.(type) {
		case Answered:
			settled = append(settled, r.Settled)
		case Withdrawn:
			settled = append(settled, r.Settled...)
		}
	}
	return settled
}

// step takes an event, records what follows from it together with lead, and returns
// the effects. When another writer was faster, it reads on and decides again. It is
// called with mu held.
func (s *Session) step(ctx context.Context, e Event, lead ...Record) ([]Effect, error) {
	for attempt := 0; ; attempt++ {
		records, effects, err := s.decide(e)
		if err != nil {
			return nil, err
		}
		if attempt > 0 && len(records) == 0 {
			return effects, nil // it is in the log already: the acknowledgement was lost
		}
		err = s.append(ctx, append(lead[:len(lead):len(lead)], records...)...)
		if err == nil {
			return effects, nil
		}
		if !errors.Is(err, store.ErrConflict) || attempt == 3 {
			return nil, err
		}
		if err := s.load(ctx); err != nil {
			return nil, err
		}
	}
}

// decide steps the machine. A run that is to start is launched in the same append,
// so that the log never shows an accepted input without its run.
func (s *Session) decide(e Event) ([]Record, []Effect, error) {
	records, effects, err := Step(s.state, e, s.hub.opts.Limits)
	if err != nil {
		return nil, nil, err
	}
	for _, effect := range effects {
		start, ok := effect.(StartRun)
		if !ok {
			continue
		}
		agent, err := s.hub.Agent(start.Submission.Agent)
		if err != nil {
			return nil, nil, err
		}
		next := s.state
		for _, r := range records {
			next = Fold(next, r)
		}
		launch := Launch{RunID: start.Submission.RunID, Protocol: agent.Protocol(), Now: s.hub.opts.Clock(), Held: releases(records, start.Submission.RunID)}
		launched, _, err := Step(next, launch, s.hub.opts.Limits)
		if err != nil {
			return nil, nil, err
		}
		records = append(records, launched...)
	}
	return records, effects, nil
}

// releases reports whether the records let go the held input of a run.
func releases(records []Record, runID string) bool {
	return slices.ContainsFunc(records, func(r Record) bool {
		released, ok := r.(Released)
		return ok && released.RunID == runID
	})
}

func (s *Session) submit(ctx context.Context, sub Submission, actor string) (Admission, error) {
	var told Withdrawer
	admitted, err := s.take(ctx, sub, actor, &told)
	if told != nil { // not with mu held: it is the agent's code
		told.Withdrawn(s.id)
	}
	return admitted, err
}

func (s *Session) take(ctx context.Context, sub Submission, actor string, told *Withdrawer) (Admission, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	effects, err := s.step(ctx, Submit{Submission: sub, Actor: actor, Now: s.hub.opts.Clock(), Check: s.hub.opts.Check})
	if err != nil {
		return Admission{}, err
	}
	// What is in the log is carried out, also if the client has left meanwhile.
	ctx = context.WithoutCancel(ctx)
	var admitted Admission
	for _, effect := range effects {
		switch e := effect.(type) {
		case Warn:
			admitted.Warnings = append(admitted.Warnings, e.Detail)
		case GiveUp:
			*told = s.hub.withdrawer(e.Agent)
		case StartRun:
			admitted.Feed, err = s.start(ctx, e)
		case Hold:
			admitted.Feed, err = s.feed(sub)
		case AttachRun:
			admitted.Feed, err = s.attach(ctx, e.RunID)
		}
		if err != nil {
			return Admission{}, err
		}
	}
	return admitted, nil
}

func (s *Session) cancel(ctx context.Context, runID, actor string) error {
	var told Withdrawer
	err := s.stop(ctx, runID, actor, &told)
	if told != nil { // not with mu held: it is the agent's code
		told.Withdrawn(s.id)
	}
	return err
}

func (s *Session) stop(ctx context.Context, runID, actor string, told *Withdrawer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	effects, err := s.step(ctx, Stop{RunID: runID, Actor: actor, Now: s.hub.opts.Clock()})
	if err != nil {
		return err
	}
	for _, effect := range effects {
		switch e := effect.(type) {
		case CancelRun:
			if s.stopRun != nil {
				s.stopRun(ErrCancelled)
			}
		case GiveUp:
			*told = s.hub.withdrawer(e.Agent)
		case DropHeld:
			if f := s.feeds[e.RunID]; f != nil {
				f.close(nil, &End{Status: Cancelled})
				delete(s.feeds, e.RunID)
			}
		case StartRun:
			if _, err := s.start(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// feed returns the feed of an input's run, made now if it is new.
func (s *Session) feed(sub Submission) (*Feed, error) {
	if f := s.feeds[sub.RunID]; f != nil {
		return f, nil
	}
	agent, err := s.hub.Agent(sub.Agent)
	if err != nil {
		return nil, err
	}
	f := newFeed(sub.RunID, agent)
	f.older = s.logged(sub.RunID)
	s.feeds[sub.RunID] = f
	return f, nil
}

// start asks the agent for a run that the log already shows as started.
func (s *Session) start(ctx context.Context, e StartRun) (*Feed, error) {
	agent, err := s.hub.Agent(e.Submission.Agent)
	if err != nil {
		return nil, err
	}
	past, err := s.goesOnWith(ctx, e)
	if err != nil {
		return nil, err
	}
	f, err := s.feed(e.Submission)
	if err != nil {
		return nil, err
	}
	f.begin(past)
	runCtx, cancel := context.WithCancelCause(s.hub.ctx)
	s.stopRun = cancel
	call := Call{
		ThreadID: s.id, RunID: e.Submission.RunID, Protocol: e.Submission.Protocol, Input: e.Submission.Input,
		Settled: e.Settled, First: past.First, Turn: past.Frames(), Origin: past.Origin,
		Remembered: s.state.Remembered[e.Submission.Agent],
	}
	r := &runner{session: s, feed: f, agent: agent, log: s.hub.opts.Logger.With(
		zap.String("thread", s.id), zap.String("run", f.RunID), zap.String("agent", f.Agent))}
	s.hub.flight.Go(func() {
		defer cancel(nil)
		r.run(runCtx, call)
	})
	return f, nil
}
