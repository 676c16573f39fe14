package jetstream

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
)

// ErrInUse says that another process uses the directory.
var ErrInUse = errors.New("store/jetstream: directory is in use by another process")

// The limits of the embedded server. The memory is of streams in memory, of
// which there are none. There is none for the disk: an engine that believes
// its disk to be full is of no more use than one whose disk is.
const (
	embeddedMemory  = 1 << 20
	embeddedDisk    = 1 << 60
	embeddedPayload = 2 << 20
	startTime       = 30 * time.Second
)

// OpenEmbedded returns the log that is kept under a directory, which is made if
// it is not there, by a server inside the process. Nothing listens on the
// network. One process at a time can use the directory; for another, the error
// matches [ErrInUse].
func OpenEmbedded(ctx context.Context, dir string, opts Options) (*Log, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil { //nolint:gosec // the operator chose the directory
		return nil, fmt.Errorf("store/jetstream: %w", err)
	}
	unlock, err := lock(filepath.Join(dir, "lock"))
	if err != nil {
		return nil, fmt.Errorf("store/jetstream: directory %s: %w", dir, err)
	}
	s, err := startServer(dir, opts)
	if err != nil {
		unlock()
		return nil, err
	}
	end := func() {
		s.Shutdown()
		s.WaitForShutdown()
		unlock()
	}
	return newLog(ctx, opts, func(o ...nats.Option) (*nats.Conn, error) {
		return nats.Connect("", append(o, nats.InProcessServer(s))...)
	}, end)
}

func startServer(dir string, opts Options) (*server.Server, error) {
	s, err := server.NewServer(&server.Options{
		ServerName: opts.Name, DontListen: true, NoSigs: true, NoSystemAccount: true,
		JetStream: true, StoreDir: dir, SyncAlways: true,
		JetStreamMaxMemory: embeddedMemory, JetStreamMaxStore: embeddedDisk, MaxPayload: embeddedPayload,
	})
	if err != nil {
		return nil, fmt.Errorf("store/jetstream: server: %w", err)
	}
	log := &serverLog{Logger: opts.Logger.Named("nats")}
	s.SetLoggerV2(log, false, false, false)
	s.Start() // returns when what is stored has been looked through
	reason := log.fatal()
	if reason == "" && s.JetStreamEnabled() && s.ReadyForConnections(startTime) {
		return s, nil
	}
	s.Shutdown()
	s.WaitForShutdown()
	return nil, fmt.Errorf("store/jetstream: server on directory %s did not start: %s", dir, reason)
}
