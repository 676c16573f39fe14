package session

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/storetest"
)

// gated is a run that says one frame and ends when the gate is opened.
func gated(gate <-chan struct{}, end End) script {
	return func(_ context.Context, _ Call, yield func(Output, error) bool) {
		if !yield(Output{Frame: []byte("one")}, nil) {
			return
		}
		<-gate
		yield(Output{Frame: []byte("last"), End: &end}, nil)
	}
}

func asking(ids ...string) End {
	end := End{Status: Interrupted, Spoken: true}
	for _, id := range ids {
		end.Requests = append(end.Requests, approvalOf(id))
	}
	return end
}

// logged returns the records of the thread.
func logged(t *testing.T, log store.Log) []Record {
	t.Helper()
	var records []Record
	for e, err := range log.Read(t.Context(), "t", 0) {
		if err != nil {
			t.Fatal(err)
		}
		r, err := decode(e)
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, r)
	}
	return records
}

func framesOf(records []Record, run string) []string {
	var frames []string
	for _, r := range records {
		if f, ok := r.(Frames); ok && f.RunID == run {
			for _, frame := range f.Frames {
				frames = append(frames, string(frame))
			}
		}
	}
	return frames
}

func closeHub(t *testing.T, h *Hub) {
	t.Helper()
	if err := h.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

func TestReadersAtOnceAndLateReadTheSame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		h := NewHub(Options{Log: store.NewMemory(), Agents: []Agent{gated(gate, End{Status: Success, Spoken: true})}})
		f := submit(t, h, "r")
		got := make(chan []string, 3)
		read := func() { go func() { got <- readAll(t, f) }() }
		read()
		read()
		synctest.Wait()
		read()
		synctest.Wait()
		close(gate)
		for range 3 {
			if frames := <-got; !slices.Equal(frames, []string{"one", "last"}) {
				t.Errorf("got %v", frames)
			}
		}
		closeHub(t, h)
	})
}

// A stalling log holds back the append that has an entry of its kind.
type stalling struct {
	store.Log
	kind store.Kind
	open chan struct{}
}

func (l *stalling) Append(ctx context.Context, thread string, after uint64, entries ...store.Entry) (uint64, error) {
	if slices.ContainsFunc(entries, func(e store.Entry) bool { return e.Kind == l.kind }) {
		<-l.open
	}
	return l.Log.Append(ctx, thread, after, entries...)
}

func TestTheEndIsStoredBeforeItIsShown(t *testing.T) {
	for kind, end := range map[store.Kind]End{store.KindAsked: asking("q"), store.KindEnded: {Status: Success, Spoken: true}} {
		synctest.Test(t, func(t *testing.T) {
			log := &stalling{Log: store.NewMemory(), kind: kind, open: make(chan struct{})}
			gate := make(chan struct{})
			h := NewHub(Options{Log: log, Agents: []Agent{gated(gate, end)}})
			f := submit(t, h, "r")
			close(gate)
			synctest.Wait()
			if shown, e, _ := f.after(0); len(shown) != 1 || e != nil {
				t.Errorf("%s: shown before it is stored: %q %v", kind, shown, e)
			}
			close(log.open)
			if got := readAll(t, f); !slices.Equal(got, []string{"one", "last"}) || f.End().Status != end.Status {
				t.Errorf("%s: got %v, %+v", kind, got, f.End())
			}
			closeHub(t, h)
		})
	}
}

func TestAnEndIsStoredOnceOverAFaultyLog(t *testing.T) {
	for _, fault := range []storetest.Fault{storetest.BeforeWrite, storetest.AfterWrite} {
		synctest.Test(t, func(t *testing.T) {
			log := storetest.NewFaulty(store.NewMemory())
			gate := make(chan struct{})
			h := NewHub(Options{Log: log, Agents: []Agent{gated(gate, asking("q"))}})
			f := submit(t, h, "r")
			log.Fail(1, fault)
			close(gate)
			if got := readAll(t, f); !slices.Equal(got, []string{"one", "last"}) || f.End().Status != Interrupted {
				t.Errorf("%s: got %v, %+v", fault, got, f.End())
			}
			records, asked := logged(t, log), 0
			for _, r := range records {
				if _, ok := r.(Asked); ok {
					asked++
				}
			}
			if got := framesOf(records, "r"); !slices.Equal(got, []string{"one", "last"}) || asked != 1 {
				t.Errorf("%s: stored %v, asked %d times", fault, got, asked)
			}
			if state, err := h.Thread(t.Context(), "t"); err != nil || len(state.Pending) != 1 {
				t.Errorf("%s: %+v %v", fault, state, err)
			}
			closeHub(t, h)
		})
	}
}

// The bubble of synctest fails if a goroutine outlives Close.
func TestCloseLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := NewHub(Options{Log: store.NewMemory(), Agents: []Agent{script(waits)}})
		f := submit(t, h, "r")
		done := make(chan struct{})
		go func() { readAll(t, f); close(done) }()
		synctest.Wait()
		closeHub(t, h)
		<-done
		if f.End().Status != Failed {
			t.Errorf("%+v", f.End())
		}
	})
}

func TestCloseSaysWhenRunsDoNotEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		gate := make(chan struct{})
		h := NewHub(Options{Log: store.NewMemory(), Agents: []Agent{gated(gate, End{Status: Success})}})
		f := submit(t, h, "r")
		ctx, cancel := context.WithTimeout(t.Context(), flushAfter)
		defer cancel()
		if err := h.Close(ctx); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		close(gate)
		readAll(t, f)
	})
}

func TestManyBytesAreStoredAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := store.NewMemory()
		gate := make(chan struct{})
		h := NewHub(Options{Log: log, Agents: []Agent{script(func(_ context.Context, _ Call, yield func(Output, error) bool) {
			yield(Output{Frame: make([]byte, flushBytes)}, nil)
			<-gate
			yield(Output{End: &End{Status: Success}}, nil)
		})}})
		f := submit(t, h, "r")
		synctest.Wait()
		if n := len(framesOf(logged(t, log), "r")); n != 1 {
			t.Errorf("%d frames are stored", n)
		}
		close(gate)
		readAll(t, f)
		closeHub(t, h)
	})
}

func TestWhatWasSaidBeforeAPanicIsKept(t *testing.T) {
	log := store.NewMemory()
	h := openHub(t, log, script(func(_ context.Context, _ Call, yield func(Output, error) bool) {
		yield(Output{Frame: []byte("one")}, nil)
		panic("bad")
	}))
	if got := readAll(t, submit(t, h, "r")); !slices.Equal(got, []string{"one"}) {
		t.Errorf("shown %v", got)
	}
	if got := framesOf(logged(t, log), "r"); !slices.Equal(got, []string{"one"}) {
		t.Errorf("stored %v", got)
	}
}

// Answers reach the agent with what the stopped run said.
func TestAResumedRunGetsAnswersAndTheTurn(t *testing.T) {
	calls := make(chan Call, 2)
	h := openHub(t, store.NewMemory(), script(func(_ context.Context, c Call, yield func(Output, error) bool) {
		calls <- c
		end := End{Status: Success, Spoken: true}
		if len(c.Settled) == 0 {
			end = asking("q")
		}
		yield(Output{Frame: []byte("said in " + c.RunID), End: &end}, nil)
	}))
	readAll(t, submit(t, h, "r1"))
	<-calls
	answer := sub("r2")
	answer.Resume, answer.Answers = true, []Answer{says("q", `{"approved":true}`)}
	for _, run := range []string{"r2", "r3"} { // r3 repeats the answer
		answer.RunID = run
		admitted, err := h.Submit(t.Context(), "t", answer, "ada")
		if err != nil {
			t.Fatal(err)
		}
		if got := readAll(t, admitted.Feed); admitted.Feed.RunID != "r2" || !slices.Equal(got, []string{"said in r2"}) {
			t.Errorf("%s is answered by %s: %v", run, admitted.Feed.RunID, got)
		}
		past := admitted.Feed.Past()
		if past.First != "r1" || len(past.Frames()) != 1 || len(past.Answers) != 1 {
			t.Errorf("%s goes on with %+v", run, past)
		}
	}
	c := <-calls
	if c.First != "r1" || len(c.Turn) != 1 || len(c.Settled) != 1 || !c.Settled[0].Response.Decision.Approved {
		t.Errorf("the agent is given %+v", c)
	}
	if len(calls) > 0 {
		t.Error("a repeated answer ran again")
	}
}

func TestWhatHasExpiredCanBeCancelled(t *testing.T) {
	q := approvalOf("q")
	q.ExpiresAt = now
	s, _ := take(t, running(t), ended("r1", Interrupted, q), few)
	giveUp := Answer{RequestID: "q", Read: func(hitl.Request) (hitl.Response, error) {
		cancel := hitl.Cancel()
		return hitl.Response{Input: &cancel}, nil
	}}
	s, effects := take(t, s, answering("r2", giveUp), few)
	if _, ok := effects[0].(StartRun); !ok || s.Run.ID != "r2" || !s.Settled[0].Response.Cancelled() {
		t.Errorf("%+v %v", s, effects)
	}
}
