package hitl_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func TestCanonicalTextIsExact(t *testing.T) {
	for in, want := range map[string]string{
		` null `:                     `null`,
		`"a"`:                        `"a"`,
		`"\u0061\u000a\/"`:           `"a\n/"`,
		`"<&>"`:                      `"<&>"`,
		`[ 1 , 2 ]`:                  `[1,2]`,
		`{}`:                         `{}`,
		`{"b":1,"a":2}`:              `{"a":2,"b":1}`,
		`{"b":{"d":1,"c":2},"a":[]}`: `{"a":[],"b":{"c":2,"d":1}}`,
		`[{"b":1,"a":[{"z":1,"y":2}]},{"d":0,"c":0}]`: `[{"a":[{"y":2,"z":1}],"b":1},{"c":0,"d":0}]`,
		`{"a":{"z":1,"y":2},"b":{"x":1,"w":2}}`:       `{"a":{"y":2,"z":1},"b":{"w":2,"x":1}}`,
		`{"\u0062":1,"a":2}`:                          `{"a":2,"b":1}`,
		`-0`:                                          `0`,
		`1.0`:                                         `1`,
		`1E2`:                                         `100`,
		`1.50`:                                        `15e-1`,
		`-12.5e-3`:                                    `-125e-4`,
		`1e400`:                                       `1e400`,
		`12345678901234567890`:                        `12345678901234567890`,
		`123456789012345678901`:                       `123456789012345678901`,
		`1e999999999999999999999`:                     `1e999999999999999999999`,
	} {
		got, err := hitl.Canonical(raw(in))
		if err != nil || got != want {
			t.Errorf("%s: got %s, %v; want %s", in, got, err, want)
		}
	}
}

func TestMalformedJSONHasNoCanonicalText(t *testing.T) {
	for _, in := range []string{
		``, ` `, `{`, `[`, `[1,`, `{"a"`, `{"a":}`, `{"a":1,"a":2}`, `{"a":1,"\u0061":2}`, `1 2`, `{}x`, `01`, `nul`,
		"\"\xff\"", `"\ud800"`, `{"a":[{"b":1,"b":1}]}`,
	} {
		if got, err := hitl.Canonical(raw(in)); err == nil {
			t.Errorf("%s: got %s, want an error", in, got)
		}
	}
}

func TestEqualNumbersHaveOneText(t *testing.T) {
	seen := map[string]string{}
	for _, row := range equalNumbers {
		first, err := hitl.Canonical(raw(row[0]))
		if err != nil {
			t.Fatal(err)
		}
		for _, spelling := range row {
			if got, err := hitl.Canonical(raw(spelling)); err != nil || got != first {
				t.Errorf("%s: got %s, %v; want %s as for %s", spelling, got, err, first, row[0])
			}
		}
		if other, taken := seen[first]; taken {
			t.Errorf("%s and %s are different numbers with one text %s", row[0], other, first)
		}
		seen[first] = row[0]
	}
}

func TestSpellingDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genValue(4).Draw(t, "value")
		a, b := v.write(t), v.write(t)
		left, err := hitl.Canonical(a)
		if err != nil {
			t.Fatalf("%s: %v", a, err)
		}
		right, err := hitl.Canonical(b)
		if err != nil || left != right {
			t.Fatalf("%s and %s give\n%s and\n%s, %v", a, b, left, right, err)
		}
	})
}

// Unsorted objects deep inside one another must not cost the square of the size.
func TestDeepValuesAreCanonicalInLinearTime(t *testing.T) {
	const depth = 9000
	deep := strings.Repeat(`{"b":0,"a":`, depth) + `"` + strings.Repeat("x", 4<<20) + `"` + strings.Repeat(`}`, depth)
	got, err := hitl.Canonical(raw(deep))
	if err != nil || len(got) != len(deep) || !strings.HasPrefix(got, `{"a":{"a":`) {
		t.Fatalf("got %d bytes, %v", len(got), err)
	}
}

func FuzzCanonical(f *testing.F) {
	for _, seed := range []string{
		`{"b":{"d":1,"c":[{"z":1,"y":null}]},"a":"\u0041"}`, `[1.0,-0,1e400,0.1]`, `"\ud83d\ude00"`, `{"a":1,"a":2}`, ``, `1e-99999999999999999`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		before := bytes.Clone(in)
		got, err := hitl.Canonical(in)
		if !bytes.Equal(before, in) {
			t.Fatal("the value was changed")
		}
		if valid := jsontext.Value(in).IsValid(); valid != (err == nil) {
			t.Fatalf("%q: valid is %v, yet the error is %v", in, valid, err)
		}
		if err != nil {
			return
		}
		if again, err := hitl.Canonical(raw(got)); err != nil || again != got {
			t.Fatalf("%s becomes %s, %v", got, again, err)
		}
		checkSameFloats(t, in, got)
	})
}

// checkSameFloats compares by RFC 8785, which knows fewer differences but must see none.
func checkSameFloats(t *testing.T, in []byte, canonical string) {
	t.Helper()
	a, b := jsontext.Value(bytes.Clone(in)), raw(canonical)
	if err := a.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	if err := b.Canonicalize(); err != nil || !bytes.Equal(a, b) {
		t.Fatalf("%s is not the value of %s", canonical, in)
	}
}

func BenchmarkCanonical(b *testing.B) {
	v := raw(`{"to":"ada@example.com","subject":"Hello","body":"How are you?","options":{"urgent":false,"copies":[1,2,3]}}`)
	for b.Loop() {
		if _, err := hitl.Canonical(v); err != nil {
			b.Fatal(err)
		}
	}
}
