package hitl_test

import (
	"bytes"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// compile makes a schema of this package usable, and so shows that it is one.
func compile(t *testing.T, schema jsontext.Value) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("mem:///schema", doc); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("mem:///schema")
	if err != nil {
		t.Fatal(err)
	}
	return compiled
}

func valid(t *testing.T, schema *jsonschema.Schema, value string) bool {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader([]byte(value)))
	if err != nil {
		t.Fatalf("%s: %v", value, err)
	}
	return schema.Validate(doc) == nil
}

func indented(t *testing.T, v jsontext.Value) string {
	t.Helper()
	v = v.Clone()
	if err := v.Indent(jsontext.WithIndent("  ")); err != nil {
		t.Fatal(err)
	}
	return string(v)
}
