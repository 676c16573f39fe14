package aisdk

import (
	"errors"
	"fmt"
)

var (
	// ErrMalformed: bytes that are not a chunk or a message of the protocol. What is
	// wrong, and where, is in the chain as *shape.Violation or *shape.SyntaxError.
	ErrMalformed = errors.New("malformed AI SDK message")
	// ErrSequence: a well-formed chunk that may not come at this point of the stream.
	ErrSequence = errors.New("AI SDK chunk out of order")
)

// A SequenceError says which chunk broke which rule of the order of a stream. It
// matches ErrSequence.
type SequenceError struct {
	Type ChunkType
	Rule string // the rule, as a sentence
}

// Error names the chunk and the rule.
func (e *SequenceError) Error() string { return fmt.Sprintf("%s: %s", e.Type, e.Rule) }

// Is reports whether target is ErrSequence.
func (e *SequenceError) Is(target error) bool { return target == ErrSequence }
