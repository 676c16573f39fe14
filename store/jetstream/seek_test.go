package jetstream

import (
	"fmt"
	"testing"
)

// A log that remembers nothing finds its place in a long thread among others, and
// reads what follows, wherever that begins.
func TestSeek(t *testing.T) {
	t.Parallel()
	s := startExternal(t)
	l := connected(t, s.url(), Options{})
	last := uint64(0)
	for i := range 1500 {
		mustAppend(t, l, fmt.Sprint("other ", i), 0, entry("x"))
		for range i % 3 {
			last = mustAppend(t, l, "t", last, entry("a"), entry("b"))
		}
	}
	tear(t, l, "t", last, 2)
	for after := range last + 2 {
		if after%297 > 1 && after < last-1 {
			continue
		}
		l.known.forget("t")
		r := &reading{thread: "t", subject: l.thread + must(address("t")), after: after}
		at, err := l.seek(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		if at.last > after || after <= last && after-at.last > 2*near {
			t.Errorf("for what follows %d, reading begins after %d", after, at.last)
		}
		if got := bodies(t, l, "t", after); uint64(len(got)) != last-min(after, last) {
			t.Errorf("%d entries follow %d of %d", len(got), after, last)
		}
	}
}

func must(s string, err error) string {
	if err != nil {
		panic(err)
	}
	return s
}

// What is remembered is bounded, and the busy are remembered longest.
func TestPositions(t *testing.T) {
	var p positions
	for i := range uint64(3 * threadsOfAge) {
		p.add("busy", position{last: i, stream: i + 1})
		p.add(fmt.Sprint(i), position{last: 1, stream: i + 1})
	}
	if n := len(p.young) + len(p.old); n > 2*threadsOfAge {
		t.Errorf("%d threads are remembered", n)
	}
	end, ok := p.end("busy")
	if !ok || end.last != 3*threadsOfAge-1 {
		t.Errorf("the busy thread ends at %v, %v", end, ok)
	}
	if at, ok := p.before("busy", end.last-3); !ok || at.last != end.last-3 {
		t.Errorf("position %v, %v", at, ok)
	}
	if _, ok := p.before("busy", 1); ok {
		t.Error("a position is known that was dropped")
	}
}
