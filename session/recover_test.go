package session

import (
	"context"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

// counted is a log that counts how many entries are read of each thread.
type counted struct {
	store.Log
	mu   *sync.Mutex
	read map[string]int
}

func (c counted) Read(ctx context.Context, thread string, after uint64) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range c.Log.Read(ctx, thread, after) {
			c.mu.Lock()
			c.read[thread]++
			c.mu.Unlock()
			if !yield(e, err) {
				return
			}
		}
	}
}

func submitTo(t *testing.T, h *Hub, thread, run string) *Feed {
	t.Helper()
	a, err := h.Submit(t.Context(), thread, Submission{RunID: run, Agent: "a", Protocol: AGUI, Input: []byte(`{"run":"` + run + `"}`)}, "ada")
	if err != nil {
		t.Fatal(err)
	}
	return a.Feed
}

// resumeOn goes on with what the thread "t" asks.
func resumeOn(t *testing.T, h *Hub, run string, answers ...Answer) *Feed {
	t.Helper()
	a, err := h.Submit(t.Context(), "t", Submission{
		RunID: run, Agent: "a", Protocol: AGUI, Input: []byte(`{"run":"` + run + `"}`), Resume: true, Answers: answers,
	}, "ada")
	if err != nil {
		t.Fatal(err)
	}
	return a.Feed
}

// A process that ends keeps what waits, and the next one takes it up without being asked;
// threads at rest are not loaded.
func TestANewProcessGoesOnWhereTheLastOneEnded(t *testing.T) {
	log := store.NewMemory()
	first := NewHub(Options{Log: log, Agents: []Agent{script(func(ctx context.Context, c Call, yield func(Output, error) bool) {
		switch c.ThreadID {
		case "busy":
			waits(ctx, c, yield)
		case "asks":
			saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}})(ctx, c, yield)
		default:
			saying(End{Status: Success, Spoken: true}, "one", "two")(ctx, c, yield)
		}
	})}})
	for _, thread := range []string{"rests", "asks"} {
		readAll(t, submitTo(t, first, thread, "r1"))
	}
	lost := submitTo(t, first, "busy", "r1")
	held := []*Feed{submitTo(t, first, "busy", "r2"), submitTo(t, first, "busy", "r3")}
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if readAll(t, lost); lost.End().Failure == nil || lost.End().Failure.Code != CodeRunLost {
		t.Errorf("the run that was going on ended as %+v", lost.End())
	}
	for _, f := range held {
		select {
		case <-f.Began():
			t.Error("a held input began although the process was ending")
		default:
		}
	}

	ran := make(chan string, 10)
	reading := counted{Log: log, mu: new(sync.Mutex), read: map[string]int{}}
	second := NewHub(Options{Log: reading, Agents: []Agent{script(func(ctx context.Context, c Call, yield func(Output, error) bool) {
		ran <- c.RunID
		saying(End{Status: Success, Spoken: true})(ctx, c, yield)
	})}})
	defer func() {
		if err := second.Close(context.Background()); err != nil {
			t.Error(err)
		}
	}()
	if err := second.Recover(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"r2", "r3"} {
		select {
		case got := <-ran:
			if got != want {
				t.Errorf("%s ran, want %s", got, want)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%s never ran", want)
		}
	}
	reading.mu.Lock()
	defer reading.mu.Unlock()
	if reading.read["rests"] > 1 {
		t.Errorf("%d entries of a thread at rest were read", reading.read["rests"])
	}
	inbox, err := second.Inbox(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	open := inbox.Open()
	if len(open) != 1 || open[0].ThreadID != "asks" || open[0].Request.ID != "q" {
		t.Errorf("open after the restart: %+v", open)
	}
}

// What a crash leaves at any point of the log is taken up.
func TestRecoverFromAnyPrefixOfALog(t *testing.T) {
	log := store.NewMemory()
	first := NewHub(Options{Log: log, Agents: []Agent{script(func(ctx context.Context, c Call, yield func(Output, error) bool) {
		if c.RunID == "r1" {
			saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q1"), approvalOf("q2")}}, "one")(ctx, c, yield)
			return
		}
		saying(End{Status: Success, Spoken: true}, "two")(ctx, c, yield)
	})}})
	readAll(t, submitTo(t, first, "t", "r1"))
	submitTo(t, first, "t", "held")
	if err := first.Answer(t.Context(), "t", says("q1", `{"approved":true}`), "bob"); err != nil {
		t.Fatal(err)
	}
	readAll(t, resumeOn(t, first, "r2", says("q2", `{"approved":false}`)))
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	var entries []store.Entry
	for e, err := range log.Read(t.Context(), "t", 0) {
		if err != nil {
			t.Fatal(err)
		}
		entries = append(entries, e)
	}
	if !slices.ContainsFunc(entries, func(e store.Entry) bool { return e.Kind == store.KindAnswered }) || len(entries) < 10 {
		t.Fatalf("the log holds %d entries", len(entries))
	}
	for n := range len(entries) + 1 {
		cut := store.NewMemory()
		if n > 0 {
			if _, err := cut.Append(t.Context(), "t", 0, entries[:n]...); err != nil {
				t.Fatal(err)
			}
		}
		second := NewHub(Options{Log: cut, Agents: []Agent{saying(End{Status: Success, Spoken: true})}})
		if err := second.Recover(t.Context()); err != nil {
			t.Fatalf("after %d entries: %v", n, err)
		}
		if n > 0 {
			untilCalm(t, second, "t")
		}
		if err := second.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		var s State
		answered := map[string]bool{}
		for e := range cut.Read(t.Context(), "t", 0) {
			r, err := decode(e)
			if err != nil {
				t.Fatal(err)
			}
			if a, ok := r.(Answered); ok {
				answered[a.Request.ID] = true
			}
			s = Fold(s, r)
		}
		if s.phase() == Running || s.phase() == Idle && len(s.Queue) > 0 {
			t.Errorf("after %d entries the thread is %s with %d inputs", n, s.phase(), len(s.Queue))
		}
		for _, q := range s.Pending {
			if answered[q.ID] {
				t.Errorf("after %d entries %s is open again", n, q.ID)
			}
		}
	}
}

// untilCalm waits until nothing runs on a thread and nothing is about to.
func untilCalm(t *testing.T, h *Hub, thread string) {
	t.Helper()
	for range 5000 {
		s, err := h.Thread(t.Context(), thread)
		if err != nil {
			t.Fatal(err)
		}
		if s.phase() == Awaiting || s.phase() == Idle && len(s.Queue) == 0 {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatal("the thread does not come to rest")
}

type keeper struct {
	script
	told chan string
}

func (k keeper) Withdrawn(thread string) { k.told <- thread }

// An agent that keeps something for a stopped run hears that nobody will answer it.
func TestAStoppedThreadTellsItsAgent(t *testing.T) {
	k := keeper{script: saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}}), told: make(chan string, 1)}
	h := openHub(t, store.NewMemory(), k)
	readAll(t, submitTo(t, h, "t", "r1"))
	if err := h.Cancel(t.Context(), "t", "ada"); err != nil {
		t.Fatal(err)
	}
	select {
	case thread := <-k.told:
		if thread != "t" {
			t.Errorf("told of %s", thread)
		}
	default:
		t.Error("it was not told")
	}
}

// A resume that is repeated joins the run it started, also when something newer is open.
func TestARepeatedResumeJoinsItsRunWhileMoreIsAsked(t *testing.T) {
	asked := 0
	h := openHub(t, store.NewMemory(), script(func(ctx context.Context, c Call, yield func(Output, error) bool) {
		asked++
		saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf(map[int]string{1: "q1", 2: "q2"}[asked])}}, c.RunID)(ctx, c, yield)
	}))
	readAll(t, submitTo(t, h, "t", "r1"))
	answer := func(run string) []string {
		admitted := resumeOn(t, h, run, says("q1", `{"approved":true}`))
		return readAll(t, admitted)
	}
	first := answer("r2")
	if again := answer("r9"); !slices.Equal(first, again) || first[0] != "r2" {
		t.Errorf("the first time %v, then %v", first, again)
	}
}

// Who comes back for an input that was held before a restart waits for its run, like
// everybody else.
func TestAnInputThatWasHeldBeforeARestartIsWaitedFor(t *testing.T) {
	log := store.NewMemory()
	agent := script(func(ctx context.Context, c Call, yield func(Output, error) bool) {
		if c.RunID == "r1" {
			saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}})(ctx, c, yield)
			return
		}
		saying(End{Status: Success, Spoken: true}, c.RunID)(ctx, c, yield)
	})
	first := NewHub(Options{Log: log, Agents: []Agent{agent}})
	readAll(t, submitTo(t, first, "t", "r1"))
	submitTo(t, first, "t", "held")
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := openHub(t, log, agent)
	again := submitTo(t, second, "t", "held")
	attached, err := second.Attach(t.Context(), "t", "held")
	if err != nil || again.End() != nil || attached.End() != nil {
		t.Fatalf("%v; it is over before it began: %+v", err, again.End())
	}
	if err := second.Cancel(t.Context(), "t", "ada"); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*Feed{again, attached} {
		if got := readAll(t, f); !slices.Equal(got, []string{"held", "last"}) {
			t.Errorf("it is %q", got)
		}
	}
}
