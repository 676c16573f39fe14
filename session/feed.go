package session

import (
	"context"
	"iter"
	"sync"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// A Feed holds the frames of one run for any number of readers. Readers pull: a slow
// one delays nobody, and one that leaves ends nothing.
//
// Of the frames of a run the newest stay in memory; older ones are read from the log, for
// each reader that wants them.
type Feed struct {
	RunID    string
	Agent    string
	Protocol Protocol // of the frames

	past  Past          // set before the first frame
	began chan struct{} // closed when the run is no longer held
	older older         // reads frames that are not in memory; nil: all of them are

	mu      sync.Mutex
	readers int
	window
	end  *End
	wake chan struct{} // closed and replaced when something was added
}

func newFeed(runID string, a Agent) *Feed {
	return &Feed{RunID: runID, Agent: a.Name(), Protocol: a.Protocol(), wake: make(chan struct{}), past: Past{First: runID}, began: make(chan struct{})}
}

// Past is what a run goes on with.
type Past struct {
	First   string    // id of the first run of the turn
	Turn    []Stopped // the stopped runs of the turn, oldest first
	Answers []Settled // what was answered to the last of them

	Asking        // what the run was asked for by, as the front end sent it
	Origin Asking // likewise, of the first run of the turn
}

// An Asking is an input with its protocol.
type Asking struct {
	Input    []byte
	Protocol Protocol
}

// A Stopped is a run that has stopped to ask and was answered.
type Stopped struct {
	RunID    string
	Frames   [][]byte       // verbatim
	Requests []hitl.Request // what it asked
	Answers  []Settled      // what it went on with itself
}

// Frames returns the frames of the stopped runs of the turn, oldest first.
func (p Past) Frames() [][]byte {
	if len(p.Turn) == 1 {
		return p.Turn[0].Frames
	}
	var frames [][]byte
	for _, run := range p.Turn {
		frames = append(frames, run.Frames...)
	}
	return frames
}

// Past returns what the run goes on with. It is complete once the first batch was read.
func (f *Feed) Past() Past {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.past
}

// Batches yields the frames after the first n, as many at once as there are, and
// waits for more until the run has ended. The loop ends early, with the context's
// error, when ctx ends. Frames are shared and must not be changed.
func (f *Feed) Batches(ctx context.Context, n int) iter.Seq2[[][]byte, error] {
	return func(yield func([][]byte, error) bool) {
		leave := f.Join()
		defer leave()
		for {
			batch, end, wake := f.after(n)
			switch {
			case batch == nil && wake == nil:
				var ok bool
				if n, ok = f.fromLog(ctx, n, yield); !ok {
					return
				}
				continue
			case len(batch) > 0:
				n += len(batch)
				if !yield(batch, nil) {
					return
				}
				continue
			}
			if end != nil {
				return
			}
			select {
			case <-wake:
			case <-ctx.Done():
				leave()
				yield(nil, context.Cause(ctx))
				return
			}
		}
	}
}

// Join counts somebody who waits for the run as one who reads it, until leave is called.
func (f *Feed) Join() (leave func()) {
	f.join(1)
	return sync.OnceFunc(func() { f.join(-1) })
}

func (f *Feed) join(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.readers += n
}

// IsRead reports whether anybody reads the run now. A reader that is told of the end of its
// context reads no longer.
func (f *Feed) IsRead() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.readers > 0
}

// after returns some of the frames after the first n. All is nil if they are not in memory
// any more.
func (f *Feed) after(n int) ([][]byte, *End, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n < f.base {
		return nil, nil, nil
	}
	return f.window.after(n), f.end, f.wake
}

// End returns how the run ended, or nil while it has not.
func (f *Feed) End() *End {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.end
}

func (f *Feed) begin(past Past) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.past = past
	f.start()
}

// Began is closed when the run has begun, or has ended without: until then its input
// is held.
func (f *Feed) Began() <-chan struct{} { return f.began }

// start is called with mu held.
func (f *Feed) start() {
	select {
	case <-f.began:
	default:
		close(f.began)
	}
}

func (f *Feed) add(frame []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.window.add(frame)
	f.ring()
}

// saved says that the log has n more frames of the run.
func (f *Feed) saved(n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.window.saved += n; f.older != nil {
		f.trim()
	}
}

func (f *Feed) close(last []byte, end *End) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last != nil {
		f.window.add(last)
	}
	f.end = end
	f.start()
	f.ring()
}

func (f *Feed) ring() {
	close(f.wake)
	f.wake = make(chan struct{})
}

// SoFar returns the frames there are, and how the run ended, nil while it has not. The
// error is one of the log.
func (f *Feed) SoFar(ctx context.Context) (frames [][]byte, end *End, err error) {
	f.mu.Lock()
	count, end := f.count(), f.end
	f.mu.Unlock()
	if count == 0 { // Batches would wait for the first one
		return nil, end, nil
	}
	for batch, err := range f.Batches(ctx, 0) {
		if err != nil {
			return nil, nil, err
		}
		if frames = append(frames, batch...); len(frames) >= count {
			break
		}
	}
	return frames[:min(count, len(frames))], end, nil
}
