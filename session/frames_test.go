package session

import (
	"bytes"
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/store"
)

func TestFramesComeBackByteForByte(t *testing.T) {
	frame := rapid.SliceOfN(rapid.Byte(), 0, 300) // lengths of one and of two bytes
	rapid.Check(t, func(t *rapid.T) {
		want := Frames{RunID: rapid.String().Draw(t, "run"), Frames: rapid.SliceOfN(frame, 0, 8).Draw(t, "frames")}
		e, err := encode(want, now)
		if err != nil {
			t.Fatal(err)
		}
		got, err := decode(e)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(Record(want), got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if again := got.(Frames).body(); !bytes.Equal(again, e.Body) {
			t.Fatalf("%x is written again as %x", e.Body, again)
		}
	})
}

// What is cut within a frame is refused. A cut between frames cannot be seen.
func TestDamagedFramesAreRefused(t *testing.T) {
	for _, body := range []string{"", "\x02r", "\x01r\x03on", "\x01r\x80", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01r"} {
		if r, err := readFrames([]byte(body)); !errors.Is(err, errFramesBody) {
			t.Errorf("%q reads as %v, %v", body, r, err)
		}
	}
}

// A frame that is appended to must not run into the next one.
func TestFramesDoNotOverlap(t *testing.T) {
	r, err := readFrames(Frames{RunID: "r", Frames: [][]byte{[]byte("one"), []byte("two")}}.body())
	if err != nil {
		t.Fatal(err)
	}
	frames := r.(Frames).Frames
	_ = append(frames[0], '!')
	if string(frames[1]) != "two" {
		t.Errorf("the next frame became %q", frames[1])
	}
}

// Whatever is accepted is written in one way, and that way is stable.
func FuzzFramesBody(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte("\x01r"))
	f.Add([]byte("\x01r\x03one\x00\x03two"))
	f.Add([]byte("\x81\x00r"))
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"))
	f.Fuzz(func(t *testing.T, body []byte) {
		r, err := readFrames(body)
		if err != nil {
			return
		}
		written := r.(Frames).body()
		again, err := readFrames(written)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(r, again); diff != "" {
			t.Fatal(diff)
		}
		if len(written) > len(body) || len(written) == len(body) && !bytes.Equal(written, body) {
			t.Fatalf("%x is written as %x", body, written)
		}
	})
}

func BenchmarkPublishFrame(b *testing.B) {
	h := NewHub(Options{Log: store.NewMemory(), Agents: []Agent{script(blocking)}})
	frame := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"word "}`)
	s := &Session{hub: h, id: "t", feeds: map[string]*Feed{}}
	f := newFeed("r", script(blocking))
	r := &runner{session: s, feed: f, agent: script(blocking), log: h.opts.Logger}
	b.SetBytes(int64(len(frame)))
	b.ReportAllocs()
	for b.Loop() {
		r.feed.add(frame)
		r.save(frame)
	}
	s.mu.Lock()
	r.stopTimer()
	s.mu.Unlock()
	if err := h.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}
