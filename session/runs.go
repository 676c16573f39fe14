package session

import "context"

// A begun is the runs of a thread in the order in which they began, and a bell for more.
type begun struct {
	ids  []string
	bell chan struct{} // closed and replaced when a run begins
}

func (b *begun) follow(records []Record) {
	rang := false
	for _, r := range records {
		if s, ok := r.(Started); ok {
			b.ids, rang = append(b.ids, s.RunID), true
		}
	}
	if rang {
		b.ring()
	}
}

func (b *begun) ring() {
	if b.bell != nil {
		close(b.bell)
		b.bell = nil
	}
}

// Runs returns the ids of the runs of a thread after the first n, in the order in which
// they began. more is closed when another one begins. The error matches ErrUnknownThread.
func (h *Hub) Runs(ctx context.Context, thread string, n int) (ids []string, more <-chan struct{}, err error) {
	s, done, err := h.use(ctx, thread, false)
	if err != nil {
		return nil, nil, err
	}
	defer done()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun.bell == nil {
		s.begun.bell = make(chan struct{})
	}
	if n < len(s.begun.ids) {
		ids = append(ids, s.begun.ids[n:]...)
	}
	return ids, s.begun.bell, nil
}
