package agui

import (
	"errors"
	"fmt"
)

var (
	// ErrMalformed: bytes that are not an event or input of the protocol. What is
	// wrong, and where, is in the chain as *shape.Violation or *shape.SyntaxError.
	ErrMalformed = errors.New("malformed AG-UI message")
	// ErrSequence: a well-formed event that may not come at this point of the stream.
	ErrSequence = errors.New("AG-UI event out of order")
	// ErrLimit: a stream that asks for more than its reader is ready to remember.
	ErrLimit = errors.New("AG-UI stream over a limit")
	// ErrTruncated: a stream that ended before its run did. Half a run is never a success.
	ErrTruncated = errors.New("AG-UI stream ended before its run did")
)

// A SequenceError says which event broke which rule of the order of a stream.
// It matches ErrSequence.
type SequenceError struct {
	Type EventType
	ID   SequenceRule // the rule, by name
	Rule string       // the rule, as a sentence about this event
}

// Error names the event and the rule.
func (e *SequenceError) Error() string { return fmt.Sprintf("%s: %s", e.Type, e.Rule) }

// Is reports whether target is ErrSequence.
func (e *SequenceError) Is(target error) bool { return target == ErrSequence }

// A LimitError says which limit an event went over. It matches ErrLimit.
type LimitError struct {
	Type  EventType
	What  string // what is counted, in words
	Limit int
}

// Error names the event and the limit.
func (e *LimitError) Error() string {
	return fmt.Sprintf("%s: more than %d %s", e.Type, e.Limit, e.What)
}

// Is reports whether target is ErrLimit.
func (e *LimitError) Is(target error) bool { return target == ErrLimit }
