package shape

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// A Record is one checked JSON object and where its described members lie. Raw is
// the bytes as they came; it is shared between readers and must not be changed.
type Record struct {
	Raw jsontext.Value

	shape *Shape
	spans []Span
}

// Parse checks raw, which it keeps, against a Struct shape. See Check for the errors.
func Parse(raw []byte, s *Shape) (Record, []Warning, error) {
	spans := make([]Span, len(s.Members))
	warnings, err := Check(raw, s, spans)
	if err != nil {
		return Record{}, nil, err
	}
	return Record{Raw: raw, shape: s, spans: spans}, warnings, nil
}

// ParseEnforced is Parse that takes out what is unknown, see Enforce. Raw is nil when
// the whole value has to go.
func ParseEnforced(raw []byte, s *Shape) (Record, []Warning, error) {
	spans := make([]Span, len(s.Members))
	clean, warnings, err := Enforce(raw, s, spans)
	if err != nil || clean == nil {
		return Record{}, warnings, err
	}
	return Record{Raw: clean, shape: s, spans: spans}, warnings, nil
}

// Member returns the JSON value of a described member, or nil if it is absent.
func (r Record) Member(name string) jsontext.Value {
	if r.shape == nil {
		return nil
	}
	i := r.shape.Index(name)
	if i < 0 || !r.spans[i].Present() {
		return nil
	}
	return r.Raw[r.spans[i].Start:r.spans[i].End]
}

// Text returns the text of a described string member, or "" if it is absent or no string.
func (r Record) Text(name string) string { return Unquote(r.Member(name)) }

// Is reports whether a described member is the given string; it does not allocate.
func (r Record) Is(name, text string) bool {
	v := r.Member(name)
	return len(v) >= 2 && v[0] == '"' && isString(v, text)
}

// Lookup finds what m holds under the text of a described string member. It does
// not allocate for text that is written without escapes.
func Lookup[T any](m map[string]T, r Record, name string) (found T, ok bool) {
	v := r.Member(name)
	if len(v) < 2 || v[0] != '"' {
		return found, false
	}
	inner := v[1 : len(v)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		found, ok = m[string(inner)]
		return found, ok
	}
	found, ok = m[Unquote(v)]
	return found, ok
}

// Unquote returns the text of a JSON string, or "" for any other value.
func Unquote(v jsontext.Value) string {
	if len(v) < 2 || v[0] != '"' {
		return ""
	}
	if inner := v[1 : len(v)-1]; bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	plain, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(plain)
}
