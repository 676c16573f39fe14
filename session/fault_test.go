package session

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/storetest"
)

func framesIn(t *testing.T, log store.Log, run string) (got []string) {
	for e, err := range log.Read(t.Context(), "t", 0) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := decode(e)
		if err != nil {
			t.Fatal(err)
		}
		if f, ok := r.(Frames); ok && f.RunID == run {
			for _, x := range f.Frames {
				got = append(got, string(x))
			}
		}
	}
	return
}

func hubOn(log store.Log, a Agent) *Hub { return NewHub(Options{Log: log, Agents: []Agent{a}}) }

func within(t *testing.T, f *Feed) ([]string, bool) {
	ctx, c := context.WithTimeout(t.Context(), 3*time.Second)
	defer c()
	var out []string
	for b, err := range f.Batches(ctx, 0) {
		if err != nil {
			return out, false
		}
		for _, x := range b {
			out = append(out, string(x))
		}
	}
	return out, true
}

func TestAReaderOfAHeldInputLearnsThatTheEndCouldNotBeStored(t *testing.T) {
	log := storetest.NewFaulty(store.NewMemory())
	gate := make(chan struct{})
	h := hubOn(log, gated(gate, End{Status: Success}))
	defer h.Close(context.Background())
	f := submit(t, h, "r")
	held := submit(t, h, "h1")
	for n := 1; n <= recordTries; n++ {
		log.Fail(n, storetest.BeforeWrite)
	}
	close(gate)
	readAll(t, f)
	h.Thread(t.Context(), "t")
	if _, ok := within(t, held); !ok {
		t.Error("the reader of the held input waits forever")
	}
}

// slow blocks an append while told to.
type slow struct {
	store.Log
	mu sync.Mutex
	on chan struct{}
}

func (s *slow) Append(ctx context.Context, th string, after uint64, es ...store.Entry) (uint64, error) {
	s.mu.Lock()
	on := s.on
	s.mu.Unlock()
	if on != nil && es[0].Kind == store.KindQueued {
		<-on
	}
	return s.Log.Append(ctx, th, after, es...)
}

func TestAFlushThatWaitsForTheEndWritesNothingAgain(t *testing.T) {
	log := &slow{Log: store.NewMemory()}
	gate := make(chan struct{})
	h := hubOn(log, gated(gate, End{Status: Success}))
	f := submit(t, h, "r")
	time.Sleep(500 * time.Millisecond)
	log.mu.Lock()
	log.on = make(chan struct{})
	log.mu.Unlock()
	var wg sync.WaitGroup
	wg.Go(func() { submit(t, h, "h1") })
	time.Sleep(100 * time.Millisecond)
	close(gate)
	time.Sleep(700 * time.Millisecond)
	close(log.on)
	wg.Wait()
	readAll(t, f)
	h.Close(context.Background())
	if got := framesIn(t, log, "r"); !slices.Equal(got, []string{"one", "last"}) {
		t.Errorf("log %v", got)
	}
}

// leaver ends a context right after an append of answers.
type leaver struct {
	store.Log
	leave func()
}

func (l *leaver) Append(ctx context.Context, th string, after uint64, es ...store.Entry) (uint64, error) {
	n, err := l.Log.Append(ctx, th, after, es...)
	if len(es) > 1 && es[1].Kind == store.KindAnswered {
		l.leave()
	}
	return n, err
}

func TestAClientThatLeavesDuringAResumeLeavesItsRunGoing(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	log := &leaver{store.NewMemory(), cancel}
	h := hubOn(log, saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}}))
	readAll(t, submit(t, h, "r"))
	a := sub("r2")
	a.Resume, a.Answers = true, []Answer{says("q", `{"approved":true}`)}
	_, err := h.Submit(ctx, "t", a, "ada")
	s, _ := h.Thread(t.Context(), "t")
	if err != nil && s.phase() == Running {
		cerr := h.Cancel(t.Context(), "t", "ada")
		time.Sleep(50 * time.Millisecond)
		s, _ = h.Thread(t.Context(), "t")
		t.Errorf("submit: %v; phase %s run %s; cancel %v", err, s.phase(), s.Run.ID, cerr)
	}
}

func TestARunThatStopsToAskNothingHasFailed(t *testing.T) {
	h := openHub(t, store.NewMemory(), saying(End{Status: Interrupted, Spoken: true}, "one"))
	f := submit(t, h, "r")
	if got := readAll(t, f); len(got) != 1 || f.End().Status != Failed {
		t.Errorf("%v %+v", got, f.End())
	}
	if state, err := h.Thread(t.Context(), "t"); err != nil || state.phase() != Idle {
		t.Errorf("%+v %v", state, err)
	}
}

func TestAReplayedEndIsTheEndThatWas(t *testing.T) {
	for _, spoken := range []bool{true, false} {
		h := openHub(t, store.NewMemory(), saying(End{Status: Interrupted, Requests: []hitl.Request{approvalOf("q")}, Spoken: spoken}))
		live := submit(t, h, "r")
		readAll(t, live)
		replayed := submit(t, h, "r")
		readAll(t, replayed)
		if got := replayed.End(); got.Status != Interrupted || got.Spoken != spoken || len(got.Requests) != 1 || got.Requests[0].ID != "q" {
			t.Errorf("spoken %v: %+v", spoken, got)
		}
	}
}

// A run whose log cannot be written does not go on for ever, and holds no more than its bound.
func TestARunThatCannotBeStoredFails(t *testing.T) {
	log := storetest.NewFaulty(store.NewMemory())
	said := 0
	h := hubOn(log, script(func(_ context.Context, _ Call, yield func(Output, error) bool) {
		for n := range 10_000 {
			log.Fail(n+1, storetest.BeforeWrite)
		}
		frame := make([]byte, 100_000)
		for yield(Output{Frame: frame}, nil) {
			said += len(frame)
		}
	}))
	defer h.Close(context.Background())
	f := submit(t, h, "r")
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for _, err := range f.Batches(ctx, 0) {
		if err != nil {
			t.Fatal(err)
		}
	}
	if f.End().Status != Failed {
		t.Errorf("it ended as %+v", f.End())
	}
	if said < unsavedBytes/2 || said > 2*unsavedBytes {
		t.Errorf("it said %d MB", said>>20)
	}
}
