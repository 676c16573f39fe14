package session

import (
	"context"
	"fmt"

	"github.com/agui-bridge/agui-bridge/store"
)

// Recover takes up every thread on which something was going on when the last process
// ended: runs that nobody runs any more end as lost, held inputs go on, and open requests
// are in the inbox. Threads at rest are told by the last entry of their log and are not
// loaded.
func (h *Hub) Recover(ctx context.Context) error {
	h.inboxOnce.Lock()
	defer h.inboxOnce.Unlock()
	for info, err := range h.opts.Log.Threads(ctx) {
		if err != nil {
			return fmt.Errorf("recover: list threads: %w", err)
		}
		rests, err := h.rests(ctx, info)
		if err != nil {
			return err
		}
		if rests {
			continue
		}
		_, done, err := h.use(ctx, info.ID, false)
		if err != nil {
			return fmt.Errorf("recover: %w", err)
		}
		done()
	}
	h.inboxRead = true
	return nil
}

// rests reports whether nothing goes on on a thread, from the last entry of its log.
func (h *Hub) rests(ctx context.Context, info store.ThreadInfo) (bool, error) {
	last := info.End
	if last.Seq == 0 {
		for e, err := range h.opts.Log.Read(ctx, info.ID, info.Last-1) {
			if err != nil {
				return false, fmt.Errorf("recover: read thread %q: %w", info.ID, err)
			}
			last = e
		}
	}
	r, err := decode(last)
	if err != nil {
		return false, fmt.Errorf("recover: thread %q: %w", info.ID, err)
	}
	switch r := r.(type) {
	case Ended:
		return r.Status != Interrupted && !r.Held && r.Waiting == 0, nil
	case Withdrawn:
		return r.Waiting == 0, nil
	case Snapshot:
		return r.State.phase() == Idle && len(r.State.Queue) == 0, nil
	}
	return false, nil
}
