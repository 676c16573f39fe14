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
// The frames of a run stay in memory until the run has ended and its readers are gone.
type Feed struct {
	RunID    string
	Agent    string
	Protocol Protocol // of the frames

	past  Past          // set before the first frame
	began chan struct{} // closed when the run is no longer held

	mu      sync.Mutex
	readers int
	frames  [][]byte
	end     *End
	wake    chan struct{} // closed and replaced when something was added
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
			if len(batch) > 0 {
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

func (f *Feed) after(n int) ([][]byte, *End, <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	k := len(f.frames)
	return f.frames[min(n, k):k:k], f.end, f.wake
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
	f.frames = append(f.frames, frame)
	f.ring()
}

func (f *Feed) close(last []byte, end *End) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if last != nil {
		f.frames = append(f.frames, last)
	}
	f.end = end
	f.start()
	f.ring()
}

func (f *Feed) ring() {
	close(f.wake)
	f.wake = make(chan struct{})
}

// SoFar returns the frames there are, and how the run ended, nil while it has not.
func (f *Feed) SoFar() ([][]byte, *End) {
	frames, end, _ := f.after(0)
	return frames, end
}
