package session

import (
	"context"
	"errors"
	"time"

	"go.uber.org/zap"
)

// expiryRetry is how long after a failure it is tried again to give up what ran out.
const expiryRetry = 5 * time.Second

// An alarm rings when the next request of a thread runs out.
type alarm struct {
	at    time.Time
	timer *time.Timer
}

// setAlarm is called with mu held, whenever the state has changed.
func (s *Session) setAlarm() {
	at := s.state.expires()
	if at.Equal(s.alarm.at) {
		return
	}
	s.alarm.at = at
	s.ringIn(at.Sub(s.hub.opts.Clock()))
}

func (s *Session) ringIn(d time.Duration) {
	if s.alarm.timer != nil {
		s.alarm.timer.Stop()
		s.alarm.timer = nil
	}
	if !s.alarm.at.IsZero() && s.hub.ctx.Err() == nil {
		s.alarm.timer = time.AfterFunc(d, s.ranOut)
	}
}

// ranOut gives up what ran out, when the alarm rings.
func (s *Session) ranOut() {
	if !s.hub.enter(s) {
		return
	}
	defer s.hub.flight.Done()
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.settle(context.WithoutCancel(s.hub.ctx), func(resume *Submission) Event {
		return Expire{Now: s.hub.opts.Clock(), Resume: resume}
	})
	switch {
	case err == nil && s.alarm.at.Equal(s.state.expires()):
		s.ringIn(s.alarm.at.Sub(s.hub.opts.Clock())) // the clock was set back
	case err != nil:
		s.hub.opts.Logger.Error("requests that ran out could not be given up", zap.String("thread", s.id), zap.Error(err))
		if !errors.Is(err, ErrNoComposer) {
			s.ringIn(expiryRetry)
		}
	}
}
