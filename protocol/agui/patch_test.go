package agui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func TestPatch(t *testing.T) {
	for _, tc := range []struct{ rule, doc, patch, want string }{
		{"nothing to do", `{ "a" : 1.0 }`, `[]`, `{ "a" : 1.0 }`},
		{"add a member", `{"a":1}`, `[{"op":"add","path":"/b","value":[]}]`, `{"a":1,"b":[]}`},
		{"add over a member", `{"a":1,"b":2}`, `[{"op":"add","path":"/a","value":3}]`, `{"a":3,"b":2}`},
		{"add an element", `[1,3]`, `[{"op":"add","path":"/1","value":2}]`, `[1,2,3]`},
		{"add at the end by its place", `[1]`, `[{"op":"add","path":"/1","value":2}]`, `[1,2]`},
		{"add at the end by a dash", `[1]`, `[{"op":"add","path":"/-","value":2}]`, `[1,2]`},
		{"add to an empty list", `[]`, `[{"op":"add","path":"/0","value":2}]`, `[2]`},
		{"add null", `{}`, `[{"op":"add","path":"/a","value":null}]`, `{"a":null}`},
		{"add under an empty name", `{}`, `[{"op":"add","path":"/","value":1}]`, `{"":1}`},
		{"a dash names a member, too", `{}`, `[{"op":"add","path":"/-","value":1}]`, `{"-":1}`},
		{"a number names a member, too", `{"0":1}`, `[{"op":"replace","path":"/0","value":2}]`, `{"0":2}`},
		{"~1 is a slash", `{"a/b":1}`, `[{"op":"replace","path":"/a~1b","value":2}]`, `{"a/b":2}`},
		{"~0 is a tilde", `{"a~b":1}`, `[{"op":"replace","path":"/a~0b","value":2}]`, `{"a~b":2}`},
		{"~01 is a tilde and a one", `{"~1":1,"/":0}`, `[{"op":"replace","path":"/~01","value":2}]`, `{"~1":2,"/":0}`},
		{"the same for a test", `{"~1":1,"/":0,"a~b":2}`, `[{"op":"test","path":"/~01","value":1},{"op":"test","path":"/~1","value":0},{"op":"test","path":"/a~0b","value":2}]`, `{"~1":1,"/":0,"a~b":2}`},
		{"escapes in a path are the text they mean", `{"a":1}`, `[{"op":"replace","path":"\/\u0061","value":2}]`, `{"a":2}`},
		{"escapes in a name are the text they mean", `{"\u0061":1}`, `[{"op":"replace","path":"/a","value":2}]`, `{"a":2}`},
		{"remove a member", `{"a":1,"b":2}`, `[{"op":"remove","path":"/a"}]`, `{"b":2}`},
		{"remove an element", `[1,2,3]`, `[{"op":"remove","path":"/0"}]`, `[2,3]`},
		{"remove null", `{"a":null}`, `[{"op":"remove","path":"/a"}]`, `{}`},
		{"a remove may have a value left over", `{"a":1}`, `[{"op":"remove","path":"/a","value":1,"from":"x"}]`, `{}`},
		{"replace null", `{"a":null}`, `[{"op":"replace","path":"/a","value":1}]`, `{"a":1}`},
		{"replace by null", `{"a":1}`, `[{"op":"replace","path":"/a","value":null}]`, `{"a":null}`},
		{"replace an element", `[1,2]`, `[{"op":"replace","path":"/1","value":[3]}]`, `[1,[3]]`},
		{"move a member", `{"a":1,"b":{}}`, `[{"op":"move","from":"/a","path":"/b/c"}]`, `{"b":{"c":1}}`},
		{"move an element down", `[1,2,3]`, `[{"op":"move","from":"/0","path":"/2"}]`, `[2,3,1]`},
		{"move to the end", `[1,2,3]`, `[{"op":"move","from":"/0","path":"/-"}]`, `[2,3,1]`},
		{"move to where it is", `{"a":[1.0]}`, `[{"op":"move","from":"/a","path":"/a"}]`, `{"a":[1.0]}`},
		{"move null", `{"a":null}`, `[{"op":"move","from":"/a","path":"/b"}]`, `{"b":null}`},
		{"move to the whole", `{"a":[1]}`, `[{"op":"move","from":"/a","path":""}]`, `[1]`},
		{"copy a member", `{"a":[1]}`, `[{"op":"copy","from":"/a","path":"/b"},{"op":"add","path":"/b/-","value":2}]`, `{"a":[1],"b":[1,2]}`},
		{"copy null", `{"a":null}`, `[{"op":"copy","from":"/a","path":"/b"}]`, `{"a":null,"b":null}`},
		{"copy into itself", `{"a":{"b":1}}`, `[{"op":"copy","from":"/a","path":"/a/c"}]`, `{"a":{"b":1,"c":{"b":1}}}`},
		{"copy the whole into itself", `{"a":1}`, `[{"op":"copy","from":"","path":"/b"}]`, `{"a":1,"b":{"a":1}}`},
		{"replace the whole", `{"a":1}`, `[{"op":"replace","path":"","value":[2]}]`, `[2]`},
		{"add the whole", `[]`, `[{"op":"add","path":"","value":{"a":1}}]`, `{"a":1}`},
		{"remove the whole", `{"a":1}`, `[{"op":"remove","path":""}]`, `null`},
		{"and go on from nothing", `{"a":1}`, `[{"op":"remove","path":""},{"op":"add","path":"","value":2}]`, `2`},
		{"text", `"a"`, `[{"op":"test","path":"","value":"\u0061"},{"op":"replace","path":"","value":"b"}]`, `"b"`},
		{"null", `null`, `[{"op":"test","path":"","value":null},{"op":"add","path":"","value":[]},{"op":"add","path":"/-","value":true}]`, `[true]`},
		{"test compares numbers", `{"a":1.0,"b":[1e2,-0]}`, `[{"op":"test","path":"/a","value":1},{"op":"test","path":"/b","value":[100,0]}]`, `{"a":1.0,"b":[1e2,-0]}`},
		{"test compares text", `{"a":"\u0041\/"}`, `[{"op":"test","path":"/a","value":"A/"}]`, `{"a":"\u0041\/"}`},
		{"test has no order of members", `{"a":{"x":1,"y":2}}`, `[{"op":"test","path":"/a","value":{"y":2,"x":1}}]`, `{"a":{"x":1,"y":2}}`},
		{"test sees what was done before it", `{}`, `[{"op":"add","path":"/a","value":1},{"op":"test","path":"/a","value":1},{"op":"remove","path":"/a"}]`, `{}`},
		{"test a null", `{"a":null}`, `[{"op":"test","path":"/a","value":null}]`, `{"a":null}`},
		{"numbers keep their text", `{"a":1.0,"b":9007199254740993,"c":1e400}`, `[{"op":"add","path":"/d","value":1.50},{"op":"copy","from":"/b","path":"/e"},{"op":"move","from":"/c","path":"/f"}]`, `{"a":1.0,"b":9007199254740993,"d":1.50,"e":9007199254740993,"f":1e400}`},
		{"text keeps its characters", `{"a":"<&>\u2028é"}`, `[{"op":"add","path":"/b","value":"<&>"}]`, `{"a":"<&>\u2028é","b":"<&>"}`},
		{"names keep their characters", `{"<é&\"":1}`, `[{"op":"add","path":"/b","value":1}]`, `{"<é&\"":1,"b":1}`},
		{"members keep their order", `{"z":1,"y":2,"x":3}`, `[{"op":"replace","path":"/y","value":4}]`, `{"z":1,"y":4,"x":3}`},
		{"a member named like the holder", `{"r":1}`, `[{"op":"replace","path":"/r","value":2}]`, `{"r":2}`},
	} {
		doc := []byte(tc.doc)
		got, err := Patch(doc, []byte(tc.patch))
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %v\n got %s\nwant %s", tc.rule, err, got, tc.want)
		}
		if string(doc) != tc.doc {
			t.Errorf("%s: the document was changed", tc.rule)
		}
	}
}

// What does not apply changes nothing, and is told apart from other errors.
func TestPatchesThatDoNotApply(t *testing.T) {
	const doc = `{"a":[1,2],"o":{},"s":"x","n":null}`
	for _, tc := range []struct{ rule, patch string }{
		{"add under what is not there", `{"op":"add","path":"/x/y","value":1}`},
		{"add under text", `{"op":"add","path":"/s/0","value":1}`},
		{"add under null", `{"op":"add","path":"/n/0","value":1}`},
		{"add behind the end", `{"op":"add","path":"/a/3","value":1}`},
		{"add at no place", `{"op":"add","path":"/a/x","value":1}`},
		{"add at an empty place", `{"op":"add","path":"/a/","value":1}`},
		{"add at a negative place", `{"op":"add","path":"/a/-1","value":1}`},
		{"add at minus zero", `{"op":"add","path":"/a/-0","value":1}`},
		{"add with a leading zero", `{"op":"add","path":"/a/01","value":1}`},
		{"add with a plus", `{"op":"add","path":"/a/+1","value":1}`},
		{"add at half a place", `{"op":"add","path":"/a/0.5","value":1}`},
		{"remove what is not there", `{"op":"remove","path":"/x"}`},
		{"remove behind the end", `{"op":"remove","path":"/a/2"}`},
		{"remove at a negative place", `{"op":"remove","path":"/a/-1"}`},
		{"remove at the dash", `{"op":"remove","path":"/a/-"}`},
		{"remove with a leading zero", `{"op":"remove","path":"/a/00"}`},
		{"remove under null", `{"op":"remove","path":"/n/x"}`},
		{"replace what is not there", `{"op":"replace","path":"/x","value":1}`},
		{"replace at the dash", `{"op":"replace","path":"/a/-","value":1}`},
		{"replace behind the end", `{"op":"replace","path":"/a/2","value":1}`},
		{"replace at a negative place", `{"op":"replace","path":"/a/-1","value":1}`},
		{"replace under what a leading zero names", `{"op":"replace","path":"/a/01","value":1}`},
		{"move what is not there", `{"op":"move","from":"/x","path":"/y"}`},
		{"move from the dash", `{"op":"move","from":"/a/-","path":"/y"}`},
		{"move into its own child", `{"op":"move","from":"/o","path":"/o/x"}`},
		{"move the whole into a child", `{"op":"move","from":"","path":"/x"}`},
		{"move to where nothing is", `{"op":"move","from":"/s","path":"/x/y"}`},
		{"copy what is not there", `{"op":"copy","from":"/x","path":"/y"}`},
		{"copy from a negative place", `{"op":"copy","from":"/a/-1","path":"/y"}`},
		{"copy to where nothing is", `{"op":"copy","from":"/s","path":"/x/y"}`},
		{"test what is not there", `{"op":"test","path":"/x","value":null}`},
		{"test the dash", `{"op":"test","path":"/a/-","value":2}`},
		{"test at a negative place", `{"op":"test","path":"/a/-1","value":2}`},
		{"test with a leading zero", `{"op":"test","path":"/a/01","value":2}`},
		{"test under text", `{"op":"test","path":"/s/0","value":"x"}`},
		{"test another value", `{"op":"test","path":"/s","value":"y"}`},
		{"test null for something", `{"op":"test","path":"/n","value":0}`},
		{"test text for a number", `{"op":"test","path":"/a/0","value":"1"}`},
		{"test another order of elements", `{"op":"test","path":"/a","value":[2,1]}`},
		{"test a part", `{"op":"test","path":"/a","value":[1]}`},
	} {
		for _, patch := range []string{
			`[` + tc.patch + `]`,
			`[{"op":"add","path":"/new","value":0},` + tc.patch + `]`,
			`[{"op":"test","path":"/s","value":"x"},` + tc.patch + `,{"op":"remove","path":""}]`,
		} {
			in := []byte(doc)
			got, err := Patch(in, []byte(patch))
			if got != nil || !errors.Is(err, ErrPatch) {
				t.Errorf("%s: %s, %v", tc.rule, got, err)
			}
			if string(in) != doc {
				t.Errorf("%s: the document became %s", tc.rule, in)
			}
		}
	}
	// Numbers that are told apart by their text only beyond what a double holds.
	if _, err := Patch([]byte(`9007199254740993`), []byte(`[{"op":"test","path":"","value":9007199254740992}]`)); !errors.Is(err, ErrPatch) {
		t.Errorf("9007199254740993 is taken for 9007199254740992: %v", err)
	}
	for _, bad := range []string{`{}`, `[1]`, `1`, `[`} {
		if got, err := Patch([]byte(doc), []byte(bad)); !errors.Is(err, ErrPatch) {
			t.Errorf("%s: %s, %v", bad, got, err)
		}
	}
}

// A short patch must not make a large value: each copy may double it.
func TestCopiesOfAPatchAreLimited(t *testing.T) {
	doc := []byte(`{"a":"` + strings.Repeat("x", 5<<20) + `","z":0}`)
	copies := func(n int, between string) []byte {
		var ops []string
		for i := range n {
			ops = append(ops, `{"op":"copy","from":"/a","path":"/c`+strconv.Itoa(i)+`"}`+between)
		}
		return []byte(`[` + strings.Join(ops, ",") + `]`)
	}
	for _, between := range []string{"", `,{"op":"test","path":"/z","value":0}`} {
		if got, err := Patch(doc, copies(2, between)); !errors.Is(err, ErrPatch) {
			t.Errorf("two copies of 5 MiB, each followed by %q: %d bytes, %v", between, len(got), err)
		}
	}
}

// A plainTree is a JSON value for the small applier below; objects hold their order.
type plainTree struct {
	scalar string // "" for an object or array
	object bool
	names  []string
	kids   []plainTree
}

func (t plainTree) String() string {
	if t.scalar != "" {
		return t.scalar
	}
	var parts []string
	for i, k := range t.kids {
		if t.object {
			parts = append(parts, string(quote(t.names[i]))+":"+k.String())
		} else {
			parts = append(parts, k.String())
		}
	}
	if t.object {
		return "{" + strings.Join(parts, ",") + "}"
	}
	return "[" + strings.Join(parts, ",") + "]"
}

// at finds which child a token names; insert allows the place behind the last.
func (t plainTree) at(token string, insert bool) int {
	if t.object {
		for i, n := range t.names {
			if n == token {
				return i
			}
		}
		return -1
	}
	for i := range len(t.kids) + 1 {
		if token == strconv.Itoa(i) && (i < len(t.kids) || insert) {
			return i
		}
	}
	if token == "-" && insert {
		return len(t.kids)
	}
	return -1
}

// edit does one thing at a path and returns the new plainTree, by RFC 6902, section 4.
func (t plainTree) edit(path []string, op string, v plainTree) (out plainTree, found plainTree, ok bool) {
	if len(path) == 0 {
		return v, t, op != "remove"
	}
	if t.scalar != "" {
		return t, plainTree{}, false
	}
	out = plainTree{object: t.object, names: append([]string(nil), t.names...), kids: append([]plainTree(nil), t.kids...)}
	i := t.at(path[0], len(path) == 1 && op == "add")
	switch {
	case len(path) > 1:
		if i < 0 {
			return t, plainTree{}, false
		}
		out.kids[i], found, ok = t.kids[i].edit(path[1:], op, v)
		return out, found, ok
	case op == "add" && t.object && i < 0:
		out.names, out.kids = append(out.names, path[0]), append(out.kids, v)
		return out, plainTree{}, true
	case i < 0:
		return t, plainTree{}, false
	case op == "add" && !t.object:
		out.kids = append(out.kids[:i:i], append([]plainTree{v}, out.kids[i:]...)...)
		return out, plainTree{}, true
	case op == "remove":
		out.kids = append(out.kids[:i:i], out.kids[i+1:]...)
		if t.object {
			out.names = append(out.names[:i:i], out.names[i+1:]...)
		}
		return out, t.kids[i], true
	case op == "get":
		return t, t.kids[i], true
	}
	out.kids[i] = v
	return out, t.kids[i], true
}

func randomTree(t *rapid.T, depth int) plainTree {
	kind := rapid.IntRange(0, 3).Draw(t, "kind")
	if depth == 0 || kind < 2 {
		return plainTree{scalar: rapid.SampledFrom([]string{"null", "1.0", `"a"`, "true", "-0"}).Draw(t, "scalar")}
	}
	out := plainTree{object: kind == 2}
	for i := range rapid.IntRange(0, 3).Draw(t, "size") {
		out.names = append(out.names, []string{"a", "0", "~/"}[i])
		out.kids = append(out.kids, randomTree(t, depth-1))
	}
	if !out.object {
		out.names = nil
	}
	return out
}

func randomPath(t *rapid.T) []string {
	return rapid.SliceOfN(rapid.SampledFrom([]string{"a", "0", "1", "-", "~/", "2"}), 1, 3).Draw(t, "path")
}

func pointerTo(path []string) string {
	out := ""
	for _, token := range path {
		out += "/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(token)
	}
	return string(quote(out))
}

// Patch does what a plain reading of RFC 6902 does, to any value.
func TestPatchAgainstAPlainReading(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		doc := randomTree(t, 3)
		want, fits := doc, true
		var ops []string
		for range rapid.IntRange(1, 4).Draw(t, "operations") {
			path, from, v := randomPath(t), randomPath(t), randomTree(t, 1)
			op := rapid.SampledFrom([]string{"add", "remove", "replace", "move", "copy", "test"}).Draw(t, "op")
			ops = append(ops, fmt.Sprintf(`{"op":%q,"path":%s,"from":%s,"value":%s}`, op, pointerTo(path), pointerTo(from), v))
			if !fits {
				continue
			}
			next := want
			var ok bool
			switch op {
			case "test":
				var found plainTree
				_, found, ok = want.edit(path, "get", plainTree{})
				ok = ok && canonicalText(t, found) == canonicalText(t, v)
			case "move", "copy":
				var found plainTree
				if _, found, ok = want.edit(from, "get", plainTree{}); !ok {
					break
				}
				if op == "move" {
					inside := len(path) > len(from) && pointerTo(path[:len(from)]) == pointerTo(from)
					if next, _, ok = want.edit(from, "remove", plainTree{}); inside {
						ok = false
					}
				}
				if ok {
					next, _, ok = next.edit(path, "add", found)
				}
			default:
				next, _, ok = want.edit(path, op, v)
			}
			if fits = ok; ok {
				want = next
			}
		}
		patch := "[" + strings.Join(ops, ",") + "]"
		got, err := Patch([]byte(doc.String()), []byte(patch))
		switch {
		case fits && (err != nil || string(got) != want.String()):
			t.Fatalf("%s\n%s\n got %s, %v\nwant %s", doc, patch, got, err, want)
		case !fits && !errors.Is(err, ErrPatch):
			t.Fatalf("%s\n%s\n got %s, %v, and it does not apply", doc, patch, got, err)
		}
	})
}

func canonicalText(t *rapid.T, v plainTree) string {
	text, err := hitl.Canonical(jsontext.Value(v.String()))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func FuzzPatch(f *testing.F) {
	f.Add([]byte(`{"a":[1,null]}`), []byte(`[{"op":"move","from":"/a/1","path":"/a/0"},{"op":"test","path":"","value":{}}]`))
	f.Add([]byte(`null`), []byte(`[{"op":"add","path":"/a","value":1},{"op":"copy","from":"","path":"/-"}]`))
	f.Fuzz(func(t *testing.T, doc, ops []byte) {
		frame, _, err := ParseFrame([]byte(`{"type":"STATE_DELTA","delta":` + string(ops) + `}`))
		if err != nil || !jsontext.Value(doc).IsValid() {
			return
		}
		before := string(doc)
		got, err := Patch(doc, frame.Member("delta"))
		if string(doc) != before {
			t.Fatalf("%s became %s", before, doc)
		}
		if err != nil && (got != nil || !errors.Is(err, ErrPatch)) || err == nil && !got.IsValid() {
			t.Fatalf("%s: %s, %v", before, got, err)
		}
	})
}
