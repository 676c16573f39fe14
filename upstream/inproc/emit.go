package inproc

import (
	"fmt"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

func head(t agui.EventType) agui.Base { return agui.Base{Kind: t} }

// say waits for a run that listens and lets speak write its events, which are not
// parted by the end of that run. When there will be no run, nothing is said.
func (f *function) say(speak func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.ready() {
		speak()
		f.poke()
	}
}

// ready waits, letting go of mu, until a run listens and has room.
func (f *function) ready() bool {
	for f.alive() && (!f.attached || len(f.unread) >= maxUnread) {
		changed := f.changed
		f.mu.Unlock()
		select {
		case <-changed:
		case <-f.ctx.Done():
		}
		f.mu.Lock()
	}
	return f.alive()
}

// alive reports whether the function may still be heard. It is called with mu held.
func (f *function) alive() bool {
	return !f.over && f.fault == nil && f.ctx.Err() == nil
}

// push writes one event, unless it is out of place: then the run fails. It is called
// with mu held.
func (f *function) push(e agui.Event) {
	if f.fault != nil {
		return
	}
	frame, err := agui.Encode(e)
	if err == nil {
		err = f.verify.Next(frame)
	}
	if err == nil {
		_, err = f.held.Apply(frame)
	}
	if err != nil {
		f.spoil(err)
		return
	}
	f.unread = append(f.unread, frame.Raw)
}

// spoil makes the run fail: something was said that cannot be said. It is called with
// mu held.
func (f *function) spoil(err error) {
	if f.fault == nil {
		f.fault = fmt.Errorf("what the function said cannot be passed on: %w", err)
		f.failAll(f.fault)
		f.broadcast()
		f.poke()
	}
}
