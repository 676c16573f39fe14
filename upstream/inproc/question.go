package inproc

import (
	"context"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

// A question is one thing that was asked. Its fields are guarded by the function's lock
// until done is closed, and do not change after.
type question struct {
	key     string // what it is about
	request hitl.Request
	done    chan struct{}

	settled  bool
	response hitl.Response
	err      error
	asking   int // how many wait for it
}

// settle gives the question its answer, unless it has one.
func (q *question) settle(r hitl.Response, err error) {
	if q.settled {
		return
	}
	q.settled, q.response, q.err = true, r, err
	close(q.done)
}

func (q *question) fail(err error) { q.settle(hitl.Response{}, err) }

// raise puts a question, or joins the one that was put about the same thing before.
func (f *function) raise(ctx context.Context, key string, describe func() (hitl.Request, error)) (*question, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.deaf(); err != nil {
		return nil, err
	}
	q := f.questions[key]
	if q == nil {
		request, err := describe()
		if err != nil {
			return nil, err
		}
		q = &question{key: key, request: request, done: make(chan struct{})}
		f.questions[key] = q
		f.waiting, f.newest = append(f.waiting, q), time.Now()
		f.poke()
	}
	q.asking++
	return q, nil
}

// deaf says why the function cannot ask any more. It is called with mu held.
func (f *function) deaf() error {
	switch {
	case f.fault != nil:
		return f.fault
	case f.returned:
		return ErrOver
	case f.ctx.Err() != nil:
		return context.Cause(f.ctx)
	case f.over:
		return ErrOver
	}
	return nil
}

// await waits for the answer. Whatever else ends first, it is no answer.
func (f *function) await(ctx context.Context, q *question) (hitl.Response, error) {
	defer f.leaveQuestion(q)
	var expired <-chan time.Time
	if limit := q.request.ExpiresAt; !limit.IsZero() {
		timer := time.NewTimer(time.Until(limit))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-q.done:
	case <-ctx.Done():
	case <-f.ctx.Done():
	case <-expired:
		f.mu.Lock()
		q.fail(hitl.ErrExpired)
		f.mu.Unlock()
	}
	switch {
	case ctx.Err() != nil: // also if the answer came at the same moment
		return hitl.Response{}, context.Cause(ctx)
	case f.ctx.Err() != nil:
		return hitl.Response{}, context.Cause(f.ctx)
	}
	return q.response, q.err
}

// leaveQuestion forgets a question that nobody waits for, unless a person was asked.
func (f *function) leaveQuestion(q *question) {
	f.mu.Lock()
	defer f.mu.Unlock()
	q.asking--
	if q.asking > 0 || q.settled || f.raised[q.request.ID] == q {
		return
	}
	delete(f.questions, q.key)
	for i, other := range f.waiting {
		if other == q {
			f.waiting = append(f.waiting[:i:i], f.waiting[i+1:]...)
			break
		}
	}
}

// recall makes known what was answered to a function that is gone.
func (f *function) recall(answers []session.Settled) {
	for _, a := range answers {
		key := inputKey(a.Request.Own().ID)
		if in := a.Request.Input; in != nil {
			key = inputKey(in.ID)
		}
		if call := a.Request.Call; call != nil {
			f.calls[call.ID] = &shownCall{ToolCall: *call}
			if a.Request.Kind == hitl.KindApproval {
				key = approvalKey(call.ID)
			}
		}
		q := &question{key: key, request: a.Request, done: make(chan struct{})}
		q.settle(a.Response, nil)
		f.questions[key] = q
	}
}
