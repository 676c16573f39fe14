package shape

import (
	"bytes"
	"errors"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// box has one of every place in which something unknown may sit.
var (
	word   = &Shape{Type: String, Words: []string{"a", "b"}}
	source = &Shape{Type: Union, Tag: "kind", Variants: map[string]*Shape{
		"url": {Type: Struct, Members: []Member{
			{Name: "kind", Shape: &Shape{Type: Const, Words: []string{"url"}}, Required: true},
			{Name: "at", Shape: str, Required: true},
		}},
	}}
	part = &Shape{Type: Union, Tag: "type", Variants: map[string]*Shape{
		"media": {Type: Struct, Members: []Member{
			{Name: "type", Shape: &Shape{Type: Const, Words: []string{"media"}}, Required: true},
			{Name: "source", Shape: source, Required: true},
			{Name: "alt", Shape: source},
		}},
		"text": {Type: Struct, Members: []Member{
			{Name: "type", Shape: &Shape{Type: Const, Words: []string{"text"}}, Required: true},
			{Name: "text", Shape: str, Required: true},
		}},
	}}
	nested = &Shape{Type: Struct, Members: []Member{
		{Name: "role", Shape: word, Required: true},
		{Name: "n", Shape: &Shape{Type: Integer, Min: 0, Max: SafeInteger}},
	}}
	box = &Shape{Type: Struct, Members: []Member{
		{Name: "id", Shape: str, Required: true},
		{Name: "maybe", Shape: word},
		{Name: "must", Shape: word},
		{Name: "inner", Shape: nested},
		{Name: "words", Shape: &Shape{Type: Array, Item: word}},
		{Name: "parts", Shape: &Shape{Type: StringOrArray, Item: part}},
		{Name: "list", Shape: &Shape{Type: Array, Item: nested}},
		{Name: "open", Shape: &Shape{Type: Object}},
		{Name: "patch", Shape: &Shape{Type: Struct, Open: true, Members: []Member{{Name: "op", Shape: word, Required: true}}}},
		{Name: "any", Shape: &Shape{Type: Any}},
		{Name: "deep", Shape: &Shape{Type: Struct, Members: []Member{{Name: "inner", Shape: nested, Required: true}}}},
		{Name: "few", Shape: &Shape{Type: Array, MinItems: 1, Item: word}},
	}}
	strict = &Shape{Type: Struct, Members: []Member{
		{Name: "id", Shape: str, Required: true},
		{Name: "role", Shape: word, Required: true},
		{Name: "inner", Shape: nested, Required: true},
	}}
)

func at(code Code, path, detail string) Warning {
	return Warning{Code: code, Path: path, Detail: detail}
}

func unknownAt(paths ...string) []Warning {
	var out []Warning
	for _, p := range paths {
		out = append(out, at(UnknownProperty, p, "unknown property"))
	}
	return out
}

func TestEnforceTakesOutWhatIsUnknown(t *testing.T) {
	const notKnown, notVariant = "not a known value", "not a known variant"
	for _, tc := range []struct {
		rule, in, want string
		warnings       []Warning
	}{
		{"an unknown property goes", `{"id":"1","x":2}`, `{"id":"1"}`, unknownAt("/x")},
		{"wherever it stands", `{"x":1,"id":"1","y":2}`, `{"id":"1"}`, unknownAt("/x", "/y")},
		{"also deep inside", `{"id":"1","inner":{"x":1,"role":"a"}}`, `{"id":"1","inner":{"role":"a"}}`, unknownAt("/inner/x")},
		{"also in a variant", `{"id":"1","parts":[{"x":[],"type":"text","text":""}]}`, `{"id":"1","parts":[{"type":"text","text":""}]}`, unknownAt("/parts/0/x")},
		{"its path is escaped", `{"id":"1","a/b~c":{"d":1}}`, `{"id":"1"}`, unknownAt("/a~1b~0c")},
		{"its name is what it means", `{"id":"1","\u0078\u002f":0}`, `{"id":"1"}`, unknownAt("/x~1")},
		{"an empty name is a name", `{"id":"1","":0}`, `{"id":"1"}`, unknownAt("/")},
		{"an escaped known name is known and stays as it was written", `{"\u0069d":"1","x":2}`, `{"\u0069d":"1"}`, unknownAt("/x")},
		{"an optional word goes", `{"id":"1","maybe":"z"}`, `{"id":"1"}`, []Warning{at(UnknownValue, "/maybe", notKnown)}},
		{"a word is known however it is written", `{"id":"1","maybe":"\u0061","x":0}`, `{"id":"1","maybe":"\u0061"}`, unknownAt("/x")},
		{"an optional variant goes", `{"id":"1","parts":[{"type":"media","source":{"kind":"url","at":""},"alt":{"kind":"ftp"}}]}`,
			`{"id":"1","parts":[{"type":"media","source":{"kind":"url","at":""}}]}`, []Warning{at(UnknownValue, "/parts/0/alt", notKnown)}},
		{"a required word takes its object", `{"id":"1","inner":{"role":"z"}}`, `{"id":"1"}`, []Warning{at(UnknownValue, "/inner", notKnown)}},
		{"which takes the next one when that is required", `{"id":"1","deep":{"inner":{"role":"z"}}}`, `{"id":"1"}`, []Warning{at(UnknownValue, "/deep", notKnown)}},
		{"a required variant takes its element", `{"id":"1","parts":[{"type":"text","text":"t"},{"type":"media","source":{"kind":"ftp"}}]}`,
			`{"id":"1","parts":[{"type":"text","text":"t"}]}`, []Warning{at(UnknownValue, "/parts/1", notVariant)}},
		{"a word in a list goes", `{"id":"1","words":["z","a","y","b"]}`, `{"id":"1","words":["a","b"]}`,
			[]Warning{at(UnknownValue, "/words/0", notVariant), at(UnknownValue, "/words/2", notVariant)}},
		{"a variant in a list goes", `{"id":"1","parts":[{"type":"new"},{"type":"text","text":"t"}]}`, `{"id":"1","parts":[{"type":"text","text":"t"}]}`,
			[]Warning{at(UnknownValue, "/parts/0", notVariant)}},
		{"a list may become empty", `{"id":"1","words":["z"]}`, `{"id":"1","words":[]}`, []Warning{at(UnknownValue, "/words/0", notVariant)}},
		{"an element with a required word goes", `{"id":"1","list":[{"role":"z"},{"role":"b"}]}`, `{"id":"1","list":[{"role":"b"}]}`,
			[]Warning{at(UnknownValue, "/list/0", notVariant)}},
		{"what is inside of what goes is no news", `{"id":"1","inner":{"x":1,"role":"z","y":2},"list":[{"x":1,"role":"z"}]}`, `{"id":"1","list":[]}`,
			[]Warning{at(UnknownValue, "/inner", notKnown), at(UnknownValue, "/list/0", notVariant)}},
		{"what is malformed inside of what goes is no violation", `{"id":"1","inner":{"n":-1,"role":"z"},"list":[{"role":"z","n":"x"}]}`, `{"id":"1","list":[]}`,
			[]Warning{at(UnknownValue, "/inner", notKnown), at(UnknownValue, "/list/0", notVariant)}},
		{"what is missing inside of what goes is no violation", `{"id":"1","parts":[{"type":"new"},{"source":{"kind":"ftp"},"type":"media"}]}`, `{"id":"1","parts":[]}`,
			[]Warning{at(UnknownValue, "/parts/0", notVariant), at(UnknownValue, "/parts/1", notVariant)}},
		{"paths are those of the value as it came", `{"id":"1","words":["z","a","y"],"list":[{"role":"z"},{"role":"a","x":1}]}`,
			`{"id":"1","words":["a"],"list":[{"role":"a"}]}`,
			[]Warning{at(UnknownValue, "/words/0", notVariant), at(UnknownValue, "/words/2", notVariant), at(UnknownValue, "/list/0", notVariant), at(UnknownProperty, "/list/1/x", "unknown property")}},
		{"what stays keeps its spelling", ` { "x" : 0 , "id" : "\u0041\/" , "inner" : {"n":1e0,"role":"a"} } `,
			`{"id":"\u0041\/","inner":{"n":1e0,"role":"a"}}`, unknownAt("/x")},
		{"open objects stay byte for byte", `{"x":0,"id":"1","open":{ "any" : [1.0, {"maybe":"z"} ] },"any":[ {"x":2} ]}`,
			`{"id":"1","open":{ "any" : [1.0, {"maybe":"z"} ] },"any":[ {"x":2} ]}`, unknownAt("/x")},
		{"an open struct keeps what it does not describe", `{"x":0,"id":"1","patch":{"op":"a","extra":{"maybe":"z"}}}`,
			`{"id":"1","patch":{"op":"a","extra":{"maybe":"z"}}}`, unknownAt("/x")},
		{"but not an unknown variant of itself", `{"id":"1","patch":{"extra":1,"op":"z"}}`, `{"id":"1"}`, []Warning{at(UnknownValue, "/patch", notKnown)}},
		{"text in place of a list is left alone", `{"id":"1","parts":"new","x":0}`, `{"id":"1","parts":"new"}`, unknownAt("/x")},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			in := []byte(tc.in)
			spans := make([]Span, len(box.Members))
			clean, warnings, err := Enforce(in, box, spans)
			if err != nil {
				t.Fatal(err)
			}
			if string(in) != tc.in {
				t.Error("the input was changed")
			}
			if diff := cmp.Diff(tc.want, string(clean)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(tc.warnings, warnings); diff != "" {
				t.Errorf("warnings (-want +got)\n%s", diff)
			}
			spansAreOf(t, clean, spans)
			if again, warnings, err := Enforce(clean, box, nil); err != nil || len(warnings) > 0 || &again[0] != &clean[0] {
				t.Errorf("the second time: %s, %v, %v", again, warnings, err)
			}
		})
	}
}

// spansAreOf checks that the spans lie where a fresh Check finds the members.
func spansAreOf(t testing.TB, clean []byte, spans []Span) {
	t.Helper()
	want := make([]Span, len(spans))
	if _, err := slow(clean, box, want); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, spans); diff != "" {
		t.Errorf("spans (-want +got)\n%s", diff)
	}
}

// slow is Check without flat.
func slow(raw []byte, s *Shape, spans []Span) ([]Warning, error) {
	w := walkers.Get().(*walker)
	defer w.release()
	w.start(raw)
	if err := w.value(s, spans); err != nil {
		return nil, w.located(err)
	}
	if _, err := w.dec.ReadToken(); err == nil {
		return nil, &SyntaxError{Offset: w.dec.InputOffset(), Err: errTrailing}
	}
	return w.warnings, nil
}

func TestEnforceTakesTheWholeValue(t *testing.T) {
	whole := []Warning{at(UnknownValue, "", "not a known variant")}
	for _, tc := range []struct {
		rule  string
		shape *Shape
		in    string
	}{
		{"a required word at the top", strict, `{"id":"1","role":"z","inner":{"role":"a"}}`},
		{"a required word in a required object", strict, `{"id":"1","role":"a","inner":{"role":"z"}}`},
		{"an unknown variant at the top", part, `{"type":"new","id":1}`},
		{"a word at the top", word, `"z"`},
		{"what is malformed beside it is no violation", strict, `{"id":1,"role":"z","inner":{"role":"a"}}`},
		{"nor what is missing", strict, `{"role":"z"}`},
		{"what was unknown inside is no news", strict, `{"x":1,"id":"1","role":"z","inner":{"role":"a"}}`},
	} {
		clean, warnings, err := Enforce([]byte(tc.in), tc.shape, nil)
		if clean != nil || err != nil {
			t.Errorf("%s: %s, %v", tc.rule, clean, err)
		}
		if diff := cmp.Diff(whole, warnings); diff != "" {
			t.Errorf("%s: warnings (-want +got)\n%s", tc.rule, diff)
		}
		if r, _, err := ParseEnforced([]byte(tc.in), tc.shape); r.Raw != nil || err != nil {
			t.Errorf("%s: parsed to %s, %v", tc.rule, r.Raw, err)
		}
	}
}

func TestEnforceRefusesWhatIsMalformed(t *testing.T) {
	for _, tc := range []struct{ rule, in, path string }{
		{"a wrong value", `{"id":1}`, "/id"},
		{"also when something was taken out before it", `{"x":1,"id":1}`, "/id"},
		{"or after it", `{"id":1,"x":1}`, "/id"},
		{"beside a word that goes", `{"id":"1","maybe":"z","inner":{"role":1}}`, "/inner/role"},
		{"beside an element that goes", `{"id":"1","list":[{"role":"a","n":-1},{"role":"z"}]}`, "/list/0/n"},
		{"at its place in the value as it came", `{"id":"1","list":[{"role":"z"},{"role":"a","n":-1}]}`, "/list/1/n"},
		{"a word that is no text", `{"id":"1","maybe":null}`, "/maybe"},
		{"a variant that is no object", `{"id":"1","parts":[1]}`, "/parts/0"},
		{"a variant without its tag", `{"id":"1","parts":[{"text":""}]}`, "/parts/0/type"},
		{"a variant whose tag is no text", `{"id":"1","parts":[{"type":1}]}`, "/parts/0/type"},
		{"an object that is none", `{"id":"1","inner":[]}`, "/inner"},
		{"a list that is none", `{"id":"1","words":{}}`, "/words"},
		{"a list of too few", `{"id":"1","few":[]}`, "/few"},
		{"a missing member", `{"x":1}`, "/id"},
		{"no object", `[]`, ""},
	} {
		clean, _, err := Enforce([]byte(tc.in), box, nil)
		var v *Violation
		if clean != nil || !errors.As(err, &v) || v.Path != tc.path {
			t.Errorf("%s: %s, %v, want a violation at %q", tc.rule, clean, err, tc.path)
		}
	}
}

// Bytes that are no JSON are told apart from a wrong value, wherever they are.
func TestEnforceRefusesWhatIsNoJSON(t *testing.T) {
	for _, tc := range []struct {
		rule, in string
		shape    *Shape
	}{
		{"cut", `{"id":"1","x":`, box},
		{"trailing bytes", `{"id":"1","x":1} {}`, box},
		{"a name twice", `{"id":"1","x":1,"x":2}`, box},
		{"a name twice in what is unknown", `{"id":"1","x":{"a":1,"a":2}}`, box},
		{"a name twice in what goes", `{"id":"1","list":[{"role":"z","role":"z"}]}`, box},
		{"a name twice, once with escapes", `{"id":"1","x":1,"\u0078":2}`, box},
		{"a name twice in an open object", `{"id":"1","open":{"a":1,"a":2}}`, box},
		{"no UTF-8 in what is unknown", "{\"id\":\"1\",\"x\":\"\xff\"}", box},
		{"no UTF-8 in what goes", "{\"id\":\"1\",\"maybe\":\"\xff\"}", box},
		{"half a surrogate pair", `{"id":"\ud800","x":1}`, box},
		{"too deep in what is unknown", `{"id":"1","x":` + strings.Repeat("[", MaxDepth) + strings.Repeat("]", MaxDepth) + `}`, box},
		{"cut, behind a word that takes the whole", `{"role":"z","id":"1","x":`, strict},
		{"cut, behind a violation and a word that takes the whole", `{"id":1,"role":"z","x":`, strict},
		{"trailing bytes behind a violation", `{"id":1,"role":"z"} x`, strict},
		{"cut, behind a violation", `{"id":1,"x":`, strict},
	} {
		clean, _, err := Enforce([]byte(tc.in), tc.shape, nil)
		var s *SyntaxError
		if clean != nil || !errors.As(err, &s) {
			t.Errorf("%s: %s, %v, want a SyntaxError", tc.rule, clean, err)
		}
	}
}

func TestEnforceReturnsWhatHasNothingUnknown(t *testing.T) {
	for _, in := range []string{
		`{"id":"1"}`, ` {"id" : "1" , "maybe":"a"} `, `{"id":"\u0041","open":{"x":[1,{"y":"z"}]},"any":null,"words":[],"parts":[{"type":"text","text":""}]}`,
	} {
		raw := []byte(in)
		clean, warnings, err := Enforce(raw, box, nil)
		if err != nil || len(warnings) > 0 || &clean[0] != &raw[0] || len(clean) != len(raw) {
			t.Errorf("%s: %s, %v, %v", in, clean, warnings, err)
		}
	}
}

// A peer may send any number of unknown things; what is kept about them is bounded.
func TestWarningsAreBounded(t *testing.T) {
	many := func(n int) []byte {
		in := []byte(`{"id":"1"`)
		for i := range n {
			in = append(in, `,"x`+strconv.Itoa(i)+`":0`...)
		}
		return append(in, '}')
	}
	for n, want := range map[int]int{maxWarnings - 1: maxWarnings - 1, maxWarnings: maxWarnings, maxWarnings + 1: maxWarnings + 1, maxWarnings + 7: maxWarnings + 1} {
		checked, err := Check(many(n), box, nil)
		if err != nil {
			t.Fatal(err)
		}
		clean, enforced, err := Enforce(many(n), box, nil)
		if err != nil || string(clean) != `{"id":"1"}` {
			t.Fatalf("%s, %v", clean, err)
		}
		for _, warnings := range [][]Warning{checked, enforced} {
			if len(warnings) != want {
				t.Errorf("%d unknown things: %d warnings, want %d", n, len(warnings), want)
			}
			last := warnings[len(warnings)-1]
			if more := strconv.Itoa(n-maxWarnings) + " more warnings"; n > maxWarnings && (last.Detail != more || last.Path != "") {
				t.Errorf("%d unknown things: the last warning is %v", n, last)
			}
			if warnings[0].Path != "/x0" {
				t.Errorf("the first warning is %v", warnings[0])
			}
		}
	}
	if _, warnings, err := Enforce(append([]byte(`{"role":"z",`), many(maxWarnings + 7)[1:]...), strict, nil); err != nil || len(warnings) > maxWarnings+1 {
		t.Errorf("%d warnings, %v", len(warnings), err)
	}
}

// What an iterator yields is the caller's; readers keep it while their bytes are reused.
func TestFieldsAndElementsAreCopies(t *testing.T) {
	object, array := []byte(`{"a":["x"]}`), []byte(`["x",1]`)
	var kept []string
	for m, err := range Fields(object) {
		if err != nil {
			t.Fatal(err)
		}
		name, value := m.Name, m.Value
		copy(object, strings.Repeat(" ", len(object)))
		kept = append(kept, string(name), string(value))
		break
	}
	for v, err := range Elements(array) {
		if err != nil {
			t.Fatal(err)
		}
		copy(array, strings.Repeat(" ", len(array)))
		kept = append(kept, string(v))
		break
	}
	if diff := cmp.Diff([]string{`"a"`, `["x"]`, `"x"`}, kept); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func FuzzEnforce(f *testing.F) {
	for _, seed := range []string{
		`{"id":"1","x":2,"maybe":"z"}`, `{"id":"1","parts":[{"type":"media","source":{"kind":"ftp"}},{"type":"text","text":1}]}`,
		`{"id":1,"deep":{"inner":{"role":"z"}}}`, `{"id":"1","list":[{"role":"z","x":1},{"role":"a","n":1.0}],"few":["z"]}`,
		`{"id":1,"role":"z","x":`, `{"id":"1","patch":{"op":"z"},"open":{"a":{}},"any":[]}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		for _, s := range []*Shape{box, strict, part} {
			before := bytes.Clone(in)
			clean, warnings, err := Enforce(in, s, nil)
			if !bytes.Equal(before, in) {
				t.Fatal("the input was changed")
			}
			found, checkErr := Check(in, s, nil)
			var v *Violation
			var syntax *SyntaxError
			if errors.As(checkErr, &syntax) && !errors.As(err, &syntax) {
				t.Fatalf("%q is no JSON (%v), but %v", in, checkErr, err)
			}
			if checkErr == nil && err == nil && (len(found) == 0) != (len(warnings) == 0) {
				t.Fatalf("%q: Check warns of %v, Enforce of %v", in, found, warnings)
			}
			if err != nil {
				if clean != nil || !errors.As(err, &v) && !errors.As(err, &syntax) {
					t.Fatalf("%q: %s, %v", in, clean, err)
				}
				continue
			}
			if _, err := slow(in, &Shape{}, nil); err != nil {
				t.Fatalf("%q is accepted and no JSON: %v", in, err)
			}
			if clean == nil {
				if len(warnings) == 0 {
					t.Fatalf("%q is gone without a word", in)
				}
				continue
			}
			if left, err := Check(clean, s, nil); err != nil || len(left) > 0 {
				t.Fatalf("%q became %q, which is not clean: %v, %v", in, clean, left, err)
			}
			if again, more, err := Enforce(clean, s, nil); err != nil || len(more) > 0 || !bytes.Equal(again, clean) {
				t.Fatalf("%q became %q, then %q: %v, %v", in, clean, again, more, err)
			}
			if len(warnings) == 0 && !bytes.Equal(clean, in) {
				t.Fatalf("%q became %q without a word", in, clean)
			}
		}
	})
}
