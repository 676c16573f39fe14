package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/agui-bridge/agui-bridge/store"
)

// errMoved says that the subject's last message is not the expected one.
var errMoved = errors.New("the thread has moved on")

// maxAttempts is how often an append starts again because somebody else wrote
// part of one and did not, or not yet, finish it.
const maxAttempts = 8

// Append implements [store.Log].
func (l *Log) Append(ctx context.Context, thread string, after uint64, entries ...store.Entry) (uint64, error) {
	ctx, done, err := l.begin(ctx)
	if err != nil {
		return 0, fmt.Errorf("store/jetstream: append: %w", err)
	}
	defer done()
	last, err := l.append(ctx, thread, after, entries)
	if err != nil {
		return 0, l.fault("append to", thread, err)
	}
	return last, nil
}

func (l *Log) append(ctx context.Context, thread string, after uint64, entries []store.Entry) (uint64, error) {
	to, err := address(thread)
	if err != nil {
		return 0, err
	}
	if len(entries) == 0 {
		_, err := l.endAt(ctx, thread, to, after)
		return after, err
	}
	messages, err := pack(after+1, entries, l.partSize, l.opts.MaxAppend)
	if err != nil {
		return 0, err
	}
	end, ok := l.known.end(thread)
	if !ok || end.last != after {
		if end, err = l.endAt(ctx, thread, to, after); err != nil {
			return 0, err
		}
	}
	for attempt := range maxAttempts {
		at, err := l.publish(ctx, to, end.stream, messages)
		if err == nil {
			last := after + uint64(len(entries))
			l.known.add(thread, position{last: last, stream: at})
			return last, nil
		}
		if !errors.Is(err, errMoved) {
			return 0, err // what is known of the end stays true; the engine will say whether it still is the end
		}
		// Only what the thread says of itself is a conflict: the message that is
		// in the way may be a part of an append that never was completed.
		if end, err = l.endAt(ctx, thread, to, after); err != nil {
			return 0, err
		}
		if err := sleep(ctx, time.Duration(attempt)*time.Millisecond); err != nil {
			return 0, err
		}
	}
	return 0, fmt.Errorf("gave up after %d attempts: %w", maxAttempts, errMoved)
}

// endAt returns where the thread ends now, which must be after the entry with
// the given sequence.
func (l *Log) endAt(ctx context.Context, thread, to string, after uint64) (position, error) {
	m, err := l.lastMessage(ctx, l.thread+to, authoritative)
	if err == nil && m.head.grave {
		// Who deletes the thread has not removed it yet. Nothing may follow a
		// grave: readers would come upon what is before it.
		if err = l.purge(ctx, thread, m.seq); err == nil {
			err = errNoMessage
		}
	}
	if errors.Is(err, errNoMessage) {
		l.known.forget(thread)
		m, err = message{}, nil
	}
	if err != nil {
		return position{}, err
	}
	end := position{stream: m.seq}
	if m.seq > 0 {
		end.last = m.head.last()
	}
	if m.head.complete() { // only between appends can one begin to read
		l.known.add(thread, end)
	}
	if end.last != after {
		return position{}, fmt.Errorf("%w: it is at %d, not %d", store.ErrConflict, end.last, after)
	}
	return end, nil
}

// publish writes messages one after the other, each on condition that nothing
// came between, and returns the stream's sequence of the last one. Only with
// the last one is any of them part of the log.
func (l *Log) publish(ctx context.Context, to string, after uint64, messages [][]byte) (uint64, error) {
	for _, data := range messages {
		at, err := l.publishOne(ctx, to, after, data)
		if err != nil {
			return 0, err
		}
		after = at
	}
	return after, nil
}

// expected is the header that makes an append conditional: the sequence of the
// last message of the subject, 0 for none.
const expected = "Nats-Expected-Last-Subject-Sequence"

// The engine's codes for a condition that does not hold.
const (
	codeWrongLast         = 10071
	codeWrongLastConstant = 10164
)

// An apiError is how the engine refuses.
type apiError struct {
	Status      int    `json:"code"`
	Code        int    `json:"err_code"`
	Description string `json:"description"`
}

func (e *apiError) Error() string {
	return fmt.Sprintf("the engine refuses: %s (%d)", e.Description, e.Code)
}

func (l *Log) publishOne(ctx context.Context, to string, after uint64, data []byte) (uint64, error) {
	m := &nats.Msg{
		Subject: l.thread + to, Data: data,
		Header: nats.Header{expected: []string{strconv.FormatUint(after, 10)}},
	}
	var reply *nats.Msg
	err := retry(ctx, func() (err error) {
		reply, err = l.request(ctx, m)
		return err
	}, unsent)
	if err != nil {
		return 0, err
	}
	var ack struct {
		Error  *apiError `json:"error"`
		Stream string    `json:"stream"`
		Seq    uint64    `json:"seq"`
	}
	if err := json.Unmarshal(reply.Data, &ack); err != nil {
		return 0, fmt.Errorf("acknowledgement: %w", err)
	}
	switch {
	case ack.Error != nil && (ack.Error.Code == codeWrongLast || ack.Error.Code == codeWrongLastConstant):
		return 0, errMoved
	case ack.Error != nil:
		return 0, ack.Error
	case ack.Stream != l.names.stream || ack.Seq == 0:
		return 0, fmt.Errorf("acknowledgement of stream %q, sequence %d", ack.Stream, ack.Seq)
	}
	return ack.Seq, nil
}
