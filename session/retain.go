package session

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"
)

// A Retainer is a log that can delete threads.
type Retainer interface {
	// Retain deletes the threads whose last entry is from before a time, and returns how
	// many. A thread that gets an entry meanwhile stays.
	Retain(ctx context.Context, before time.Time) (deleted int, err error)
}

// Retain deletes the threads on which nothing happened since a time, with what is open on
// them, and returns how many. A log that is no [Retainer] keeps everything.
func (h *Hub) Retain(ctx context.Context, before time.Time) (deleted int, err error) {
	log, ok := h.opts.Log.(Retainer)
	if !ok {
		return 0, nil
	}
	deleted, err = log.Retain(ctx, before)
	if err != nil {
		return deleted, fmt.Errorf("delete old threads: %w", err)
	}
	if deleted == 0 {
		return 0, nil
	}
	h.mu.Lock()
	sessions := slices.Collect(maps.Values(h.sessions))
	h.mu.Unlock()
	for _, s := range sessions {
		if err := s.forgetIfGone(ctx); err != nil {
			return deleted, err
		}
	}
	return deleted, nil
}

// forgetIfGone drops the session if its thread has no log any more.
func (s *Session) forgetIfGone(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.seq == 0 {
		return nil
	}
	for _, err := range s.hub.opts.Log.Read(ctx, s.id, s.seq-1) {
		if err != nil {
			return fmt.Errorf("read thread %q: %w", s.id, err)
		}
		return nil // it is there
	}
	if s.alarm.timer != nil {
		s.alarm.timer.Stop()
	}
	s.hub.inbox.follow(s.id, State{}, nil)
	s.hub.forget(s)
	return nil
}
