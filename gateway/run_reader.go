package gateway

import (
	"context"
	"iter"

	"github.com/agui-bridge/agui-bridge/session"
)

// A runReader reads a run in the protocol of a front end. It keeps its place, so that
// reading may be broken off and taken up again.
type runReader struct {
	feed  *session.Feed
	place int // frames read
	done  bool
}

// read yields what the run's frames from the reader's place on become, as many at once as
// there are; each is one line of JSON and must not be changed. next translates frames; a
// run that cannot be read any further is over. last gives what ends it. When ctx ends, the
// loop ends with its cause, and read may be called again.
func (r *runReader) read(ctx context.Context, next func([][]byte) (out [][]byte, over bool), last func() [][]byte) iter.Seq2[[][]byte, error] {
	return func(yield func([][]byte, error) bool) {
		for frames, err := range r.feed.Batches(ctx, r.place) {
			if err != nil {
				yield(nil, err)
				return
			}
			r.place += len(frames)
			out, over := next(frames)
			r.done = over
			if len(out) > 0 && !yield(out, nil) || over {
				return
			}
		}
		r.done = true
		if out := last(); len(out) > 0 {
			yield(out, nil)
		}
	}
}
