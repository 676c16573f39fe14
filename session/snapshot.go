package session

import (
	"context"
	"fmt"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/store"
)

// A tail is what a log has after its newest snapshot.
type tail struct {
	entries  int
	bytes    int
	snapshot int // bytes of the snapshot
}

func (t *tail) add(e store.Entry) {
	t.entries++
	t.bytes += len(e.Body)
}

// long reports whether there is to be another snapshot: reading the tail is to cost no more
// than reading the snapshot, and all snapshots no more than everything else.
func (t *tail) long() bool { return t.entries >= snapshotEvery && t.bytes >= t.snapshot }

// How many entries follow a snapshot at least before there is another one, and how far back from
// the end of a log a snapshot is looked for.
const (
	snapshotEvery = 512
	snapshotNear  = 2 * snapshotEvery
	snapshotFar   = 32 * snapshotEvery
)

// A Snapshot is the fold of all entries before it. Who reads a thread needs none of them.
type Snapshot struct {
	State  State    `json:"state"`
	Begun  []string `json:"begun"`
	Places places   `json:"places"`
}

// load reads the thread: from the newest snapshot on, if there is one.
func (s *Session) load(ctx context.Context) error {
	last, err := s.hub.opts.Log.Last(ctx, s.id)
	if err != nil {
		return fmt.Errorf("load thread %q: %w", s.id, err)
	}
	for _, back := range []uint64{snapshotNear, snapshotFar, last} {
		from := last - min(back, last)
		found, err := s.loadFrom(ctx, from)
		if err != nil {
			return fmt.Errorf("load thread %q: %w", s.id, err)
		}
		if found || from == 0 {
			break
		}
	}
	s.begun.ring() // another process may have begun some
	s.hub.inbox.follow(s.id, s.state, s.state.Settled)
	s.setAlarm()
	return nil
}

// loadFrom folds what follows an entry, if that is all there is or has a snapshot in it.
func (s *Session) loadFrom(ctx context.Context, after uint64) (found bool, err error) {
	s.state, s.seq, s.begun.ids, s.places, s.tail = State{}, after, nil, places{}, tail{}
	found = after == 0
	for e, err := range s.hub.opts.Log.Read(ctx, s.id, after) {
		if err != nil {
			return false, err
		}
		s.seq = e.Seq
		s.tail.add(e)
		if e.Kind != store.KindSnapshot && !found {
			continue
		}
		r, err := decode(e)
		if err != nil {
			return false, err
		}
		switch r := r.(type) {
		case nil:
		case Snapshot:
			found = true
			s.state, s.begun.ids, s.places, s.tail = r.State, r.Begun, r.Places, tail{snapshot: len(e.Body)}
		default:
			s.state = s.state.fold(r, true)
			s.begun.follow([]Record{r})
			s.places.follow(r, e.Seq)
		}
	}
	return found, nil
}

// snapshot writes down what the thread is, now and then: it saves work and nothing else, so
// that one that could not be written is no harm. It is called with mu held.
func (s *Session) snapshot(ctx context.Context) {
	if !s.tail.long() {
		return
	}
	before := s.tail.bytes
	if err := s.append(ctx, Snapshot{State: s.state, Begun: s.begun.ids, Places: s.places}); err != nil {
		s.hub.opts.Logger.Warn("no snapshot of the thread was written", zap.String("thread", s.id), zap.Error(err))
		return
	}
	s.tail = tail{snapshot: s.tail.bytes - before}
}
