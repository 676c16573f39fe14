package store

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"maps"
	"sync"
)

// Memory is a [Log] in memory. What it holds ends with the process.
type Memory struct {
	mu       sync.RWMutex
	closed   bool
	threads  map[string][]Entry // a thread's slice only ever grows
	watchers map[string]map[chan struct{}]struct{}
}

var _ Log = (*Memory)(nil)

// NewMemory returns an empty log.
func NewMemory() *Memory {
	return &Memory{
		threads:  map[string][]Entry{},
		watchers: map[string]map[chan struct{}]struct{}{},
	}
}

// Append implements [Log].
func (m *Memory) Append(ctx context.Context, thread string, after uint64, entries ...Entry) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("store: append: %w", err)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return 0, ErrClosed
	}
	log := m.threads[thread]
	if last := uint64(len(log)); last != after {
		return 0, fmt.Errorf("%w: thread %q is at %d, not %d", ErrConflict, thread, last, after)
	}
	if len(entries) == 0 {
		return after, nil
	}
	for _, e := range entries {
		e.Seq = uint64(len(log)) + 1
		e.At = e.At.Round(0) // a log keeps no monotonic clock
		e.Body = bytes.Clone(e.Body)
		log = append(log, e)
	}
	m.threads[thread] = log
	ring(m.watchers[thread])
	return uint64(len(log)), nil
}

// Read implements [Log].
func (m *Memory) Read(ctx context.Context, thread string, after uint64) iter.Seq2[Entry, error] {
	return func(yield func(Entry, error) bool) {
		entries, err := m.entries(thread, after)
		for _, e := range entries {
			if ctx.Err() != nil {
				break
			}
			if !yield(e, nil) {
				return
			}
		}
		if err == nil && ctx.Err() != nil {
			err = fmt.Errorf("store: read: %w", ctx.Err())
		}
		if err != nil {
			yield(Entry{}, err)
		}
	}
}

// entries returns what follows after. Later appends do not touch it.
func (m *Memory) entries(thread string, after uint64) ([]Entry, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return nil, ErrClosed
	}
	log := m.threads[thread]
	return log[min(after, uint64(len(log))):], nil
}

// Last implements [Log].
func (m *Memory) Last(ctx context.Context, thread string) (uint64, error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("store: last: %w", err)
	}
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.closed {
		return 0, ErrClosed
	}
	return uint64(len(m.threads[thread])), nil
}

// Watch implements [Log].
func (m *Memory) Watch(thread string) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		ch <- struct{}{}
		return ch, func() {}
	}
	if m.watchers[thread] == nil {
		m.watchers[thread] = map[chan struct{}]struct{}{}
	}
	m.watchers[thread][ch] = struct{}{}
	return ch, func() { m.unwatch(thread, ch) }
}

func (m *Memory) unwatch(thread string, ch chan struct{}) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.watchers[thread], ch)
	if len(m.watchers[thread]) == 0 {
		delete(m.watchers, thread)
	}
}

func ring(watchers map[chan struct{}]struct{}) {
	for ch := range watchers {
		select {
		case ch <- struct{}{}:
		default: // it has a ring that nobody heard yet
		}
	}
}

// Threads implements [Log].
func (m *Memory) Threads(ctx context.Context) iter.Seq2[ThreadInfo, error] {
	return func(yield func(ThreadInfo, error) bool) {
		m.mu.RLock()
		closed, threads := m.closed, maps.Clone(m.threads)
		m.mu.RUnlock()
		if closed {
			yield(ThreadInfo{}, ErrClosed)
			return
		}
		for id, log := range threads {
			if err := ctx.Err(); err != nil {
				yield(ThreadInfo{}, fmt.Errorf("store: list threads: %w", err))
				return
			}
			last := log[len(log)-1]
			if !yield(ThreadInfo{ID: id, Last: last.Seq, At: last.At, End: last}, nil) {
				return
			}
		}
	}
}

// Close implements [Log].
func (m *Memory) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return nil
	}
	m.closed = true
	for _, watchers := range m.watchers {
		ring(watchers)
	}
	m.threads, m.watchers = nil, nil
	return nil
}
