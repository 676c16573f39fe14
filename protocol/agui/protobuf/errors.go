package protobuf

import (
	"errors"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

var (
	// ErrUnknown: an event of a type that this form has no message for, or of which
	// agui.ParseFrame found nothing that may stay. A reader of the JSON form leaves such
	// an event out, and so may a writer of this one.
	ErrUnknown = errors.New("unknown event, which has no binary form")
	// ErrUnencodable: an event that this form cannot carry as it is.
	ErrUnencodable = errors.New("event that the binary form cannot carry")
	// ErrMalformed: bytes that are not an event in this form.
	ErrMalformed = errors.New("malformed binary AG-UI event")
	// ErrUnknownEvent: bytes that hold nothing but an event of a later protocol. Its
	// type cannot be told; a reader leaves it out and goes on.
	ErrUnknownEvent = errors.New("binary AG-UI event of a later protocol")
	// ErrTooLarge: a frame whose length exceeds what the reader takes.
	ErrTooLarge = errors.New("binary AG-UI frame too large")
)

// A FieldError says which member of which event is at fault. It matches the rule that
// was broken: ErrUnencodable or ErrMalformed.
type FieldError struct {
	Type   agui.EventType // "" if it could not be told
	Path   string         // JSON Pointer into the event's JSON form; "" for the event itself
	Reason string

	rule error
}

// Error names the event, the member and the reason.
func (e *FieldError) Error() string {
	text := e.rule.Error() + ": "
	if e.Type != "" {
		text += string(e.Type) + ": "
	}
	if e.Path != "" {
		text += e.Path + ": "
	}
	return text + e.Reason
}

// Unwrap returns the rule that was broken.
func (e *FieldError) Unwrap() error { return e.rule }
