package protobuf

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/go-json-experiment/json/jsontext"
)

// The fields of the messages in google/protobuf/struct.proto.
const (
	valueNull   = 1
	valueNumber = 2
	valueText   = 3
	valueBool   = 4
	valueObject = 5
	valueList   = 6
	structEntry = 1
	entryName   = 1
	entryValue  = 2
	listItem    = 1
)

// text writes a JSON string.
func (e *encoder) text(fd *field, raw jsontext.Value) error {
	if raw[0] != '"' {
		return misfit("a string")
	}
	inner := raw[1 : len(raw)-1]
	if len(inner) == 0 && fd.kind == text {
		return nil
	}
	return e.quoted(fd.num, raw)
}

func (e *encoder) quoted(num uint8, raw jsontext.Value) error {
	inner := raw[1 : len(raw)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		e.buf = protowire.AppendTag(e.buf, protowire.Number(num), protowire.BytesType)
		e.buf = protowire.AppendBytes(e.buf, inner)
		return nil
	}
	mark, extra := e.open(num)
	plain, err := jsontext.AppendUnquote(e.buf, raw)
	if err != nil {
		return fail("it is not text: " + err.Error())
	}
	e.buf = plain
	e.shut(mark, extra)
	return nil
}

func (e *encoder) flag(fd *field, raw jsontext.Value) error {
	if k := raw.Kind(); k != 't' && k != 'f' {
		return misfit("true or false")
	}
	e.buf = protowire.AppendTag(e.buf, protowire.Number(fd.num), protowire.VarintType)
	e.buf = protowire.AppendVarint(e.buf, protowire.EncodeBool(raw[0] == 't'))
	return nil
}

// integer writes a whole number, which JSON may write in many ways: 1500 is 1.5e3.
func (e *encoder) integer(fd *field, raw jsontext.Value) error {
	if raw.Kind() != '0' {
		return misfit("a whole number")
	}
	n, err := strconv.ParseInt(string(raw), 10, 64)
	if err != nil {
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil || f != math.Trunc(f) || math.Abs(f) > maxSafe {
			return misfit("a whole number within ±(2^53−1)")
		}
		n = int64(f)
	}
	if n > maxSafe || n < -maxSafe {
		return misfit("a whole number within ±(2^53−1)")
	}
	e.buf = protowire.AppendTag(e.buf, protowire.Number(fd.num), protowire.VarintType)
	e.buf = protowire.AppendVarint(e.buf, uint64(n))
	return nil
}

// anything writes any JSON as google.protobuf.Value, in the given field.
func (e *encoder) anything(num uint8, t *tape, i int) error { return e.value(num, t, i, 0) }

// members writes a JSON object as google.protobuf.Struct, in the given field.
func (e *encoder) members(num uint8, t *tape, i int) error {
	if t.kind(i) != '{' {
		return misfit("an object")
	}
	return e.entries(num, t, i, 0)
}

// value writes node i inside of depth others.
func (e *encoder) value(num uint8, t *tape, i, depth int) error {
	mark, extra := e.open(num)
	switch t.kind(i) {
	case 'n':
		e.buf = append(e.buf, valueNull<<3|byte(protowire.VarintType), 0)
	case 't', 'f':
		e.buf = append(e.buf, valueBool<<3|byte(protowire.VarintType), byte(protowire.EncodeBool(t.kind(i) == 't')))
	case '"':
		if err := e.quoted(valueText, t.text(i)); err != nil {
			return err
		}
	case '{':
		if err := e.entries(valueObject, t, i, depth); err != nil {
			return err
		}
	case '[':
		if err := e.items(t, i, depth); err != nil {
			return err
		}
	default:
		if err := e.number(t.text(i)); err != nil {
			return err
		}
	}
	e.shut(mark, extra)
	return nil
}

func (e *encoder) items(t *tape, i, depth int) error {
	if depth >= MaxDepth {
		return errTooDeep
	}
	mark, extra := e.open(valueList)
	n := 0
	for at := i + 1; at < t.nodes[i].next; at = t.nodes[at].next {
		e.index(n)
		if err := e.value(listItem, t, at, depth+1); err != nil {
			return err
		}
		e.leave()
		n++
	}
	e.shut(mark, extra)
	return nil
}

func (e *encoder) entries(num uint8, t *tape, i, depth int) error {
	if depth >= MaxDepth {
		return errTooDeep
	}
	mark, extra := e.open(num)
	for _, at := range indexed(t, i) {
		if err := e.member(t, at, depth); err != nil {
			return err
		}
	}
	for at := i + 1; at < t.nodes[i].next; at = t.nodes[at+1].next {
		if _, ok := index(t.text(at)); ok {
			continue
		}
		if err := e.member(t, at, depth); err != nil {
			return err
		}
	}
	e.shut(mark, extra)
	return nil
}

// member writes one member of an object, whose name is node i.
func (e *encoder) member(t *tape, i, depth int) error {
	name := t.text(i)
	e.path.push(step{key: name})
	if means(name, "__proto__") {
		e.lose("", "the reference cannot carry a member of this name")
		e.leave()
		return nil
	}
	mark, extra := e.open(structEntry)
	if len(name) > len(`""`) {
		if err := e.quoted(entryName, name); err != nil {
			return err
		}
	}
	if err := e.value(entryValue, t, i+1, depth+1); err != nil {
		return err
	}
	e.shut(mark, extra)
	e.leave()
	return nil
}

// indexed returns the members of the object i whose names JavaScript takes for indices,
// in the order in which its objects list them: before all others, by their number.
func indexed(t *tape, i int) []int {
	type numbered struct {
		index uint32
		at    int
	}
	var found []numbered
	for at := i + 1; at < t.nodes[i].next; at = t.nodes[at+1].next {
		if n, ok := index(t.text(at)); ok {
			found = append(found, numbered{n, at})
		}
	}
	slices.SortFunc(found, func(a, b numbered) int { return cmp.Compare(a.index, b.index) })
	list := make([]int, len(found))
	for k, f := range found {
		list[k] = f.at
	}
	return list
}

// index returns the number a name stands for if it is an array index of JavaScript: a
// whole number below 2^32−1, written as JavaScript would write it.
func index(quoted []byte) (uint32, bool) {
	name := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(unquote(quoted))
	}
	if len(name) == 0 || len(name) > len("4294967294") || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	var n uint64
	for _, c := range name {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + uint64(c-'0')
	}
	return uint32(n), n < math.MaxUint32
}

// number writes a JSON number, rounded to a 64-bit float.
func (e *encoder) number(raw jsontext.Value) error {
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil {
		return fail("the number " + clip(raw) + " is beyond the range of a 64-bit float")
	}
	if e.lost != nil && !sameNumber(raw, f) {
		e.lose("", "the number "+clip(raw)+" is rounded to a 64-bit float")
	}
	e.buf = append(e.buf, valueNumber<<3|byte(protowire.Fixed64Type))
	e.buf = binary.LittleEndian.AppendUint64(e.buf, math.Float64bits(f))
	return nil
}
