package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/store"
)

// Run checks that the logs made by open do what [store.Log] says. Each test
// opens an empty one and closes it.
func Run(t *testing.T, open func(t *testing.T) store.Log) {
	tests := []struct {
		name string
		test func(*testing.T, store.Log)
	}{
		{"append and read", appendAndRead},
		{"append nothing", appendNothing},
		{"append several at once", appendSeveral},
		{"append copies bodies", appendCopies},
		{"bodies of any bytes", anyBodies},
		{"conflict", conflict},
		{"conflict of many writers", conflictOfMany},
		{"unknown thread", unknownThread},
		{"threads are apart", threadsAreApart},
		{"thread ids of any characters", anyThreadIDs},
		{"read from a sequence", readAfter},
		{"the end of a thread", endOfThread},
		{"reading can stop early", readStops},
		{"reading while appending", readWhileAppending},
		{"cancelled context", cancelledContext},
		{"doorbell", doorbell},
		{"doorbell is coalesced", doorbellCoalesced},
		{"doorbell of a thread only", doorbellOfThread},
		{"doorbell of many watchers", doorbellOfMany},
		{"doorbell stops", doorbellStops},
		{"doorbell wakes a waiting reader", doorbellWakes},
		{"list threads", listThreads},
		{"ten thousand entries", tenThousand},
		{"closed", closed},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			log := open(t)
			t.Cleanup(func() {
				if err := log.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
			})
			tt.test(t, log)
		})
	}
}

// patience is how long a doorbell may take.
const patience = 5 * time.Second

// at is a time with all its digits.
var at = time.Date(2026, 2, 3, 4, 5, 6, 789_012_345, time.UTC)

func entry(body string) store.Entry {
	return store.Entry{Kind: store.KindFrames, At: at, Body: []byte(body)}
}

func mustAppend(t *testing.T, log store.Log, thread string, after uint64, entries ...store.Entry) uint64 {
	t.Helper()
	last, err := log.Append(t.Context(), thread, after, entries...)
	if err != nil {
		t.Fatalf("append to %q after %d: %v", thread, after, err)
	}
	return last
}

func read(t *testing.T, log store.Log, thread string, after uint64) []store.Entry {
	t.Helper()
	var entries []store.Entry
	for e, err := range log.Read(t.Context(), thread, after) {
		if err != nil {
			t.Fatalf("read %q after %d: %v", thread, after, err)
		}
		entries = append(entries, e)
	}
	return entries
}

func bodies(t *testing.T, log store.Log, thread string, after uint64) []string {
	t.Helper()
	var texts []string
	for _, e := range read(t, log, thread, after) {
		texts = append(texts, string(e.Body))
	}
	return texts
}

func wantBodies(t *testing.T, log store.Log, thread string, after uint64, want ...string) {
	t.Helper()
	if got := bodies(t, log, thread, after); !slices.Equal(got, want) {
		t.Errorf("thread %q after %d holds %q, want %q", thread, after, got, want)
	}
}

func appendAndRead(t *testing.T, log store.Log) {
	first := store.Entry{Seq: 99, Kind: store.KindInput, At: at, Body: []byte("one")}
	second := store.Entry{Kind: "a kind unknown here", At: at.Add(time.Nanosecond), Body: []byte("two")}
	if last := mustAppend(t, log, "t", 0, first); last != 1 {
		t.Errorf("first append returned %d", last)
	}
	if last := mustAppend(t, log, "t", 1, second); last != 2 {
		t.Errorf("second append returned %d", last)
	}
	first.Seq, second.Seq = 1, 2
	got := read(t, log, "t", 0)
	if len(got) != 2 || !same(got[0], first) || !same(got[1], second) {
		t.Errorf("read %v, want %v", got, []store.Entry{first, second})
	}
}

func same(a, b store.Entry) bool {
	return a.Seq == b.Seq && a.Kind == b.Kind && a.At.Equal(b.At) && string(a.Body) == string(b.Body)
}

func appendNothing(t *testing.T, log store.Log) {
	if last := mustAppend(t, log, "t", 0); last != 0 {
		t.Errorf("appending nothing to nothing returned %d", last)
	}
	for info, err := range log.Threads(t.Context()) {
		t.Errorf("there is a thread %v, %v", info, err)
	}
	mustAppend(t, log, "t", 0, entry("one"))
	if last := mustAppend(t, log, "t", 1); last != 1 {
		t.Errorf("appending nothing returned %d", last)
	}
	if _, err := log.Append(t.Context(), "t", 0); !errors.Is(err, store.ErrConflict) {
		t.Errorf("appending nothing after the wrong entry: %v", err)
	}
	wantBodies(t, log, "t", 0, "one")
}

func appendSeveral(t *testing.T, log store.Log) {
	if last := mustAppend(t, log, "t", 0, entry("one"), entry("two"), entry("three")); last != 3 {
		t.Errorf("append returned %d", last)
	}
	if _, err := log.Append(t.Context(), "t", 2, entry("x"), entry("y")); !errors.Is(err, store.ErrConflict) {
		t.Errorf("append after the wrong entry: %v", err)
	}
	if last := mustAppend(t, log, "t", 3, entry("four"), entry("five")); last != 5 {
		t.Errorf("append returned %d", last)
	}
	wantBodies(t, log, "t", 0, "one", "two", "three", "four", "five")
	for i, e := range read(t, log, "t", 0) {
		if e.Seq != uint64(i)+1 {
			t.Errorf("entry %d has sequence %d", i, e.Seq)
		}
	}
}

func appendCopies(t *testing.T, log store.Log) {
	body := []byte("as written")
	mustAppend(t, log, "t", 0, store.Entry{Kind: store.KindInput, At: at, Body: body})
	copy(body, "overwritten")
	wantBodies(t, log, "t", 0, "as written")
}

func anyBodies(t *testing.T, log store.Log) {
	all := make([]byte, 256)
	for i := range all {
		all[i] = byte(i)
	}
	want := []string{"", string(all), "{\"a\":\"\\u0000\"}\n", strings.Repeat("x", 256<<10)}
	for i, body := range want {
		mustAppend(t, log, "t", uint64(i), entry(body))
	}
	for i, got := range bodies(t, log, "t", 0) {
		if got != want[i] {
			t.Errorf("body %d of %d bytes came back as another of %d", i, len(want[i]), len(got))
		}
	}
}

func conflict(t *testing.T, log store.Log) {
	mustAppend(t, log, "t", 0, entry("one"), entry("two"))
	for _, after := range []uint64{0, 1, 3, 1 << 40} {
		if _, err := log.Append(t.Context(), "t", after, entry("x")); !errors.Is(err, store.ErrConflict) {
			t.Errorf("append after %d of 2: %v, want a conflict", after, err)
		}
	}
	if _, err := log.Append(t.Context(), "new", 1, entry("x")); !errors.Is(err, store.ErrConflict) {
		t.Errorf("append after 1 to a new thread: %v, want a conflict", err)
	}
	wantBodies(t, log, "t", 0, "one", "two")
	wantBodies(t, log, "new", 0)
}

// conflictOfMany lets writers race for each place in the log. Each place goes
// to one of them, and what a writer was told it has.
func conflictOfMany(t *testing.T, log store.Log) {
	const writers, places = 8, 40
	won := make([][]string, writers)
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() { won[w] = race(t, log, fmt.Sprint("writer ", w), places) })
	}
	wg.Wait()
	got := bodies(t, log, "t", 0)
	slices.Sort(got)
	want := slices.Sorted(slices.Values(slices.Concat(won...)))
	if len(want) != places || !slices.Equal(got, want) {
		t.Errorf("%d appends were acknowledged, the log holds %d, want %d; they differ", len(want), len(got), places)
	}
}

// race tries for every place once and returns what it wrote. Whoever goes on to
// the next place knows that this one is taken, so a conflict means just that.
func race(t *testing.T, log store.Log, name string, places uint64) (won []string) {
	for place := range places {
		body := fmt.Sprintf("%s, place %d", name, place)
		last, err := log.Append(t.Context(), "t", place, entry(body))
		switch {
		case errors.Is(err, store.ErrConflict):
		case err != nil || last != place+1:
			t.Errorf("append after %d: %d, %v", place, last, err)
			return won
		default:
			won = append(won, body)
		}
	}
	return won
}

func unknownThread(t *testing.T, log store.Log) {
	wantBodies(t, log, "nobody", 0)
	wantBodies(t, log, "nobody", 7)
}

func threadsAreApart(t *testing.T, log store.Log) {
	mustAppend(t, log, "a", 0, entry("a1"))
	mustAppend(t, log, "b", 0, entry("b1"))
	mustAppend(t, log, "a", 1, entry("a2"))
	wantBodies(t, log, "a", 0, "a1", "a2")
	wantBodies(t, log, "b", 0, "b1")
}

// threadIDs is what people and clients come up with.
var threadIDs = []string{
	"plain", "with space", " ", "a.b", ".", "..", "a..b", "a/b", "/", "../../etc", "a\\b", "*", "a.*", ">", "a.>", "$SYS.x", "%2e",
	"a\x00b", "a\nb\r", "\t", "\x7f", "é", "e\u0301", "日本語", "👩‍👩‍👧", "\xff\xfe", "A", "a", "ſ", "a:b;c", "\"quoted\"", "{}", "-", "_",
	strings.Repeat("x", 256), strings.Repeat("é", 128), strings.Repeat("x", 255) + ".", strings.Repeat("\x00", 256),
}

func anyThreadIDs(t *testing.T, log store.Log) {
	for _, id := range threadIDs {
		mustAppend(t, log, id, 0, entry("of "+id))
	}
	for _, id := range threadIDs {
		wantBodies(t, log, id, 0, "of "+id)
	}
	got := slices.Sorted(maps.Keys(threads(t, log)))
	want := slices.Sorted(slices.Values(threadIDs))
	if !slices.Equal(got, want) {
		t.Errorf("threads are %q, want %q", got, want)
	}
}

func readAfter(t *testing.T, log store.Log) {
	mustAppend(t, log, "t", 0, entry("one"), entry("two"), entry("three"))
	wantBodies(t, log, "t", 1, "two", "three")
	wantBodies(t, log, "t", 2, "three")
	wantBodies(t, log, "t", 3)
	wantBodies(t, log, "t", 1<<40)
	if got := read(t, log, "t", 2); got[0].Seq != 3 {
		t.Errorf("sequence %d, want 3", got[0].Seq)
	}
	seq := log.Read(t.Context(), "t", 0)
	for range 2 {
		n := 0
		for _, err := range seq {
			if n++; err != nil {
				t.Errorf("read: %v", err)
			}
		}
		if n != 3 {
			t.Errorf("%d entries, want 3 each time", n)
		}
	}
}

func readStops(t *testing.T, log store.Log) {
	mustAppend(t, log, "t", 0, entry("one"), entry("two"), entry("three"))
	for _, err := range log.Read(t.Context(), "t", 0) {
		if err != nil {
			t.Errorf("read: %v", err)
		}
		break
	}
	for _, err := range log.Threads(t.Context()) {
		if err != nil {
			t.Errorf("threads: %v", err)
		}
		break
	}
	mustAppend(t, log, "t", 3, entry("four"))
}

// readWhileAppending appends pairs: a reader sees a prefix, in order, and never
// half a pair.
func readWhileAppending(t *testing.T, log store.Log) {
	const pairs = 200
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		for i := range uint64(pairs) {
			if _, err := log.Append(t.Context(), "t", 2*i, entry("a"), entry("b")); err != nil {
				t.Errorf("append pair %d: %v", i, err)
				return
			}
		}
	})
	for seen := 0; seen < 2*pairs && !t.Failed(); {
		got := read(t, log, "t", 0)
		if len(got) < seen || len(got)%2 != 0 {
			t.Fatalf("read %d entries after having read %d", len(got), seen)
		}
		seen = len(got)
		for i, e := range got {
			if e.Seq != uint64(i)+1 || string(e.Body) != string("ab"[i%2]) {
				t.Fatalf("entry %d is %d %q", i, e.Seq, e.Body)
			}
		}
	}
}

func cancelledContext(t *testing.T, log store.Log) {
	mustAppend(t, log, "t", 0, entry("one"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := log.Append(ctx, "t", 1, entry("two")); !errors.Is(err, context.Canceled) {
		t.Errorf("append: %v", err)
	}
	for e, err := range log.Read(ctx, "t", 0) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("read: %v, %v", e, err)
		}
	}
	if err := last(log.Read(ctx, "t", 0)); err == nil {
		t.Error("a read that was cancelled ends like one that was not")
	}
	if _, err := log.Last(ctx, "t"); !errors.Is(err, context.Canceled) {
		t.Errorf("last: %v", err)
	}
	if err := last(log.Threads(ctx)); !errors.Is(err, context.Canceled) {
		t.Errorf("threads: %v", err)
	}
	wantBodies(t, log, "t", 0, "one")
}

// last returns the error that a sequence ends with.
func last[T any](seq func(func(T, error) bool)) (last error) {
	for _, err := range seq {
		last = err
	}
	return last
}

func rings(ch <-chan struct{}) bool {
	select {
	case <-ch:
		return true
	case <-time.After(patience):
		return false
	}
}

// silent reports whether the doorbell is quiet once what was appended has had
// time to ring: a bell of another thread does so first.
func silent(t *testing.T, log store.Log, ch <-chan struct{}) bool {
	t.Helper()
	probe, stop := log.Watch("the probe")
	defer stop()
	mustAppend(t, log, "the probe", uint64(len(read(t, log, "the probe", 0))), entry("x"))
	if !rings(probe) {
		t.Error("the probe does not ring")
	}
	select {
	case <-ch:
		return false
	default:
		return true
	}
}

func doorbell(t *testing.T, log store.Log) {
	mustAppend(t, log, "t", 0, entry("before"))
	ch, stop := log.Watch("t")
	defer stop()
	mustAppend(t, log, "t", 1, entry("one"))
	if !rings(ch) {
		t.Error("it does not ring after an append")
	}
	mustAppend(t, log, "t", 2, entry("two"))
	if !rings(ch) {
		t.Error("it does not ring a second time")
	}
}

func doorbellCoalesced(t *testing.T, log store.Log) {
	ch, stop := log.Watch("t")
	defer stop()
	if cap(ch) != 1 {
		t.Errorf("it holds %d rings, want 1", cap(ch))
	}
	for i := range uint64(100) {
		mustAppend(t, log, "t", i, entry("x")) // nobody listens, nothing blocks
	}
	if !rings(ch) {
		t.Error("it does not ring")
	}
}

func doorbellOfThread(t *testing.T, log store.Log) {
	ch, stop := log.Watch("t")
	defer stop()
	mustAppend(t, log, "other", 0, entry("x"))
	if !silent(t, log, ch) {
		t.Error("it rings for another thread")
	}
}

func doorbellOfMany(t *testing.T, log store.Log) {
	var bells []<-chan struct{}
	for range 10 {
		ch, stop := log.Watch("t")
		defer stop()
		bells = append(bells, ch)
	}
	mustAppend(t, log, "t", 0, entry("x"))
	for i, ch := range bells {
		if !rings(ch) {
			t.Errorf("bell %d does not ring", i)
		}
	}
}

func doorbellStops(t *testing.T, log store.Log) {
	gone, stop := log.Watch("t")
	here, stopHere := log.Watch("t")
	defer stopHere()
	stop()
	stop()
	mustAppend(t, log, "t", 0, entry("x"))
	if !rings(here) {
		t.Error("stopping one bell silenced the other")
	}
	if !silent(t, log, gone) {
		t.Error("it rings after stop")
	}
}

// doorbellWakes follows a thread as readers do: read to the end, wait, read on.
func doorbellWakes(t *testing.T, log store.Log) {
	const entries = 100
	ch, stop := log.Watch("t")
	defer stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		for i := range uint64(entries) {
			if _, err := log.Append(t.Context(), "t", i, entry("x")); err != nil {
				t.Errorf("append: %v", err)
				return
			}
		}
	})
	for seen := uint64(0); seen < entries; {
		for _, e := range read(t, log, "t", seen) {
			seen = e.Seq
		}
		if seen < entries && !rings(ch) {
			t.Fatalf("nothing rings after entry %d of %d", seen, entries)
		}
	}
}

func threads(t *testing.T, log store.Log) map[string]store.ThreadInfo {
	t.Helper()
	all := map[string]store.ThreadInfo{}
	for info, err := range log.Threads(t.Context()) {
		if err != nil {
			t.Fatalf("threads: %v", err)
		}
		if _, twice := all[info.ID]; twice {
			t.Errorf("thread %q is listed twice", info.ID)
		}
		all[info.ID] = info
		if info.End.Seq == 0 { // it need not be at hand
			continue
		}
		if last := read(t, log, info.ID, info.Last-1); len(last) != 1 || !same(info.End, last[0]) || info.End.Seq != info.Last {
			t.Errorf("thread %q is said to end with %v, and ends with %v", info.ID, info.End, last)
		}
	}
	return all
}

func listThreads(t *testing.T, log store.Log) {
	if got := threads(t, log); len(got) != 0 {
		t.Errorf("an empty log has threads %v", got)
	}
	later := entry("two")
	later.At = at.Add(time.Hour)
	mustAppend(t, log, "a", 0, entry("one"), later)
	mustAppend(t, log, "b", 0, entry("one"))
	got := threads(t, log)
	if len(got) != 2 || got["a"].Last != 2 || !got["a"].At.Equal(later.At) || got["b"].Last != 1 || !got["b"].At.Equal(at) {
		t.Errorf("threads are %v", got)
	}
}

func tenThousand(t *testing.T, log store.Log) {
	const entries, batch = 10_000, 100
	for after := uint64(0); after < entries; after += batch {
		var pack []store.Entry
		for i := range uint64(batch) {
			pack = append(pack, entry(fmt.Sprint("entry ", after+i+1)))
		}
		mustAppend(t, log, "t", after, pack...)
	}
	n := uint64(0)
	for _, e := range read(t, log, "t", 0) {
		if n++; e.Seq != n || string(e.Body) != fmt.Sprint("entry ", n) {
			t.Fatalf("entry %d is %d %q", n, e.Seq, e.Body)
		}
	}
	if n != entries {
		t.Errorf("%d entries, want %d", n, entries)
	}
	if got := read(t, log, "t", entries-1); len(got) != 1 || got[0].Seq != entries {
		t.Errorf("the tail is %v", got)
	}
}

func closed(t *testing.T, log store.Log) {
	mustAppend(t, log, "t", 0, entry("one"))
	ch, stop := log.Watch("t")
	defer stop()
	for range 2 {
		if err := log.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}
	if !rings(ch) {
		t.Error("closing wakes nobody")
	}
	if _, err := log.Append(t.Context(), "t", 1, entry("two")); !errors.Is(err, store.ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if err := last(log.Read(t.Context(), "t", 0)); !errors.Is(err, store.ErrClosed) {
		t.Errorf("read: %v", err)
	}
	if _, err := log.Last(t.Context(), "t"); !errors.Is(err, store.ErrClosed) {
		t.Errorf("last: %v", err)
	}
	if err := last(log.Threads(t.Context())); !errors.Is(err, store.ErrClosed) {
		t.Errorf("threads: %v", err)
	}
	late, stopLate := log.Watch("t")
	defer stopLate()
	if !rings(late) {
		t.Error("a bell of a closed log does not ring, so its reader never learns")
	}
}
