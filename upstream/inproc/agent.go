package inproc

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/upstream/asked"
)

// A Func is an agent. It is called once for each turn and runs until it returns, over as
// many runs as its questions make. ctx ends when the run, or the thread, is cancelled,
// when the process goes down, and when the function returns; its cause says which.
type Func func(ctx context.Context, run *Run) error

// A RecoverFunc goes on with answers whose function is gone. run knows the calls that
// were asked about: [Run.Decide] returns what was decided, and [Run.Result] can be given.
type RecoverFunc func(ctx context.Context, run *Run, answers []session.Settled) error

// Options say how functions are kept. The zero value is ready.
type Options struct {
	// Gather is how long a run waits for further questions after one was asked, so that
	// goroutines that ask at once are asked for in one interrupt; 0: 20 ms.
	Gather time.Duration
	// MaxParked is how many functions may outlive their run, because they wait for an
	// answer or ignore their context; 0: 1,000. Beyond that, asking is refused.
	MaxParked int
	// ParkFor is how long a function is kept for an answer; 0: 24 hours.
	ParkFor time.Duration
	// Recover goes on with answers whose function is gone; nil: the run fails with
	// resume_unknown.
	Recover RecoverFunc
	// Logger is told of errors and panics; nil: nobody is.
	Logger *zap.Logger
}

// The defaults of Options.
const (
	DefaultGather    = 20 * time.Millisecond
	DefaultMaxParked = 1000
	DefaultParkFor   = 24 * time.Hour
)

// An Agent runs a function for each turn. It is a session.Agent that speaks AG-UI, and
// is safe for concurrent use. Close it after the hub it belongs to. An agent belongs to
// one hub: threads are told apart by their id alone.
type Agent struct {
	name string
	fn   Func
	opts Options
	log  *zap.Logger

	ctx  context.Context // of every function; ends with session.ErrShutdown
	stop context.CancelCauseFunc
	work sync.WaitGroup // functions, and timers of parked ones

	mu       sync.Mutex // taken after a function's own, never before
	closed   bool
	parked   map[string]*function   // by thread
	straying map[*function]struct{} // given up, not yet returned
}

var _ session.Agent = (*Agent)(nil)

// New makes an agent of a function. Close it.
func New(name string, fn Func, o Options) *Agent {
	if o.Gather == 0 {
		o.Gather = DefaultGather
	}
	if o.MaxParked == 0 {
		o.MaxParked = DefaultMaxParked
	}
	if o.ParkFor == 0 {
		o.ParkFor = DefaultParkFor
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	a := &Agent{
		name: name, fn: fn, opts: o, log: o.Logger.With(zap.String("agent", name)),
		parked: map[string]*function{}, straying: map[*function]struct{}{},
	}
	a.ctx, a.stop = context.WithCancelCause(context.Background())
	return a
}

// Name is the name the agent is configured under.
func (a *Agent) Name() string { return a.name }

// Protocol is AG-UI.
func (a *Agent) Protocol() session.Protocol { return session.AGUI }

// Run starts the function for a new turn, or lets the parked one go on with its answers.
func (a *Agent) Run(ctx context.Context, call session.Call) iter.Seq2[session.Output, error] {
	return func(yield func(session.Output, error) bool) {
		f, err := a.function(call)
		if err != nil {
			yield(session.Output{}, err)
			return
		}
		f.perform(ctx, yield)
	}
}

// function returns the function that carries out the call, attached to its run.
func (a *Agent) function(call session.Call) (*function, error) {
	call, err := asked.AGUI(call, session.AGUI)
	if err != nil {
		return nil, err
	}
	in, _, err := agui.ParseRunInput(call.Input)
	if err != nil {
		return nil, err
	}
	waiting := a.unpark(call)
	if len(call.Settled) == 0 {
		if waiting != nil { // its requests were withdrawn, or there could be no new turn
			waiting.giveUp(session.ErrCancelled)
		}
		return a.start(call, in, a.fn)
	}
	if waiting != nil {
		waiting.resume(call, in)
		return waiting, nil
	}
	if a.opts.Recover == nil {
		return nil, goneFailure()
	}
	return a.start(call, in, func(ctx context.Context, run *Run) error {
		return a.opts.Recover(ctx, run, call.Settled)
	})
}

// start lets a function begin.
func (a *Agent) start(call session.Call, in agui.RunInput, fn Func) (*function, error) {
	a.mu.Lock()
	closed := a.closed
	if !closed {
		a.work.Add(1)
	}
	a.mu.Unlock()
	if closed {
		return nil, lostFailure()
	}
	f := newFunction(a, call, in)
	go f.work(fn)
	return f, nil
}

// Withdrawn gives up what the thread's parked function asks: nobody will answer any
// more. The session calls it for a thread that is stopped (session.Withdrawer).
func (a *Agent) Withdrawn(threadID string) {
	a.mu.Lock()
	f := a.parked[threadID]
	a.takeOut(f)
	a.mu.Unlock()
	if f != nil {
		f.giveUp(session.ErrCancelled)
	}
}

// Close gives up all functions and waits until they have returned, or ctx ends. Runs
// that come later fail.
func (a *Agent) Close(ctx context.Context) error {
	a.mu.Lock()
	a.closed = true
	for _, f := range a.parked {
		a.takeOut(f)
	}
	a.mu.Unlock()
	a.stop(session.ErrShutdown)
	done := make(chan struct{})
	go func() { a.work.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("functions of agent %q were still at work when time was up", a.name), ctx.Err())
	}
}
