package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
)

// DefaultThreads is how many threads stay in memory.
const DefaultThreads = 10_000

// use returns the session of a thread, read from its log if it is not in memory, and keeps
// it there until done is called. Threads are read beside each other, one thread once.
func (h *Hub) use(ctx context.Context, thread string, create bool) (s *Session, done func(), err error) {
	for {
		s, mine, err := h.enlist(thread)
		if err != nil {
			return nil, nil, err
		}
		if mine {
			var known bool
			known, s.failed = s.recover(ctx)
			if s.failed != nil || !known && !create {
				h.forget(s)
			}
			close(s.ready)
		}
		select {
		case <-s.ready:
		case <-ctx.Done():
			h.leave(s)
			return nil, nil, context.Cause(ctx)
		}
		if s.failed == nil && h.holds(s) && (create || s.exists()) {
			return s, func() { h.leave(s) }, nil
		}
		h.leave(s)
		switch {
		case mine && s.failed != nil:
			return nil, nil, s.failed
		case s.failed == nil && !create && !s.exists():
			return nil, nil, fmt.Errorf("%w: %q", ErrUnknownThread, thread)
		}
		// Whoever read it has failed, perhaps because it left, or did not want a new thread.
	}
}

// exists reports whether the thread has a log.
func (s *Session) exists() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.seq > 0
}

// forget drops a session whose memory no longer agrees with its log.
func (h *Hub) forget(s *Session) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.sessions[s.id] == s {
		delete(h.sessions, s.id)
	}
}

// enlist returns the session of a thread, and whether it is new: who gets a new one reads it.
func (h *Hub) enlist(thread string) (s *Session, mine bool, err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, false, ErrClosed
	}
	s = h.sessions[thread]
	if s == nil {
		if len(h.sessions) >= h.opts.Threads {
			h.evict()
		}
		s, mine = &Session{hub: h, id: thread, feeds: map[string]*Feed{}, ready: make(chan struct{})}, true
		h.sessions[thread] = s
	}
	h.flight.Add(1) // Close waits for it
	h.uses++
	s.users, s.used = s.users+1, h.uses
	return s, mine, nil
}

func (h *Hub) leave(s *Session) {
	h.pin(s, -1)
	h.flight.Done()
}

// pin keeps a session in memory, or no longer.
func (h *Hub) pin(s *Session, by int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	s.users += by
}

// holds reports whether the session is the one of its thread.
func (h *Hub) holds(s *Session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.sessions[s.id] == s
}

// Hold keeps a thread in memory until release is called, for somebody who follows its
// runs. The error is as that of Thread.
func (h *Hub) Hold(ctx context.Context, thread string) (release func(), err error) {
	s, done, err := h.use(ctx, thread, false)
	if err != nil {
		return nil, err
	}
	h.pin(s, 1)
	done() // Close does not wait for those who follow
	return sync.OnceFunc(func() { h.pin(s, -1) }), nil
}

// evict drops the threads that were used longest ago, a tenth of them, as far as nothing
// goes on there: their logs have all of it. It is called with mu held.
func (h *Hub) evict() {
	var rest []*Session
	for _, s := range h.sessions {
		if s.users == 0 {
			rest = append(rest, s)
		}
	}
	slices.SortFunc(rest, func(a, b *Session) int { return cmp.Compare(a.used, b.used) })
	surplus := len(h.sessions) - h.opts.Threads*9/10
	for _, s := range rest {
		if surplus <= 0 {
			return
		}
		if s.rests() {
			delete(h.sessions, s.id)
			surplus--
		}
	}
}

// rests reports whether nothing goes on in the session that its log does not have. It does
// not wait for somebody who works on the thread.
func (s *Session) rests() bool {
	if !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	return len(s.feeds) == 0 && s.alarm.at.IsZero() && (s.state.phase() == Idle && len(s.state.Queue) == 0 || s.state.phase() == Awaiting)
}
