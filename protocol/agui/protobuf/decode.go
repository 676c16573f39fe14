package protobuf

import (
	"errors"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// Decode reads one event and returns its JSON, which is for agui.ParseFrame to check:
// what a reader of the JSON form would refuse or leave out is passed on to be treated
// alike, but for what has no JSON form. Of that, content parts without a known form are
// left out, and members without a value are absent. The error matches ErrUnknownEvent
// or is a *FieldError that matches ErrMalformed.
func Decode(raw []byte) (jsontext.Value, error) {
	typ, payload, err := envelope(raw)
	if err != nil {
		return nil, err
	}
	d := decoder{buf: make([]byte, 0, 2*len(raw)+64)}
	if err := d.event(typ, payload); err != nil {
		return nil, malformed(typ, err)
	}
	return d.buf, nil
}

// envelope finds the only event in the outermost message. Pieces of it are merged.
func envelope(raw []byte) (typ agui.EventType, payload []byte, err error) {
	var arm protowire.Number
	later := false
	err = each(raw, func(num protowire.Number, wire protowire.Type, _ uint64, inner []byte) error {
		switch {
		case num >= protowire.Number(len(arms)):
			// A later protocol may add anything beside the events.
			later = later || wire == protowire.BytesType && each(inner, skip) == nil
			return nil
		case wire != protowire.BytesType:
			return fail("an event is no message")
		case arm != 0 && arm != num:
			return fail("it holds events of two types")
		default:
			arm, payload = num, join(payload, inner)
		}
		return nil
	})
	switch {
	case err != nil:
		return "", nil, malformed("", err)
	case arm == 0 && later:
		return "", nil, ErrUnknownEvent
	case arm == 0:
		return "", nil, &FieldError{Reason: "it holds no event", rule: ErrMalformed}
	}
	return arms[arm], payload, nil
}

func skip(protowire.Number, protowire.Type, uint64, []byte) error { return nil }

// A decoder writes the JSON of one event.
type decoder struct{ buf []byte }

func (d *decoder) event(typ agui.EventType, payload []byte) error {
	ev := events[typ]
	head, err := commonOf(payload)
	if err != nil {
		return err
	}
	number, err := typeNumber(head)
	if err != nil {
		return err
	}
	if number != int32(ev.number) {
		return fail("the event says that it is of another type")
	}
	d.buf = append(d.buf, `{"type":"`...)
	d.buf = append(append(d.buf, typ...), '"')
	found, err := common.slots(head)
	if err != nil {
		return err
	}
	if err := d.fields(common, found); err != nil {
		return err
	}
	if found, err = ev.message.slots(payload); err != nil {
		return err
	}
	switch typ {
	case agui.TypeRunFinished, agui.TypeSubagentFinished:
		err = d.finished(ev.message, found)
	case agui.TypeToolCallResult:
		err = d.result(ev.message, found)
	default:
		err = d.fields(ev.message, found)
	}
	d.buf = append(d.buf, '}')
	return err
}

// commonOf returns the message of the members that all events have.
func commonOf(payload []byte) (head []byte, err error) {
	there := false
	err = each(payload, func(num protowire.Number, typ protowire.Type, _ uint64, inner []byte) error {
		if num == commonField && typ == protowire.BytesType {
			there, head = true, join(head, inner)
		}
		return nil
	})
	if err == nil && !there {
		err = fail("the members that every event has are missing")
	}
	return head, err
}

// typeNumber returns the number of the type that an event says it is of.
func typeNumber(head []byte) (number int32, err error) {
	err = each(head, func(num protowire.Number, typ protowire.Type, v uint64, _ []byte) error {
		if num == 1 && typ == protowire.VarintType {
			number = int32(v)
		}
		return nil
	})
	return number, err
}

// fields writes the members that a message holds.
func (d *decoder) fields(m *message, found []slot) error {
	for i := range m.fields {
		if err := d.field(&m.fields[i], &found[i]); err != nil {
			return in(m.fields[i].name, err)
		}
	}
	return nil
}

func (d *decoder) field(fd *field, s *slot) error {
	switch fd.kind {
	case text:
		d.name(fd.name)
		return d.text(s.bytes)
	case many:
		d.name(fd.name)
		return d.list(fd, s.list)
	case op:
		d.name(fd.name)
		return d.operation(int32(s.number))
	}
	if !s.set {
		return nil
	}
	switch fd.kind {
	case optText:
		d.name(fd.name)
		return d.text(s.bytes)
	case integer:
		d.name(fd.name)
		return d.integer(int64(s.number))
	case flag:
		d.name(fd.name)
		d.buf = append(d.buf, truth(s.number != 0)...)
		return nil
	case value:
		return d.memberValue(fd.name, s.bytes, 0)
	case object:
		d.name(fd.name)
		return d.object(s.bytes, 0)
	case one:
		d.name(fd.name)
		return d.message(fd.sub, s.bytes)
	default:
		d.name(fd.name)
		return d.list(fd, s.list)
	}
}

// message writes the object that a message stands for.
func (d *decoder) message(m *message, b []byte) error {
	if m.union {
		return d.union(m, b)
	}
	found, err := m.slots(b)
	if err != nil {
		return err
	}
	d.buf = append(d.buf, '{')
	if m == chatMessage {
		err = d.chatMessage(found)
	} else {
		err = d.fields(m, found)
	}
	d.buf = append(d.buf, '}')
	return err
}

func (d *decoder) list(fd *field, list [][]byte) error {
	d.buf = append(d.buf, '[')
	for i, b := range list {
		before := len(d.buf)
		d.comma()
		var err error
		if fd.kind == texts {
			err = d.text(b)
		} else {
			err = d.message(fd.sub, b)
		}
		if errors.Is(err, errNoArm) {
			d.buf, err = d.buf[:before], nil
		}
		if err != nil {
			return in(strconv.Itoa(i), err)
		}
	}
	d.buf = append(d.buf, ']')
	return nil
}
