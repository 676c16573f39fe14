package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/agui-bridge/agui-bridge/store"
)

// errBehind says that a copy of the stream does not have what is known to be in it.
var errBehind = errors.New("the copy that answers is behind")

// errAnew says that the thread was deleted while it was read.
var errAnew = errors.New("the thread begins anew")

// Read implements [store.Log]. It holds one batch of messages at a time, and
// one append.
func (l *Log) Read(ctx context.Context, thread string, after uint64) iter.Seq2[store.Entry, error] {
	return func(yield func(store.Entry, error) bool) {
		stopped := false
		err := l.read(ctx, thread, after, func(e store.Entry) bool {
			stopped = !yield(e, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(store.Entry{}, l.fault("read", thread, err))
		}
	}
}

// A reading is the state of one that goes through a thread.
type reading struct {
	thread, subject string
	after           uint64 // entries up to here are passed over
	end             position
	seen            uint64 // the last message that was read, part of a whole append or not
	yielded         bool   // the reader got something
	grave           uint64 // a message that ends the thread, 0 for none
	open            []byte // the parts so far of an append in several
	openHead        head   // of the last of them
}

func (l *Log) read(ctx context.Context, thread string, after uint64, yield func(store.Entry) bool) error {
	to, err := address(thread)
	if err != nil {
		return err
	}
	r := &reading{thread: thread, subject: l.thread + to, after: after}
	if r.end, err = l.seek(ctx, r); err != nil {
		return err
	}
	begin := r.end.stream
	r.seen = begin
	want := l.mustReach(thread, r.subject)
	left := ^uint64(0) // messages to read; what is appended meanwhile is for the next Read
	for wait := time.Millisecond; ; {
		p, err := l.readPage(ctx, r, left)
		if err != nil {
			return err
		}
		if left == ^uint64(0) {
			left = uint64(len(p.messages)) + p.pending
		}
		more, err := r.take(p.messages, &left, yield)
		if errors.Is(err, errAnew) {
			break
		}
		if err != nil || !more {
			return err
		}
		if left > 0 && len(p.messages) > 0 {
			continue
		}
		if r.seen >= want {
			break
		}
		if want, err = l.confirm(ctx, r, want, &wait); err != nil {
			return err
		}
		left = ^uint64(0)
	}
	switch {
	case r.grave > 0: // what the thread's last reader saw
		return l.purge(ctx, thread, r.grave)
	case r.end.stream > begin:
		l.known.add(thread, r.end)
	}
	return nil
}

// readPage fetches what follows. It counts as an operation of the log, which
// going through a page does not: the reader may take any time for that.
func (l *Log) readPage(ctx context.Context, r *reading, left uint64) (page, error) {
	ctx, done, err := l.begin(ctx)
	if err != nil || left == 0 {
		if err == nil {
			done()
		}
		return page{}, err
	}
	defer done()
	return l.fetch(ctx, query{NextFor: r.subject, Seq: r.seen + 1, Batch: maxPageMsgs})
}

// mustReach returns the last message that this process knows to be in the thread.
func (l *Log) mustReach(thread, subject string) uint64 {
	end, _ := l.known.end(thread)
	return max(end.stream, l.bells.heard(subject))
}

// confirm decides what to do when a read ends before a message that is known. It
// was deleted, which the leader knows: then the read is over. Or the copy that
// answers does not have it yet: then it is worth a moment.
func (l *Log) confirm(ctx context.Context, r *reading, want uint64, wait *time.Duration) (uint64, error) {
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	m, err := l.lastMessage(ctx, r.subject, authoritative)
	switch {
	case errors.Is(err, errNoMessage) || err == nil && m.seq <= r.seen:
		l.known.forget(r.thread)
		l.bells.unhear(r.subject)
		return 0, nil
	case err != nil:
		return 0, err
	case *wait > time.Second:
		return 0, fmt.Errorf("%w: message %d of the stream", errBehind, want)
	}
	*wait *= 2
	return m.seq, sleep(ctx, *wait)
}

// take goes through messages and yields the entries of whole appends.
func (r *reading) take(messages []message, left *uint64, yield func(store.Entry) bool) (bool, error) {
	for _, m := range messages {
		if *left == 0 {
			return true, nil
		}
		*left--
		r.seen = m.seq
		h, payload, err := r.join(m)
		if err != nil {
			return false, err
		}
		if h.grave {
			r.grave = m.seq
		}
		if r.yielded && (h.grave || h.first == 1) {
			return true, errAnew
		}
		if h.grave || !h.complete() {
			continue
		}
		r.end = position{last: h.last(), stream: m.seq}
		if h.last() <= r.after {
			continue
		}
		entries, err := unpack(h, payload)
		if err != nil {
			return false, err
		}
		for _, e := range entries {
			if e.Seq <= r.after {
				continue
			}
			if r.yielded = true; !yield(e) {
				return false, nil
			}
		}
	}
	return true, nil
}

// join adds a message to those before it and returns the payload of the append
// if this completes it. It is an error if entries are missing before it.
func (r *reading) join(m message) (head, []byte, error) {
	h, open := m.head, r.open
	r.open = nil
	switch {
	case h.grave:
		return h, nil, nil
	case h.part > 0:
		if len(open) == 0 || h.part != r.openHead.part+1 || h.first != r.openHead.first || h.parts != r.openHead.parts {
			return head{}, nil, fmt.Errorf("%w: part %d of the append of entry %d has none before it", ErrDamaged, h.part, h.first)
		}
	case h.first != 1 && h.first != r.end.last+1: // 1 is where a thread begins, for the first time or anew
		return head{}, nil, fmt.Errorf("%w: entry %d follows entry %d", ErrDamaged, h.first, r.end.last)
	default:
		open = nil // of an append that was never completed
	}
	if h.parts == 1 {
		return h, m.payload, nil
	}
	open = append(open, m.payload...)
	if h.complete() {
		return h, open, nil
	}
	r.open, r.openHead = open, h
	return h, nil, nil
}
