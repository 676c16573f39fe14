package shape

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Enforce is Check that takes out what is unknown. clean is raw itself when nothing
// was, a new slice without it otherwise, and nil when the whole value has to go. Each
// thing taken out has a warning with its path; err is as for Check.
//
//	unknown member of a closed object    the member goes
//	unknown variant or word, optional    the member that holds it goes
//	unknown variant or word, required    the object that holds it goes, judged in its own place
//	unknown variant or word in an array  the element goes
//
// What goes is not judged: a malformed member of an object that goes is no violation.
func Enforce(raw []byte, s *Shape, spans []Span) (clean []byte, warnings []Warning, err error) {
	warnings, err = Check(raw, s, spans)
	if err == nil && len(warnings) == 0 {
		return raw, nil, nil
	}
	return enforce(raw, s, spans, err)
}

// enforce goes on with what Check did not find clean, or found checkErr in.
func enforce(raw []byte, s *Shape, spans []Span, checkErr error) ([]byte, []Warning, error) {
	var violation *Violation
	if checkErr != nil && !errors.As(checkErr, &violation) {
		return nil, nil, checkErr
	}
	if violation != nil { // what follows it has not been read yet
		if _, err := Check(raw, anything, nil); err != nil {
			return nil, nil, err
		}
	}
	var st stripper
	clean, gone, err := st.value(s, raw)
	switch {
	case err != nil:
		return nil, nil, err
	case gone:
		st.warnings = nil // it goes whole; what was inside is no longer news
		st.took(UnknownValue, "not a known variant")
		return nil, bounded(st.warnings), nil
	}
	clear(spans)
	if _, err := Check(clean, s, spans); err != nil {
		if errors.As(err, &violation) {
			violation.Path = st.original(violation.Path)
		}
		return nil, bounded(st.warnings), err
	}
	return clean, bounded(st.warnings), nil
}

var anything = &Shape{Type: Any}

// A stripper rebuilds a value without what is unknown. It judges nothing else.
type stripper struct {
	warnings []Warning
	path     []string
}

// took reports that what is at the current path was taken out.
func (st *stripper) took(code Code, detail string) {
	path := ""
	for _, place := range st.path {
		path += "/" + escape(place)
	}
	st.warnings = append(st.warnings, Warning{Code: code, Path: path, Detail: detail})
}

// original turns a place in what is left into the same place in what came: elements
// that went have moved those behind them. Outer ones come first among the warnings.
func (st *stripper) original(path string) string {
	for _, w := range st.warnings {
		cut := strings.LastIndexByte(w.Path, '/')
		gone, err := strconv.Atoi(w.Path[cut+1:])
		rest, below := strings.CutPrefix(path, w.Path[:cut+1])
		if w.Code != UnknownValue || err != nil || !below {
			continue
		}
		place, inner, _ := strings.Cut(rest, "/")
		if n, err := strconv.Atoi(place); err == nil && n >= gone {
			path = w.Path[:cut+1] + strconv.Itoa(n+1)
			if inner != "" {
				path += "/" + inner
			}
		}
	}
	return path
}

// value returns raw without what is unknown in it, or gone when nothing can stay.
func (st *stripper) value(s *Shape, raw jsontext.Value) (clean jsontext.Value, gone bool, err error) {
	switch kind := raw.Kind(); {
	case kind == '{' && s.Type == Struct:
		return st.object(s, raw)
	case kind == '{' && s.Type == Union:
		tag, err := stringMember(raw, s.Tag)
		if err != nil {
			return raw, false, syntaxOnly(err)
		}
		variant, known := s.Variants[tag]
		if !known {
			return nil, true, nil
		}
		return st.object(variant, raw)
	case kind == '[' && (s.Type == Array || s.Type == StringOrArray):
		return st.array(s, raw)
	case kind == '"' && s.Type == String && s.Words != nil:
		return raw, !slices.Contains(s.Words, Unquote(raw)), nil
	}
	return raw, false, nil
}

// syntaxOnly drops a violation, which is not the stripper's to report.
func syntaxOnly(err error) error {
	var v *Violation
	if errors.As(err, &v) {
		return nil
	}
	return err
}

func (st *stripper) object(s *Shape, raw jsontext.Value) (jsontext.Value, bool, error) {
	out := []byte{'{'}
	for m, err := range Fields(raw) {
		if err != nil {
			return nil, false, err
		}
		value, stays, err := st.member(s, m)
		if err != nil {
			return nil, false, err
		}
		if !stays && value == nil {
			return nil, true, nil
		}
		if !stays {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, m.Name...), ':'), value...)
	}
	return append(out, '}'), false, nil
}

// member says what becomes of one member: it stays with the given value, or goes, or,
// when the value is nil, takes the object with it.
func (st *stripper) member(s *Shape, m Field) (value jsontext.Value, stays bool, err error) {
	st.path = append(st.path, Unquote(m.Name))
	defer func() { st.path = st.path[:len(st.path)-1] }()
	i := s.member(m.Name)
	if i < 0 {
		if !s.Open {
			st.took(UnknownProperty, "unknown property")
		}
		return m.Value, s.Open, nil
	}
	mark := len(st.warnings)
	value, gone, err := st.value(s.Members[i].Shape, m.Value)
	if err != nil || !gone {
		return value, true, err
	}
	st.warnings = st.warnings[:mark] // it goes whole; what was inside is no longer news
	if s.Members[i].Required {
		return nil, false, nil
	}
	st.took(UnknownValue, "not a known value")
	return m.Value, false, nil
}

func (st *stripper) array(s *Shape, raw jsontext.Value) (jsontext.Value, bool, error) {
	out := []byte{'['}
	n := 0
	for element, err := range Elements(raw) {
		if err != nil {
			return nil, false, err
		}
		st.path = append(st.path, strconv.Itoa(n))
		mark := len(st.warnings)
		value, gone, err := st.value(s.Item, element)
		if err != nil {
			return nil, false, err
		}
		if gone {
			st.warnings = st.warnings[:mark]
			st.took(UnknownValue, "not a known variant")
		} else {
			if len(out) > 1 {
				out = append(out, ',')
			}
			out = append(out, value...)
		}
		st.path = st.path[:len(st.path)-1]
		n++
	}
	return append(out, ']'), false, nil
}
