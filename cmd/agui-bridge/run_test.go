package main

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// A safeBuffer may be read while somebody writes.
type safeBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *safeBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *safeBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// A bridge is one that runs.
type bridge struct {
	addr string
	log  *safeBuffer
	stop context.CancelFunc
	done chan error
}

var listening = regexp.MustCompile(`"address": ?"([^"]+)"`)

func startBridge(t *testing.T, vars ...string) *bridge {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	b := &bridge{log: &safeBuffer{}, stop: cancel, done: make(chan error, 1)}
	go func() {
		b.done <- run(ctx, nil, environ(append([]string{"STORE=memory", "ADDR=127.0.0.1:0"}, vars...)...), io.Discard, b.log)
	}()
	for range 1000 {
		if m := listening.FindStringSubmatch(b.log.String()); m != nil {
			b.addr = m[1]
			return b
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("the bridge does not listen:\n%s", b.log)
	return nil
}

func (b *bridge) stopped(t *testing.T) {
	t.Helper()
	b.stop()
	select {
	case err := <-b.done:
		if err != nil {
			t.Errorf("the bridge stopped with %v", err)
		}
	case <-time.After(15 * time.Second):
		t.Fatalf("the bridge does not stop:\n%s", b.log)
	}
	if _, err := net.DialTimeout("tcp", b.addr, time.Second); err == nil {
		t.Error("somebody still listens")
	}
}

func TestServe(t *testing.T) {
	for _, format := range []string{"console", "json"} {
		b := startBridge(t, "LOG_FORMAT="+format)
		resp, err := http.Get("http://" + b.addr + "/healthz")
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(body), version) {
			t.Errorf("health: %v, %d, %s", err, resp.StatusCode, body)
		}
		b.stopped(t)
		if !strings.Contains(b.log.String(), "ws://"+b.addr+"/v1/agents/demo-aisdk/agui") {
			t.Errorf("the log does not say where to connect:\n%s", b.log)
		}
	}
}

// A stop tells sockets, ends what runs, and does not wait for either.
func TestServeStopsWhileARunGoesOn(t *testing.T) {
	b := startBridge(t)
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws://"+b.addr+"/v1/agents/demo/agui", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if err := conn.Write(ctx, websocket.MessageText, []byte(`{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"slow 100"}]}`)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(ctx); err != nil {
		t.Fatal(err)
	}
	gone := make(chan websocket.StatusCode, 1)
	go func() {
		for {
			if _, _, err := conn.Read(ctx); err != nil {
				gone <- websocket.CloseStatus(err)
				return
			}
		}
	}()
	begun := time.Now()
	b.stopped(t)
	if code := <-gone; code != websocket.StatusGoingAway {
		t.Errorf("the socket was closed with %d", code)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("the stop took %s", took)
	}
}

func TestServeAddressInUse(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	err = run(t.Context(), []string{"serve"}, environ("STORE=memory", "ADDR="+l.Addr().String()), io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), "AGUI_BRIDGE_ADDR") || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("got %v, want an error that names variable and value", err)
	}
}

func TestCommands(t *testing.T) {
	var out bytes.Buffer
	if err := run(t.Context(), []string{"version"}, nil, &out, io.Discard); err != nil || out.String() != version+"\n" {
		t.Errorf("version: %v, %q", err, &out)
	}
	out.Reset()
	if err := run(t.Context(), []string{"config"}, nil, &out, io.Discard); err != nil || !strings.Contains(out.String(), "AGUI_BRIDGE_ADDR") {
		t.Errorf("config: %v, %q", err, &out)
	}
	if err := run(t.Context(), []string{"dance"}, nil, io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), `"dance"`) {
		t.Errorf("unknown command: %v", err)
	}
	if err := run(t.Context(), nil, environ("AUTH=hope"), io.Discard, io.Discard); err == nil || !strings.Contains(err.Error(), "AGUI_BRIDGE_AUTH") {
		t.Errorf("bad configuration: %v", err)
	}
}
