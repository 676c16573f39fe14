package jetstream

import (
	"context"
	"errors"
)

// near is how many entries it is cheaper to pass over than to look for a better
// place to begin.
const near = 256

// seek returns a position to read from that is at most a few entries before
// those that are wanted. Nothing says which message holds an entry, but entries
// are in order: what is not remembered is found by halving.
func (l *Log) seek(ctx context.Context, r *reading) (position, error) {
	if at, ok := l.known.before(r.thread, r.after); ok {
		return at, nil
	}
	if r.after <= near {
		return position{}, nil
	}
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return position{}, err
	}
	defer done()
	end, err := l.lastMessage(ctx, r.subject, anyCopy)
	if errors.Is(err, errNoMessage) {
		return position{}, nil
	}
	if err != nil {
		return position{}, err
	}
	if !end.head.grave && end.head.complete() && end.head.last() <= r.after {
		return position{last: end.head.last(), stream: end.seq}, nil
	}
	return l.halve(ctx, r, end.seq)
}

// halve looks between the beginning of the stream and the end of the thread.
// What it returns is before the entry in any case; how close depends on what
// it meets.
func (l *Log) halve(ctx context.Context, r *reading, high uint64) (at position, err error) {
	for low := uint64(1); low < high; {
		middle := low + (high-low)/2
		m, err := l.nextMessage(ctx, r.subject, middle)
		if errors.Is(err, errNoMessage) {
			break // deleted in the meantime
		}
		if err != nil {
			return position{}, err
		}
		if m.head.grave || m.head.part > 0 || m.head.first > r.after+1 {
			high = middle
			continue
		}
		at = position{last: m.head.first - 1, stream: m.seq - 1}
		if low = m.seq + 1; r.after-at.last <= near {
			break
		}
	}
	return at, nil
}

// nextMessage returns the first message of a subject from a sequence of the stream on.
func (l *Log) nextMessage(ctx context.Context, subject string, from uint64) (found message, err error) {
	err = retry(ctx, func() error {
		found, err = l.nextOfCopy(ctx, query{NextFor: subject, Seq: from})
		return err
	}, harmless)
	return found, err
}
