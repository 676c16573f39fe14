package recorded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/agui/check"
)

// values reads JSON values and knows where each of them stands. What is inside an event
// is judged by whoever takes the event, and with it what is wrong there.
type values struct {
	dec   *jsontext.Decoder
	in    *bounded
	line  int   // of the first line, less one
	start int64 // of the first byte
	max   int
	s     *sink
}

func newValues(r io.Reader, maxEvent int, s *sink) *values {
	v := &values{in: &bounded{r: r, max: int64(maxEvent) + 2*peekSize}, max: maxEvent, s: s}
	v.dec = jsontext.NewDecoder(v.in, jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	v.in.used = v.dec.InputOffset
	return v
}

// errTooFar says that no event ends where it must.
var errTooFar = errors.New("too far")

// bounded refuses to read ahead for ever.
type bounded struct {
	r     io.Reader
	max   int64
	used  func() int64
	read  int64
	lines int
	err   error // r's own
}

// Read implements [io.Reader].
func (b *bounded) Read(p []byte) (int, error) {
	room := b.max - (b.read - b.used())
	if room <= 0 {
		return 0, errTooFar
	}
	n, err := b.r.Read(p[:min(int64(len(p)), room)]) // never further, however the bytes come
	b.read += int64(n)
	b.lines += bytes.Count(p[:n], []byte{'\n'})
	if err != nil && !errors.Is(err, io.EOF) {
		b.err = err
	}
	return n, err
}

// here returns the line and offset behind what was read last.
func (v *values) here() (line int, offset int64) {
	return v.line + 1 + v.in.lines - bytes.Count(v.dec.UnreadBuffer(), []byte{'\n'}), v.start + v.dec.InputOffset()
}

// readJSON reads an array of events, or values one after another.
func readJSON(r *bufio.Reader, maxEvent int, s *sink) error {
	v := newValues(r, maxEvent, s)
	if head, _ := r.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		_, _ = r.Discard(len(head)) // it is buffered
		v.start = int64(len(head))
	}
	return v.all()
}

// all reads to the end, and reports what it cannot read.
func (v *values) all() error {
	for !v.s.stopped {
		kind := v.dec.PeekKind()
		var err error
		if kind == '[' {
			err = v.array()
		} else {
			err = v.value(true)
		}
		if errors.Is(err, io.EOF) && kind == 0 {
			return nil
		}
		if err != nil {
			return v.fault(err)
		}
	}
	return nil
}

// array reads the events of an array.
func (v *values) array() error {
	if _, err := v.dec.ReadToken(); err != nil {
		return err
	}
	for v.dec.PeekKind() != ']' {
		if err := v.value(false); err != nil || v.s.stopped {
			return err
		}
	}
	_, err := v.dec.ReadToken()
	return err
}

// value reads one event; at the top, it may be the object that holds all of them.
func (v *values) value(top bool) error {
	raw, err := v.dec.ReadValue()
	if err != nil {
		return err
	}
	line, offset := v.here()
	e := check.Event{Line: line - bytes.Count(raw, []byte{'\n'}), Offset: offset - int64(len(raw)), Raw: raw}
	if len(raw) > v.max {
		e.Raw, e.Fault = nil, tooLarge(v.max)
	}
	if events, input, found := wrapped(e.Raw); top && found {
		if input != nil {
			v.s.event(check.Event{Input: input})
		}
		inner := newValues(bytes.NewReader(e.Raw[events:]), v.max, v.s)
		inner.line = e.Line - 1 + bytes.Count(e.Raw[:events], []byte{'\n'})
		inner.start = e.Offset + int64(events)
		return inner.array()
	}
	v.s.event(e)
	return nil
}

// wrapped finds the array of events in an object that holds one, and the input.
func wrapped(raw []byte) (events int, input []byte, found bool) {
	if len(raw) == 0 || raw[0] != '{' {
		return 0, nil, false
	}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = dec.ReadToken()
	for dec.PeekKind() == '"' {
		name, err := dec.ReadToken()
		if err != nil {
			return 0, nil, false
		}
		member := name.String()
		if member == "type" {
			return 0, nil, false
		}
		value, err := dec.ReadValue()
		if err != nil {
			return 0, nil, false
		}
		switch {
		case member == "stream" && value.Kind() == '[':
			events, found = int(dec.InputOffset())-len(value), true
		case member == "input" && value.Kind() == '{':
			input = value.Clone()
		}
	}
	return events, input, found
}

// fault reports what is no JSON. Nothing can be found behind it.
func (v *values) fault(err error) error {
	if v.in.err != nil {
		return v.in.err
	}
	line, offset := v.here()
	ahead := v.dec.UnreadBuffer()
	var syntax *jsontext.SyntacticError
	if at := v.dec.InputOffset(); errors.As(err, &syntax) && syntax.ByteOffset >= at {
		ahead = ahead[:min(int64(len(ahead)), syntax.ByteOffset-at)]
	}
	between := ahead[:len(ahead)-len(bytes.TrimLeft(ahead, " \t\r\n,"))]
	line, offset = line+bytes.Count(between, []byte{'\n'}), offset+int64(len(between))
	e := check.Event{Line: line, Offset: offset}
	switch {
	case errors.Is(err, errTooFar):
		e.Fault = tooLarge(v.max)
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		e.Fault = fmt.Errorf("%w: the JSON breaks off", check.ErrUnfinished)
	default:
		if syntax != nil {
			err = syntax.Err // without its place, which depends on how the bytes came
		}
		e.Fault = &shape.SyntaxError{Offset: offset, Err: fmt.Errorf("%w; what follows is not checked", err)}
	}
	v.s.event(e)
	return nil
}
