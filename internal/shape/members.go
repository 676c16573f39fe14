package shape

import (
	"github.com/go-json-experiment/json/jsontext"
)

// members checks an object against the described members of a Struct. Which of
// them were seen is a bit set, so that a Struct has at most 64 members.
func (w *walker) members(s *Shape, kind jsontext.Kind, spans []Span) error {
	if kind != '{' {
		return w.refuse(s, kind)
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	var seen uint64
	for w.dec.PeekKind() != '}' {
		name, err := w.dec.ReadValue()
		if err != nil {
			return err
		}
		i := s.member(name)
		if i < 0 {
			if err := w.unknownMember(s, name); err != nil {
				return err
			}
			continue
		}
		seen |= 1 << i
		if err := w.member(s, i, spans); err != nil {
			return err
		}
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for i := range s.Members {
		if s.Members[i].Required && seen&(1<<i) == 0 {
			v := &Violation{Want: s.Members[i].Shape.want(), Got: missing}
			return v.within(s.Members[i].Name)
		}
	}
	return nil
}

func (w *walker) member(s *Shape, i int, spans []Span) error {
	m := &s.Members[i]
	w.path = append(w.path, m.Name)
	before := int(w.dec.InputOffset())
	if err := w.value(m.Shape, nil); err != nil {
		return within(err, m.Name)
	}
	w.path = w.path[:len(w.path)-1]
	if spans != nil {
		spans[i] = Span{Start: valueStart(w.raw, before), End: int(w.dec.InputOffset())}
	}
	return nil
}

// each checks every member of an object, whatever its name.
func (w *walker) each(s *Shape, kind jsontext.Kind) error {
	if kind != '{' {
		return w.refuse(s, kind)
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	for w.dec.PeekKind() != '}' {
		quoted, err := w.dec.ReadValue()
		if err != nil {
			return err
		}
		name := Unquote(quoted)
		w.path = append(w.path, name)
		if err := w.value(s.Item, nil); err != nil {
			return within(err, name)
		}
		w.path = w.path[:len(w.path)-1]
	}
	_, err := w.dec.ReadToken()
	return err
}

// valueStart skips the colon and the white space that the parser has accepted
// between a name and its value.
func valueStart(raw []byte, i int) int {
	for raw[i] == ':' || raw[i] == ' ' || raw[i] == '\t' || raw[i] == '\n' || raw[i] == '\r' {
		i++
	}
	return i
}

func (w *walker) unknownMember(s *Shape, name jsontext.Value) error {
	if !s.Open {
		plain, err := jsontext.AppendUnquote(nil, name)
		if err != nil {
			return err
		}
		w.path = append(w.path, string(plain))
		w.warn(UnknownProperty, "unknown property")
		w.path = w.path[:len(w.path)-1]
	}
	return w.dec.SkipValue()
}

// member returns the place of the member whose quoted name is given, or -1.
func (s *Shape) member(quoted []byte) int {
	for i := range s.Members {
		if isString(quoted, s.Members[i].Name) {
			return i
		}
	}
	return -1
}

// isString reports whether the quoted JSON string means the given text. The
// comparison allocates only for a string that is written with escapes.
func isString(quoted []byte, text string) bool {
	inner := quoted[1 : len(quoted)-1]
	if string(inner) == text {
		return true
	}
	for _, b := range inner {
		if b == '\\' {
			plain, err := jsontext.AppendUnquote(nil, quoted)
			return err == nil && string(plain) == text
		}
	}
	return false
}

// union reads the object once to find its tag, then checks it against the variant.
func (w *walker) union(s *Shape, kind jsontext.Kind) error {
	if kind != '{' {
		return w.refuse(s, kind)
	}
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	tag, err := stringMember(raw, s.Tag)
	if err != nil {
		return err
	}
	variant, known := s.Variants[tag]
	if !known {
		w.warn(UnknownValue, "unknown "+s.Tag+" "+strQuote(tag))
		return nil
	}
	return w.nested(raw, variant)
}

// nested checks bytes that were already read as part of an outer value.
func (w *walker) nested(raw []byte, s *Shape) error {
	inner := walkers.Get().(*walker)
	defer inner.release()
	inner.start(raw)
	inner.path = append(inner.path, w.path...)
	err := inner.value(s, nil)
	w.warnings = append(w.warnings, inner.warnings...)
	return err
}

func stringMember(raw []byte, name string) (string, error) {
	probe := &Shape{Type: Struct, Open: true, Members: []Member{{Name: name, Shape: &Shape{Type: String}, Required: true}}}
	var spans [1]Span
	if _, err := Check(raw, probe, spans[:]); err != nil {
		return "", err
	}
	plain, err := jsontext.AppendUnquote(nil, raw[spans[0].Start:spans[0].End])
	return string(plain), err
}

func strQuote(s string) string {
	quoted, err := jsontext.AppendQuote(nil, s)
	if err != nil {
		return "(not text)"
	}
	return string(quoted)
}

// StringMember returns the string member of the given name of the JSON object raw.
// It returns *SyntaxError for bytes that are not JSON, and *Violation if raw is no
// object or the member is missing or no string.
func StringMember(raw []byte, name string) (string, error) { return stringMember(raw, name) }
