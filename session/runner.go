package session

import (
	"context"
	"errors"
	"runtime/debug"
	"time"

	"go.uber.org/zap"
)

// How late, and how much, a run's frames may be in the log behind its readers. A
// boundary (a request raised, a run ended) is always in the log before it is shown.
const (
	flushAfter = time.Second
	flushBytes = 256 << 10
	// What a run may say while the log cannot be written. One that says more has failed.
	unsavedBytes = 16 << 20
)

// How often and how long it is tried to record what a run cannot go on without.
const (
	recordTries = 5
	recordPause = 200 * time.Millisecond
)

// A runner carries out one run and records what it yields.
type runner struct {
	session *Session
	feed    *Feed
	agent   Agent
	log     *zap.Logger

	// Guarded by session.mu:
	unsaved      [][]byte
	unsavedBytes int
	timer        *time.Timer
	flushAt      int // bytes at which it is tried again to save them
	automatic    int // answers that were given in the run
}

func (r *runner) run(ctx context.Context, call Call) {
	if err := r.send(); err != nil {
		r.log.Error("the run was not sent to its agent", zap.Error(err))
		return
	}
	r.log.Info("run started")
	last, end := r.frames(ctx, call)
	if end.Status == Interrupted && len(end.Requests) == 0 {
		last = nil // nobody could answer it, and the thread would wait for ever
		end = &End{Status: Failed, Failure: &Failure{Code: CodeInternal, Message: "the agent stopped to ask, and asked nothing"}}
	}
	if end.Failure != nil {
		r.log.Warn("run failed", zap.String("code", string(end.Failure.Code)), zap.String("message", end.Failure.Message))
	}
	r.finish(last, end)
	r.log.Info("run ended", zap.String("status", string(end.Status)))
}

// send records that the agent is about to get the run, where that has to be known after
// a crash. On an error it must not get it: the log has the run still, for whoever takes the
// thread up next.
func (r *runner) send() error {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	var err error
	if s.hub.ctx.Err() != nil && !s.state.Run.Sent {
		err = ErrShutdown
	} else {
		_, err = r.record(context.WithoutCancel(s.hub.ctx), Send{RunID: r.feed.RunID, By: s.hub.id})
	}
	if err != nil {
		r.abandon(&Failure{Code: CodeRunLost, Message: "the run did not begin, because the bridge could not note that it does"})
	}
	return err
}

// abandon gives the thread up in this process, for the log to be read anew. It is called
// with session.mu held.
func (r *runner) abandon(why *Failure) {
	s := r.session
	delete(s.feeds, r.feed.RunID)
	s.stopRun = nil
	s.hub.forget(s)
	end := &End{Status: Failed, Failure: why}
	r.feed.close(nil, end)
	for _, held := range s.feeds { // their inputs stay in the log; their readers must not wait for ever
		held.close(nil, end)
	}
}

// frames passes the agent's frames on and returns the last one, which is not yet
// shown to anybody, and the end. An agent that panics fails its run, not the process.
func (r *runner) frames(ctx context.Context, call Call) (last []byte, end *End) {
	defer func() {
		if p := recover(); p != nil {
			r.log.Error("agent panicked", zap.Any("panic", p), zap.ByteString("stack", debug.Stack()))
			end = &End{Status: Failed, Failure: failureOf(nil)}
		}
	}()
	for out, err := range r.agent.Run(ctx, call) {
		if err != nil {
			r.log.Debug("agent error", zap.Error(err))
			return nil, &End{Status: Failed, Failure: failureOf(err)}
		}
		if out.End != nil {
			return out.Frame, out.End
		}
		if len(out.Settled) > 0 {
			if err := r.answered(out.Settled); err != nil {
				r.log.Error("what is remembered could not be noted", zap.Error(err))
				return nil, &End{Status: Failed, Failure: failureOf(nil)}
			}
		}
		if out.Frame != nil {
			r.feed.add(out.Frame)
			if !r.save(out.Frame) {
				return nil, &End{Status: Failed, Failure: &Failure{Code: CodeInternal, Message: "what the run says cannot be stored"}}
			}
		}
	}
	return nil, &End{Status: Failed, Failure: &Failure{Code: CodeInternal, Message: "the agent stopped without an end"}}
}

// answered records what was settled in the middle of the run, after all it said before.
func (r *runner) answered(settled []Settled) error {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	r.flush()
	_, err := r.record(context.WithoutCancel(s.hub.ctx), Automatic{RunID: r.feed.RunID, Before: r.automatic, Settled: settled, Now: s.hub.opts.Clock()})
	r.automatic += len(settled)
	return err
}

// save notes a frame and sees to it that it gets into the log in time. It reports whether
// there is room for more.
func (r *runner) save(frame []byte) bool {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	r.unsaved = append(r.unsaved, frame)
	r.unsavedBytes += len(frame)
	if r.unsavedBytes >= max(flushBytes, r.flushAt) {
		r.flush()
		r.flushAt = 2 * r.unsavedBytes // it has failed, or this is 0
	}
	if len(r.unsaved) > 0 && r.timer == nil {
		s.hub.flight.Add(1)
		r.timer = time.AfterFunc(flushAfter, func() {
			defer s.hub.flight.Done()
			s.mu.Lock()
			defer s.mu.Unlock()
			r.timer = nil
			r.flush()
		})
	}
	return r.unsavedBytes < unsavedBytes
}

// flush appends what is unsaved. It is called with session.mu held. What could not be
// appended stays for the next try; the end of the run is not shown without it.
func (r *runner) flush() {
	if len(r.unsaved) == 0 {
		return
	}
	err := r.session.append(context.WithoutCancel(r.session.hub.ctx), Frames{RunID: r.feed.RunID, Frames: r.unsaved})
	if err != nil {
		r.log.Error("frames not yet saved", zap.Error(err))
		return
	}
	r.feed.saved(len(r.unsaved))
	r.unsaved, r.unsavedBytes = nil, 0
}

func (r *runner) stopTimer() {
	if r.timer != nil && r.timer.Stop() {
		r.session.hub.flight.Done()
	}
	r.timer = nil
}

// finish records the end of the run together with its last frames, and only then
// shows it. If the log cannot be written, nothing the run asked or did last is shown.
func (r *runner) finish(last []byte, end *End) {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	r.stopTimer()
	last, end = r.distinct(last, end)
	if last != nil {
		r.unsaved = append(r.unsaved, last)
	}
	ctx := context.WithoutCancel(s.hub.ctx)
	var lead []Record
	if len(r.unsaved) > 0 {
		lead = []Record{Frames{RunID: r.feed.RunID, Frames: r.unsaved}}
	}
	effects, err := r.record(ctx, Finish{RunID: r.feed.RunID, End: *end, Now: s.hub.opts.Clock(), Closing: s.hub.ctx.Err() != nil}, lead...)
	delete(s.feeds, r.feed.RunID)
	s.stopRun = nil
	r.unsaved = nil // recorded, or given up: a flush that was about to run must find nothing
	if err != nil {
		r.log.Error("the end of the run could not be recorded", zap.Error(err))
		r.abandon(&Failure{Code: CodeInternal, Message: "the end of the run could not be stored"})
		return
	}
	r.feed.close(last, end)
	s.snapshot(ctx)
	for _, effect := range effects {
		if start, ok := effect.(StartRun); ok {
			if _, err := s.start(ctx, start); err != nil {
				r.log.Error("a held input could not be started", zap.Error(err))
			}
		}
	}
}

// distinct gives what the run asks under ids that the thread has used before other ids,
// also in its last frame. It is called with session.mu held.
func (r *runner) distinct(last []byte, end *End) ([]byte, *End) {
	requests, names := r.session.state.distinct(end.Requests)
	if end.Status != Interrupted || len(names) == 0 {
		return last, end
	}
	asked := *end
	asked.Requests = requests
	if last == nil || end.Rename == nil {
		return last, &asked
	}
	renamed, err := end.Rename(last, names)
	if err != nil {
		r.log.Error("what the run asks could not be given other ids", zap.Error(err))
		return nil, &End{Status: Failed, Failure: failureOf(err)}
	}
	return renamed, &asked
}

// record steps with an event until the log has it. It is called with session.mu held.
func (r *runner) record(ctx context.Context, e Event, lead ...Record) (effects []Effect, err error) {
	for try := range recordTries {
		if try > 0 {
			time.Sleep(recordPause)
		}
		effects, err = r.session.step(ctx, e, lead...)
		if err == nil || errors.Is(err, errNotSender) {
			return effects, err
		}
	}
	return nil, err
}
