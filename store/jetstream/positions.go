package jetstream

import "sync"

// A position is the end of a whole append: where it is in the thread and where in
// the stream.
type position struct {
	last   uint64 // sequence of the thread's entry, 0 before the first
	stream uint64 // sequence of the stream's message, 0 before the first
}

// How much is remembered: of a thread, enough for readers that follow it
// closely, and of all threads, those that were busy last.
const (
	positionsOfThread = 8
	threadsOfAge      = 4096
)

// positions remembers where threads end. What it says may be old, never wrong:
// a log does not change, so an append ends where it ended, and whether it is
// still the last is for the engine to say. It is bounded: of two ages of
// threads, the elder is dropped when the younger is full.
type positions struct {
	mu         sync.Mutex
	young, old map[string]*trail
}

// A trail is the last positions of a thread, oldest first.
type trail struct {
	at [positionsOfThread]position
	n  int
}

// add remembers a position, if it is later than what is known.
func (p *positions) add(thread string, at position) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.get(thread)
	if t == nil {
		if len(p.young) >= threadsOfAge || p.young == nil {
			p.young, p.old = make(map[string]*trail), p.young
		}
		t = &trail{}
		p.young[thread] = t
	}
	switch {
	case t.n > 0 && t.at[t.n-1].stream >= at.stream:
		return
	case t.n == positionsOfThread:
		copy(t.at[:], t.at[1:])
		t.n--
	}
	t.at[t.n] = at
	t.n++
}

// end returns the last position that is known.
func (p *positions) end(thread string) (position, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.get(thread)
	if t == nil || t.n == 0 {
		return position{}, false
	}
	return t.at[t.n-1], true
}

// before returns the last known position that is not after an entry. From there
// on, everything that follows the entry can be read.
func (p *positions) before(thread string, seq uint64) (position, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t := p.get(thread); t != nil {
		for i := t.n - 1; i >= 0; i-- {
			if t.at[i].last <= seq {
				return t.at[i], true
			}
		}
	}
	return position{}, false
}

// forget drops what is known of a thread.
func (p *positions) forget(thread string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.young, thread)
	delete(p.old, thread)
}

// get returns the trail of a thread and keeps it among the young. The lock is held.
func (p *positions) get(thread string) *trail {
	if t := p.young[thread]; t != nil {
		return t
	}
	t := p.old[thread]
	if t != nil && len(p.young) < threadsOfAge {
		delete(p.old, thread)
		p.young[thread] = t
	}
	return t
}
