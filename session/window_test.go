package session

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"
	"os"
	"runtime"
	"slices"
	"sync"
	"testing"

	"github.com/agui-bridge/agui-bridge/store"
)

// onDisk is a log that keeps no bodies in memory.
type onDisk struct {
	store.Log
	mu   sync.Mutex
	file *os.File
	end  int64
}

func newOnDisk(t *testing.T) *onDisk {
	file, err := os.CreateTemp(t.TempDir(), "log")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return &onDisk{Log: store.NewMemory(), file: file}
}

func (l *onDisk) Append(ctx context.Context, thread string, after uint64, entries ...store.Entry) (uint64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	entries = slices.Clone(entries)
	for i, e := range entries {
		if _, err := l.file.WriteAt(e.Body, l.end); err != nil {
			return 0, err
		}
		entries[i].Body = binary.AppendVarint(binary.AppendVarint(nil, l.end), int64(len(e.Body)))
		l.end += int64(len(e.Body))
	}
	return l.Log.Append(ctx, thread, after, entries...)
}

func (l *onDisk) Read(ctx context.Context, thread string, after uint64) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		for e, err := range l.Log.Read(ctx, thread, after) {
			if err == nil {
				at, n := binary.Varint(e.Body)
				size, _ := binary.Varint(e.Body[n:])
				e.Body = make([]byte, size)
				_, err = l.file.ReadAt(e.Body, at)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}

// produces is an agent that says many large frames.
func produces(frames, size int, said chan<- struct{}, wait <-chan struct{}) script {
	return func(_ context.Context, _ Call, yield func(Output, error) bool) {
		for n := range frames {
			frame := append(fmt.Appendf(nil, "%d ", n), bytes.Repeat([]byte("x"), size)...)
			if !yield(Output{Frame: frame}, nil) {
				return
			}
		}
		close(said)
		<-wait
		yield(Output{Frame: []byte("last"), End: &End{Status: Success, Spoken: true}}, nil)
	}
}

// expectAll fails unless the frames of produces come, each once and in order.
func expectAll(t *testing.T, f *Feed, from, frames int) {
	t.Helper()
	n := from
	for batch, err := range f.Batches(t.Context(), from) {
		if err != nil {
			t.Fatal(err)
		}
		size := 0
		for _, frame := range batch {
			want := fmt.Sprintf("%d ", n)
			if n == frames {
				want = "last"
			}
			if !bytes.HasPrefix(frame, []byte(want)) {
				t.Fatalf("frame %d begins %.10q", n, frame)
			}
			size += len(frame)
			n++
		}
		if size > 2*batchBytes && len(batch) > 1 {
			t.Fatalf("a reader is given %d bytes at once", size)
		}
	}
	if n != frames+1 {
		t.Errorf("%d frames came, want %d", n, frames+1)
	}
}

// A reader that never reads while fifty megabytes are produced costs no memory, and gets
// all of them when it does, as does one that has read a part, while the run goes on, when
// it has ended, and from another process.
func TestAStalledReaderCostsNoMemory(t *testing.T) {
	const frames, size = 5_000, 10_000
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	log, said, wait := newOnDisk(t), make(chan struct{}), make(chan struct{})
	h := openHub(t, log, produces(frames, size, said, wait))
	before := heap()
	f := submitTo(t, h, "t", "r")
	next, stop := iter.Pull2(f.Batches(t.Context(), 0)) // reads once, and no more
	defer stop()
	if batch, err, ok := next(); !ok || err != nil || len(batch) == 0 {
		t.Fatal(err, ok)
	}
	<-said
	if grown := int64(heap()) - int64(before); grown > 16<<20 {
		t.Errorf("%d MB are held for 50 MB", grown>>20)
	}
	if live, end, err := f.SoFar(t.Context()); err != nil || end != nil || len(live) != frames {
		t.Errorf("so far there are %d frames, %+v, %v", len(live), end, err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		expectAll(t, f, frames/2, frames)
	}()
	close(wait)
	<-done
	expectAll(t, f, 0, frames)
	expectAll(t, f, frames-3, frames)
	second := openHub(t, log, produces(0, 0, nil, nil))
	again, err := second.Attach(t.Context(), "t", "r")
	if err != nil {
		t.Fatal(err)
	}
	expectAll(t, again, 0, frames)
	expectAll(t, again, 17, frames)
	if grown := int64(heap()) - int64(before); grown > 16<<20 {
		t.Errorf("%d MB are held afterwards", grown>>20)
	}
	runtime.KeepAlive(f)
	runtime.KeepAlive(again)
}

// What is in neither place is an error, and nobody waits for it.
func TestFramesThatAreGoneAreAnError(t *testing.T) {
	fault := errors.New("fault")
	for _, want := range []error{errGone, fault} {
		f := newFeed("r", script(blocking))
		f.base, f.older = 3, func(context.Context, int) iter.Seq2[[][]byte, error] {
			return func(yield func([][]byte, error) bool) {
				if errors.Is(want, fault) {
					yield(nil, fault)
				}
			}
		}
		for _, err := range f.Batches(t.Context(), 0) {
			if !errors.Is(err, want) {
				t.Errorf("got %v, want %v", err, want)
			}
		}
		if _, _, err := f.SoFar(t.Context()); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
}
