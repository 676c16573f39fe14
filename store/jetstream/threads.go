package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/store"
)

// Threads implements [store.Log]. It holds one batch of threads at a time.
func (l *Log) Threads(ctx context.Context) iter.Seq2[store.ThreadInfo, error] {
	return func(yield func(store.ThreadInfo, error) bool) {
		stopped := false
		err := l.ends(ctx, func(thread string, m message) (bool, error) {
			info, ok, err := l.info(ctx, thread, m)
			if err == nil && ok {
				stopped = !yield(info, nil)
			}
			return !stopped, err
		})
		if err != nil && !stopped {
			yield(store.ThreadInfo{}, l.fault("list threads", "", err))
		}
	}
}

// Last implements [store.Log].
func (l *Log) Last(ctx context.Context, thread string) (uint64, error) {
	to, err := address(thread)
	if err != nil {
		return 0, err
	}
	m, err := l.lastOf(ctx, to)
	if errors.Is(err, errNoMessage) {
		return 0, nil
	}
	if err != nil {
		return 0, l.fault("find the end", thread, err)
	}
	info, _, err := l.info(ctx, thread, m)
	if err != nil {
		return 0, l.fault("find the end", thread, err)
	}
	return info.Last, nil
}

// info says of a thread what its last message does. A part of an append that is
// not complete does not say when the entry before it was made.
func (l *Log) info(ctx context.Context, thread string, m message) (info store.ThreadInfo, ok bool, err error) {
	if m.head.last() == 0 {
		return info, false, nil
	}
	if m.head.complete() {
		info = store.ThreadInfo{ID: thread, Last: m.head.last(), At: m.head.at}
		if m.head.parts == 1 {
			entries, err := unpack(m.head, m.payload)
			if err != nil {
				return info, false, err
			}
			info.End = entries[len(entries)-1]
		}
		return info, true, nil
	}
	err = l.read(ctx, thread, m.head.first-2, func(e store.Entry) bool {
		info, ok = store.ThreadInfo{ID: thread, Last: e.Seq, At: e.At, End: e}, true
		return true
	})
	return info, ok, err
}

// The engine gives the last message of each of up to 1,024 subjects. Where
// there are more, they are asked for by one token of the hash in their
// subjects, and by the second if need be: enough for sixty million.
func (l *Log) ends(ctx context.Context, each func(thread string, last message) (bool, error)) error {
	for prefixes := []string{l.thread}; len(prefixes) > 0; {
		prefix := prefixes[len(prefixes)-1]
		prefixes = prefixes[:len(prefixes)-1]
		more, err := l.endsUnder(ctx, prefix, each)
		if errors.Is(err, errTooMany) && len(prefix) < len(l.thread)+len("00.00.") {
			for i := range 256 {
				prefixes = append(prefixes, fmt.Sprintf("%s%02x.", prefix, i))
			}
			continue
		}
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (l *Log) endsUnder(ctx context.Context, prefix string, each func(thread string, last message) (bool, error)) (more bool, err error) {
	q := query{MultiLast: []string{prefix + ">"}, Batch: maxPageEnds}
	for {
		p, err := l.endsPage(ctx, q)
		if err != nil {
			return false, err
		}
		for _, m := range p.messages {
			thread, err := l.threadOf(m.subject)
			if err != nil {
				l.opts.Logger.Warn("skipped what is not a thread", zap.Error(err))
				continue
			}
			if more, err := each(thread, m); err != nil || !more {
				return false, err
			}
		}
		if p.pending == 0 || len(p.messages) == 0 {
			return true, nil
		}
		q.Seq, q.UpTo = p.last+1, p.upTo
	}
}

func (l *Log) endsPage(ctx context.Context, q query) (page, error) {
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return page{}, err
	}
	defer done()
	return l.fetch(ctx, q)
}
