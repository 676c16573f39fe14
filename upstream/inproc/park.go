package inproc

import (
	"time"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/session"
)

// park keeps a function that waits for answers, or refuses. It is called with the
// function's lock held, before anybody can know what it asks.
func (a *Agent) park(f *function) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	switch {
	case a.closed:
		return session.ErrShutdown
	case len(a.parked)+len(a.straying) >= a.opts.MaxParked:
		return ErrTooManyParked
	case a.parked[f.thread] != nil: // one run at a time on a thread, so this cannot be
		return ErrTooManyParked
	}
	a.parked[f.thread] = f
	a.work.Add(1)
	f.limit = time.AfterFunc(a.opts.ParkFor, func() {
		defer a.work.Done()
		a.outstayed(f)
	})
	return nil
}

// takeOut forgets a parked function. It is called with mu held; f may be nil.
func (a *Agent) takeOut(f *function) {
	if f == nil || a.parked[f.thread] != f {
		return
	}
	delete(a.parked, f.thread)
	if f.limit.Stop() {
		a.work.Done()
	}
}

// unparked forgets a function that was parked a moment ago.
func (a *Agent) unparked(f *function) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.takeOut(f)
}

// outstayed gives up a function that nobody answered.
func (a *Agent) outstayed(f *function) {
	a.mu.Lock()
	late := a.parked[f.thread] != f // it was answered just now
	if !late {
		delete(a.parked, f.thread)
	}
	a.mu.Unlock()
	if !late {
		a.log.Warn("a parked function was given up", zap.String("thread", f.thread))
		f.giveUp(ErrParkedTooLong)
	}
}

// unpark takes out the function that the call is for: the one that asked what is
// answered, or, in a new turn, whichever the thread has.
func (a *Agent) unpark(call session.Call) *function {
	a.mu.Lock()
	defer a.mu.Unlock()
	f := a.parked[call.ThreadID]
	if f == nil || len(call.Settled) > 0 && !f.asked(call.Settled) {
		return nil
	}
	a.takeOut(f)
	return f
}

// stray notes a function that was given up and has not returned.
func (a *Agent) stray(f *function) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !f.gone {
		a.straying[f] = struct{}{}
	}
}

// left notes that a function has returned.
func (a *Agent) left(f *function) {
	a.mu.Lock()
	defer a.mu.Unlock()
	f.gone = true
	delete(a.straying, f)
}
