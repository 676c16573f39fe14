package jetstream

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	js "github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/store"
)

// Log is a [store.Log] in JetStream. It is safe for concurrent use.
type Log struct {
	names
	opts     Options
	conn     *nats.Conn
	closed   <-chan struct{} // when the connection has ended for good
	stream   js.Stream
	replicas int
	partSize int // of the payload of one message

	known positions
	bells bells
	pages chan struct{} // a place for each batch that may be under way

	session atomic.Pointer[session] // of the connection, until it is lost

	life    context.Context // ends when operations under way are to give up
	endLife context.CancelFunc
	ops     sync.WaitGroup // operations and the goroutine of the doorbells

	mu      sync.RWMutex
	closing bool
	end     func() // what remains to be ended after the connection
}

var _ store.Log = (*Log)(nil)

// The sizes that keep a connection well below the 64 MiB that a server holds
// for a slow client before it cuts it off: so many batches at once, each with
// so many bytes and one message more.
const (
	maxPages     = 8
	maxPageBytes = 1 << 20
	maxPageMsgs  = 256
	maxPageEnds  = 1024 // messages of different threads; the engine has no more at once
	maxPartBytes = 1 << 20
	overhead     = 2 << 10 // subject, headers and head of a message
)

// newLog makes the log of a connection. It owns the connection from then on,
// also if it fails, and calls end once all is over.
func newLog(ctx context.Context, opts Options, connect func(...nats.Option) (*nats.Conn, error), end func()) (*Log, error) {
	closed := make(chan struct{})
	l := &Log{names: namesFor(opts.Name), opts: opts, closed: closed, pages: make(chan struct{}, maxPages), end: end}
	l.bells.init()
	l.session.Store(newSession())
	conn, err := connect(
		nats.Name(opts.Name),
		nats.MaxReconnects(-1),
		nats.ReconnectWait(100*time.Millisecond),
		nats.ReconnectBufSize(-1), // what cannot be sent now fails now: it must not be written later, unexpected
		nats.IgnoreAuthErrorAbort(),
		nats.ClosedHandler(func(*nats.Conn) { close(closed) }),
		nats.DisconnectErrHandler(func(_ *nats.Conn, err error) {
			l.session.Swap(newSession()).lose() // also when the log is closed; then the new one is for nobody
			if err != nil {
				opts.Logger.Warn("lost the connection to the thread store", zap.Error(err))
			}
		}),
		nats.ReconnectHandler(func(*nats.Conn) {
			opts.Logger.Info("the connection to the thread store is back")
			l.bells.missed()
		}),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) {
			opts.Logger.Warn("thread store", zap.Error(err))
			l.bells.missed()
		}),
	)
	if err != nil {
		end()
		return nil, fmt.Errorf("store/jetstream: connect: %w", err)
	}
	l.conn = conn
	if err := l.openStream(ctx); err != nil {
		conn.Close()
		<-closed
		end()
		return nil, err
	}
	l.partSize = min(int(conn.MaxPayload())-overhead, maxPartBytes)
	if l.partSize < overhead {
		conn.Close()
		<-closed
		end()
		return nil, fmt.Errorf("store/jetstream: the server takes messages of %d bytes only; raise its max_payload", conn.MaxPayload())
	}
	l.life, l.endLife = context.WithCancel(context.Background())
	l.ops.Go(l.bells.serve)
	return l, nil
}

// grace is how long Close lets operations finish by themselves.
const grace = 2 * time.Second

// Close implements [store.Log]. Operations under way may finish; those that
// cannot within two seconds fail.
func (l *Log) Close() error {
	l.mu.Lock()
	again := l.closing
	l.closing = true
	l.mu.Unlock()
	if again {
		<-l.closed
		return nil
	}
	l.bells.close()
	timer := time.AfterFunc(grace, l.endLife)
	l.ops.Wait()
	timer.Stop()
	l.endLife()
	l.conn.Close() // which ends the session
	<-l.closed
	l.end()
	return nil
}

// begin starts an operation, unless the log is closed. It takes no longer than
// the log has patience. Done ends it.
func (l *Log) begin(ctx context.Context) (_ context.Context, done func(), err error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, err
	}
	l.mu.RLock()
	defer l.mu.RUnlock()
	if l.closing {
		return nil, nil, store.ErrClosed
	}
	l.ops.Add(1)
	ctx, cancel := context.WithTimeout(ctx, l.opts.Patience)
	stop := context.AfterFunc(l.life, cancel)
	return ctx, func() { stop(); cancel(); l.ops.Done() }, nil
}

// fault wraps the error of an operation. One that was cut short by Close says so.
func (l *Log) fault(what, thread string, err error) error {
	if l.life.Err() != nil && !errors.Is(err, store.ErrClosed) {
		err = errors.Join(store.ErrClosed, err)
	}
	if thread != "" {
		return fmt.Errorf("store/jetstream: %s %q: %w", what, thread, err)
	}
	return fmt.Errorf("store/jetstream: %s: %w", what, err)
}

// errLost says that the connection was lost before a reply came. The engine may
// have done what it was asked to.
var errLost = errors.New("connection lost, no reply")

// A session is the time between two losses of the connection. A request whose
// reply cannot come any more need not wait for it.
type session struct {
	context.Context

	lose context.CancelFunc
}

func newSession() *session {
	ctx, cancel := context.WithCancel(context.Background())
	return &session{ctx, cancel}
}

// request asks and waits for the reply, while ctx lasts and the connection does.
func (l *Log) request(ctx context.Context, m *nats.Msg) (*nats.Msg, error) {
	short, cancel := context.WithCancel(ctx)
	defer cancel()
	s := l.session.Load()
	defer context.AfterFunc(s, cancel)()
	reply, err := l.conn.RequestMsgWithContext(short, m)
	if err != nil && ctx.Err() == nil && s.Err() != nil {
		return nil, errLost // not what cancelled the wait: ctx was not
	}
	return reply, err
}

// harmless reports whether a question can be asked again after an error.
func harmless(err error) bool { return unsent(err) || errors.Is(err, errLost) }

// unsent reports whether an error means that the engine never saw a request, so
// that it can be made again.
func unsent(err error) bool {
	return errors.Is(err, nats.ErrNoResponders) || errors.Is(err, nats.ErrReconnectBufExceeded) || errors.Is(err, nats.ErrDisconnected)
}

// retry calls try until it succeeds, fails with an error that again does not
// accept, or ctx ends, which the last error then stands for.
func retry(ctx context.Context, try func() error, again func(error) bool) error {
	for wait := 10 * time.Millisecond; ; wait = min(2*wait, 500*time.Millisecond) {
		err := try()
		if err == nil || !again(err) {
			return err
		}
		if e := sleep(ctx, wait); e != nil {
			return fmt.Errorf("%w: %w", e, err)
		}
	}
}

// sleep waits, or returns the error of ctx.
func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
