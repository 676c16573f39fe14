package sse

import (
	"errors"
	"fmt"
	"io"
	"iter"

	gosse "github.com/tmaxmax/go-sse"
)

// DefaultMaxEvent is the limit that Read uses when it is given none.
const DefaultMaxEvent = 8 << 20

// ErrEventTooLarge says that an event is larger than the reader accepts.
var ErrEventTooLarge = errors.New("sse: event too large")

// Read yields the data of each event of the stream r. An event ends with a
// blank line and is not yielded before that line has come: a stream cut in the
// middle of an event ends without it. Events without data, or with empty data,
// are skipped. The yielded bytes belong to the caller.
//
// An event may take maxEvent bytes on the wire, comments and other fields
// included; maxEvent ≤ 0 means [DefaultMaxEvent]. A larger one ends the
// sequence with [ErrEventTooLarge], an error of r with an error that wraps it;
// the end of r is no error. An error is the last thing yielded.
func Read(r io.Reader, maxEvent int) iter.Seq2[[]byte, error] {
	if maxEvent <= 0 {
		maxEvent = DefaultMaxEvent
	}
	return func(yield func([]byte, error) bool) {
		// The gate enforces the limit. The library's own has room for the
		// blank line that the gate does not count.
		cfg := &gosse.ReadConfig{MaxEventSize: maxEvent + 16}
		for event, err := range gosse.Read(newGate(r, maxEvent), cfg) {
			if err != nil {
				yield(nil, wrap(err))
				return
			}
			if event.Data != "" && !yield([]byte(event.Data), nil) {
				return
			}
		}
	}
}

func wrap(err error) error {
	if errors.Is(err, ErrEventTooLarge) {
		return err
	}
	return fmt.Errorf("sse: read stream: %w", err)
}
