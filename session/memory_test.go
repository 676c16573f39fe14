package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

func inMemory(h *Hub) map[string]bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	held := map[string]bool{}
	for id := range h.sessions {
		held[id] = true
	}
	return held
}

// Threads at rest leave memory when there are too many, and are read again when somebody
// wants them. Where something goes on, or somebody follows, they stay.
func TestOnlySoManyThreadsRestInMemory(t *testing.T) {
	h := NewHub(Options{Log: store.NewMemory(), Threads: 10, Agents: []Agent{script(func(ctx context.Context, c Call, yield func(Output, error) bool) {
		q := approvalOf("q")
		switch c.ThreadID {
		case "busy":
			waits(ctx, c, yield)
		case "expires":
			q.ExpiresAt = time.Now().Add(time.Hour)
			fallthrough
		case "asks":
			if len(c.Settled) == 0 {
				saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{q}})(ctx, c, yield)
				return
			}
			fallthrough
		default:
			saying(End{Status: Success, Spoken: true}, "one")(ctx, c, yield)
		}
	})}, Compose: func(r Resumption) (Submission, error) {
		return Submission{RunID: r.RunID, Protocol: AGUI, Input: []byte(`{}`)}, nil
	}})
	defer h.Close(context.Background())
	busy := submitTo(t, h, "busy", "r1")
	for _, thread := range []string{"asks", "expires", "followed"} {
		readAll(t, submitTo(t, h, thread, "r1"))
	}
	release, err := h.Hold(t.Context(), "followed")
	if err != nil {
		t.Fatal(err)
	}
	for n := range 50 {
		readAll(t, submitTo(t, h, fmt.Sprint("t", n), "r1"))
	}
	held := inMemory(h)
	if len(held) > 10 || !held["busy"] || !held["expires"] || !held["followed"] || held["asks"] || held["t0"] || !held["t49"] {
		t.Errorf("in memory are %v", held)
	}
	for n := range 50 {
		f, err := h.Attach(t.Context(), fmt.Sprint("t", n), "r1")
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, f); len(got) != 2 {
			t.Errorf("t%d: %q", n, got)
		}
	}
	if err := h.Answer(t.Context(), "asks", says("q", `{"approved":true}`), "ada"); err != nil {
		t.Errorf("an answer to a thread that had left: %v", err)
	}
	if err := h.Cancel(t.Context(), "busy", "ada"); err != nil {
		t.Fatal(err)
	}
	if readAll(t, busy); busy.End().Status != Cancelled {
		t.Errorf("the busy one ended as %+v", busy.End())
	}
	release()
	for n := range 50 {
		readAll(t, submitTo(t, h, fmt.Sprint("more", n), "r1"))
	}
	if held := inMemory(h); held["followed"] || held["busy"] || len(held) > 10 {
		t.Errorf("in memory are %v", held)
	}
}

// unread is a log that can be made to wait, or to fail, when a thread is read.
type unread struct {
	store.Log
	thread string
	reads  atomic.Int32
	begun  chan struct{}
	wait   chan error
}

func (l *unread) Read(ctx context.Context, thread string, after uint64) iter.Seq2[store.Entry, error] {
	if thread != l.thread {
		return l.Log.Read(ctx, thread, after)
	}
	return func(yield func(store.Entry, error) bool) {
		l.reads.Add(1)
		l.begun <- struct{}{}
		if err := <-l.wait; err != nil {
			yield(store.Entry{}, err)
			return
		}
		for e, err := range l.Log.Read(ctx, thread, after) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// A thread that takes long to read holds up those who want it, and nobody else; it is read
// once for all of them.
func TestAThreadIsReadOnceAndHoldsUpNoOther(t *testing.T) {
	log := store.NewMemory()
	first := openHub(t, log, saying(End{Status: Success, Spoken: true}))
	for _, thread := range []string{"slow", "quick"} {
		readAll(t, submitTo(t, first, thread, "r1"))
	}
	l := &unread{Log: log, thread: "slow", begun: make(chan struct{}, 10), wait: make(chan error)}
	h := openHub(t, l, saying(End{Status: Success, Spoken: true}))
	var all sync.WaitGroup
	for range 5 {
		all.Go(func() {
			if s, err := h.Thread(t.Context(), "slow"); err != nil || len(s.Runs) != 1 {
				t.Errorf("%v, %d runs", err, len(s.Runs))
			}
		})
	}
	<-l.begun
	if _, err := h.Thread(t.Context(), "quick"); err != nil {
		t.Error(err)
	}
	impatient, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Thread(impatient, "slow"); !errors.Is(err, context.Canceled) {
		t.Errorf("who does not wait gets %v", err)
	}
	l.wait <- nil
	all.Wait()
	if n := l.reads.Load(); n != 1 {
		t.Errorf("it was read %d times", n)
	}
}

// A thread that could not be read is read again by the next one who wants it.
func TestAThreadThatCouldNotBeReadIsReadAgain(t *testing.T) {
	log := store.NewMemory()
	readAll(t, submitTo(t, openHub(t, log, saying(End{Status: Success, Spoken: true})), "slow", "r1"))
	l := &unread{Log: log, thread: "slow", begun: make(chan struct{}, 10), wait: make(chan error)}
	h := openHub(t, l, saying(End{Status: Success, Spoken: true}))
	fault := errors.New("fault")
	results := make(chan error, 2)
	read := func() {
		_, err := h.Thread(t.Context(), "slow")
		results <- err
	}
	go read()
	<-l.begun
	go read() // waits for the first one, or comes after it
	l.wait <- fault
	if err := <-results; !errors.Is(err, fault) {
		t.Errorf("whose reading failed gets %v", err)
	}
	<-l.begun
	l.wait <- nil
	if err := <-results; err != nil {
		t.Errorf("who comes next gets %v", err)
	}
}

// Nobody makes a thread by looking for it, also not while somebody else makes it.
func TestLookingForAThreadMakesNone(t *testing.T) {
	l := &unread{Log: store.NewMemory(), thread: "new", begun: make(chan struct{}, 10), wait: make(chan error)}
	h := openHub(t, l, saying(End{Status: Success, Spoken: true}))
	looked, made := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := h.Thread(t.Context(), "new")
		looked <- err
	}()
	<-l.begun
	go func() {
		a, err := h.Submit(t.Context(), "new", Submission{RunID: "r1", Agent: "a", Protocol: AGUI, Input: []byte(`{}`)}, "ada")
		if err == nil {
			readAll(t, a.Feed)
		}
		made <- err
	}()
	l.wait <- nil
	if err := <-looked; !errors.Is(err, ErrUnknownThread) {
		t.Errorf("looking gives %v", err)
	}
	<-l.begun
	l.wait <- nil
	if err := <-made; err != nil {
		t.Error(err)
	}
	if _, err := h.Thread(t.Context(), "new"); err != nil {
		t.Errorf("the thread that was made: %v", err)
	}
}

// A hub that closes waits for those who are at work, and starts nothing behind its back.
func TestCloseWaitsForAThreadThatIsBeingRead(t *testing.T) {
	log := store.NewMemory()
	first := NewHub(Options{Log: log, Agents: []Agent{saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}})}})
	readAll(t, submitTo(t, first, "slow", "r1"))
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	l := &unread{Log: log, thread: "slow", begun: make(chan struct{}, 10), wait: make(chan error)}
	h := NewHub(Options{Log: l, Agents: []Agent{script(blocking)}})
	looked, closed := make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := h.Thread(t.Context(), "slow")
		looked <- err
	}()
	<-l.begun
	go func() { closed <- h.Close(t.Context()) }()
	select {
	case <-closed:
		t.Fatal("it has closed while a thread was read")
	case <-time.After(50 * time.Millisecond):
	}
	l.wait <- nil
	if err := errors.Join(<-looked, <-closed); err != nil {
		t.Error(err)
	}
	if _, err := h.Thread(t.Context(), "slow"); !errors.Is(err, ErrClosed) {
		t.Errorf("afterwards: %v", err)
	}
}
