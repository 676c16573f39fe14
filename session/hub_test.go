package session

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/storetest"
)

// A script is an agent that does what a test says.
type script func(ctx context.Context, call Call, yield func(Output, error) bool)

func (script) Name() string       { return "a" }
func (script) Protocol() Protocol { return AGUI }

func (s script) Run(ctx context.Context, call Call) iter.Seq2[Output, error] {
	return func(yield func(Output, error) bool) { s(ctx, call, yield) }
}

// saying is a run of some frames and an end.
func saying(end End, frames ...string) script {
	return func(_ context.Context, _ Call, yield func(Output, error) bool) {
		for _, f := range frames {
			if !yield(Output{Frame: []byte(f)}, nil) {
				return
			}
		}
		yield(Output{Frame: []byte("last"), End: &end}, nil)
	}
}

// blocking is a run that says one frame and then waits for its context.
func blocking(_ context.Context, _ Call, yield func(Output, error) bool) { yield(Output{}, nil) }

func waits(ctx context.Context, _ Call, yield func(Output, error) bool) {
	if !yield(Output{Frame: []byte("one")}, nil) {
		return
	}
	<-ctx.Done()
	if errors.Is(context.Cause(ctx), ErrCancelled) {
		yield(Output{Frame: []byte("stopped"), End: &End{Status: Cancelled, Spoken: true}}, nil)
		return
	}
	yield(Output{}, &Failure{Code: CodeRunLost, Message: "going down"})
}

func openHub(t *testing.T, log store.Log, a Agent) *Hub {
	t.Helper()
	h := NewHub(Options{Log: log, Agents: []Agent{a}})
	t.Cleanup(func() {
		if err := h.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return h
}

func submit(t *testing.T, h *Hub, run string) *Feed {
	t.Helper()
	admitted, err := h.Submit(t.Context(), "t", Submission{RunID: run, Agent: "a", Protocol: AGUI, Input: fmt.Appendf(nil, `{"run":%q}`, run)}, "ada")
	if err != nil {
		t.Fatal(err)
	}
	return admitted.Feed
}

// readAll reads a run to its end.
func readAll(t *testing.T, f *Feed) []string {
	t.Helper()
	var frames []string
	for batch, err := range f.Batches(t.Context(), 0) {
		if err != nil {
			t.Fatal(err)
		}
		for _, frame := range batch {
			frames = append(frames, string(frame))
		}
	}
	return frames
}

func TestEveryReaderGetsTheWholeRun(t *testing.T) {
	h := openHub(t, store.NewMemory(), saying(End{Status: Success, Spoken: true}, "one", "two"))
	f := submit(t, h, "r")
	for range 2 {
		if got := readAll(t, f); !slices.Equal(got, []string{"one", "two", "last"}) {
			t.Errorf("got %v", got)
		}
	}
	if got := readAll(t, submit(t, h, "r")); !slices.Equal(got, []string{"one", "two", "last"}) {
		t.Errorf("a repeated input reads the log, and got %v", got)
	}
}

func TestAReaderThatLeavesEndsNothing(t *testing.T) {
	goOn := make(chan struct{})
	h := openHub(t, store.NewMemory(), script(func(_ context.Context, _ Call, yield func(Output, error) bool) {
		yield(Output{Frame: []byte("one")}, nil)
		<-goOn
		yield(Output{End: &End{Status: Success}}, nil)
	}))
	f := submit(t, h, "r")
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	for range f.Batches(ctx, 0) {
		leave()
	}
	close(goOn)
	readAll(t, f)
	if f.End().Status != Success {
		t.Errorf("the run ended %+v", f.End())
	}
}

func TestCancelAndShutdownReachTheRunWithTheirCause(t *testing.T) {
	h := openHub(t, store.NewMemory(), script(waits))
	f := submit(t, h, "r")
	if err := h.Cancel(t.Context(), "t", "ada"); err != nil {
		t.Fatal(err)
	}
	if readAll(t, f); f.End().Status != Cancelled {
		t.Errorf("cancelled: %+v", f.End())
	}
	f = submit(t, h, "r2")
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.End().Failure == nil || f.End().Failure.Code != CodeRunLost {
		t.Errorf("shut down: %+v", f.End())
	}
	if _, err := h.Submit(t.Context(), "t", sub("r3"), "ada"); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

func TestAnAgentThatPanicsFailsItsRunOnly(t *testing.T) {
	h := openHub(t, store.NewMemory(), script(func(context.Context, Call, func(Output, error) bool) { panic("bad") }))
	for _, run := range []string{"r1", "r2"} {
		f := submit(t, h, run)
		readAll(t, f)
		if f.End().Status != Failed || f.End().Failure.Code != CodeInternal {
			t.Errorf("%+v", f.End())
		}
	}
}

func TestAnAgentWithoutAnEndFailsItsRun(t *testing.T) {
	f := submit(t, openHub(t, store.NewMemory(), script(blocking)), "r")
	if readAll(t, f); f.End().Status != Failed {
		t.Errorf("%+v", f.End())
	}
}

// A question is in the log before anybody sees it, or nobody sees it.
func TestAnEndThatCannotBeStoredIsNotShown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := storetest.NewFaulty(store.NewMemory())
		go1 := make(chan struct{})
		h := NewHub(Options{Log: log, Agents: []Agent{script(func(_ context.Context, _ Call, yield func(Output, error) bool) {
			<-go1
			yield(Output{Frame: []byte("asks"), End: &End{Status: Interrupted, Requests: []hitl.Request{approvalOf("q")}, Spoken: true}}, nil)
		})}})
		f := submit(t, h, "r")
		for n := 1; n <= recordTries; n++ {
			log.Fail(n, storetest.BeforeWrite)
		}
		close(go1)
		if got := readAll(t, f); len(got) > 0 {
			t.Errorf("shown: %v", got)
		}
		if f.End().Status != Failed {
			t.Errorf("%+v", f.End())
		}
		log.Heal()
		state, err := h.Thread(t.Context(), "t")
		if err != nil || len(state.Pending) > 0 || state.phase() != Idle {
			t.Errorf("afterwards %+v %v", state, err)
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// What a process left running is lost, and known to be.
func TestAHubOnTheLogOfAnotherFindsItsRunLost(t *testing.T) {
	log := store.NewMemory()
	first := openHub(t, log, script(waits))
	submit(t, first, "r")
	second := openHub(t, log, saying(End{Status: Success, Spoken: true}))
	state, err := second.Thread(t.Context(), "t")
	if err != nil || state.phase() != Idle {
		t.Fatalf("%+v %v", state, err)
	}
	f := submit(t, second, "r")
	if readAll(t, f); f.End().Failure == nil || f.End().Failure.Code != CodeRunLost {
		t.Errorf("the lost run reads %+v", f.End())
	}
	if got := readAll(t, submit(t, second, "r2")); !slices.Equal(got, []string{"last"}) {
		t.Errorf("the thread goes on with %v", got)
	}
}

// Frames of a quiet run are in the log after a second at the latest.
func TestFramesAreStoredWithinASecond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := store.NewMemory()
		h := NewHub(Options{Log: log, Agents: []Agent{script(waits)}})
		submit(t, h, "r")
		stored := func() (n int) {
			for e := range log.Read(t.Context(), "t", 0) {
				if e.Kind == store.KindFrames {
					n++
				}
			}
			return n
		}
		time.Sleep(flushAfter - time.Millisecond)
		synctest.Wait()
		if stored() != 0 {
			t.Error("frames are not packed")
		}
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		if stored() != 1 {
			t.Error("frames are not stored")
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkFeedFanOut(b *testing.B) {
	for _, readers := range []int{1, 100, 1_000} {
		b.Run(fmt.Sprintf("readers=%d", readers), func(b *testing.B) {
			b.ReportAllocs()
			f := newFeed("r", script(blocking))
			done := make(chan struct{}, readers)
			for range readers {
				go func() {
					for range f.Batches(b.Context(), 0) {
					}
					done <- struct{}{}
				}()
			}
			frame := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"word "}`)
			for b.Loop() {
				f.add(frame)
			}
			f.close(nil, &End{})
			for range readers {
				<-done
			}
		})
	}
}

// An end whose acknowledgement was lost is shown, and is in the log once.
func TestALostAcknowledgementIsNotWrittenAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := storetest.NewFaulty(store.NewMemory())
		release := make(chan struct{})
		h := NewHub(Options{Log: log, Agents: []Agent{script(func(_ context.Context, _ Call, yield func(Output, error) bool) {
			<-release
			yield(Output{Frame: []byte("asks"), End: &End{Status: Interrupted, Requests: []hitl.Request{approvalOf("q")}, Spoken: true}}, nil)
		})}})
		f := submit(t, h, "r")
		log.Fail(1, storetest.AfterWrite)
		close(release)
		if got := readAll(t, f); !slices.Equal(got, []string{"asks"}) || f.End().Status != Interrupted {
			t.Errorf("shown: %v %+v", got, f.End())
		}
		var frames int
		for e := range log.Read(t.Context(), "t", 0) {
			if e.Kind == store.KindFrames {
				frames++
			}
		}
		if frames != 1 {
			t.Errorf("the frames are in the log %d times", frames)
		}
		if err := h.Close(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// Calls that a run leaves to the application are told again to whoever reads it again.
func TestWhatARunLeavesIsToldAgain(t *testing.T) {
	log := store.NewMemory()
	call := hitl.Request{ID: "c", Kind: hitl.KindClientTool, Call: &hitl.ToolCall{ID: "c", Name: "where", Args: []byte(`{}`)}}
	first := openHub(t, log, saying(End{Status: Success, Spoken: true, Requests: []hitl.Request{call}}))
	readAll(t, submitTo(t, first, "t", "r1"))
	f, err := openHub(t, log, script(blocking)).Attach(t.Context(), "t", "r1")
	if err != nil {
		t.Fatal(err)
	}
	if end := f.End(); end.Status != Success || len(end.Requests) != 1 || end.Requests[0].ID != "c" {
		t.Errorf("it ended as %+v", end)
	}
	asks := store.NewMemory()
	readAll(t, submitTo(t, openHub(t, asks, saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}})), "t", "r1"))
	for e := range asks.Read(t.Context(), "t", 0) {
		if r, err := decode(e); err != nil {
			t.Fatal(err)
		} else if end, ok := r.(Ended); ok && len(end.Left) > 0 {
			t.Errorf("a run that stopped to ask leaves %+v", end.Left)
		}
	}
}
