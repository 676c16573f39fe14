package protobuf

import (
	"errors"
	"math"
	"strconv"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/go-json-experiment/json/jsontext"
)

// errNoValue: a google.protobuf.Value that holds none. It is absent where it is the
// value of a member, and an error elsewhere.
var errNoValue = errors.New("it has no value")

// comma separates what follows from what stands before it.
func (d *decoder) comma() {
	if last := d.buf[len(d.buf)-1]; last != '{' && last != '[' {
		d.buf = append(d.buf, ',')
	}
}

// name begins a member whose name needs no escapes.
func (d *decoder) name(name string) {
	d.comma()
	d.buf = append(append(append(d.buf, '"'), name...), `":`...)
}

func (d *decoder) text(b []byte) error {
	if !utf8.Valid(b) {
		return fail("it is not UTF-8")
	}
	quoted, err := jsontext.AppendQuote(d.buf, b)
	if err != nil {
		return fail(err.Error())
	}
	d.buf = quoted
	return nil
}

func (d *decoder) integer(n int64) error {
	if n > maxSafe || n < -maxSafe {
		return fail("the number " + strconv.FormatInt(n, 10) + " is not within ±(2^53−1)")
	}
	d.buf = strconv.AppendInt(d.buf, n, 10)
	return nil
}

func truth(v bool) string {
	if v {
		return "true"
	}
	return "false"
}

// memberValue writes a member, unless it has no value.
func (d *decoder) memberValue(name string, b []byte, depth int) error {
	before := len(d.buf)
	d.name(name)
	err := d.value(b, depth)
	if errors.Is(err, errNoValue) {
		d.buf, err = d.buf[:before], nil
	}
	return err
}

// value writes the JSON of a google.protobuf.Value. Of several kinds the last counts.
func (d *decoder) value(b []byte, depth int) error {
	var num protowire.Number
	var number uint64
	var payload []byte
	err := each(b, func(n protowire.Number, typ protowire.Type, v uint64, inner []byte) error {
		if n > valueList || typ != valueWire[n] {
			return nil
		}
		if n != num || n == valueText {
			payload = nil
		}
		num, number, payload = n, v, join(payload, inner)
		return nil
	})
	if err != nil {
		return err
	}
	switch num {
	case valueNull:
		d.buf = append(d.buf, "null"...)
	case valueNumber:
		f := math.Float64frombits(number)
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return fail("a number is not finite")
		}
		d.buf = jsontext.AppendFloat(d.buf, f, 64)
	case valueText:
		return d.text(payload)
	case valueBool:
		d.buf = append(d.buf, truth(number != 0)...)
	case valueObject:
		return d.object(payload, depth)
	case valueList:
		return d.items(payload, depth)
	default:
		return errNoValue
	}
	return nil
}

// valueWire is the wire type of each kind of value.
var valueWire = [...]protowire.Type{
	-1, valueNull: protowire.VarintType, valueNumber: protowire.Fixed64Type, valueText: protowire.BytesType,
	valueBool: protowire.VarintType, valueObject: protowire.BytesType, valueList: protowire.BytesType,
}

// items writes the array that a google.protobuf.ListValue stands for.
func (d *decoder) items(b []byte, depth int) error {
	if depth >= MaxDepth {
		return errTooDeep
	}
	d.buf = append(d.buf, '[')
	n := 0
	err := each(b, func(num protowire.Number, typ protowire.Type, _ uint64, inner []byte) error {
		if num != listItem || typ != protowire.BytesType {
			return nil
		}
		d.comma()
		err := d.value(inner, depth+1)
		if errors.Is(err, errNoValue) {
			err = fail("it is an element of an array and has no value")
		}
		if err != nil {
			return in(strconv.Itoa(n), err)
		}
		n++
		return nil
	})
	d.buf = append(d.buf, ']')
	return err
}

// object writes the object that a google.protobuf.Struct stands for. Of members of one
// name the last counts.
func (d *decoder) object(b []byte, depth int) error {
	if depth >= MaxDepth {
		return errTooDeep
	}
	entries, err := lastEntries(b)
	if err != nil {
		return err
	}
	d.buf = append(d.buf, '{')
	for _, m := range entries {
		before := len(d.buf)
		d.comma()
		if err := d.text(m.name); err != nil {
			return err
		}
		d.buf = append(d.buf, ':')
		err := d.value(m.value, depth+1)
		if errors.Is(err, errNoValue) {
			d.buf = d.buf[:before]
		} else if err != nil {
			return in(string(m.name), err)
		}
	}
	d.buf = append(d.buf, '}')
	return nil
}

// An entry is one member of a google.protobuf.Struct.
type entry struct{ name, value []byte }

// lastEntries returns the members of a Struct, those of one name once. What has no
// value, or the name that JavaScript cannot hold, is none.
func lastEntries(b []byte) (list []entry, err error) {
	places := map[string]int{}
	err = each(b, func(num protowire.Number, typ protowire.Type, _ uint64, inner []byte) error {
		if num != structEntry || typ != protowire.BytesType {
			return nil
		}
		var m entry
		err := each(inner, func(num protowire.Number, typ protowire.Type, _ uint64, inner []byte) error {
			switch {
			case typ != protowire.BytesType:
			case num == entryName:
				m.name = inner
			case num == entryValue:
				m.value = join(m.value, inner)
			}
			return nil
		})
		if err != nil || m.value == nil || string(m.name) == "__proto__" {
			return err
		}
		if at, twice := places[string(m.name)]; twice {
			list[at] = m
			return nil
		}
		places[string(m.name)] = len(list)
		list = append(list, m)
		return nil
	})
	return list, err
}
