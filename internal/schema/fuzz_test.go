package schema

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzCheck looks for panics, for checks that take long, for results that
// change, and for schemas that are refused and accept all the same.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(booking), []byte(`{"guests":11,"date":"x","note":1}`))
	f.Add([]byte(`{"$ref":"#"}`), []byte(`1`))
	f.Add([]byte(`{"$ref":"file:///x"}`), []byte(`1`))
	f.Add([]byte(`{"minimum":1e999,"multipleOf":0.1}`), []byte(`1e-999`))
	f.Add([]byte(`{"patternProperties":{"^a{2}$":{"format":"uri-template"}}}`), []byte(`{"aa":"{x}"}`))
	f.Add([]byte(`{"$id":"a","$defs":{"b":{"$id":"b","$anchor":"c"}},"$ref":"b#c"}`), []byte(`[]`))
	f.Add([]byte(`{"$schema":"http://json-schema.org/draft-04/schema#","id":"#x","items":[{}]}`), []byte(`[{}]`))
	for name, bomb := range bombs {
		if name != "chain" { // it takes half a second
			f.Add([]byte(bomb), []byte(`{"a":{"a":{"a":{}}}}`))
		}
	}
	f.Fuzz(func(t *testing.T, schema, value []byte) {
		c := New()
		start := time.Now()
		first := c.Check(schema, value)
		if took := time.Since(start); took > 20*time.Second {
			t.Fatalf("it took %v", took)
		}
		if second := c.Check(schema, value); !slices.Equal(first, second) {
			t.Fatalf("first %q, then %q", first, second)
		}
		for _, issue := range first {
			if !jsontext.Pointer(issue.Path).IsValid() || issue.Message == "" || strings.Contains(issue.Message, root) {
				t.Fatalf("issue %q", issue)
			}
		}
		if first == nil && (!jsontext.Value(schema).IsValid() || !jsontext.Value(value).IsValid()) {
			t.Fatal("accepted what is no JSON")
		}
	})
}

func BenchmarkCheck(b *testing.B) {
	c := New()
	schema, value := jsontext.Value(booking), jsontext.Value(`{"guests":2,"date":"2026-01-31","email":"a@example.org","seating":"bar"}`)
	b.ReportAllocs()
	for b.Loop() {
		if issues := c.Check(schema, value); issues != nil {
			b.Fatal(issues)
		}
	}
}

func BenchmarkCompile(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		New().Check(jsontext.Value(booking), jsontext.Value(`{}`))
	}
}
