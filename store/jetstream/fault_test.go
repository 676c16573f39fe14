package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/store"
)

func isConflict(err error) bool { return errors.Is(err, store.ErrConflict) }

// A server that comes back within the log's patience costs time and nothing
// else.
func TestServerRestarts(t *testing.T) {
	t.Parallel()
	s := startExternal(t)
	l := connected(t, s.url(), Options{})
	mustAppend(t, l, "t", 0, entry("before"))
	ch, stop := l.Watch("t")
	defer stop()
	s.stop()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() {
		time.Sleep(200 * time.Millisecond)
		s.start()
	})
	if got := bodies(t, l, "t", 0); !slices.Equal(got, []string{"before"}) {
		t.Errorf("read %q", got)
	}
	mustAppend(t, l, "t", 1, entry("after"))
	select {
	case <-ch: // for the gap, or for the entry
	case <-time.After(5 * time.Second):
		t.Error("it does not ring")
	}
	if got := bodies(t, l, "t", 0); !slices.Equal(got, []string{"before", "after"}) {
		t.Errorf("read %q", got)
	}
}

// Without a server, an operation fails after the log's patience, and what failed
// is not written later.
func TestServerGone(t *testing.T) {
	t.Parallel()
	s := startExternal(t)
	l := connected(t, s.url(), Options{Patience: 300 * time.Millisecond})
	mustAppend(t, l, "t", 0, entry("before"))
	s.stop()
	waitForLoss(l)
	if _, err := l.Append(t.Context(), "t", 1, entry("lost")); !errors.Is(err, context.DeadlineExceeded) || isConflict(err) {
		t.Errorf("append: %v", err)
	}
	for _, err := range l.Read(t.Context(), "t", 0) {
		if err == nil {
			t.Error("read without a server")
		}
	}
	s.start()
	deadline := time.Now().Add(10 * time.Second)
	for !l.conn.IsConnected() && time.Now().Before(deadline) {
		time.Sleep(10 * time.Millisecond)
	}
	if got := bodies(t, l, "t", 0); !slices.Equal(got, []string{"before"}) {
		t.Errorf("read %q", got)
	}
}

// waitForLoss returns when it is known everywhere that the connection is lost.
func waitForLoss(l *Log) {
	for l.conn.IsConnected() {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(50 * time.Millisecond)
}

// Close does not wait for a server that is gone.
func TestCloseWithoutServer(t *testing.T) {
	t.Parallel()
	s := startExternal(t)
	l := connected(t, s.url(), Options{Patience: time.Minute})
	s.stop()
	waitForLoss(l)
	failed := make(chan error)
	go func() {
		_, err := l.Append(context.Background(), "t", 0, entry("x"))
		failed <- err
	}()
	time.Sleep(50 * time.Millisecond)
	start := time.Now()
	l.Close()
	if err := <-failed; !errors.Is(err, store.ErrClosed) {
		t.Errorf("append: %v", err)
	}
	if d := time.Since(start); d > grace+time.Second {
		t.Errorf("closing took %v", d)
	}
	s.start()
}

// A proxy passes on bytes and can cut all connections.
type proxy struct {
	net.Listener

	mu    sync.Mutex
	conns []net.Conn
	wg    sync.WaitGroup
}

func startProxy(t *testing.T, to string) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &proxy{Listener: l}
	p.wg.Go(func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			out, err := net.Dial("tcp", to)
			if err != nil {
				in.Close()
				continue
			}
			p.mu.Lock()
			p.conns = append(p.conns, in, out)
			p.mu.Unlock()
			p.wg.Go(func() { io.Copy(in, out); in.Close() })
			p.wg.Go(func() { io.Copy(out, in); out.Close() })
		}
	})
	t.Cleanup(func() { l.Close(); p.cut(); p.wg.Wait() })
	return p
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.conns {
		c.Close()
	}
	p.conns = nil
}

// Connections are cut again and again while writers append. Each follows the
// rule: an error leaves open whether it was written, so it reads on. In the end
// every entry is there once, in order.
func TestConnectionLoss(t *testing.T) {
	t.Parallel()
	s := startExternal(t)
	p := startProxy(t, strings.TrimPrefix(s.url(), "nats://"))
	l := connected(t, "nats://"+p.Addr().String(), Options{Patience: 300 * time.Millisecond})
	stop := make(chan struct{})
	var cutter, writers sync.WaitGroup
	cutter.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(20 * time.Millisecond):
				p.cut()
			}
		}
	})
	const entries = 50
	for w := range 4 {
		writers.Go(func() { persist(t, l, fmt.Sprint("t", w), entries) })
	}
	writers.Wait()
	close(stop)
	cutter.Wait()
	direct := connected(t, s.url(), Options{})
	for w := range 4 {
		got := bodies(t, direct, fmt.Sprint("t", w), 0)
		if len(got) != entries {
			t.Errorf("thread %d holds %d entries, want %d", w, len(got), entries)
		}
		for i, body := range got {
			if body != fmt.Sprint(i) {
				t.Fatalf("thread %d, entry %d is %q", w, i+1, body)
			}
		}
	}
}

// persist appends the numbers from 0 on, as a writer that is alone on its thread:
// it never sees a conflict, unless one of its own appends was written although
// it failed.
func persist(t *testing.T, l *Log, thread string, entries uint64) {
	for at := uint64(0); at < entries; {
		last, err := l.Append(t.Context(), thread, at, entry(fmt.Sprint(at)))
		if err == nil {
			at = last
			continue
		}
		for { // read on, until that succeeds
			seen, err := at, error(nil)
			for e, fault := range l.Read(t.Context(), thread, at) {
				if err = fault; err == nil {
					seen = e.Seq
				}
			}
			if err == nil {
				at = seen
				break
			}
			if t.Context().Err() != nil {
				return
			}
		}
	}
}
