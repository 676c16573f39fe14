package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

func entriesOf(t *testing.T, log store.Log, kind store.Kind) (n int) {
	t.Helper()
	for e, err := range log.Read(t.Context(), "t", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if e.Kind == kind {
			n++
		}
	}
	return n
}

// A long thread is read from a snapshot on, and is what it was; its old runs are there, and
// what happens next is what would have happened.
func TestALongThreadIsReadFromItsSnapshot(t *testing.T) {
	log := counted{Log: store.NewMemory(), mu: new(sync.Mutex), read: map[string]int{}}
	agent := script(func(ctx context.Context, c Call, yield func(Output, error) bool) {
		if len(c.RunID) > 3 && c.RunID[:3] == "ask" {
			saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}}, "asked")(ctx, c, yield)
			return
		}
		saying(End{Status: Success, Spoken: true}, c.RunID)(ctx, c, yield)
	})
	first := openHub(t, log, agent)
	answer := func(h *Hub, n int, payload string) {
		t.Helper()
		id := "q"
		if n > 0 {
			id = numbered("q", n+1)
		}
		a, err := h.Submit(t.Context(), "t", Submission{
			RunID: fmt.Sprint("go", n), Agent: "a", Protocol: AGUI, Input: fmt.Appendf(nil, `{"n":%d}`, n), Resume: true, Answers: []Answer{says(id, payload)},
		}, "ada")
		if err != nil {
			t.Fatal(err)
		}
		readAll(t, a.Feed)
	}
	const turns = 300
	for n := range turns {
		readAll(t, submitTo(t, first, "t", fmt.Sprint("ask", n)))
		answer(first, n, `{"approved":true}`)
	}
	readAll(t, submitTo(t, first, "t", "asklast"))
	held := submitTo(t, first, "t", "held")
	want, err := first.Thread(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	if n := entriesOf(t, log, store.KindSnapshot); n == 0 || n > 10 {
		t.Errorf("the log has %d snapshots", n)
	}
	log.mu.Lock()
	log.read["t"] = 0
	log.mu.Unlock()
	second := openHub(t, log, agent)
	got, err := second.Thread(t.Context(), "t")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	log.mu.Lock()
	if n := log.read["t"]; n > snapshotNear {
		t.Errorf("%d entries were read", n)
	}
	log.mu.Unlock()
	ids, _, err := second.Runs(t.Context(), "t", 0)
	if err != nil || len(ids) != 2*turns+1 || ids[0] != "ask0" || ids[2*turns] != "asklast" {
		t.Errorf("%v, %d runs", err, len(ids))
	}
	f, err := second.Attach(t.Context(), "t", "go0")
	if err != nil {
		t.Fatal(err)
	}
	if got := readAll(t, f); !slices.Equal(got, []string{"go0", "last"}) || f.Past().First != "ask0" || len(f.Past().Turn) != 1 {
		t.Errorf("an old run is %q, after %+v", got, f.Past().Turn)
	}
	answer(second, turns, `{"approved":false}`)
	after, err := second.Thread(t.Context(), "t")
	if err != nil || !after.Runs["held"].Ended && after.Run.ID != "held" || len(after.Settled) != turns+1 {
		t.Errorf("%v, %s, %d answers", err, after.Run.ID, len(after.Settled))
	}
	_ = held
}

// A snapshot that is far from the end, or that there is none, changes nothing.
func TestAThreadIsTheSameWhereverItsSnapshotIs(t *testing.T) {
	for _, tc := range []struct{ before, after int }{
		{0, 0}, {10, 0}, {3 * snapshotNear, 0}, {10, 10}, {700, snapshotNear - 700}, {700, 2 * snapshotNear}, {700, 2 * snapshotFar},
	} {
		log := store.NewMemory()
		var want State
		var ids []string
		places, seq := places{}, uint64(0)
		add := func(records ...Record) {
			var entries []store.Entry
			for _, r := range records {
				e, err := encode(r, now)
				if err != nil {
					t.Fatal(err)
				}
				entries = append(entries, e)
				want = Fold(want, r)
				seq++
				places.follow(r, seq)
				if s, ok := r.(Started); ok {
					ids = append(ids, s.RunID)
				}
			}
			if _, err := log.Append(t.Context(), "t", seq-uint64(len(records)), entries...); err != nil {
				t.Fatal(err)
			}
		}
		run := func(id string, n int) {
			if n == 0 {
				return
			}
			add(Input{sub(id)}, Started{RunID: id, Agent: "a", Protocol: AGUI, At: now})
			for range n {
				add(Frames{RunID: id, Frames: [][]byte{delta}})
			}
			add(Ended{RunID: id, Status: Success, Spoken: true})
		}
		run("before", tc.before)
		if tc.before > 0 {
			add(Snapshot{State: want, Begun: ids, Places: places})
		}
		run("after", tc.after)
		s, done, err := openHub(t, log, script(blocking)).use(t.Context(), "t", true)
		if err != nil {
			t.Fatal(err)
		}
		done()
		if diff := cmp.Diff(want, s.state, cmpopts.EquateEmpty()); diff != "" || s.seq != seq {
			t.Errorf("%+v: at %d, %s", tc, s.seq, diff)
		}
		if diff := cmp.Diff(places, s.places, cmpopts.EquateEmpty()); diff != "" || !slices.Equal(ids, s.begun.ids) {
			t.Errorf("%+v: begun %v, %s", tc, s.begun.ids, diff)
		}
	}
}

// A thread that rests with a snapshot at its end is not read when the bridge starts.
func TestAThreadThatRestsWithASnapshotIsNotTakenUp(t *testing.T) {
	for rests, s := range map[bool]State{true: {Phase: Idle}, false: {Phase: Idle, Queue: []Submission{sub("held")}}} {
		log := store.NewMemory()
		e, err := encode(Snapshot{State: s}, now)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Append(t.Context(), "t", 0, e); err != nil {
			t.Fatal(err)
		}
		h := openHub(t, log, saying(End{Status: Success, Spoken: true}))
		if err := h.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		if inMemory(h)["t"] == rests {
			t.Errorf("rests: %t, and is taken up", rests)
		}
	}
}
