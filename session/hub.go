package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

// Options say what a Hub works with. Log and Agents are required.
type Options struct {
	Log    store.Log
	Agents []Agent
	Check  hitl.SchemaCheck // nil: answers are not held to their schema
	Clock  func() time.Time // nil: time.Now
	Logger *zap.Logger      // nil: silent
	Limits Limits           // Queue 0: 32
	// Compose makes the input by which a run goes on when its last request was answered
	// without one. nil: such answers are refused.
	Compose func(Resumption) (Submission, error)
	NewID   func() string // of such runs; nil: a random UUID
	Threads int           // how many threads stay in memory while they rest; 0: DefaultThreads
}

// DefaultQueue is how many inputs may wait on one thread.
const DefaultQueue = 32

// A Hub holds the sessions of all threads. It is safe for concurrent use.
type Hub struct {
	opts   Options
	agents map[string]Agent
	order  []Agent

	id     string          // names this process in logs of threads
	ctx    context.Context // of every run; ends with ErrShutdown
	stop   context.CancelCauseFunc
	flight sync.WaitGroup // runs and pending flushes

	inbox     *Inbox
	inboxOnce sync.Mutex // held while all threads are read
	inboxRead bool

	mu       sync.Mutex
	sessions map[string]*Session
	uses     uint64 // counts who began to work with a session
	closed   bool
}

// NewHub makes a hub. Close it.
func NewHub(o Options) *Hub {
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.NewID == nil {
		o.NewID = uuid.NewString
	}
	if o.Limits.Queue == 0 {
		o.Limits.Queue = DefaultQueue
	}
	if o.Threads == 0 {
		o.Threads = DefaultThreads
	}
	h := &Hub{id: uuid.NewString(), opts: o, order: o.Agents, agents: map[string]Agent{}, sessions: map[string]*Session{}, inbox: newInbox()}
	for _, a := range o.Agents {
		h.agents[a.Name()] = a
	}
	h.ctx, h.stop = context.WithCancelCause(context.Background())
	return h
}

// Agents returns the configured agents in the order they were given.
func (h *Hub) Agents() []Agent { return h.order }

// Agent returns the named agent, or an error that matches ErrUnknownAgent.
func (h *Hub) Agent(name string) (Agent, error) {
	a, ok := h.agents[name]
	if !ok {
		return nil, fmt.Errorf("%w: %q", ErrUnknownAgent, name)
	}
	return a, nil
}

// An Admission says what became of an input that was accepted.
type Admission struct {
	Feed     *Feed    // of the run that answers it; nil if its answers wait for others
	Warnings []string // what was passed over
}

// Submit gives an input to a thread. The error matches one of this package's Err
// values, or is a *hitl.AnswerError; then nothing happened. An empty sub.Digest is set
// here, to that of the whole input.
func (h *Hub) Submit(ctx context.Context, thread string, sub Submission, actor string) (Admission, error) {
	if _, err := h.Agent(sub.Agent); err != nil {
		return Admission{}, err
	}
	if sub.Digest == "" {
		digest, err := inputDigest(sub.Input)
		if err != nil {
			return Admission{}, err
		}
		sub.Digest = digest
	}
	s, done, err := h.use(ctx, thread, true)
	if err != nil {
		return Admission{}, err
	}
	defer done()
	return s.submit(ctx, sub, actor)
}

// Cancel stops what the thread does, or gives up what it asks. The error matches
// ErrUnknownThread if there is no such thread.
func (h *Hub) Cancel(ctx context.Context, thread, actor string) error {
	s, done, err := h.use(ctx, thread, false)
	if err != nil {
		return err
	}
	defer done()
	return s.cancel(ctx, "", actor)
}

// CancelRun stops one run of a thread, also while it is held. A run that is not the
// active one any more has ended, and nothing happens. The error matches ErrUnknownThread
// if there is no such thread.
func (h *Hub) CancelRun(ctx context.Context, thread, runID, actor string) error {
	s, done, err := h.use(ctx, thread, false)
	if err != nil {
		return err
	}
	defer done()
	return s.cancel(ctx, runID, actor)
}

// withdrawer returns the named agent if it wants to know of what nobody will answer.
func (h *Hub) withdrawer(name string) Withdrawer {
	agent, err := h.Agent(name)
	if err != nil {
		return nil
	}
	w, _ := agent.(Withdrawer)
	return w
}

// Thread returns the state of a thread. The error matches ErrUnknownThread if there
// is no such thread.
func (h *Hub) Thread(ctx context.Context, thread string) (State, error) {
	s, done, err := h.use(ctx, thread, false)
	if err != nil {
		return State{}, err
	}
	defer done()
	return s.current(), nil
}

// enter counts something that a session does on its own in flight, unless the hub is
// closing or has another session for the thread by now.
func (h *Hub) enter(s *Session) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || h.sessions[s.id] != s {
		return false
	}
	h.flight.Add(1)
	return true
}

// Close ends all runs, waits for them until ctx ends, and refuses what comes later.
func (h *Hub) Close(ctx context.Context) error {
	h.mu.Lock()
	h.closed = true
	h.mu.Unlock()
	h.stop(ErrShutdown)
	h.silence()
	done := make(chan struct{})
	go func() { h.flight.Wait(); close(done) }()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return errors.Join(errors.New("runs were still going on when time was up"), ctx.Err())
	}
}

// silence stops the alarms of all sessions. None is set after the hub's context has ended.
func (h *Hub) silence() {
	h.mu.Lock()
	sessions := slices.Collect(maps.Values(h.sessions))
	h.mu.Unlock()
	for _, s := range sessions {
		s.mu.Lock()
		if s.alarm.timer != nil {
			s.alarm.timer.Stop()
		}
		s.mu.Unlock()
	}
}

// Attach returns the feed of a known run, live or from the log. The error matches
// ErrUnknownThread or ErrUnknownRun.
func (h *Hub) Attach(ctx context.Context, thread, runID string) (*Feed, error) {
	s, done, err := h.use(ctx, thread, false)
	if err != nil {
		return nil, err
	}
	defer done()
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.state.Runs[runID]; !known {
		return nil, fmt.Errorf("%w: %q", ErrUnknownRun, runID)
	}
	return s.attach(ctx, runID)
}
