package jetstream

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/store"
)

func ids(t testing.TB, l *Log) []string {
	t.Helper()
	set := map[string]bool{}
	for info, err := range l.Threads(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if set[info.ID] {
			t.Errorf("thread %q is listed twice", info.ID)
		}
		set[info.ID] = true
	}
	return slices.Sorted(maps.Keys(set))
}

func TestRetain(t *testing.T) {
	l := embedded(t, t.TempDir())
	old, now := entry("old"), entry("now")
	now.At = old.At.Add(time.Hour)
	mustAppend(t, l, "gone", 0, old, old)
	mustAppend(t, l, "kept", 0, old, now)
	n, err := l.Retain(t.Context(), now.At)
	if err != nil || n != 1 {
		t.Fatalf("deleted %d threads, %v", n, err)
	}
	if got := ids(t, l); !slices.Equal(got, []string{"kept"}) {
		t.Errorf("threads are %q", got)
	}
	if got := bodies(t, l, "gone", 0); len(got) != 0 {
		t.Errorf("the deleted thread holds %q", got)
	}
	if seq, err := l.Last(t.Context(), "gone"); seq != 0 || err != nil {
		t.Errorf("the deleted thread ends at %d, %v", seq, err)
	}
	if _, err := l.Append(t.Context(), "gone", 2, now); !isConflict(err) {
		t.Errorf("append to the deleted thread: %v", err)
	}
	mustAppend(t, l, "gone", 0, now)
	if got := bodies(t, l, "gone", 0); !slices.Equal(got, []string{"now"}) {
		t.Errorf("the new thread holds %q", got)
	}
	info, err := l.stream.Info(t.Context())
	if err != nil || info.State.Msgs != 2 {
		t.Errorf("the stream holds %d messages, %v", info.State.Msgs, err)
	}
}

// Who deletes a thread and ends before its entries are removed leaves a grave.
// There is no thread any more, one of the same name can begin, and the next to
// come by removes the rest.
func TestGrave(t *testing.T) {
	l := embedded(t, t.TempDir())
	for _, thread := range []string{"again", "never"} {
		mustAppend(t, l, thread, 0, entry("a"), entry("b"))
		end, _ := l.known.end(thread)
		to, _ := address(thread)
		if _, err := l.dig(t.Context(), to, end.stream); err != nil {
			t.Fatal(err)
		}
	}
	if got := ids(t, l); len(got) != 0 {
		t.Errorf("threads are %q", got)
	}
	mustAppend(t, l, "again", 0, entry("c"))
	bodiesAfterGrave(t, l, "never", 0) // may still be what was there; what comes now may not
	if got := bodiesAfterGrave(t, l, "never", 0); len(got) != 0 {
		t.Errorf("the deleted thread holds %q", got)
	}
	for after, want := range [][]string{{"c"}, {}} {
		if got := bodiesAfterGrave(t, l, "again", uint64(after)); !slices.Equal(got, want) {
			t.Errorf("after %d, the thread holds %q, want %q", after, got, want)
		}
	}
	if n, err := l.Retain(t.Context(), time.Time{}); n != 0 || err != nil {
		t.Errorf("deleted %d threads, %v", n, err)
	}
	if err := l.Delete(t.Context(), "again"); err != nil {
		t.Error(err)
	}
	if err := l.Delete(t.Context(), "again"); err != nil {
		t.Error(err)
	}
	info, err := l.stream.Info(t.Context())
	if err != nil || info.State.Msgs != 0 {
		t.Errorf("the stream holds %d messages, %v", info.State.Msgs, err)
	}
}

func bodiesAfterGrave(t *testing.T, l *Log, thread string, after uint64) (texts []string) {
	t.Helper()
	l.known.forget(thread)
	for e, err := range l.Read(t.Context(), thread, after) {
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(e.Body))
	}
	if texts == nil {
		texts = []string{}
	}
	return texts
}

// Another process deletes a thread that this one knows well.
func TestDeletedElsewhere(t *testing.T) {
	s := startExternal(t)
	a, b := connected(t, s.url(), Options{}), connected(t, s.url(), Options{})
	_, stop := a.Watch("t")
	defer stop()
	mustAppend(t, a, "t", 0, entry("a"), entry("b"))
	if err := b.Delete(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	if got := bodies(t, a, "t", 0); len(got) != 0 {
		t.Errorf("the thread holds %q", got)
	}
	if _, err := a.Append(t.Context(), "t", 2, entry("c")); !isConflict(err) {
		t.Errorf("append: %v", err)
	}
	mustAppend(t, b, "t", 0, entry("c"))
	mustAppend(t, a, "t", 1, entry("d"))
	if got := bodies(t, a, "t", 0); !slices.Equal(got, []string{"c", "d"}) {
		t.Errorf("the thread holds %q", got)
	}
}

// More threads than the engine lists at once.
func TestManyThreads(t *testing.T) {
	t.Parallel()
	s := startExternal(t) // without a sync for each
	l := connected(t, s.url(), Options{})
	fill(t, l, 3000)
	if got := ids(t, l); len(got) != 3000 {
		t.Errorf("%d threads, want 3000", len(got))
	}
}

// fill makes threads of one entry.
func fill(t testing.TB, l *Log, threads int) {
	t.Helper()
	work := make(chan int)
	done := make(chan error)
	for range 16 {
		go func() {
			var err error
			for i := range work {
				if err == nil {
					_, err = l.Append(t.Context(), fmt.Sprint("thread ", i), 0, store.Entry{Kind: store.KindEnded, Body: make([]byte, 300)})
				}
			}
			done <- err
		}()
	}
	for i := range threads {
		work <- i
	}
	close(work)
	for range 16 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
}
