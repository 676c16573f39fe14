package jetstream

import (
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// Watch implements [store.Log]. What rings is the stream itself: it announces
// each message after it has stored it, whoever wrote it. Since an announcement
// can get lost, every bell rings after a gap in the connection, and now and
// then.
func (l *Log) Watch(thread string) (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	to, err := address(thread)
	if err != nil {
		return ch, func() {} // there is no such thread and never will be
	}
	b := &l.bells
	if !b.hang(l.thread+to, ch, func(announced chan *nats.Msg) (*nats.Subscription, error) {
		return l.conn.ChanSubscribe(l.bell+to, announced)
	}) {
		ring(ch)
		return ch, func() {}
	}
	// The server must know of the subscription when this returns. Of what comes
	// over this connection it does anyhow; other processes' appends need this.
	// Without a connection, all bells ring when it is back.
	if l.opts.shared {
		_ = l.conn.FlushTimeout(time.Second)
	}
	// The other servers of a cluster learn of it a moment later, and nobody says
	// when. Who has read until then, reads once more.
	if l.conn.ConnectedClusterName() != "" {
		b.ringSoon(l.thread + to)
	}
	return ch, func() { b.take(l.thread+to, ch) }
}

// bells holds the doorbells of all threads that are watched, with one
// subscription for each thread and one goroutine for all.
type bells struct {
	announced chan *nats.Msg
	gap       chan struct{} // announcements may have been lost
	stop      chan struct{}

	mu     sync.Mutex
	closed bool
	of     map[string]*bell // by the thread's subject
	soon   []due            // in the order of their times
}

// A due is a bell that rings at a time, whatever happens.
type due struct {
	subject string
	at      time.Time
}

// A bell is those who watch one thread.
type bell struct {
	sub      *nats.Subscription
	watchers map[chan struct{}]struct{}
	heard    uint64 // the last message that was announced
}

const (
	anyway = 30 * time.Second       // how often every bell rings without a reason that is known
	settle = 250 * time.Millisecond // how long a cluster takes, at most, to learn of a subscription
)

func (b *bells) init() {
	b.announced = make(chan *nats.Msg, 8192) // full, the connection reports a gap
	b.gap = make(chan struct{}, 1)
	b.stop = make(chan struct{})
	b.of = map[string]*bell{}
}

// serve rings bells until close.
func (b *bells) serve() {
	ticker := time.NewTicker(anyway)
	defer ticker.Stop()
	soon := time.NewTicker(settle / 2)
	defer soon.Stop()
	for {
		select {
		case m := <-b.announced:
			b.announce(m)
		case <-b.gap:
			b.ringAll()
		case <-ticker.C:
			b.ringAll()
		case now := <-soon.C:
			b.ringDue(now)
		case <-b.stop:
			return
		}
	}
}

func (b *bells) announce(m *nats.Msg) {
	b.mu.Lock()
	defer b.mu.Unlock()
	bell := b.of[m.Header.Get("Nats-Subject")]
	if bell == nil {
		return // nobody watches any more
	}
	if seq, err := strconv.ParseUint(m.Header.Get("Nats-Sequence"), 10, 64); err == nil {
		bell.heard = max(bell.heard, seq)
	}
	for ch := range bell.watchers {
		ring(ch)
	}
}

// missed says that announcements may have been lost.
func (b *bells) missed() { ring(b.gap) }

func (b *bells) ringAll() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.ringAllLocked()
}

func (b *bells) ringAllLocked() {
	for _, bell := range b.of {
		for ch := range bell.watchers {
			ring(ch)
		}
	}
}

// ringSoon lets a bell ring once a cluster knows of it.
func (b *bells) ringSoon(subject string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.soon = append(b.soon, due{subject, time.Now().Add(settle)})
}

func (b *bells) ringDue(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for ; len(b.soon) > 0 && !b.soon[0].at.After(now); b.soon = b.soon[1:] {
		if bell := b.of[b.soon[0].subject]; bell != nil {
			for ch := range bell.watchers {
				ring(ch)
			}
		}
	}
}

// hang adds a watcher, and subscribes for the first. It returns false when the
// log is closed.
func (b *bells) hang(subject string, ch chan struct{}, subscribe func(chan *nats.Msg) (*nats.Subscription, error)) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return false
	}
	at := b.of[subject]
	if at == nil {
		sub, err := subscribe(b.announced)
		if err != nil {
			return false // only a connection that is closed refuses
		}
		at = &bell{sub: sub, watchers: map[chan struct{}]struct{}{}}
		b.of[subject] = at
	}
	at.watchers[ch] = struct{}{}
	return true
}

// take removes a watcher, and the subscription with the last.
func (b *bells) take(subject string, ch chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := b.of[subject]
	if at == nil {
		return
	}
	delete(at.watchers, ch)
	if len(at.watchers) == 0 {
		delete(b.of, subject)
		_ = at.sub.Unsubscribe() // it fails with the connection, which ends it too
	}
}

// heard returns the last message that was announced, 0 if that is not known.
func (b *bells) heard(subject string) uint64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bell := b.of[subject]; bell != nil {
		return bell.heard
	}
	return 0
}

// unhear forgets what was announced: it was deleted.
func (b *bells) unhear(subject string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if bell := b.of[subject]; bell != nil {
		bell.heard = 0
	}
}

// close rings all bells a last time and ends serve.
func (b *bells) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.ringAllLocked()
	for _, bell := range b.of {
		_ = bell.sub.Unsubscribe() // it fails with the connection, which ends it too
	}
	b.of = nil
	close(b.stop)
}

func ring(ch chan struct{}) {
	select {
	case ch <- struct{}{}:
	default: // it has a ring that nobody heard yet
	}
}
