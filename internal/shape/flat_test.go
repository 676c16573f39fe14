package shape

import (
	"slices"
	"testing"
)

// event has one member of every type, as the shapes of a protocol do.
var event = &Shape{Type: Struct, Members: []Member{
	{Name: "type", Shape: &Shape{Type: Const, Words: []string{"E"}}, Required: true},
	{Name: "id", Shape: str, Required: true},
	{Name: "role", Shape: word},
	{Name: "n", Shape: &Shape{Type: Integer, Min: -SafeInteger, Max: SafeInteger}},
	{Name: "count", Shape: &Shape{Type: Integer, Min: 0, Max: 10}},
	{Name: "yes", Shape: &Shape{Type: Bool}},
	{Name: "some", Shape: &Shape{Type: NotNull}},
	{Name: "any", Shape: &Shape{Type: Any}},
	{Name: "either", Shape: &Shape{Type: StringOrArray, Item: str}},
	{Name: "f", Shape: &Shape{Type: Number}},
	{Name: "at", Shape: &Shape{Type: Pointer}},
	{Name: "open", Shape: &Shape{Type: Object}},
	{Name: "list", Shape: &Shape{Type: Array, Item: str}},
	{Name: "é", Shape: str},
}}

func TestFlatAcceptsWhatStreamsAreMadeOf(t *testing.T) {
	for _, in := range []string{
		`{"type":"E","id":""}`, `{"id":"x","type":"E"}`, `{"type": "E", "id": "x"}`,
		`{"type":"E","id":"\"\\\/\b\f\n\r\t"}`, `{"type":"E","id":"é€😀","é":""}`,
		`{"type":"E","id":"","n":0}`, `{"type":"E","id":"","n":-1}`, `{"type":"E","id":"","n":999999999999999}`,
		`{"type":"E","id":"","n":-999999999999999}`, `{"type":"E","id":"","count":10}`,
		`{"type":"E","id":"","yes":true}`, `{"type":"E","id":"","yes":false,"some":"s","any":"a","either":"e","role":"b"}`,
	} {
		spans := make([]Span, len(event.Members))
		if !flat([]byte(in), event, spans) {
			t.Errorf("%s is left to the walker", in)
			continue
		}
		sameAsSlow(t, []byte(in), spans)
		if !flat([]byte(in), event, nil) {
			t.Errorf("%s: without spans it is left to the walker", in)
		}
	}
}

func sameAsSlow(t *testing.T, in []byte, spans []Span) {
	t.Helper()
	want := make([]Span, len(event.Members))
	warnings, err := slow(in, event, want)
	if err != nil || len(warnings) > 0 {
		t.Fatalf("%q: flat accepts it, the walker says %v, %v", in, warnings, err)
	}
	if !slices.Equal(want, spans) {
		t.Fatalf("%q: spans %v, the walker's are %v", in, spans, want)
	}
}

// What flat does not judge, the walker does; if flat took one of these, a wrong value
// would pass, or a right one be misread.
func TestFlatLeavesTheRestToTheWalker(t *testing.T) {
	const head = `{"type":"E","id":"x"`
	for _, tc := range []struct{ rule, in string }{
		{"nothing", ``},
		{"half an object", `{`},
		{"an empty object", `{}`},
		{"no object", `["type"]`},
		{"a missing member", `{"type":"E"}`},
		{"another constant", `{"type":"F","id":"x"}`},
		{"a constant with escapes", `{"type":"\u0045","id":"x"}`},
		{"an unknown member", head + `,"x":"y"}`},
		{"an unknown word", head + `,"role":"z"}`},
		{"a word that only begins like one", head + `,"role":"ab"}`},
		{"a name with escapes", `{"type":"E","\u0069d":"x"}`},
		{"a name twice", head + `,"id":"y"}`},
		{"text with a long escape", `{"type":"E","id":"\u0041"}`},
		{"half a surrogate pair", `{"type":"E","id":"\ud800"}`},
		{"an escape that is none", `{"type":"E","id":"\x"}`},
		{"text cut in an escape", `{"type":"E","id":"\`},
		{"invalid UTF-8", "{\"type\":\"E\",\"id\":\"\xff\"}"},
		{"an overlong encoding", "{\"type\":\"E\",\"id\":\"\xc0\x80\"}"},
		{"a surrogate as UTF-8", "{\"type\":\"E\",\"id\":\"\xed\xa0\x80\"}"},
		{"invalid UTF-8 behind an escape", "{\"type\":\"E\",\"id\":\"\\n\xff\"}"},
		{"a control character", "{\"type\":\"E\",\"id\":\"\x1f\"}"},
		{"text that is not closed", `{"type":"E","id":"x`},
		{"null", head + `,"any":null}`},
		{"a number where text belongs", `{"type":"E","id":1}`},
		{"text where a number belongs", head + `,"n":"1"}`},
		{"a leading zero", head + `,"n":01}`},
		{"minus zero", head + `,"n":-0}`},
		{"only a sign", head + `,"n":-}`},
		{"a plus", head + `,"n":+1}`},
		{"a fraction", head + `,"n":1.5}`},
		{"an exponent", head + `,"n":1e3}`},
		{"a number of sixteen digits", head + `,"n":9007199254740992}`},
		{"a number of twenty digits", head + `,"n":99999999999999999999}`},
		{"a number over its bound", head + `,"count":11}`},
		{"a number under its bound", head + `,"count":-1}`},
		{"a number cut short", head + `,"n":1`},
		{"a boolean that goes on", head + `,"yes":truest}`},
		{"a boolean cut short", head + `,"yes":tru`},
		{"a boolean with a capital", head + `,"yes":True}`},
		{"a number of any form", head + `,"f":1}`},
		{"a pointer", head + `,"at":"no pointer"}`},
		{"an object", head + `,"open":{}}`},
		{"a list", head + `,"list":[]}`},
		{"a list in place of text", head + `,"either":[1]}`},
		{"no value", head + `,"n":}`},
		{"no value at all", head + `,"n":`},
		{"no name", head + `,}`},
		{"no comma", head + `"n":1}`},
		{"no colon", head + `,"n"1}`},
		{"another bracket", head + `]`},
		{"something behind it", head + `}x`},
		{"a second object", head + `}{}`},
		{"white space behind it", head + "}\n"},
		{"white space before it", ` ` + head + `}`},
		{"white space before a bracket", head + ` }`},
		{"white space before a comma", head + ` ,"n":1}`},
		{"two spaces", head + `,  "n":1}`},
		{"a line break", head + ",\n\"n\":1}"},
		{"a byte order mark", "\ufeff" + head + `}`},
	} {
		spans := make([]Span, len(event.Members))
		if flat([]byte(tc.in), event, spans) {
			t.Errorf("%s: flat accepts %s", tc.rule, tc.in)
		}
	}
	for _, s := range []*Shape{str, part, {Type: Any}} {
		if flat([]byte(`{"type":"text","text":""}`), s, nil) {
			t.Errorf("flat accepts what is no struct")
		}
	}
}

// A value that flat gives up on half way leaves no trace in the spans.
func TestFlatLeavesNoSpansBehind(t *testing.T) {
	in := []byte(`{"id":"x","role":"a","type":"E" }`)
	spans := make([]Span, len(event.Members))
	if _, err := Check(in, event, spans); err != nil {
		t.Fatal(err)
	}
	sameAsSlow(t, in, spans)
	for _, in := range []string{
		`{"type":"E","id":"x","role":"a","list":[]}`, `{"type":"E","id":"x","n":1.0}`, `{"type":"E","id":"x","\u006e":1}`, `{"type":"E","id":"x","z":"","n":2}`,
	} {
		spans := make([]Span, len(event.Members))
		if _, _, err := Enforce([]byte(in), event, spans); err != nil {
			t.Fatal(err)
		}
		got := make([]Span, len(event.Members))
		clean, _, err := Enforce([]byte(in), event, got)
		if err != nil {
			t.Fatal(err)
		}
		sameAsSlow(t, clean, got)
	}
}

func FuzzFlat(f *testing.F) {
	for _, seed := range []string{
		`{"type":"E","id":"x"}`, `{"type": "E", "id": "\n", "n": -12, "yes": true}`, `{"id":"é","type":"E","role":"b","count":10}`,
		`{"type":"E","id":"","some":"s","any":"a","either":"e","é":"\\"}`, `{"type":"E","id":"x","n":999999999999999}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		spans := make([]Span, len(event.Members))
		if flat(in, event, spans) {
			sameAsSlow(t, in, spans)
		}
	})
}
