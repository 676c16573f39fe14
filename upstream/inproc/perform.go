package inproc

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

// A move is what a run does next: pass frames on, and end, fail, or wait.
type move struct {
	frames [][]byte
	end    *session.End
	err    error
	wait   time.Duration // look again then, if nothing happens before; 0: wait for something
}

// perform passes on what the function says until the run ends.
func (f *function) perform(ctx context.Context, yield func(session.Output, error) bool) {
	for {
		m := f.next(ctx)
		for i, raw := range m.frames {
			out := session.Output{Frame: raw}
			if i == len(m.frames)-1 {
				out.End = m.end
			}
			if !yield(out, nil) && out.End == nil {
				f.giveUp(ErrOver) // the run was dropped: nobody will resume it
				return
			}
		}
		switch {
		case m.err != nil:
			yield(session.Output{}, m.err)
			return
		case m.end != nil:
			return
		case len(m.frames) == 0:
			f.rest(ctx, m.wait)
		}
	}
}

// rest waits until there may be something to do.
func (f *function) rest(ctx context.Context, limit time.Duration) {
	var due <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		due = timer.C
	}
	select {
	case <-f.wake:
	case <-due:
	case <-ctx.Done():
	case <-f.agent.ctx.Done():
	}
}

// next decides what the run does.
func (f *function) next(ctx context.Context) move {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return f.stopped(context.Cause(ctx))
	case f.agent.ctx.Err() != nil: // the agent was closed before its hub
		return f.stopped(context.Cause(f.agent.ctx))
	case f.fault != nil:
		return f.faulty()
	case f.returned:
		return f.ended()
	}
	if frames := f.take(); len(frames) > 0 {
		return move{frames: frames}
	}
	due, wait := f.due()
	if len(due) == 0 {
		return move{wait: wait}
	}
	return f.ask(due)
}

// take returns what the run has to pass on, and makes room.
func (f *function) take() [][]byte {
	frames := f.unread
	f.unread = nil
	if len(frames) >= maxUnread {
		f.broadcast()
	}
	return frames
}

// stopped ends a run from outside: somebody stopped it, or the process goes down.
func (f *function) stopped(cause error) move {
	frames := f.take()
	f.abandon(cause)
	if !errors.Is(cause, session.ErrCancelled) {
		return move{frames: frames, err: lostFailure()}
	}
	return f.cancelled(frames)
}

// faulty ends a run in which the function said what cannot be said.
func (f *function) faulty() move {
	f.agent.log.Error("a run was failed", zap.String("thread", f.thread), zap.String("run", f.runID), zap.Error(f.fault))
	frames := f.take()
	f.abandon(f.fault)
	return f.failed(frames, &session.Failure{Code: session.CodeInternal, Message: "the run failed inside the agent"})
}

// ended ends a run whose function has returned.
func (f *function) ended() move {
	f.attached = false
	frames := f.take()
	err := f.failure
	switch {
	case errors.Is(f.cause, session.ErrShutdown):
		return move{frames: frames, err: lostFailure()}
	case err == nil:
		return f.succeeded(frames)
	case errors.Is(err, ErrGivenUp), errors.Is(err, hitl.ErrExpired):
		return f.cancelled(frames)
	}
	f.agent.log.Warn("a function failed", zap.String("thread", f.thread), zap.String("run", f.runID), zap.Error(err))
	return f.failed(frames, shown(err))
}

// due returns the questions that are to be raised now, or how long to wait for more.
func (f *function) due() (due []*question, wait time.Duration) {
	for _, q := range f.waiting {
		if !q.settled {
			due = append(due, q)
		}
	}
	f.waiting = due
	if len(due) == 0 {
		return nil, 0
	}
	if wait = f.agent.opts.Gather - time.Since(f.newest); wait > 0 {
		return nil, wait
	}
	return due, 0
}

// ask ends the run with questions, and parks the function. If it may not be parked, it
// is refused and the run goes on.
func (f *function) ask(due []*question) move {
	requests := make([]hitl.Request, len(due))
	f.raised = map[string]*question{}
	for i, q := range due {
		requests[i] = q.request
		f.raised[q.request.ID] = q
	}
	f.waiting = nil
	if err := f.agent.park(f); err != nil {
		f.raised = nil
		f.agent.log.Warn("a function may not ask", zap.String("thread", f.thread), zap.Error(err))
		for _, q := range due {
			q.fail(err)
			delete(f.questions, q.key) // there may be room when it is asked again
		}
		return move{wait: time.Nanosecond}
	}
	m := f.interrupted(requests)
	f.attached = false
	if m.err != nil { // nobody will learn what is asked
		f.agent.unparked(f)
		f.abandon(m.err)
	}
	return m
}

// asked reports whether the answers are to what the function waits for. It is called
// with agent.mu held and without mu: what a parked function asks does not change.
func (f *function) asked(answers []session.Settled) bool {
	for _, a := range answers {
		if f.raised[a.Request.Own().ID] == nil {
			return false
		}
	}
	return true
}
