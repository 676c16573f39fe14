package hitl_test

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"
)

func newReader(b []byte) io.Reader { return bytes.NewReader(b) }

// A value is a JSON value that knows several ways to be written.
type value struct {
	kind    jsontext.Kind
	text    string   // of a string
	numbers []string // equal spellings of a number
	names   []string // of an object's members
	items   []value  // of an array, or an object's members
}

// equalNumbers holds spellings of one number in each row; no two rows are equal.
var equalNumbers = [][]string{
	{"0", "-0", "0.0", "0e7", "-0.00E-2", "0e99999999999999999999"},
	{"1", "1.0", "1e0", "10e-1", "0.1E+1", "100e-02"},
	{"-1", "-1.0", "-0.01e2"},
	{"1.5", "15e-1", "1.50", "0.15e1"},
	{"100", "1e2", "1.00e2", "0.1e3"},
	{"9007199254740992", "9007199254740992.0"},
	{"9007199254740993", "900719925474099.3e1"},
	{"12345678901234567890", "1.2345678901234567890e19", "12345678901234567890.00"},
	{"12345678901234567891", "1234567890123456789.1e1"},
	{"0.1", "1e-1"},
	{"0.1000000000000000000001", "1000000000000000000001e-22"},
	{"1e400", "10e399"},
	{"1e401"},
	{"-1e-400", "-0.1e-399"},
	{"1e99999999999999999"},
	{"10e9223372036854775807"},
	{"1e-9223372036854775808"},
}

func genValue(depth int) *rapid.Generator[value] {
	return rapid.Custom(func(t *rapid.T) value {
		kinds := []jsontext.Kind{jsontext.KindNull, jsontext.KindTrue, jsontext.KindFalse, jsontext.KindString, jsontext.KindNumber}
		if depth > 0 {
			kinds = append(kinds, jsontext.KindBeginArray, jsontext.KindBeginObject, jsontext.KindBeginObject)
		}
		v := value{kind: rapid.SampledFrom(kinds).Draw(t, "kind")}
		switch v.kind {
		case jsontext.KindString:
			v.text = genText().Draw(t, "text")
		case jsontext.KindNumber:
			v.numbers = rapid.SampledFrom(equalNumbers).Draw(t, "number")
		case jsontext.KindBeginArray:
			v.items = rapid.SliceOfN(genValue(depth-1), 0, 3).Draw(t, "items")
		case jsontext.KindBeginObject:
			v.names = rapid.SliceOfNDistinct(genText(), 0, 4, rapid.ID[string]).Draw(t, "names")
			v.items = rapid.SliceOfN(genValue(depth-1), len(v.names), len(v.names)).Draw(t, "members")
		}
		return v
	})
}

func genText() *rapid.Generator[string] {
	return rapid.StringOfN(rapid.SampledFrom([]rune("ab\"\\/\n #é😀\u2028")), 0, 3, -1)
}

// write draws one way to write v.
func (v value) write(t *rapid.T) jsontext.Value {
	var b strings.Builder
	v.writeTo(t, &b)
	return jsontext.Value(b.String())
}

func (v value) writeTo(t *rapid.T, b *strings.Builder) {
	space := func() { b.WriteString(rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "space")) }
	space()
	switch v.kind {
	case jsontext.KindString:
		writeText(t, b, v.text)
	case jsontext.KindNumber:
		b.WriteString(rapid.SampledFrom(v.numbers).Draw(t, "spelling"))
	case jsontext.KindBeginArray:
		b.WriteByte('[')
		for i, item := range v.items {
			b.WriteString(","[:min(i, 1)])
			item.writeTo(t, b)
		}
		b.WriteByte(']')
	case jsontext.KindBeginObject:
		v.writeMembers(t, b, space)
	default:
		b.WriteString(map[jsontext.Kind]string{jsontext.KindNull: "null", jsontext.KindTrue: "true", jsontext.KindFalse: "false"}[v.kind])
	}
	space()
}

func (v value) writeMembers(t *rapid.T, b *strings.Builder, space func()) {
	order := make([]int, len(v.names))
	for i := range order {
		order[i] = i
	}
	b.WriteByte('{')
	for n, i := range rapid.Permutation(order).Draw(t, "order") {
		b.WriteString(","[:min(n, 1)])
		space()
		writeText(t, b, v.names[i])
		space()
		b.WriteByte(':')
		v.items[i].writeTo(t, b)
	}
	b.WriteByte('}')
}

func writeText(t *rapid.T, b *strings.Builder, s string) {
	if rapid.Bool().Draw(t, "plainly") {
		quoted, err := jsontext.AppendQuote(nil, s)
		if err != nil {
			panic(err)
		}
		b.Write(quoted)
		return
	}
	b.WriteByte('"')
	for _, unit := range utf16.Encode([]rune(s)) {
		fmt.Fprintf(b, `\u%04x`, unit)
	}
	b.WriteByte('"')
}
