package session

import (
	"cmp"
	"context"
	"iter"
	"slices"
	"sync"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// An OpenRequest is a request that waits for an answer, and where.
type OpenRequest struct {
	ThreadID string
	Agent    string // that asks
	Request  hitl.Request
}

// A Change is what happens to an inbox: exactly one of its members is set.
type Change struct {
	Snapshot []OpenRequest // all that is open; the first change a reader gets
	Raised   *OpenRequest
	Settled  *SettledRequest
}

// A SettledRequest is a request that is open no longer.
type SettledRequest struct {
	ThreadID string
	Settled  Settled
}

// recentChanges is how far a reader of an inbox may fall behind before it is given a
// snapshot instead of what it missed.
const recentChanges = 1024

// An Inbox holds what is open on the threads of a hub, and tells of changes. Readers
// pull: none of them can hold up a thread, and none has a queue.
type Inbox struct {
	mu     sync.Mutex
	open   map[string][]OpenRequest // by thread
	recent []Change                 // the newest; the last one has number next-1
	next   int
	wake   chan struct{} // closed and replaced at every change
}

func newInbox() *Inbox { return &Inbox{open: map[string][]OpenRequest{}, wake: make(chan struct{})} }

// Open returns what is open, oldest first.
func (i *Inbox) Open() []OpenRequest {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.all()
}

func (i *Inbox) all() []OpenRequest {
	open := []OpenRequest{}
	for _, requests := range i.open {
		open = append(open, requests...)
	}
	slices.SortFunc(open, func(a, b OpenRequest) int {
		return cmp.Or(a.Request.RaisedAt.Compare(b.Request.RaisedAt), cmp.Compare(a.ThreadID, b.ThreadID), cmp.Compare(a.Request.ID, b.Request.ID))
	})
	return open
}

// Follow yields what is open, and then every change, until ctx ends. A reader that falls
// far behind gets a snapshot again.
func (i *Inbox) Follow(ctx context.Context) iter.Seq[Change] {
	return func(yield func(Change) bool) {
		at := -1
		for {
			changes, next, wake := i.after(at)
			for _, c := range changes {
				if !yield(c) {
					return
				}
			}
			if at = next; len(changes) > 0 {
				continue
			}
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
	}
}

// after returns the changes from number at on, and the number of the one that comes next.
func (i *Inbox) after(at int) (changes []Change, next int, wake <-chan struct{}) {
	i.mu.Lock()
	defer i.mu.Unlock()
	first := i.next - len(i.recent)
	if at < first {
		return []Change{{Snapshot: i.all()}}, i.next, i.wake
	}
	return slices.Clone(i.recent[at-first:]), i.next, i.wake
}

// follow takes in what is open on a thread now, and what was settled to get there.
func (i *Inbox) follow(thread string, s State, settled []Settled) {
	i.mu.Lock()
	defer i.mu.Unlock()
	before := i.open[thread]
	var changes []Change
	for _, done := range settled {
		if slices.ContainsFunc(before, func(o OpenRequest) bool { return o.Request.ID == done.Request.ID }) {
			changes = append(changes, Change{Settled: &SettledRequest{ThreadID: thread, Settled: done}})
		}
	}
	var now []OpenRequest
	for _, q := range s.Pending {
		o := OpenRequest{ThreadID: thread, Agent: s.Run.Agent, Request: q}
		now = append(now, o)
		if !slices.ContainsFunc(before, func(b OpenRequest) bool { return b.Request.ID == q.ID && b.Request.RaisedInRun == q.RaisedInRun }) {
			changes = append(changes, Change{Raised: &o})
		}
	}
	if len(now) == 0 {
		delete(i.open, thread)
	} else {
		i.open[thread] = now
	}
	if len(changes) == 0 {
		return
	}
	i.recent = append(i.recent, changes...)
	i.next += len(changes)
	if extra := len(i.recent) - recentChanges; extra > 0 {
		i.recent = slices.Clone(i.recent[extra:])
	}
	close(i.wake)
	i.wake = make(chan struct{})
}

// Inbox returns what is open on all threads of the hub, also on those that were not
// touched since the process started: they are taken up the first time, if Recover was not
// called before.
func (h *Hub) Inbox(ctx context.Context) (*Inbox, error) {
	h.inboxOnce.Lock()
	read := h.inboxRead
	h.inboxOnce.Unlock()
	if read {
		return h.inbox, nil
	}
	return h.inbox, h.Recover(ctx)
}
