package hitl

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

var (
	errNoValue    = errors.New("canonical JSON: there is no value")
	errMoreValues = errors.New("canonical JSON: there is more than one value")
)

// Canonical writes v so that equal JSON values give equal texts and different ones
// different texts: members sorted by name, no white space, strings with the fewest
// escapes, numbers in one spelling of their exact value. The time it takes grows with
// the size of v and not with its depth.
//
// RFC 8785 is not used because it reads numbers as 64-bit floats, by which
// 12345678901234567890 and 12345678901234567891 would be the same arguments.
//
// The error says that v is absent, is no well-formed JSON, or names a member twice.
func Canonical(v jsontext.Value) (string, error) {
	if len(v) == 0 {
		return "", errNoValue
	}
	s := scan{dec: jsontext.NewDecoder(bytes.NewBuffer(v))}
	if err := s.value(); err != nil {
		return "", fmt.Errorf("canonical JSON: %w", err)
	}
	if _, err := s.dec.ReadToken(); !errors.Is(err, io.EOF) {
		return "", errMoreValues
	}
	if len(s.unsorted) == 0 {
		return string(s.text), nil
	}
	return string(s.sorted(nil, span{0, len(s.text)}, s.unsorted)), nil
}

// A scan writes the canonical text with the members where it finds them, and notes the
// objects whose members have to move. Sorting them afterwards, from the outside in,
// copies every byte once, however deep the value is nested.
type scan struct {
	dec      *jsontext.Decoder
	text     []byte
	members  []member // of the objects that are being read, the innermost last
	unsorted []object // in the order of text, none inside another
}

// A span is a part of a scan's text.
type span struct{ from, to int }

type object struct {
	span
	members []member
}

type member struct {
	span           // of "name":value
	colon int      // where the name ends
	noted int      // how many unsorted objects come before the value
	inner []object // the unsorted objects inside the value
}

func (s *scan) value() error {
	switch s.dec.PeekKind() {
	case jsontext.KindBeginObject:
		return s.object()
	case jsontext.KindBeginArray:
		return s.array()
	}
	raw, err := s.dec.ReadValue()
	if err != nil {
		return err
	}
	switch raw.Kind() {
	case jsontext.KindNumber:
		s.text = appendNumber(s.text, raw)
	case jsontext.KindString:
		return s.quote(raw)
	default:
		s.text = append(s.text, raw...)
	}
	return nil
}

// quote writes a JSON string. One without a backslash has only one spelling.
func (s *scan) quote(raw jsontext.Value) error {
	if bytes.IndexByte(raw, '\\') < 0 {
		s.text = append(s.text, raw...)
		return nil
	}
	plain, err := jsontext.AppendUnquote(nil, raw)
	if err != nil {
		return err
	}
	s.text, err = jsontext.AppendQuote(s.text, plain)
	return err
}

func (s *scan) array() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	s.text = append(s.text, '[')
	for first := true; s.dec.PeekKind() != jsontext.KindEndArray; first = false {
		if !first {
			s.text = append(s.text, ',')
		}
		if err := s.value(); err != nil {
			return err
		}
	}
	s.text = append(s.text, ']')
	_, err := s.dec.ReadToken()
	return err
}

func (s *scan) object() error {
	if _, err := s.dec.ReadToken(); err != nil {
		return err
	}
	start, outside, base := len(s.text), len(s.unsorted), len(s.members)
	s.text = append(s.text, '{')
	for s.dec.PeekKind() != jsontext.KindEndObject {
		if len(s.members) > base {
			s.text = append(s.text, ',')
		}
		m, err := s.member()
		if err != nil {
			return err
		}
		s.members = append(s.members, m)
	}
	s.text = append(s.text, '}')
	if own := s.members[base:]; !slices.IsSortedFunc(own, s.byName) {
		s.note(object{span{start, len(s.text)}, slices.Clone(own)}, outside)
	}
	s.members = s.members[:base]
	_, err := s.dec.ReadToken()
	return err
}

func (s *scan) member() (member, error) {
	m := member{span: span{from: len(s.text)}, noted: len(s.unsorted)}
	name, err := s.dec.ReadValue()
	if err != nil {
		return m, err
	}
	if err := s.quote(name); err != nil {
		return m, err
	}
	m.colon = len(s.text)
	s.text = append(s.text, ':')
	err = s.value()
	m.to = len(s.text)
	return m, err
}

// note records o as unsorted, in place of the unsorted objects inside it.
func (s *scan) note(o object, outside int) {
	for i := range o.members {
		end := len(s.unsorted)
		if i+1 < len(o.members) {
			end = o.members[i+1].noted
		}
		o.members[i].inner = slices.Clone(s.unsorted[o.members[i].noted:end])
	}
	slices.SortFunc(o.members, s.byName)
	s.unsorted = append(s.unsorted[:outside], o)
}

// byName orders by the names as they are written, between the quotation marks.
func (s *scan) byName(a, b member) int {
	return bytes.Compare(s.text[a.from+1:a.colon-1], s.text[b.from+1:b.colon-1])
}

// sorted appends the given part of the text, with the members of the unsorted objects
// in it where they belong.
func (s *scan) sorted(dst []byte, part span, unsorted []object) []byte {
	at := part.from
	for _, o := range unsorted {
		dst = append(dst, s.text[at:o.from]...)
		for i, m := range o.members {
			dst = append(dst, "{,"[min(i, 1)])
			dst = s.sorted(dst, m.span, m.inner)
		}
		dst = append(dst, '}')
		at = o.to
	}
	return append(dst, s.text[at:part.to]...)
}
