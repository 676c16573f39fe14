package protobuf

import (
	"errors"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"
)

// errNoArm: a union in which nothing is that this version knows. The element of a list
// that holds it is left out.
var errNoArm = errors.New("it holds no form that is known")

// union writes the object that the only field of a message stands for.
func (d *decoder) union(m *message, b []byte) error {
	var arm *field
	var payload []byte
	err := each(b, func(num protowire.Number, typ protowire.Type, _ uint64, inner []byte) error {
		fd := (*field)(nil)
		if num <= protowire.Number(len(m.fields)) && typ == protowire.BytesType {
			fd = &m.fields[num-1] // the fields of a union are numbered without gaps
		}
		switch {
		case fd == nil:
		case arm != nil && arm != fd:
			return fail("it holds two forms at once")
		default:
			arm, payload = fd, join(payload, inner)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if arm == nil {
		return errNoArm
	}
	found, err := arm.sub.slots(payload)
	if err != nil {
		return err
	}
	d.buf = append(d.buf, `{"type":"`...)
	d.buf = append(append(d.buf, arm.name...), '"')
	err = d.fields(arm.sub, found)
	d.buf = append(d.buf, '}')
	return err
}

// operation writes the name of an op. One without a name is written as its number, which
// is no op either: a reader treats it as it treats an unknown one.
func (d *decoder) operation(n int32) error {
	if n >= 0 && int(n) < len(operations) {
		return d.text([]byte(operations[n]))
	}
	return d.text([]byte(strconv.Itoa(int(n))))
}

// chatMessage writes the members of a message, of whose forms of content its role uses
// one. Of a role that is not known, it is the one that is there.
func (d *decoder) chatMessage(found []slot) error {
	slotOf := func(num uint8) *slot {
		for i := range chatMessage.fields {
			if chatMessage.fields[i].num == num {
				return &found[i]
			}
		}
		return nil
	}
	plain, parts, object := slotOf(contentText), slotOf(contentParts), slotOf(contentMap)
	role := string(slotOf(2).bytes)
	usesParts, usesMap := false, false
	switch role {
	case "user", "tool":
		usesParts = true
	case "activity":
		usesMap = true
	case "developer", "system", "assistant", "reasoning":
	default:
		usesParts, usesMap = parts.set, object.set && !parts.set
	}
	if plain.set && parts.set || plain.set && object.set || parts.set && object.set ||
		parts.set && !usesParts || object.set && !usesMap {
		return fail("the form of its content is not the only one, or not that of the role " + strconv.Quote(role))
	}
	for i := range chatMessage.fields {
		fd, s := &chatMessage.fields[i], &found[i]
		if fd.num == contentParts && (plain.set || !usesParts) {
			continue
		}
		if err := d.field(fd, s); err != nil {
			return in(fd.name, err)
		}
	}
	return nil
}

// result writes the members of a tool's result. No form of content is no parts.
func (d *decoder) result(m *message, found []slot) error {
	plain := false
	for i := range m.fields {
		fd, s := &m.fields[i], &found[i]
		if fd.num == resultText {
			plain = s.set
		}
		if fd.num == resultParts {
			if plain && s.set {
				return fail("its content has two forms at once")
			}
			if plain {
				continue
			}
		}
		if err := d.field(fd, s); err != nil {
			return in(fd.name, err)
		}
	}
	return nil
}

// finished writes the members of an event that has an outcome. Lists that do not belong
// to its type are passed on as well: what they mean is for the reader to judge.
func (d *decoder) finished(m *message, found []slot) error {
	outcomeType := ""
	for i := range m.fields {
		if m.fields[i].kind == outcome {
			outcomeType = string(found[i].bytes)
			continue
		}
		if m.fields[i].in == "" {
			if err := d.field(&m.fields[i], &found[i]); err != nil {
				return in(m.fields[i].name, err)
			}
		}
	}
	if outcomeType != "" {
		d.name("outcome")
		d.buf = append(d.buf, '{')
		d.name("type")
		if err := d.text([]byte(outcomeType)); err != nil {
			return in("outcome", in("type", err))
		}
	}
	for i := range m.fields {
		fd := &m.fields[i]
		if fd.in == "" || !found[i].set && (fd.kind != many || fd.in != outcomeType) {
			continue
		}
		d.name(fd.name)
		if err := d.list(fd, found[i].list); err != nil {
			return in(fd.name, err)
		}
	}
	if outcomeType != "" {
		d.buf = append(d.buf, '}')
	}
	return nil
}
