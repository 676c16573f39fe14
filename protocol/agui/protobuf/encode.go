package protobuf

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// MaxDepth is how deep JSON may nest inside of an event. The reference runs out of
// stack not far above; what nests deeper would take its reader down.
const MaxDepth = 1000

// An Encoder writes events. The zero value is ready, and may be used by many.
type Encoder struct {
	// Lost, if it is there, is told what an event has that the binary form does not
	// carry: see the package comment.
	Lost func(Loss)
}

// A Loss is something of an event that its binary form does not carry.
type Loss struct {
	Path   string // JSON Pointer into the event
	Detail string // what about it
}

// Append appends the binary form of an event that agui.ParseFrame or agui.Encode has
// checked. What they would have taken out or refused is refused here. It returns
// ErrUnknown for an event that is not known, and a *FieldError that matches
// ErrUnencodable for one that cannot be carried; then dst is returned as it was.
func Append(dst []byte, f agui.Frame) ([]byte, error) { return Encoder{}.Append(dst, f) }

// AppendFramed appends what Append does after its length, as HTTP bodies hold events.
func AppendFramed(dst []byte, f agui.Frame) ([]byte, error) { return Encoder{}.AppendFramed(dst, f) }

// Append is like the function, and reports what is lost.
func (c Encoder) Append(dst []byte, f agui.Frame) ([]byte, error) {
	ev, ok := events[f.Type]
	if !ok || len(f.Raw) == 0 {
		return dst, ErrUnknown
	}
	e := encoder{buf: dst, lost: c.Lost}
	if err := e.event(ev, f); err != nil {
		return dst, &FieldError{Type: f.Type, Path: e.pointer(), Reason: err.Error(), rule: ErrUnencodable}
	}
	return e.settle(), nil
}

// AppendFramed is like the function, and reports what is lost.
func (c Encoder) AppendFramed(dst []byte, f agui.Frame) ([]byte, error) {
	start := len(dst)
	out, err := c.Append(append(dst, 0, 0, 0, 0), f)
	if err != nil {
		return dst, err
	}
	size := len(out) - start - frameHead
	if size > math.MaxUint32 {
		return dst, &FieldError{Type: f.Type, Reason: "it is larger than a frame can be", rule: ErrUnencodable}
	}
	binary.BigEndian.PutUint32(out[start:], uint32(size))
	return out, nil
}

// An encoder writes one event.
type encoder struct {
	buf      []byte
	prefixes stack[prefix]
	extra    int         // how long the prefixes are that are known
	path     stack[step] // where the encoder is; after an error, where it was found
	lost     func(Loss)
	told     int // how many losses were reported
}

func (e *encoder) event(ev *event, f agui.Frame) error {
	mark, extra := e.open(ev.arm)
	inner, before := e.open(commonField)
	if ev.number != 0 {
		e.buf = protowire.AppendTag(e.buf, 1, protowire.VarintType)
		e.buf = protowire.AppendVarint(e.buf, uint64(ev.number))
	}
	if err := e.frame(common, f); err != nil {
		return err
	}
	e.shut(inner, before)
	if err := e.frame(ev.message, f); err != nil {
		return err
	}
	if ev.homeless != "" && f.Member(ev.homeless) != nil {
		e.lose(ev.homeless, "the binary form has no place for it")
	}
	e.shut(mark, extra)
	return nil
}

// frame writes fields from the members of the event itself, whose places are known.
func (e *encoder) frame(m *message, f agui.Frame) error {
	for i := range m.fields {
		fd := &m.fields[i]
		name := fd.name
		if fd.in != "" {
			name = "outcome"
		}
		raw := f.Member(name)
		if raw == nil || m.content && fd.name == "content" && raw[0] != fd.kind.first() {
			continue
		}
		e.enter(name)
		var err error
		switch fd.kind {
		case text, optText:
			err = e.text(fd, raw)
		case integer:
			err = e.integer(fd, raw)
		case flag:
			err = e.flag(fd, raw)
		default:
			err = e.nested(fd, raw)
		}
		if err != nil {
			return err
		}
		e.leave()
	}
	return nil
}

// nested writes a field whose value has an inside.
func (e *encoder) nested(fd *field, raw jsontext.Value) error {
	t, err := lay(raw)
	if err != nil {
		return fail("it is not JSON: " + err.Error())
	}
	if fd.kind == outcome || fd.in != "" {
		return e.outcome(fd, &t)
	}
	return e.field(fd, &t, 0)
}

// outcome writes the type of an outcome, or a list that an outcome of its type holds.
func (e *encoder) outcome(fd *field, t *tape) error {
	if t.kind(0) != '{' {
		return fail("it is no object")
	}
	typ := t.member(0, "type")
	if typ < 0 || t.kind(typ) != '"' {
		return fail("it has no type")
	}
	if fd.in == "" {
		return e.text(&field{num: fd.num, kind: text}, t.text(typ))
	}
	at := t.member(0, fd.name)
	if at < 0 || !means(t.text(typ), fd.in) {
		return nil
	}
	e.enter(fd.name)
	if err := e.field(fd, t, at); err != nil {
		return err
	}
	e.leave()
	return nil
}

// object writes the fields of a message from the object i.
func (e *encoder) object(m *message, t *tape, i int) error {
	if t.kind(i) != '{' {
		return misfit("an object")
	}
	e.unknown(m, t, i)
	for k := range m.fields {
		fd := &m.fields[k]
		at := t.member(i, fd.name)
		if at < 0 {
			continue
		}
		if m.content && fd.name == "content" && t.kind(at) != fd.kind.first() {
			continue
		}
		e.enter(fd.name)
		if err := e.field(fd, t, at); err != nil {
			return err
		}
		e.leave()
	}
	return nil
}

// field writes one field from node i.
func (e *encoder) field(fd *field, t *tape, i int) error {
	switch fd.kind {
	case text, optText:
		return e.text(fd, t.text(i))
	case integer:
		return e.integer(fd, t.text(i))
	case flag:
		return e.flag(fd, t.text(i))
	case op:
		return e.operation(t.text(i))
	case value:
		return e.anything(fd.num, t, i)
	case object:
		return e.members(fd.num, t, i)
	case one:
		return e.one(fd, t, i)
	default:
		return e.list(fd, t, i)
	}
}

// first returns how the JSON begins that a field of content carries. Content in another
// form is for another field.
func (k kind) first() byte {
	switch k {
	case many:
		return '['
	case object:
		return '{'
	default:
		return '"'
	}
}

func (e *encoder) one(fd *field, t *tape, i int) error {
	if t.kind(i) != '{' {
		return misfit("an object")
	}
	mark, extra := e.open(fd.num)
	var err error
	if fd.sub.union {
		err = e.union(fd.sub, t, i)
	} else {
		err = e.object(fd.sub, t, i)
	}
	e.shut(mark, extra)
	return err
}

func (e *encoder) list(fd *field, t *tape, i int) error {
	if t.kind(i) != '[' {
		return misfit("an array")
	}
	n := 0
	for at := i + 1; at < t.nodes[i].next; at = t.nodes[at].next {
		e.index(n)
		var err error
		if fd.kind == texts {
			err = e.text(&field{num: fd.num, kind: optText}, t.text(at))
		} else {
			err = e.one(fd, t, at)
		}
		if err != nil {
			return err
		}
		e.leave()
		n++
	}
	return nil
}

// union writes the only field of a message that an object stands for.
func (e *encoder) union(m *message, t *tape, i int) error {
	typ := t.member(i, "type")
	if typ < 0 || t.kind(typ) != '"' {
		return fail("it has no type")
	}
	fd := m.arm(unquote(t.text(typ)))
	if fd == nil {
		return fail("its type is not known")
	}
	mark, extra := e.open(fd.num)
	err := e.object(fd.sub, t, i)
	e.shut(mark, extra)
	return err
}

// operation writes the op of a JSON Patch operation. The first is 0, and not written.
func (e *encoder) operation(raw []byte) error {
	if raw[0] != '"' {
		return misfit("a string")
	}
	for n, name := range operations {
		if !means(raw, name) {
			continue
		}
		if n > 0 {
			e.buf = protowire.AppendTag(e.buf, 1, protowire.VarintType)
			e.buf = protowire.AppendVarint(e.buf, uint64(n))
		}
		return nil
	}
	return fail("it is no operation of JSON Patch")
}
