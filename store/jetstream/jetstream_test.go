package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest"

	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/storetest"
)

// TestMain lets the test binary be the process that is killed, and fails when
// goroutines outlive the tests.
func TestMain(m *testing.M) {
	if dir := os.Getenv(victimDir); dir != "" {
		victim(dir)
		return
	}
	goleak.VerifyTestMain(m)
}

func TestEmbedded(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Log { return embedded(t, t.TempDir()) })
}

func TestConnected(t *testing.T) {
	t.Parallel()
	s := startExternal(t)
	n := 0
	storetest.Run(t, func(t *testing.T) store.Log {
		n++
		return connected(t, s.url(), Options{Name: fmt.Sprint("suite-", n)})
	})
}

// embedded opens a log, which may be closed before the test is over.
func embedded(t testing.TB, dir string) *Log {
	t.Helper()
	l, err := OpenEmbedded(context.Background(), dir, Options{Logger: zaptest.NewLogger(t, zaptest.Level(zap.WarnLevel))})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func connected(t testing.TB, url string, opts Options) *Log {
	t.Helper()
	l, err := Connect(context.Background(), url, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

func entry(body string) store.Entry {
	return store.Entry{Kind: store.KindFrames, At: time.Unix(1_700_000_000, 5), Body: []byte(body)}
}

func mustAppend(t testing.TB, l *Log, thread string, after uint64, entries ...store.Entry) uint64 {
	t.Helper()
	last, err := l.Append(t.Context(), thread, after, entries...)
	if err != nil {
		t.Fatalf("append to %q after %d: %v", thread, after, err)
	}
	return last
}

// bodies reads a thread and checks that its sequence has no holes.
func bodies(t testing.TB, l *Log, thread string, after uint64) (texts []string) {
	t.Helper()
	for e, err := range l.Read(t.Context(), thread, after) {
		if err != nil {
			t.Fatalf("read %q: %v", thread, err)
		}
		if after++; e.Seq != after {
			t.Fatalf("entry %d in the place of %d", e.Seq, after)
		}
		texts = append(texts, string(e.Body))
	}
	return texts
}

func TestReopen(t *testing.T) {
	dir := t.TempDir()
	l := embedded(t, dir)
	mustAppend(t, l, "a", 0, entry("one"), entry("two"))
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = embedded(t, dir)
	if got := bodies(t, l, "a", 0); len(got) != 2 || got[1] != "two" {
		t.Errorf("the thread holds %q", got)
	}
	if last := mustAppend(t, l, "a", 2, entry("three")); last != 3 {
		t.Errorf("appended entry %d", last)
	}
}

func TestOneProcessForADirectory(t *testing.T) {
	dir := t.TempDir()
	l := embedded(t, dir)
	if _, err := OpenEmbedded(t.Context(), dir, Options{}); !errors.Is(err, ErrInUse) || !strings.Contains(err.Error(), dir) {
		t.Errorf("a second log opens: %v", err)
	}
	l.Close()
	embedded(t, dir)
}

// What is stored is for the owner's eyes.
func TestPermissions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a", "b")
	l := embedded(t, dir)
	mustAppend(t, l, "t", 0, entry("x"))
	err := filepath.WalkDir(dir, func(name string, d os.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

func TestBadThreadIDs(t *testing.T) {
	l := embedded(t, t.TempDir())
	for _, id := range []string{"", strings.Repeat("x", 257)} {
		if _, err := l.Append(t.Context(), id, 0, entry("x")); err == nil {
			t.Errorf("appended to a thread with an id of %d bytes", len(id))
		}
		for _, err := range l.Read(t.Context(), id, 0) {
			if err == nil {
				t.Errorf("read a thread with an id of %d bytes", len(id))
			}
		}
		_, stop := l.Watch(id)
		stop()
	}
}

func TestBadOptions(t *testing.T) {
	if _, err := OpenEmbedded(t.Context(), t.TempDir(), Options{Name: "a.b"}); err == nil {
		t.Error("a name with a dot is accepted")
	}
	if _, err := Connect(t.Context(), "nats://127.0.0.1:1", Options{}); err == nil {
		t.Error("connected to nothing")
	}
}

// A directory that is a file is an error that names it, and leaves nothing running.
func TestBadDirectory(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "jetstream"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := OpenEmbedded(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("opened a directory that cannot be used: %v", err)
	}
}
