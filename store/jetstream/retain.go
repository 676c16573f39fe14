package jetstream

import (
	"context"
	"errors"
	"time"

	js "github.com/nats-io/nats.go/jetstream"

	"github.com/agui-bridge/agui-bridge/store"
)

// Retain deletes the threads whose last entry is from before a time, and
// returns how many. A thread that gets an entry meanwhile stays. Several
// processes can do this at once.
func (l *Log) Retain(ctx context.Context, before time.Time) (deleted int, err error) {
	err = l.ends(ctx, func(thread string, m message) (bool, error) {
		info, ok, err := l.info(ctx, thread, m)
		if err != nil || ok && !info.At.Before(before) || !ok && !m.head.grave {
			return true, err
		}
		if m.head.grave { // whoever dug it did not get to fill it
			return true, l.purge(ctx, thread, m.seq)
		}
		done, err := l.bury(ctx, thread, m.seq)
		if done {
			deleted++
		}
		return true, err
	})
	if err != nil {
		return deleted, l.fault("retain", "", err)
	}
	return deleted, nil
}

// Delete deletes a thread, whoever writes to it. One that does not exist is no
// error.
func (l *Log) Delete(ctx context.Context, thread string) error {
	to, err := address(thread)
	if err != nil {
		return err
	}
	for range maxAttempts {
		m, err := l.lastOf(ctx, to)
		if errors.Is(err, errNoMessage) {
			return nil
		}
		if err != nil {
			return l.fault("delete", thread, err)
		}
		if m.head.grave {
			return l.purge(ctx, thread, m.seq)
		}
		if done, err := l.bury(ctx, thread, m.seq); done || err != nil {
			return err
		}
	}
	return l.fault("delete", thread, store.ErrConflict)
}

func (l *Log) lastOf(ctx context.Context, to string) (message, error) {
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return message{}, err
	}
	defer done()
	return l.lastMessage(ctx, l.thread+to, authoritative)
}

// bury ends a thread if its last message still is the given one, and reports
// whether it did. The message that ends it is an append like any other, so a
// writer either is before it, and the thread stays, or after it, and begins
// anew: nothing that was acknowledged after the end is deleted with what was
// before.
func (l *Log) bury(ctx context.Context, thread string, last uint64) (bool, error) {
	to, err := address(thread)
	if err != nil {
		return false, err
	}
	end, err := l.dig(ctx, to, last)
	if errors.Is(err, errMoved) {
		return false, nil
	}
	if err != nil {
		return false, l.fault("delete", thread, err)
	}
	return true, l.purge(ctx, thread, end)
}

func (l *Log) dig(ctx context.Context, to string, last uint64) (uint64, error) {
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return 0, err
	}
	defer done()
	return l.publishOne(ctx, to, last, grave())
}

// purge removes a thread's messages up to one that ends it.
func (l *Log) purge(ctx context.Context, thread string, end uint64) error {
	to, err := address(thread)
	if err != nil {
		return err
	}
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return l.fault("delete", thread, err)
	}
	defer done()
	l.known.forget(thread)
	if err := l.stream.Purge(ctx, js.WithPurgeSubject(l.thread+to), js.WithPurgeSequence(end+1)); err != nil {
		return l.fault("delete", thread, err)
	}
	return nil
}
