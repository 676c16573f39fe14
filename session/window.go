package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
)

// How much of a run stays in memory behind its readers, and how much of it a reader is
// given at once, in bytes.
const (
	windowBytes = 1 << 20
	batchBytes  = 256 << 10
)

// A window holds the newest frames of a run.
type window struct {
	base   int // frames before the first one that is held
	frames [][]byte
	bytes  int // of the frames that are held
	saved  int // frames that the log has
}

// count is how many frames the run has so far.
func (w *window) count() int { return w.base + len(w.frames) }

func (w *window) add(frame []byte) {
	w.frames = append(w.frames, frame)
	w.bytes += len(frame)
}

// after returns frames after the first n, which are held, up to batchBytes and at least one
// if there is one.
func (w *window) after(n int) [][]byte {
	rest := w.frames[min(n-w.base, len(w.frames)):]
	size := 0
	for i, frame := range rest {
		if size += len(frame); size > batchBytes && i > 0 {
			return rest[:i:i]
		}
	}
	return rest[:len(rest):len(rest)]
}

// trim lets go of frames that the log has, when there are twice as many as are to be held.
func (w *window) trim() {
	if w.bytes <= 2*windowBytes {
		return
	}
	drop := 0
	for drop < len(w.frames) && w.base+drop < w.saved && w.bytes > windowBytes {
		w.bytes -= len(w.frames[drop])
		drop++
	}
	w.base += drop
	w.frames = slices.Clone(w.frames[drop:]) // readers may hold the old ones
}

// older yields the frames of a run after the first n, as far as the log has them.
type older func(ctx context.Context, n int) iter.Seq2[[][]byte, error]

// errGone: frames are neither in memory nor in the log.
var errGone = errors.New("frames of the run are not in its log")

// fromLog yields frames after the first n that are not in memory any more, and returns how
// many are read by then. ok is false if the reader is done.
func (f *Feed) fromLog(ctx context.Context, n int, yield func([][]byte, error) bool) (read int, ok bool) {
	begun := n
	for batch, err := range f.older(ctx, n) {
		if err != nil {
			yield(nil, err)
			return n, false
		}
		n += len(batch)
		if !yield(batch, nil) {
			return n, false
		}
		if f.holds(n) {
			return n, true
		}
	}
	if n == begun {
		yield(nil, errGone)
		return n, false
	}
	return n, true
}

// holds reports whether what follows the first n frames is in memory.
func (f *Feed) holds(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return n >= f.base
}

// logged reads the frames of one run of the thread from the log.
func (s *Session) logged(runID string) older {
	return func(ctx context.Context, n int) iter.Seq2[[][]byte, error] {
		return func(yield func([][]byte, error) bool) {
			s.mu.Lock()
			first, last := s.places.around(runID)
			s.mu.Unlock()
			at := 0
			for e, err := range s.hub.opts.Log.Read(ctx, s.id, first-1) {
				if err == nil && e.Seq > last {
					return
				}
				var r Record
				if err == nil {
					r, err = decode(e)
				}
				if err != nil {
					yield(nil, fmt.Errorf("read run %q of thread %q: %w", runID, s.id, err))
					return
				}
				f, ok := r.(Frames)
				if !ok || f.RunID != runID {
					continue
				}
				from := max(0, n-at)
				if at += len(f.Frames); from < len(f.Frames) && !yield(f.Frames[from:], nil) {
					return
				}
			}
		}
	}
}
