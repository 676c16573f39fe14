package shape

import (
	"errors"
	"strings"
	"testing"
)

var (
	str   = &Shape{Type: String}
	point = &Shape{Type: Struct, Members: []Member{
		{Name: "name", Shape: str, Required: true},
		{Name: "n", Shape: &Shape{Type: Integer, Min: -SafeInteger, Max: SafeInteger}},
		{Name: "role", Shape: &Shape{Type: String, Words: []string{"a", "b"}}},
		{Name: "open", Shape: &Shape{Type: Object}},
		{Name: "kind", Shape: &Shape{Type: Const, Words: []string{"k"}}},
		{Name: "list", Shape: &Shape{Type: Array, MinItems: 1, Item: &Shape{Type: Union, Tag: "type", Variants: map[string]*Shape{
			"x": {Type: Struct, Members: []Member{{Name: "type", Shape: str, Required: true}, {Name: "v", Shape: str, Required: true}}},
		}}}},
		{Name: "some", Shape: &Shape{Type: NotNull}},
		{Name: "rows", Shape: &Shape{Type: Array, Item: &Shape{Type: Struct, Members: []Member{
			{Name: "cells", Shape: &Shape{Type: Array, Item: &Shape{Type: Struct, Members: []Member{{Name: "v", Shape: str}}}}},
		}}}},
		{Name: "either", Shape: &Shape{Type: StringOrArray, Item: str}},
		{Name: "map", Shape: &Shape{Type: Map, Item: &Shape{Type: Object}}},
	}}
)

func TestUnknownIsReportedAndMalformedIsRefused(t *testing.T) {
	for _, tc := range []struct {
		rule, in  string
		warn      string // path of the expected warning
		violation string // path of the expected violation, "-" for the whole value
		syntax    bool
	}{
		{rule: "described members are accepted", in: `{"name":"x","n":1,"role":"a","open":{"q":[1]},"kind":"k","list":[{"type":"x","v":""}],"some":0,"either":["a"]}`},
		{rule: "white space is nothing", in: " {\n \"name\" : \"x\" }\t"},
		{rule: "escaped names are the same names", in: `{"n\u0061me":"x"}`},
		{rule: "an unknown member is reported by its path", in: `{"name":"x","a/b":1}`, warn: "/a~1b"},
		{rule: "an unknown member deep inside is reported by its path", in: `{"name":"x","list":[{"type":"x","v":"","w":2}]}`, warn: "/list/0/w"},
		{rule: "an unknown word is reported", in: `{"name":"x","role":"c"}`, warn: "/role"},
		{rule: "an unknown variant is reported", in: `{"name":"x","list":[{"type":"y"}]}`, warn: "/list/0"},
		{rule: "members of an open object are nobody's business", in: `{"name":"x","open":{"anything":null}}`},
		{rule: "a missing required member is refused", in: `{}`, violation: "/name"},
		{rule: "null is not absence", in: `{"name":null}`, violation: "/name"},
		{rule: "a wrong type is refused", in: `{"name":1}`, violation: "/name"},
		{rule: "a wrong constant is refused", in: `{"name":"x","kind":"other"}`, violation: "/kind"},
		{rule: "a fraction is no whole number", in: `{"name":"x","n":1.5}`, violation: "/n"},
		{rule: "1.0 is a whole number", in: `{"name":"x","n":1.0}`},
		{rule: "a number beyond 2^53-1 is refused", in: `{"name":"x","n":9007199254740992}`, violation: "/n"},
		{rule: "null where any value but null belongs is refused", in: `{"name":"x","some":null}`, violation: "/some"},
		{rule: "an empty array where one element is needed is refused", in: `{"name":"x","list":[]}`, violation: "/list"},
		{rule: "a variant without its tag is refused", in: `{"name":"x","list":[{"v":""}]}`, violation: "/list/0/type"},
		{rule: "a malformed variant is refused at its own path", in: `{"name":"x","list":[{"type":"x","v":1}]}`, violation: "/list/0/v"},
		{rule: "an element of the wrong type is refused", in: `{"name":"x","either":["a",2]}`, violation: "/either/1"},
		{rule: "a violation deep in an array keeps the index", in: `{"name":"x","rows":[{"cells":[{"v":"a"},{"v":2}]}]}`, violation: "/rows/0/cells/1/v"},
		{rule: "each member of a map is of one shape", in: `{"name":"x","map":{"a":{"b":1},"":{}}}`},
		{rule: "a map may be empty", in: `{"name":"x","map":{}}`},
		{rule: "another shape in a map is refused by its name", in: `{"name":"x","map":{"a":{},"b/c":1}}`, violation: "/map/b~1c"},
		{rule: "no map is refused", in: `{"name":"x","map":[{}]}`, violation: "/map"},
		{rule: "no object is refused", in: `[]`, violation: "-"},
		{rule: "a member named twice is refused", in: `{"name":"x","name":"y"}`, syntax: true},
		{rule: "an unknown member named twice is refused", in: `{"name":"x","q":1,"q":2}`, syntax: true},
		{rule: "invalid UTF-8 is refused", in: "{\"name\":\"\xff\"}", syntax: true},
		{rule: "a second value is refused", in: `{"name":"x"}{}`, syntax: true},
		{rule: "a cut value is refused", in: `{"name":"x"`, syntax: true},
		{rule: "nothing is refused", in: ``, syntax: true},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			warnings, err := Check([]byte(tc.in), point, nil)
			var v *Violation
			var s *SyntaxError
			switch {
			case tc.syntax:
				if !errors.As(err, &s) {
					t.Fatalf("want a SyntaxError, got %v", err)
				}
			case tc.violation != "":
				if !errors.As(err, &v) || v.Path != strings.TrimPrefix(tc.violation, "-") {
					t.Fatalf("want a Violation at %q, got %v", tc.violation, err)
				}
			case err != nil:
				t.Fatalf("refused: %v", err)
			case tc.warn != "" && (len(warnings) != 1 || warnings[0].Path != tc.warn):
				t.Fatalf("want one warning at %q, got %v", tc.warn, warnings)
			case tc.warn == "" && len(warnings) > 0:
				t.Fatalf("unexpected warnings %v", warnings)
			}
		})
	}
}

func TestDepthIsLimited(t *testing.T) {
	nested := func(n int) []byte {
		return []byte(`{"name":"[[{\"","open":` + strings.Repeat(`{"a":[`, n/2) + strings.Repeat(`]}`, n/2) + `}`)
	}
	if _, err := Check(nested(MaxDepth-2), point, nil); err != nil {
		t.Errorf("at the limit: %v", err)
	}
	if _, err := Check(nested(MaxDepth), point, nil); !errors.Is(err, ErrTooDeep) {
		t.Errorf("over the limit: %v", err)
	}
}

func TestSpansPointAtTheValues(t *testing.T) {
	in := []byte(`{ "n" : 12 ,"name": "x\ny" , "open":{"a":[1, 2]}}`)
	spans := make([]Span, len(point.Members))
	if _, err := Check(in, point, spans); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"n": "12", "name": `"x\ny"`, "open": `{"a":[1, 2]}`} {
		s := spans[point.Index(name)]
		if got := string(in[s.Start:s.End]); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if spans[point.Index("role")].Present() {
		t.Error("an absent member has a span")
	}
}

func TestViolationSaysWhereWhatWasExpectedAndWhatWasFound(t *testing.T) {
	_, err := Check([]byte(`{"name":42}`), point, nil)
	if got, want := err.Error(), "/name: expected a string, got the number 42"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"name":"x","list":[{"type":"x","v":""}]}`))
	f.Add([]byte(`{"n\u0061me":"x","either":"s"}`))
	f.Fuzz(func(t *testing.T, in []byte) {
		spans := make([]Span, len(point.Members))
		if _, err := Check(in, point, spans); err != nil {
			return
		}
		name := spans[point.Index("name")]
		if !name.Present() || in[name.Start] != '"' || in[name.End-1] != '"' {
			t.Fatalf("accepted without a name: %q", in)
		}
	})
}

func BenchmarkCheckSmallObject(b *testing.B) {
	in := []byte(`{"name":"a text","n":1785000000000,"role":"a","some":true}`)
	spans := make([]Span, len(point.Members))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Check(in, point, spans); err != nil {
			b.Fatal(err)
		}
	}
}
