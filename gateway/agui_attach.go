package gateway

import (
	"context"
	"slices"

	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// maxFollowed is how many threads one socket may follow. A client that asks for more is
// closed with 1008.
const maxFollowed = 32

type attachedFrame struct {
	Type     string `json:"type"` // attached
	ThreadID string `json:"threadId"`
	RunID    string `json:"runId,omitzero"`
	After    int    `json:"after"`
	Live     bool   `json:"live"`
}

// controlText writes a control frame; its members are text that was read from JSON.
func controlText(v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		return []byte(`{"type":"error"}`)
	}
	return raw
}

func unknownThread(thread string) []byte {
	return controlText(struct {
		Type     string `json:"type"`
		ThreadID string `json:"threadId"`
	}{"unknown-thread", thread})
}

// attach lines up what an attach gets: a run from a place in it on, or a thread. It
// reports false if too many threads are followed.
func (c *socket) attach(f clientFrame) bool {
	hub := c.server.opts.Hub
	state, err := hub.Thread(c.ctx, f.thread)
	if err != nil {
		c.turn(answer{lead: [][]byte{unknownThread(f.thread)}})
		return true
	}
	if f.run == "" {
		return c.follow(f.thread)
	}
	feed, err := hub.Attach(c.ctx, f.thread, f.run)
	if err != nil {
		c.log.Debug("attach refused", zap.Error(err))
		c.turn(answer{lead: [][]byte{unknownThread(f.thread)}})
		return true
	}
	live := state.Phase == session.Running && state.Run.ID == f.run
	again := readAGUI(f.thread, feed)
	again.skip = f.after
	c.turn(answer{
		lead:   [][]byte{controlText(attachedFrame{"attached", f.thread, f.run, f.after, live})},
		reader: again,
	})
	return true
}

// follow begins to follow a thread, anew if it is followed already.
func (c *socket) follow(thread string) bool {
	c.mu.Lock()
	c.waiting-- // a follower has its own place
	c.mu.Unlock()
	c.order.Lock()
	defer c.order.Unlock()
	if end := c.follows[thread]; end != nil {
		end()
	} else if len(c.follows) >= maxFollowed {
		return false
	}
	ctx, cancel := context.WithCancel(c.ctx)
	c.follows[thread] = cancel
	c.work.Go(func() {
		defer cancel()
		if err := c.followRuns(ctx, thread); err != nil && ctx.Err() == nil {
			c.log.Warn("a thread is followed no longer", zap.String("thread", thread), zap.Error(err))
			c.sayNext(ctx, answer{refused: refusalOf(err)})
		}
	})
	return true
}

func (c *socket) detach(thread string) {
	c.order.Lock()
	defer c.order.Unlock()
	if end := c.follows[thread]; end != nil {
		end()
		delete(c.follows, thread)
	}
}

// followRuns restates the thread, and then shows each run that begins, but for those that
// inputs of this socket are answered by anyway.
func (c *socket) followRuns(ctx context.Context, thread string) error {
	hub := c.server.opts.Hub
	release, err := hub.Hold(ctx, thread)
	if err != nil {
		return err
	}
	defer release()
	runs, more, err := hub.Runs(ctx, thread, 0)
	if err != nil {
		return err
	}
	state, err := hub.Thread(ctx, thread)
	if err != nil {
		return err
	}
	first, at, err := c.restatement(ctx, thread, state, runs)
	if err != nil {
		return err
	}
	c.sayNext(ctx, first)
	for {
		for _, id := range runs[min(at, len(runs)):] {
			at++
			if c.isMine(id) {
				continue
			}
			feed, err := hub.Attach(ctx, thread, id)
			if err != nil {
				return err
			}
			other := readAGUI(thread, feed)
			other.asked = true
			c.sayNext(ctx, answer{reader: other})
		}
		select {
		case <-more:
		case <-ctx.Done():
			return nil
		}
		if runs, more, err = hub.Runs(ctx, thread, 0); err != nil {
			return err
		}
	}
}

// sayNext lines an answer up and waits until it is said, so that a follower has one at most.
func (c *socket) sayNext(ctx context.Context, a answer) {
	if ctx.Err() != nil {
		return
	}
	a.said, a.ctx = make(chan struct{}), ctx
	c.mu.Lock()
	c.waiting++
	c.mu.Unlock()
	c.turn(a)
	select {
	case <-a.said:
	case <-ctx.Done():
	}
}

// isMine reports whether a run answers an input of this socket, which is told once.
func (c *socket) isMine(run string) bool {
	c.order.Lock() // an input that is being submitted has put its run down after this
	defer c.order.Unlock()
	mine := c.mine[run]
	delete(c.mine, run)
	return mine
}

// restatement is the thread as one replayed run that is made of snapshots. at is where
// the runs begin that it does not hold: one that goes on is shown from its first event.
func (c *socket) restatement(ctx context.Context, thread string, state session.State, runs []string) (answer, int, error) {
	at := len(runs)
	lead := attachedFrame{Type: "attached", ThreadID: thread}
	if i := slices.Index(runs, state.Run.ID); state.Phase == session.Running && i >= 0 {
		at, lead.Live = i, true
	}
	if len(runs) > 0 {
		lead.RunID = runs[min(at, len(runs)-1)]
	}
	a := answer{lead: [][]byte{controlText(lead)}}
	if at == 0 {
		return a, at, nil // nothing has ended yet
	}
	last := runs[at-1]
	feed, err := c.server.opts.Hub.Attach(ctx, thread, last)
	if err != nil {
		return a, at, err
	}
	held, err := readAGUI(thread, feed).held()
	if err != nil || held == nil {
		return a, at, err
	}
	a.events, err = restated(thread, last, held, restatedEnd(feed.End(), state, lead.Live))
	return a, at, err
}

// restatedEnd is how the last run ended, as far as it still matters: what is answered by
// now is asked no more.
func restatedEnd(end *session.End, state session.State, live bool) *session.End {
	if end == nil || end.Status != session.Interrupted {
		return end
	}
	now := *end
	now.Requests = nil
	if !live && state.Phase == session.Awaiting {
		now.Requests = state.Pending
	}
	if len(now.Requests) == 0 {
		now.Status = session.Success
	}
	return &now
}

// restated writes the replayed run.
func restated(thread, run string, held *agui.Conversation, end *session.End) ([][]byte, error) {
	base := func(t agui.EventType) agui.Base { return agui.Base{Kind: t} }
	events := []agui.Event{
		&agui.RunStarted{Base: base(agui.TypeRunStarted), ThreadID: thread, RunID: run, ProtocolVersion: agui.Set(agui.PlainVersion)},
		&agui.StateSnapshot{Base: base(agui.TypeStateSnapshot), Snapshot: held.State()},
		&agui.MessagesSnapshot{Base: base(agui.TypeMessagesSnapshot), Messages: held.Messages()},
	}
	finished := &agui.RunFinished{Base: base(agui.TypeRunFinished), ThreadID: thread, RunID: run}
	events = append(events, finished)
	switch {
	case end == nil:
	case end.Status == session.Failed:
		failure := &agui.RunError{Base: base(agui.TypeRunError), Message: "the run failed"}
		if end.Failure != nil {
			failure.Message, failure.Code = end.Failure.Message, agui.NotEmpty(string(end.Failure.Code))
		}
		events[len(events)-1] = failure
	case end.Status == session.Cancelled:
		finished.Outcome = &agui.Outcome{Type: agui.OutcomeCancelled}
	case end.Status == session.Interrupted:
		finished.Outcome = &agui.Outcome{Type: agui.OutcomeInterrupt}
		for _, q := range end.Requests {
			finished.Outcome.Interrupts = append(finished.Outcome.Interrupts, agui.InterruptFor(q))
		}
	default:
		finished.Outcome = &agui.Outcome{Type: agui.OutcomeSuccess}
		for _, q := range end.Requests {
			if q.Call != nil {
				finished.Outcome.PendingToolCallIDs = append(finished.Outcome.PendingToolCallIDs, q.Call.ID)
			}
		}
	}
	raw := make([][]byte, len(events))
	for i, e := range events {
		f, err := agui.Encode(e)
		if err != nil {
			return nil, err
		}
		raw[i] = f.Raw
	}
	return raw, nil
}
