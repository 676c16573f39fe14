package check

import (
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// An Event is one event of a stream as it was read, with its place.
type Event struct {
	Index  int    // counted from 0 over the whole stream
	Line   int    // where it begins, counted from 1
	Offset int64  // where it begins, in bytes from the start of the stream
	Raw    []byte // the event's JSON; good until the next event
	// Fault says that there is no Raw, and why: it matches ErrTooLarge or ErrUnfinished,
	// or has a *shape.SyntaxError in its chain.
	Fault error
	// Input, if it is there, is no event but the run input that the recording carries. It
	// stands before the first event.
	Input []byte
}

var (
	// ErrTooLarge: an event of more bytes than the reader was allowed to read.
	ErrTooLarge = errors.New("event too large")
	// ErrUnfinished: the stream ends in the middle of an event.
	ErrUnfinished = errors.New("the stream ends inside this event")
)

// A Severity says how bad a finding is.
type Severity string

// The severities. Their text is that of SARIF's levels.
const (
	Error   Severity = "error"   // a violation: a consumer fails the run
	Warning Severity = "warning" // a consumer goes on, and drops or ignores something
	Note    Severity = "note"    // nothing is wrong; what was looked at has a limit
)

// A Finding is one thing that was found.
type Finding struct {
	Severity Severity
	Rule     string         // one of Rules
	Index    int            // of the event, -1 for none
	Line     int            // of the event, 1 if there is none
	Offset   int64          // of the event
	Type     agui.EventType // of the event, "" if it cannot be read
	Path     string         // JSON Pointer of the place in the event, "" for all of it
	Message  string         // one line of text
}

// maxText bounds the parts of a finding that quote the stream. A peer chooses how long
// its ids are.
const maxText = 400

// line makes text one bounded line that a terminal shows as it is.
func line(text string) string {
	if len(text) > maxText {
		end := maxText
		for end > 0 && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return strings.Map(func(r rune) rune {
		if r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == utf8.RuneError ||
			r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 { // those that turn the direction
			return '\uFFFD'
		}
		return r
	}, text)
}
