package protobuf

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// A slot is what the bytes of a message hold for one field: the last value of a scalar,
// every element of a list, and the joined bytes of a message that came in pieces, which
// is how protobuf merges them.
type slot struct {
	set    bool
	number uint64
	bytes  []byte
	list   [][]byte
}

// each calls take for every field of a message. It fails at what is no protobuf.
func each(b []byte, take func(num protowire.Number, typ protowire.Type, v uint64, inner []byte) error) error {
	for len(b) > 0 {
		num, typ, n := protowire.ConsumeTag(b)
		if n < 0 {
			return fail("it is no protobuf: " + protowire.ParseError(n).Error())
		}
		b = b[n:]
		var v uint64
		var inner []byte
		switch typ {
		case protowire.VarintType:
			v, n = protowire.ConsumeVarint(b)
		case protowire.Fixed64Type:
			v, n = protowire.ConsumeFixed64(b)
		case protowire.BytesType:
			inner, n = protowire.ConsumeBytes(b)
		default:
			n = protowire.ConsumeFieldValue(num, typ, b)
		}
		if n < 0 {
			return fail("it is no protobuf: " + protowire.ParseError(n).Error())
		}
		b = b[n:]
		if err := take(num, typ, v, inner); err != nil {
			return err
		}
	}
	return nil
}

// slots sorts the bytes of a message by its fields. A field of an unknown number, or of
// another wire type than it has, is left out, as protobuf asks.
func (m *message) slots(b []byte) ([]slot, error) {
	found := make([]slot, len(m.fields))
	err := each(b, func(num protowire.Number, typ protowire.Type, v uint64, inner []byte) error {
		at := slices.IndexFunc(m.fields, func(f field) bool { return protowire.Number(f.num) == num })
		if at < 0 || typ != m.fields[at].kind.wire() {
			return nil
		}
		s := &found[at]
		switch m.fields[at].kind {
		case many, optMany, texts:
			s.list = append(s.list, inner)
		case value, object, one:
			s.bytes = join(s.bytes, inner)
		default:
			s.bytes, s.number = inner, v
		}
		s.set = true
		return nil
	})
	return found, err
}

// join adds a piece of a message to those before. What it returns has no spare room in
// the bytes of others, so that many pieces cost what they are long.
func join(before, piece []byte) []byte {
	if before == nil {
		return slices.Clip(piece)
	}
	return append(before, piece...)
}

func (k kind) wire() protowire.Type {
	switch k {
	case integer, flag, op:
		return protowire.VarintType
	default:
		return protowire.BytesType
	}
}
