package session

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/jetstream"
)

var delta = []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"word "}`)

// write appends records to a thread.
func write(b *testing.B, log store.Log, thread string, after uint64, records ...Record) uint64 {
	b.Helper()
	entries := make([]store.Entry, len(records))
	for i, r := range records {
		e, err := encode(r, now)
		if err != nil {
			b.Fatal(err)
		}
		entries[i] = e
	}
	last, err := log.Append(b.Context(), thread, after, entries...)
	if err != nil {
		b.Fatal(err)
	}
	return last
}

// whole is a run that has ended, with frames in entries of a hundred.
func whole(id string, frames int) []Record {
	records := []Record{Input{sub(id)}, Started{RunID: id, Agent: "a", Protocol: AGUI, At: now}}
	for frames > 0 {
		f := Frames{RunID: id}
		for range min(frames, 100) {
			f.Frames = append(f.Frames, delta)
		}
		records, frames = append(records, f), frames-len(f.Frames)
	}
	return append(records, Ended{RunID: id, Status: Success, Spoken: true})
}

// BenchmarkRecover takes threads up that rest: the time and the memory of a start.
// AGUI_BRIDGE_BENCH_LARGE=1 takes up 100,000 of the embedded store, which takes minutes to fill.
func BenchmarkRecover(b *testing.B) {
	takeUp := func(name string, log store.Log, threads int) {
		for n := range threads {
			write(b, log, fmt.Sprint("t", n), 0, whole("r", 10)...)
		}
		b.Run(fmt.Sprintf("%s/threads=%d", name, threads), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				h := NewHub(Options{Log: log, Agents: []Agent{script(blocking)}})
				if err := h.Recover(b.Context()); err != nil {
					b.Fatal(err)
				}
				if len(h.sessions) > 0 {
					b.Fatalf("%d threads are in memory", len(h.sessions))
				}
				if err := h.Close(context.Background()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	takeUp("memory", store.NewMemory(), 1_000)
	takeUp("memory", store.NewMemory(), 100_000)
	if os.Getenv("AGUI_BRIDGE_BENCH_LARGE") == "" {
		return
	}
	log, err := jetstream.OpenEmbedded(b.Context(), b.TempDir(), jetstream.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer log.Close()
	takeUp("embedded", log, 100_000)
}

// BenchmarkAttach reads a run of ten thousand frames that has ended, from the log.
func BenchmarkAttach(b *testing.B) {
	const frames = 10_000
	log := store.NewMemory()
	write(b, log, "t", 0, whole("r", frames)...)
	h := NewHub(Options{Log: log, Agents: []Agent{script(blocking)}})
	b.SetBytes(int64(frames * len(delta)))
	b.ReportAllocs()
	for b.Loop() {
		f, err := h.Attach(b.Context(), "t", "r")
		if err != nil {
			b.Fatal(err)
		}
		if got, _, err := f.SoFar(b.Context()); err != nil || len(got) != frames {
			b.Fatal(len(got), err)
		}
	}
	if err := h.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkAttachAfter reads a short run on a thread with a past.
func BenchmarkAttachAfter(b *testing.B) {
	for _, runs := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) {
			log := store.NewMemory()
			last := uint64(0)
			for n := range runs {
				last = write(b, log, "t", last, whole(fmt.Sprint("r", n), 10)...)
			}
			h := NewHub(Options{Log: log, Agents: []Agent{script(blocking)}})
			b.ReportAllocs()
			for b.Loop() {
				f, err := h.Attach(b.Context(), "t", fmt.Sprint("r", runs-1))
				if err != nil {
					b.Fatal(err)
				}
				if got, _, err := f.SoFar(b.Context()); err != nil || len(got) != 10 {
					b.Fatal(len(got), err)
				}
			}
			if err := h.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
		})
	}
}

// BenchmarkFrameAfter publishes frames on a thread with a past: it is to cost the same
// whatever was before.
func BenchmarkFrameAfter(b *testing.B) {
	for _, runs := range []int{10, 10_000} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) {
			log := store.NewMemory()
			last := uint64(0)
			for n := range runs {
				last = write(b, log, "t", last, whole(fmt.Sprint("r", n), 1)...)
			}
			h := NewHub(Options{Log: log, Agents: []Agent{script(blocking)}})
			s, done, err := h.use(b.Context(), "t", false)
			if err != nil {
				b.Fatal(err)
			}
			done()
			r := &runner{session: s, feed: newFeed("r", script(blocking)), agent: script(blocking), log: h.opts.Logger}
			b.ReportAllocs()
			for b.Loop() {
				r.feed.add(delta)
				r.save(delta)
			}
			s.mu.Lock()
			r.stopTimer()
			s.mu.Unlock()
			if err := h.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
