package inproc

import (
	"context"
	"runtime/debug"
	"strconv"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// maxUnread is how many frames a function may be ahead of its run.
const maxUnread = 64

// A function is a Func at work. It outlives the runs it speaks in.
type function struct {
	agent  *Agent
	thread string
	first  agui.RunInput // what it was started with
	ctx    context.Context
	cancel context.CancelCauseFunc

	// Guarded by agent.mu:
	limit *time.Timer // of a parked function
	gone  bool        // it has returned

	mu      sync.Mutex
	changed chan struct{} // closed and replaced when what the function waits for may be there
	wake    chan struct{} // tells the run that there is something to do; holds one

	runID    string
	attached bool  // a run listens
	over     bool  // none will any more
	returned bool  // with failure
	failure  error // what it returned
	cause    error // why its context had ended by then; nil if it had not
	fault    error // something was said that cannot be said

	verify agui.Verifier      // knows what is open in this run
	held   *agui.Conversation // knows what a client holds
	unread [][]byte           // frames that the run has not passed on
	open   []*Message
	parent string // message that holds the calls of this moment
	count  int    // for ids
	calls  map[string]*shownCall

	questions map[string]*question // by key: every one that was ever asked
	waiting   []*question          // not yet raised, in order
	newest    time.Time            // when the newest of them came
	raised    map[string]*question // by request id: what the stopped run asks
}

// newFunction returns a function that speaks in the call's run.
func newFunction(a *Agent, call session.Call, in agui.RunInput) *function {
	f := &function{
		agent: a, thread: call.ThreadID, first: in,
		changed: make(chan struct{}), wake: make(chan struct{}, 1),
		calls: map[string]*shownCall{}, questions: map[string]*question{},
	}
	f.ctx, f.cancel = context.WithCancelCause(a.ctx)
	f.held = conversation(call, in)
	f.recall(call.Settled)
	f.attach(call.RunID)
	return f
}

// conversation is what the client holds before the run. A client that resumes need not
// repeat what it holds; then the stopped runs say it.
func conversation(call session.Call, in agui.RunInput) *agui.Conversation {
	c := agui.NewConversation(in)
	if len(in.Messages) > 0 {
		return c
	}
	for _, raw := range call.Turn {
		if frame, _, err := agui.ParseFrame(raw); err == nil { // they were checked when they came
			_, _ = c.Apply(frame)
		}
	}
	return c
}

// attach opens a run for the function to speak in. It is called with mu held, or before
// the function is shared.
func (f *function) attach(runID string) {
	f.runID, f.attached, f.parent = runID, true, ""
	f.verify = agui.Verifier{}
	f.push(&agui.RunStarted{
		Base: head(agui.TypeRunStarted), ThreadID: f.thread, RunID: runID, ProtocolVersion: agui.Set(agui.PlainVersion),
	})
	f.broadcast()
}

// resume lets a parked function go on in a new run, with the answers it asked for.
func (f *function) resume(call session.Call, in agui.RunInput) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(in.Messages) > 0 {
		if len(in.State) == 0 {
			in.State = f.held.State()
		}
		f.held = agui.NewConversation(in)
	}
	f.attach(call.RunID)
	for _, a := range call.Settled {
		f.raised[a.Request.Own().ID].settle(a.Response, nil)
	}
	for _, q := range f.raised {
		q.fail(ErrNoAnswer) // does nothing to what was answered
	}
	f.raised = nil
}

// work calls fn and notes how it ended.
func (f *function) work(fn Func) {
	err := errExited
	defer f.agent.work.Done()
	defer func() {
		if p := recover(); p != nil {
			f.agent.log.Error("a function panicked", zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			err = errPanicked
		}
		f.leave(err)
	}()
	err = fn(f.ctx, &Run{f})
}

// leave notes that the function returned.
func (f *function) leave(err error) {
	f.mu.Lock()
	f.returned, f.failure, f.cause = true, err, context.Cause(f.ctx)
	f.failAll(ErrOver)
	f.mu.Unlock()
	f.cancel(ErrOver)
	f.poke()
	f.agent.left(f)
}

// giveUp stops listening to the function.
func (f *function) giveUp(cause error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.abandon(cause)
}

// abandon is giveUp with mu held.
func (f *function) abandon(cause error) {
	f.over, f.attached = true, false
	f.failAll(cause)
	f.cancel(cause)
	f.broadcast()
	f.agent.stray(f)
}

// failAll ends all questions without an answer. It is called with mu held.
func (f *function) failAll(cause error) {
	for _, q := range f.questions {
		q.fail(cause)
	}
	f.waiting = nil
}

// broadcast lets go on whoever waits in ready. It is called with mu held.
func (f *function) broadcast() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// poke tells the run to look again.
func (f *function) poke() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// newID makes an id that is used once. It is called with mu held.
func (f *function) newID(kind string) string {
	f.count++
	return kind + "-" + f.runID + "-" + strconv.Itoa(f.count)
}
