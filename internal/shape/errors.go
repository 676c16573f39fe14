package shape

import (
	"fmt"
	"strings"
)

// A Violation reports a known place that holds a value its shape does not accept.
type Violation struct {
	Path string // JSON Pointer (RFC 6901) of the place, "" for the whole value
	Want string // what was expected there, in words
	Got  string // what was found
}

// Error names the place, what was expected and what was found.
func (v *Violation) Error() string {
	at := v.Path
	if at == "" {
		at = "the value"
	}
	return fmt.Sprintf("%s: expected %s, got %s", at, v.Want, v.Got)
}

// missing is what is found where a required member is absent.
const missing = "nothing: the member is missing"

// Missing reports whether a required member is absent, rather than a value wrong.
func (v *Violation) Missing() bool { return v.Got == missing }

// within moves the violation one level down, into the named place.
func (v *Violation) within(place string) *Violation {
	v.Path = "/" + escape(place) + v.Path
	return v
}

// A SyntaxError reports bytes that are not one JSON value: malformed text, invalid
// UTF-8, a member named twice, or something after the value.
type SyntaxError struct {
	Offset int64 // in bytes, near where reading stopped
	Err    error
}

// Error says what was wrong and where.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("not valid JSON near byte %d: %v", e.Offset, e.Err)
}

// Unwrap returns the parser's own error.
func (e *SyntaxError) Unwrap() error { return e.Err }

// A Code says what kind of thing a Warning is about. Packages that give warnings of
// their own name their codes beside them.
type Code string

// The codes of this package.
const (
	UnknownProperty Code = "unknown_property" // a member that a closed object does not have
	UnknownValue    Code = "unknown_value"    // a variant or a word that is not among the known ones
)

// A Warning reports something that is not as it is known to be and is no error.
type Warning struct {
	Code   Code
	Path   string // JSON Pointer (RFC 6901) of the place, "" for the whole value
	Detail string // what about it
}

// String gives the warning as one line of text.
func (w Warning) String() string {
	if w.Path == "" {
		return string(w.Code) + ": " + w.Detail
	}
	return string(w.Code) + ": " + w.Path + ": " + w.Detail
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

func escape(name string) string { return pointerEscapes.Replace(name) }
