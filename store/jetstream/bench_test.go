package jetstream

import (
	"fmt"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/agui-bridge/agui-bridge/store"
)

// BenchmarkAppend appends 512 bytes, each writer to a thread of its own.
func BenchmarkAppend(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			l := embedded(b, b.TempDir())
			b.ReportAllocs()
			share(b, writers, func(w, i int) error {
				_, err := l.Append(b.Context(), fmt.Sprint("t", w), uint64(i), store.Entry{Kind: store.KindFrames, Body: make([]byte, 512)})
				return err
			})
		})
	}
}

// BenchmarkAppendMany appends 20 entries of 512 bytes at once.
func BenchmarkAppendMany(b *testing.B) {
	l := embedded(b, b.TempDir())
	entries := make([]store.Entry, 20)
	for i := range entries {
		entries[i] = store.Entry{Kind: store.KindFrames, Body: make([]byte, 512)}
	}
	share(b, 1, func(_, i int) error {
		_, err := l.Append(b.Context(), "t", uint64(20*i), entries...)
		return err
	})
}

// BenchmarkPublish is what the engine alone takes for the same.
func BenchmarkPublish(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprint("writers=", writers), func(b *testing.B) {
			l := embedded(b, b.TempDir())
			b.ReportAllocs()
			share(b, writers, func(w, _ int) error {
				_, err := l.conn.RequestMsgWithContext(b.Context(), &nats.Msg{Subject: l.thread + "00.00." + fmt.Sprint(w), Data: make([]byte, 540)})
				return err
			})
		})
	}
}

// share lets writers do b.N steps together; each counts its own.
func share(b *testing.B, writers int, step func(writer, i int) error) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(b.N))
	var wg sync.WaitGroup
	b.ResetTimer()
	for w := range writers {
		wg.Go(func() {
			for i := 0; left.Add(-1) >= 0; i++ {
				if err := step(w, i); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "appends/s")
}

// BenchmarkRead reads a thread of 10,000 appends whole, and its last entry
// without any memory of where that is.
func BenchmarkRead(b *testing.B) {
	const entries = 10_000
	l := connected(b, startExternal(b).url(), Options{}) // which writes faster
	for i := range uint64(entries) {
		mustAppend(b, l, "t", i, store.Entry{Kind: store.KindFrames, Body: make([]byte, 512)})
	}
	for _, bench := range []struct {
		name  string
		after uint64
	}{{"whole", 0}, {"middle", entries/2 - 1}, {"tail", entries - 1}} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				l.known.forget("t")
				n := uint64(0)
				for _, err := range l.Read(b.Context(), "t", bench.after) {
					if n++; err != nil {
						b.Fatal(err)
					}
					if bench.name == "middle" {
						break
					}
				}
				if want := entries - bench.after; n != want && bench.name != "middle" {
					b.Fatal(n)
				}
			}
		})
	}
	b.Run("end, remembered", func(b *testing.B) {
		bodies(b, l, "t", 0)
		for b.Loop() {
			bodies(b, l, "t", entries)
		}
	})
}

// BenchmarkThreads lists threads. AGUI_BRIDGE_BENCH_LARGE=1 lists more.
func BenchmarkThreads(b *testing.B) {
	counts := []int{1_000, 10_000}
	if os.Getenv("AGUI_BRIDGE_BENCH_LARGE") != "" {
		counts = append(counts, 100_000)
	}
	for _, threads := range counts {
		s := startExternal(b)
		l := connected(b, s.url(), Options{})
		fill(b, l, threads)
		b.Run(fmt.Sprint("list=", threads), func(b *testing.B) {
			for b.Loop() {
				if n := len(ids(b, l)); n != threads {
					b.Fatal(n)
				}
			}
		})
		l.Close()
		s.stop()
		b.Run(fmt.Sprint("open=", threads), func(b *testing.B) {
			for b.Loop() {
				embedded(b, s.opts.StoreDir).Close()
			}
		})
		s.start()
	}
}
