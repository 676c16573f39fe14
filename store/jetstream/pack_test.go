package jetstream

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/store"
)

func TestPack(t *testing.T) {
	entries := []store.Entry{
		{Kind: store.KindInput, At: time.Unix(-5, 999_999_999), Body: []byte("one")},
		{Kind: "", At: time.Time{}, Body: nil},
		{Kind: store.KindFrames, At: time.Now(), Body: bytes.Repeat([]byte("x"), 1000)},
	}
	for _, size := range []int{1, 10, 999, 1 << 20} {
		messages, err := pack(7, entries, size, 1<<20)
		if err != nil {
			t.Fatal(err)
		}
		r := reading{end: position{last: 6}}
		var got []store.Entry
		left := ^uint64(0)
		for i, b := range messages {
			m, err := newMessage(uint64(i)+1, "s", b)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := r.take([]message{m}, &left, func(e store.Entry) bool { got = append(got, e); return true }); err != nil {
				t.Fatal(err)
			}
		}
		if len(got) != len(entries) {
			t.Fatalf("%d entries, in messages of %d", len(got), size)
		}
		for i, e := range got {
			if w := entries[i]; e.Seq != uint64(7+i) || e.Kind != w.Kind || !e.At.Equal(w.At) || !bytes.Equal(e.Body, w.Body) {
				t.Errorf("entry %d came back as %v", i, e)
			}
		}
	}
}

// No bit can change without notice.
func TestChecksum(t *testing.T) {
	messages, err := pack(1, []store.Entry{entry("body")}, 100, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 8 * len(messages[0]) {
		b := bytes.Clone(messages[0])
		b[i/8] ^= 1 << (i % 8)
		if _, _, err := unseal(b); !errors.Is(err, ErrDamaged) {
			t.Errorf("bit %d changed: %v", i, err)
		}
	}
}

// FuzzUnpack gives the decoder any bytes, with a checksum that fits: it refuses
// them, or what it makes of them packs into something that says the same.
func FuzzUnpack(f *testing.F) {
	for _, size := range []int{5, 100} {
		messages, _ := pack(3, []store.Entry{entry("one"), entry("two")}, size, 1000)
		for _, m := range messages {
			f.Add(m[:len(m)-sumSize])
		}
	}
	f.Add(grave())
	f.Add([]byte{version, holdsEntries, 1, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1, 0, 1, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, payload, err := unseal(seal(bytes.Clone(b)))
		if err != nil || h.grave || h.parts > 1 {
			return
		}
		entries, err := unpack(h, payload)
		if err != nil {
			return
		}
		again, err := pack(h.first, entries, 1<<20, 1<<20)
		if err != nil {
			return
		}
		h2, payload, err := unseal(again[0])
		if err != nil {
			t.Fatal(err)
		}
		second, err := unpack(h2, payload)
		if err != nil || len(second) != len(entries) {
			t.Fatalf("%d entries, then %d, %v", len(entries), len(second), err)
		}
		for i, e := range entries {
			s := second[i]
			if s.Seq != e.Seq || s.Kind != e.Kind || !s.At.Equal(e.At) || !bytes.Equal(s.Body, e.Body) {
				t.Errorf("entry %v, then %v", e, s)
			}
		}
	})
}
