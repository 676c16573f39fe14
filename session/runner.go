package session

import (
	"context"
	"runtime/debug"
	"time"

	"go.uber.org/zap"
)

// How late, and how much, a run's frames may be in the log behind its readers. A
// boundary (a request raised, a run ended) is always in the log before it is shown.
const (
	flushAfter = time.Second
	flushBytes = 256 << 10
)

// How often and how long the end of a run is tried to be recorded.
const (
	finishTries = 5
	finishPause = 200 * time.Millisecond
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
}

func (r *runner) run(ctx context.Context, call Call) {
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
		r.feed.add(out.Frame)
		r.save(out.Frame)
	}
	return nil, &End{Status: Failed, Failure: &Failure{Code: CodeInternal, Message: "the agent stopped without an end"}}
}

// save notes a frame and sees to it that it gets into the log in time.
func (r *runner) save(frame []byte) {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	r.unsaved = append(r.unsaved, frame)
	r.unsavedBytes += len(frame)
	if r.unsavedBytes >= flushBytes {
		r.flush()
		return
	}
	if r.timer == nil {
		s.hub.flight.Add(1)
		r.timer = time.AfterFunc(flushAfter, func() {
			defer s.hub.flight.Done()
			s.mu.Lock()
			defer s.mu.Unlock()
			r.timer = nil
			r.flush()
		})
	}
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
	if last != nil {
		r.unsaved = append(r.unsaved, last)
	}
	ctx := context.WithoutCancel(s.hub.ctx)
	effects, err := r.record(ctx, end)
	delete(s.feeds, r.feed.RunID)
	s.stopRun = nil
	r.unsaved = nil // recorded, or given up: a flush that was about to run must find nothing
	if err != nil {
		r.log.Error("the end of the run could not be recorded", zap.Error(err))
		s.hub.forget(s)
		notStored := &End{Status: Failed, Failure: &Failure{Code: CodeInternal, Message: "the end of the run could not be stored"}}
		r.feed.close(nil, notStored)
		for _, held := range s.feeds { // their inputs stay in the log; their readers must not wait for ever
			held.close(nil, notStored)
		}
		return
	}
	r.feed.close(last, end)
	for _, effect := range effects {
		if start, ok := effect.(StartRun); ok {
			if _, err := s.start(ctx, start); err != nil {
				r.log.Error("a held input could not be started", zap.Error(err))
			}
		}
	}
}

func (r *runner) record(ctx context.Context, end *End) (effects []Effect, err error) {
	s := r.session
	var lead []Record
	if len(r.unsaved) > 0 {
		lead = []Record{Frames{RunID: r.feed.RunID, Frames: r.unsaved}}
	}
	for try := range finishTries {
		if try > 0 {
			time.Sleep(finishPause)
		}
		effects, err = s.step(ctx, Finish{
			RunID: r.feed.RunID, End: *end, Now: s.hub.opts.Clock(), Closing: s.hub.ctx.Err() != nil,
		}, lead...)
		if err == nil {
			return effects, nil
		}
	}
	return nil, err
}
