package jetstream

import (
	"errors"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/store"
)

func large(c string) store.Entry { return entry(c + strings.Repeat("x", 3*maxPartBytes)) }

// What does not fit into a message is several, and still is there or is not.
func TestLargeAppend(t *testing.T) {
	l := embedded(t, t.TempDir())
	mustAppend(t, l, "t", 0, entry("a"), large("b"), entry("c"))
	mustAppend(t, l, "t", 3, large("d"))
	got := bodies(t, l, "t", 0)
	if len(got) != 4 || got[1] != string(large("b").Body) || got[2] != "c" || got[3] != string(large("d").Body) {
		t.Errorf("%d entries came back, or others", len(got))
	}
	l.opts.MaxAppend = 1000
	if _, err := l.Append(t.Context(), "t", 4, large("e")); !errors.Is(err, ErrTooLarge) {
		t.Errorf("append beyond the limit: %v", err)
	}
}

// tear writes the first messages of an append, as a writer does that ends in the
// middle.
func tear(t *testing.T, l *Log, thread string, after uint64, parts int) {
	t.Helper()
	to, err := address(thread)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := pack(after+1, []store.Entry{large("torn")}, l.partSize, l.opts.MaxAppend)
	if err != nil {
		t.Fatal(err)
	}
	end, _ := l.known.end(thread)
	if _, err := l.publish(t.Context(), to, end.stream, messages[:parts]); err != nil {
		t.Fatal(err)
	}
}

// An append that was never completed is not there, for readers, for writers and
// in the list.
func TestTornAppend(t *testing.T) {
	l := embedded(t, t.TempDir())
	tear(t, l, "new", 0, 2)
	mustAppend(t, l, "t", 0, entry("a"), entry("b"))
	tear(t, l, "t", 2, 1)
	if got := bodies(t, l, "t", 0); len(got) != 2 {
		t.Errorf("the thread holds %d entries", len(got))
	}
	if got := bodies(t, l, "new", 0); len(got) != 0 {
		t.Errorf("the new thread holds %d entries", len(got))
	}
	var infos []store.ThreadInfo
	for info, err := range l.Threads(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		infos = append(infos, info)
	}
	if len(infos) != 1 || infos[0].ID != "t" || infos[0].Last != 2 || !infos[0].At.Equal(entry("").At) {
		t.Errorf("threads are %v", infos)
	}
	if _, err := l.Append(t.Context(), "t", 3, entry("x")); !isConflict(err) {
		t.Errorf("append after the torn one: %v", err)
	}
	mustAppend(t, l, "t", 2, large("c"))
	mustAppend(t, l, "new", 0, entry("a"))
	if got := bodies(t, l, "t", 0); len(got) != 3 || got[2] != string(large("c").Body) {
		t.Errorf("the thread holds %d entries, or others", len(got))
	}
}

// A reader that came in the middle of an append reads it when it is complete.
func TestReadWhileLargeAppend(t *testing.T) {
	l := embedded(t, t.TempDir())
	mustAppend(t, l, "t", 0, entry("a"))
	tear(t, l, "t", 1, 2)
	if got := bodies(t, l, "t", 1); len(got) != 0 {
		t.Fatalf("%d entries of an append that is not complete", len(got))
	}
	to, _ := address("t")
	m, err := l.lastMessage(t.Context(), l.thread+to, authoritative)
	if err != nil {
		t.Fatal(err)
	}
	messages, _ := pack(2, []store.Entry{large("torn")}, l.partSize, l.opts.MaxAppend)
	if _, err := l.publish(t.Context(), to, m.seq, messages[2:]); err != nil {
		t.Fatal(err)
	}
	if got := bodies(t, l, "t", 1); len(got) != 1 || got[0] != string(large("torn").Body) {
		t.Errorf("%d entries after it was completed, or others", len(got))
	}
}

// Writers of large appends get in each other's way. One wins, and nobody is told
// anything wrong.
func TestLargeAppendsRace(t *testing.T) {
	t.Parallel()
	s := startExternal(t)
	a, b := connected(t, s.url(), Options{}), connected(t, s.url(), Options{})
	race(t, a, b, 20, large)
}

// A hole in a thread is an error, never silence.
func TestHole(t *testing.T) {
	l := embedded(t, t.TempDir())
	for i := range uint64(5) {
		mustAppend(t, l, "t", i, entry("x"))
	}
	if err := l.stream.DeleteMsg(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	var last error
	n := 0
	for _, err := range l.Read(t.Context(), "t", 0) {
		if last = err; err == nil {
			n++
		}
	}
	if n != 2 || !errors.Is(last, ErrDamaged) {
		t.Errorf("%d entries, then %v", n, last)
	}
}
