package main

import (
	"io"
	"path/filepath"
	"strings"
	"testing"
)

func TestStoreAccepts(t *testing.T) {
	for _, value := range []string{
		"memory", "embedded", "nats://127.0.0.1:4222", "nats://a:1,nats://b:2", "tls://user:word@nats.example:4222",
	} {
		if _, err := loadConfig(environ("STORE=" + value)); err != nil {
			t.Errorf("%s: %v", value, err)
		}
	}
}

func TestStoreRefuses(t *testing.T) {
	for _, value := range []string{"nats", "nats://", "http://u:s3cret@x", "nats://a:1,b", "nats://u:s3cret@%zz"} {
		_, err := loadConfig(environ("STORE=" + value))
		if err == nil || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %v", value, err)
		}
	}
}

// A bridge keeps its threads in a directory, which no second one can use.
func TestServeEmbedded(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	b := startBridge(t, "STORE=embedded", "DATA_DIR="+dir)
	err := run(t.Context(), nil, environ("STORE=embedded", "DATA_DIR="+dir, "ADDR=127.0.0.1:0"), io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), dir) || !strings.Contains(err.Error(), prefix+"DATA_DIR") {
		t.Errorf("a second bridge: %v", err)
	}
	b.stopped(t)
	startBridge(t, "STORE=embedded", "DATA_DIR="+dir).stopped(t)
}

func TestServeWithoutCluster(t *testing.T) {
	err := run(t.Context(), nil, environ("STORE=nats://u:s3cret@127.0.0.1:1", "ADDR=127.0.0.1:0"), io.Discard, io.Discard)
	if err == nil || !strings.Contains(err.Error(), prefix+"STORE") || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("a bridge without its cluster: %v", err)
	}
}

// A store is closed also when the bridge cannot listen.
func TestServeCannotListen(t *testing.T) {
	b := startBridge(t)
	defer b.stopped(t)
	if err := run(t.Context(), nil, []string{prefix + "STORE=embedded", prefix + "DATA_DIR=" + t.TempDir(), prefix + "ADDR=" + b.addr}, io.Discard, io.Discard); err == nil {
		t.Error("two bridges listen on one address")
	}
}
