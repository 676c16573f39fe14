package schema

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

var _ hitl.SchemaCheck = New().Check

func check(schema, value string) []hitl.Issue {
	return New().Check(jsontext.Value(schema), jsontext.Value(value))
}

func texts(issues []hitl.Issue) []string {
	var all []string
	for _, issue := range issues {
		all = append(all, issue.String())
	}
	return all
}

// booking is the form of the demo agents.
const booking = `{
	"type": "object",
	"properties": {
		"guests":  {"type": "integer", "minimum": 1, "maximum": 10},
		"date":    {"type": "string", "format": "date"},
		"email":   {"type": "string", "format": "email"},
		"seating": {"enum": ["window", "garden", "bar"]}
	},
	"required": ["guests", "date", "email"],
	"additionalProperties": false
}`

func TestForm(t *testing.T) {
	if got := check(booking, `{"guests":2,"date":"2026-01-31","email":"a@example.org","seating":"bar"}`); got != nil {
		t.Errorf("a good answer: %q", texts(got))
	}
	got := texts(check(booking, `{"guests":11,"date":"tomorrow","seating":"roof","note":"hi"}`))
	want := []string{
		"/date: expected a date such as 2026-01-31",
		"/email: expected a value",
		"/guests: expected at most 10",
		"/note: expected no such member",
		`/seating: expected one of "window", "garden", "bar"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestKeywords has an accepted and a refused value for each keyword a form uses.
func TestKeywords(t *testing.T) {
	tests := []struct{ schema, good, bad, want string }{
		{`true`, `1`, ``, ``},
		{`{}`, `null`, ``, ``},
		{`{"type":"string"}`, `"a"`, `1`, `expected text`},
		{`{"type":"integer"}`, `2.0`, `2.5`, `expected a whole number`},
		{`{"type":"number"}`, `2.5`, `"2.5"`, `expected a number`},
		{`{"type":"boolean"}`, `false`, `0`, `expected true or false`},
		{`{"type":"null"}`, `null`, `0`, `expected null`},
		{`{"type":"array"}`, `[]`, `{}`, `expected a list`},
		{`{"type":"object"}`, `{}`, `[]`, `expected an object`},
		{`{"type":["string","null"]}`, `null`, `1`, `expected null or text`},
		{`{"enum":["a",1,null]}`, `null`, `2`, `expected one of "a", 1, null`},
		{`{"enum":[{"a":1}]}`, `{"a":1.0}`, `{"a":2}`, `expected a certain object`},
		{`{"const":"yes"}`, `"yes"`, `"no"`, `expected "yes"`},
		{`{"const":[1]}`, `[1]`, `[2]`, `expected a certain list`},
		{`{"minimum":1}`, `1`, `0`, `expected at least 1`},
		{`{"maximum":1.50}`, `1.5`, `1.51`, `expected at most 1.5`},
		{`{"exclusiveMinimum":0}`, `0.1`, `0`, `expected more than 0`},
		{`{"exclusiveMaximum":1e30}`, `1`, `1e30`, `expected less than 1e+30`},
		{`{"multipleOf":0.1}`, `0.3`, `0.35`, `expected a multiple of 0.1`},
		{`{"minLength":2}`, `"éé"`, `"é"`, `expected at least 2 characters`},
		{`{"maxLength":1}`, `"👍"`, `"ab"`, `expected at most 1 character`},
		{`{"pattern":"^a+$"}`, `"aa"`, `"b"`, `expected text that matches the pattern ^a+$`},
		{`{"minItems":1}`, `[1]`, `[]`, `expected at least 1 item`},
		{`{"maxItems":1}`, `[1]`, `[1,2]`, `expected at most 1 item`},
		{`{"uniqueItems":true}`, `[1,2]`, `[1,2,1.0]`, `expected items that differ, items 1 and 3 are the same`},
		{`{"items":{"type":"string"}}`, `["a"]`, `["a",1]`, `/1: expected text`},
		{`{"prefixItems":[{"const":1}],"items":false}`, `[1]`, `[1,2]`, `/1: expected no value here`},
		{`{"contains":{"const":1}}`, `[2,1]`, `[2]`, `expected at least 1 item of the required form`},
		{`{"contains":{"const":1},"minContains":2}`, `[1,1]`, `[1]`, `expected at least 2 items of the required form`},
		{`{"contains":{"const":1},"maxContains":1}`, `[1]`, `[1,1]`, `expected at most 1 item of the required form`},
		{`{"required":["a/b"]}`, `{"a/b":1}`, `{}`, `/a~1b: expected a value`},
		{`{"properties":{"a":{"properties":{"b":{"type":"null"}}}}}`, `{"a":{"b":null}}`, `{"a":{"b":1}}`, `/a/b: expected null`},
		{`{"additionalProperties":false}`, `{}`, `{"x":1}`, `/x: expected no such member`},
		{`{"additionalProperties":{"type":"null"}}`, `{"x":null}`, `{"x":1}`, `/x: expected null`},
		{`{"patternProperties":{"^x":{"type":"null"}}}`, `{"y":1,"x":null}`, `{"x1":1}`, `/x1: expected null`},
		{`{"properties":{"a":{}},"unevaluatedProperties":false}`, `{"a":1}`, `{"b":1}`, `/b: expected no value here`},
		{`{"propertyNames":{"maxLength":1}}`, `{"a":1}`, `{"ab":1}`, `expected no member named "ab"`},
		{`{"minProperties":1}`, `{"a":1}`, `{}`, `expected at least 1 member`},
		{`{"maxProperties":1}`, `{"a":1}`, `{"a":1,"b":2}`, `expected at most 1 member`},
		{`{"dependentRequired":{"a":["b"]}}`, `{"b":1}`, `{"a":1}`, `/b: expected a value, since "a" has one`},
		{`{"dependentSchemas":{"a":{"required":["b"]}}}`, `{}`, `{"a":1}`, `/b: expected a value`},
		{`{"allOf":[{"minimum":1},{"maximum":2}]}`, `1`, `3`, `expected at most 2`},
		{`{"anyOf":[{"type":"string"},{"minimum":5}]}`, `"a"`, `3`, `expected text, or at least 5`},
		{`{"oneOf":[{"const":"a","title":"A"},{"const":"b","title":"B"}]}`, `"b"`, `"c"`, `expected one of "a", "b"`},
		{`{"oneOf":[{"type":"number"},{"type":"integer"}]}`, `1.5`, `1`, `expected a value of one of the allowed forms, this is of several`},
		{`{"anyOf":[{"required":["a"]},{"required":["b"]}]}`, `{"b":1}`, `{}`, `expected a value of one of the allowed forms`},
		{`{"not":{"type":"null"}}`, `1`, `null`, `expected a value that is not of the excluded form`},
		{`{"if":{"const":1},"then":false,"else":{"type":"string"}}`, `"a"`, `2`, `expected text`},
		{`{"$defs":{"n":{"type":"null"}},"properties":{"a":{"$ref":"#/$defs/n"}}}`, `{"a":null}`, `{"a":1}`, `/a: expected null`},
		{`{"$defs":{"n":{"$anchor":"here","type":"null"}},"$ref":"#here"}`, `null`, `1`, `expected null`},
		{`{"$id":"https://example.org/form","$defs":{"n":{"type":"null"}},"$ref":"https://example.org/form#/$defs/n"}`, `null`, `1`, `expected null`},
		{`{"$id":"https://example.org/form","$defs":{"n":{"$id":"n","type":"null"}},"$ref":"n"}`, `null`, `1`, `expected null`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","definitions":{"n":{"type":"null"}},"$ref":"#/definitions/n"}`, `null`, `1`, `expected null`},
		{`{"$schema":"http://json-schema.org/draft-04/schema#","minimum":1,"exclusiveMinimum":true}`, `2`, `1`, `expected more than 1`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","items":[{"const":1}],"additionalItems":false}`, `[1]`, `[1,2]`, `expected fewer items, the last 1 item are too many`},
		{`{"$schema":"http://json-schema.org/draft-07/schema#","dependencies":{"a":["b"],"c":{"minProperties":3}}}`, `{"b":1}`, `{"a":1}`, `/b: expected a value, since "a" has one`},
		{`{"$schema":"https://json-schema.org/draft/2019-09/schema","type":"null"}`, `null`, `1`, `expected null`},
		{`{"title":"T","description":"D","default":1,"examples":[2],"readOnly":true,"enumNames":["x"],"x-y":{}}`, `1`, ``, ``},
		{`{"contentMediaType":"application/json","contentSchema":{"type":"null"}}`, `"1"`, ``, ``},
	}
	for _, tt := range tests {
		t.Run(tt.schema, func(t *testing.T) {
			if got := check(tt.schema, tt.good); got != nil {
				t.Errorf("%s: %q, want none", tt.good, texts(got))
			}
			if tt.bad == "" {
				return
			}
			if got := texts(check(tt.schema, tt.bad)); !slices.Equal(got, []string{tt.want}) {
				t.Errorf("%s: %q, want %q", tt.bad, got, tt.want)
			}
		})
	}
}

func TestFormats(t *testing.T) {
	tests := []struct{ format, good, bad string }{
		{"date", "2024-02-29", "2023-02-29"},
		{"date-time", "2026-01-31T12:00:00Z", "2026-01-31 12:00"},
		{"time", "12:00:00Z", "25:00:00Z"},
		{"duration", "P1DT2H", "1 day"},
		{"email", "a.b@example.org", "a.b at example"},
		{"hostname", "example.org", "-example-"},
		{"ipv4", "192.0.2.1", "192.0.2.256"},
		{"ipv6", "2001:db8::1", "2001:db8::g"},
		{"uri", "https://example.org/a?b#c", "/a"},
		{"iri", "https://example.org/é", "é"},
		{"uri-reference", "/a", "\\a"},
		{"uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567"},
		{"json-pointer", "/a~0b", "a"},
		{"regex", "^a$", "("},
		{"semver", "1.2.3", "1.2"},
	}
	for _, tt := range tests {
		for _, draft := range []string{"http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/schema"} {
			schema := fmt.Sprintf(`{"$schema":%q,"type":"string","format":%q}`, draft, tt.format)
			if got := check(schema, fmt.Sprintf("%q", tt.good)); got != nil {
				t.Errorf("%s: %q: %q", tt.format, tt.good, texts(got))
			}
			if got := check(schema, fmt.Sprintf("%q", tt.bad)); len(got) != 1 || got[0].Message != "expected "+format(tt.format) {
				t.Errorf("%s: %q: %q", tt.format, tt.bad, texts(got))
			}
		}
	}
	if got := check(`{"format":"password"}`, `"x"`); got != nil {
		t.Errorf("an unknown format: %q", texts(got))
	}
}

func TestManyValuesOfFormatRegex(t *testing.T) {
	c := New()
	schema := jsontext.Value(`{"format":"regex"}`)
	for range 200 {
		if got := c.Check(schema, jsontext.Value(`"a{500}"`)); got != nil {
			t.Fatalf("got %q", texts(got))
		}
	}
	large := strings.Repeat(`"(?:`+strings.Repeat("a", 900)+`){1000}",`, 1_000)
	if got := c.Check(jsontext.Value(`{"items":{"format":"regex"}}`), jsontext.Value(`[`+large+`""]`)); len(got) != 1 {
		t.Errorf("a thousand large ones: %q", texts(got))
	}
}

func TestNumbersKeepTheirPrecision(t *testing.T) {
	tests := []struct {
		schema, value string
		good          bool
	}{
		{`{"const":9007199254740993}`, `9007199254740993`, true},
		{`{"const":9007199254740993}`, `9007199254740992`, false},
		{`{"maximum":12345678901234567890}`, `12345678901234567890`, true},
		{`{"maximum":12345678901234567890}`, `12345678901234567891`, false},
		{`{"type":"integer"}`, `123456789012345678901234567890.0`, true},
		{`{"type":"integer"}`, `123456789012345678901234567890.1`, false},
		{`{"multipleOf":0.01}`, `0.07`, true},
		{`{"enum":[1e2]}`, `100`, true},
		{`{"minimum":1e300}`, `1e301`, true},
	}
	for _, tt := range tests {
		if got := check(tt.schema, tt.value); (got == nil) != tt.good {
			t.Errorf("%s on %s: %q", tt.schema, tt.value, texts(got))
		}
	}
}

func TestNumbersThatCostTooMuch(t *testing.T) {
	for _, n := range []string{"1e1000", "-1E+2000000", "1e-99999999999", "1" + strings.Repeat("0", 400), "1e1" + strings.Repeat("0", 400)} {
		if got := check(`{"type":"integer"}`, n); len(got) != 1 || got[0].Message != errNumber.Error() {
			t.Errorf("value %.20s: %q", n, texts(got))
		}
		if got := check(`{"minimum":`+n+`}`, "1"); len(got) != 1 || !strings.Contains(got[0].Message, "cannot be used: "+errNumber.Error()) {
			t.Errorf("schema with %.20s: %q", n, texts(got))
		}
	}
	for _, n := range []string{"1e999", "1e-999", "0e0000000000000000000001", "1" + strings.Repeat("0", 399)} {
		if got := check(`{"type":"number"}`, n); got != nil {
			t.Errorf("value %.20s: %q", n, texts(got))
		}
	}
}

func TestUnusableSchemaNeverPasses(t *testing.T) {
	tests := []struct{ name, schema, want string }{
		{"nothing", ``, "expected well-formed JSON"},
		{"no JSON", `{`, "expected well-formed JSON"},
		{"two values", `{} {}`, "expected well-formed JSON"},
		{"duplicate names", `{"type":"string","type":"null"}`, "expected well-formed JSON"},
		{"bad UTF-8", "{\"title\":\"\xff\"}", "expected well-formed JSON"},
		{"a number", `1`, "it is not a JSON Schema: expected true or false or an object"},
		{"null", `null`, "it is not a JSON Schema: expected true or false or an object"},
		{"an unknown type", `{"type":"frog"}`, "it is not a JSON Schema: /type: "},
		{"a wrong keyword", `{"minLength":"1"}`, "it is not a JSON Schema: /minLength: expected a whole number"},
		{"deep in it", `{"properties":{"a":{"required":"a"}}}`, "it is not a JSON Schema: /properties/a/required: expected a list"},
		{"a bad pattern", `{"pattern":"("}`, "pattern"},
		{"a pattern that needs backtracking", `{"pattern":"(?=a)"}`, "pattern"},
		{"a long pattern", `{"pattern":"` + strings.Repeat("a", maxPattern+1) + `"}`, "pattern"},
		{"a large pattern", `{"pattern":"(?:` + strings.Repeat("a", 900) + `){1000}"}`, "pattern"},
		{"many large patterns", `{"allOf":[` + strings.Repeat(`{"pattern":"a{1000}"},`, 60) + `{}]}`, "pattern"},
		{"a reference to nothing", `{"$ref":"#/$defs/none"}`, "it refers to a part of itself that is not there: #/$defs/none"},
		{"an anchor of nothing", `{"$ref":"#none"}`, "it refers to a part of itself that is not there: #none"},
		{"a dynamic reference", `{"$dynamicAnchor":"n","properties":{"a":{"$dynamicRef":"#n"}}}`, "$dynamicRef"},
		{"a recursive reference", `{"$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveAnchor":true,"items":{"$recursiveRef":"#"}}`, "$recursiveRef"},
		{"too deep", strings.Repeat(`{"not":`, 65) + `{}` + strings.Repeat(`}`, 65), errDepth.Error()},
		{"too many parts", `{"allOf":[` + strings.Repeat(`{},`, maxObjects) + `{}]}`, "objects"},
		{"a cycle", `{"$ref":"#"}`, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := check(tt.schema, `{"a":1}`)
			if len(got) != 1 || got[0].Path != "" || !strings.Contains(got[0].Message, tt.want) {
				t.Errorf("got %q, want %q", texts(got), tt.want)
			}
			if strings.Contains(got[0].Message, root) {
				t.Errorf("%q shows an inner name", got[0].Message)
			}
		})
	}
}

func TestBadValue(t *testing.T) {
	for _, value := range []string{``, `{`, `{} {}`, `{"a":1,"a":2}`, "\"\xff\"", `"\ud800"`} {
		if got := texts(check(`true`, value)); !slices.Equal(got, []string{"expected well-formed JSON"}) {
			t.Errorf("%q: %q", value, got)
		}
	}
	if got := check(`true`, strings.Repeat("[", 64)+strings.Repeat("]", 64)); got != nil {
		t.Errorf("64 levels: %q", texts(got))
	}
	if got := texts(check(`true`, strings.Repeat("[", 65)+strings.Repeat("]", 65))); !slices.Equal(got, []string{errDepth.Error()}) {
		t.Errorf("65 levels: %q", got)
	}
	if got := texts(check(`true`, strings.Repeat("[", 1<<20))); len(got) != 1 {
		t.Errorf("a million levels: %q", got)
	}
}

func TestSchemaSize(t *testing.T) {
	fill := func(n int) string {
		const frame = `{"title":""}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", n-len(frame))+`"`, 1)
	}
	if got := check(fill(MaxSchemaBytes), `1`); got != nil {
		t.Errorf("at the limit: %q", texts(got))
	}
	if got := check(fill(MaxSchemaBytes+1), `1`); len(got) != 1 {
		t.Errorf("over the limit: %q", texts(got))
	}
}

// TestNothingOutsideIsRead refers to files and addresses. The file has a fault
// that only shows to who reads it.
func TestNothingOutsideIsRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "schema.json")
	if err := os.WriteFile(file, []byte(`{"type":"frog"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	relative, err := filepath.Rel(wd, file)
	if err != nil {
		t.Fatal(err)
	}
	refs := []string{
		"file://" + filepath.ToSlash(file), file, relative, "checker.go", "./x#/a", "//127.0.0.1/x",
		"http://127.0.0.1:1/x", "https://127.0.0.1:1/x#/a", "ftp://127.0.0.1/x", "data:application/json,true", "urn:x:y", "schema:other",
		"https://json-schema.org/draft/2020-12/schema", "http://json-schema.org/draft-07/schema#", "https://json-schema.org/draft/2020-12/meta/core#/$defs",
	}
	shapes := []string{
		`{"$ref":%q}`, `{"properties":{"a":{"$ref":%q}}}`, `{"anyOf":[true,{"$ref":%q}]}`, `{"$schema":"http://json-schema.org/draft-07/schema#","$ref":%q}`,
		`{"$id":"https://json-schema.org/x/","items":{"$ref":%q}}`, `{"$dynamicRef":%q}`, `{"additionalProperties":{"$ref":%q}}`, `{"contains":{"not":{"$ref":%q}}}`,
	}
	for _, ref := range refs {
		for _, shape := range shapes {
			schema := fmt.Sprintf(shape, ref)
			if got := check(schema, `{"a":1}`); len(got) != 1 || got[0].Path != "" || !strings.Contains(got[0].Message, "cannot be used") {
				t.Errorf("%s: %q", schema, texts(got))
			} else if strings.HasPrefix(ref, "file:") && !strings.Contains(got[0].Message, errOutside.Error()) {
				t.Errorf("%s: %q; was the file read?", schema, texts(got))
			}
		}
	}
	for _, schema := range []string{
		`{"$schema":"https://json-schema.org/draft/2020-12/meta/core","type":"null"}`,
		`{"$schema":"https://127.0.0.1:1/meta"}`, `{"$schema":"file:///etc/passwd"}`, `{"$schema":"https://json-schema.org/draft/2020-12/meta/core"}`,
		`{"items":{"$id":"x","$schema":"https://127.0.0.1:1/meta"}}`,
	} {
		if got := check(schema, `{"a":1}`); len(got) != 1 || !strings.Contains(got[0].Message, "cannot be used") {
			t.Errorf("%s: %q", schema, texts(got))
		}
	}
}

func nested(depth int, open, inner, shut string) string {
	return strings.Repeat(open, depth) + inner + strings.Repeat(shut, depth)
}

func TestRecursiveSchemaOnADeepValue(t *testing.T) {
	tree := `{"type":"object","properties":{"a":{"$ref":"#"}},"additionalProperties":false}`
	if got := check(tree, nested(63, `{"a":`, `{}`, `}`)); got != nil {
		t.Errorf("a good tree: %q", texts(got))
	}
	got := check(tree, nested(63, `{"a":`, `1`, `}`))
	if len(got) != 1 || got[0].Path != strings.Repeat("/a", 63) {
		t.Errorf("a bad leaf: %q", texts(got))
	}
}

// bombs ask for exponentially many steps, each by another keyword.
var bombs = map[string]string{
	"allOf":             `{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}`,
	"anyOf":             `{"properties":{"a":{"anyOf":[{"$ref":"#"},{"$ref":"#"}]}},"minProperties":1}`,
	"oneOf":             `{"properties":{"a":{"oneOf":[{"$ref":"#"},{"$ref":"#"}]}},"minProperties":1}`,
	"not":               `{"not":{"not":{"properties":{"a":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}}}}`,
	"if":                `{"properties":{"a":{"if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"}}}}`,
	"patternProperties": `{"patternProperties":{"^a":{"$ref":"#"},"a$":{"$ref":"#"}}}`,
	"not, failing":      `{"not":{"$ref":"#/$defs/t"},"$defs":{"t":{"type":"object","patternProperties":{"^a":{"$ref":"#/$defs/t"},"a$":{"$ref":"#/$defs/t"}}}}}`,
	"dependentSchemas":  `{"dependentSchemas":{"a":{"$ref":"#/$defs/t"},"b":{"$ref":"#/$defs/t"}},"$defs":{"t":{"properties":{"a":{"$ref":"#"}}}}}`,
	"additional":        `{"additionalProperties":{"allOf":[{"$ref":"#"},{"$ref":"#"}]}}`,
	"unevaluated":       `{"allOf":[{"properties":{"a":{"$ref":"#"}}},{"unevaluatedProperties":{"$ref":"#"}}]}`,
	"chain":             chain(40),
}

// chain is a schema whose depth is its own, not that of a value.
func chain(n int) string {
	var b strings.Builder
	b.WriteString(`{"$ref":"#/$defs/d0","$defs":{`)
	for i := range n {
		fmt.Fprintf(&b, `"d%d":{"allOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	fmt.Fprintf(&b, `"d%d":{}}}`, n)
	return b.String()
}

func TestExponentialSchemasEnd(t *testing.T) {
	value := nested(63, `{"b":1,"a":`, `{}`, `}`)
	for name, schema := range bombs {
		t.Run(name, func(t *testing.T) {
			got := check(schema, value)
			if len(got) != 1 || !strings.Contains(got[0].Message, errBudget.Error()) {
				t.Errorf("got %q", texts(got))
			}
		})
	}
}

func TestCostlyListsEnd(t *testing.T) {
	items := "[" + strings.Repeat("0,", 200_000) + "0]"
	var enum strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&enum, "%d,", i+1)
	}
	tests := map[string]string{
		"a long enum for each item":   `{"items":{"enum":[` + enum.String() + `-1]}}`,
		"many schemas for each item":  `{"items":{"allOf":[` + strings.Repeat(`{"type":"number"},`, 1_000) + `{}]}}`,
		"many patterns for long text": `{"contains":{"pattern":"x"},"items":{"allOf":[` + strings.Repeat(`{"pattern":"a{400}"},`, 60) + `{}]}}`,
	}
	for name, schema := range tests {
		t.Run(name, func(t *testing.T) {
			value := items
			if strings.Contains(name, "text") {
				value = `["` + strings.Repeat("a", 4<<20) + `"]`
			}
			if got := check(schema, value); len(got) != 1 || !strings.Contains(got[0].Message, errBudget.Error()) {
				t.Errorf("got %d issues, %q", len(got), texts(got[:min(len(got), 2)]))
			}
		})
	}
}

func TestABudgetIsForOneCheck(t *testing.T) {
	c := New()
	bomb := jsontext.Value(bombs["allOf"])
	for range 2 {
		if got := c.Check(bomb, jsontext.Value(nested(60, `{"a":`, `{}`, `}`))); len(got) != 1 {
			t.Errorf("a bomb: %q", texts(got))
		}
		if got := c.Check(bomb, jsontext.Value(`{"a":{"a":{}}}`)); got != nil {
			t.Errorf("a small value: %q", texts(got))
		}
	}
}

func TestLargeFormsAreCheap(t *testing.T) {
	var schema, value strings.Builder
	for i := range 1_000 {
		fmt.Fprintf(&schema, `"field%d":{"type":"string","minLength":1,"pattern":"^[a-z ]+$"},`, i)
		fmt.Fprintf(&value, `"field%d":%q,`, i, strings.Repeat("some text ", 100))
	}
	got := check(`{"properties":{`+schema.String()+`"x":{}}}`, `{`+value.String()+`"x":1}`)
	if got != nil {
		t.Errorf("got %q", texts(got))
	}
	if got := check(`{"type":"object","properties":{"text":{"type":"string","pattern":"x"}}}`, `{"text":"`+strings.Repeat("some text ", 800_000)+`x"}`); got != nil {
		t.Errorf("a long text: %q", texts(got))
	}
}

func TestIssuesAreBounded(t *testing.T) {
	got := check(`{"items":{"type":"null"}}`, "["+strings.Repeat("0,", 10_000)+"0]")
	if len(got) != maxIssues {
		t.Errorf("%d issues, want %d", len(got), maxIssues)
	}
	long := strings.Repeat("é", 5_000)
	for _, schema := range []string{`{"const":"` + long + `"}`, `{"pattern":"` + long[:900] + `"}`, `{"enum":["a"` + strings.Repeat(`,"`+long[:100]+`"`, 100) + `]}`} {
		if got := check(schema, `"b"`); len(got) != 1 || len(got[0].Message) > 4_000 {
			t.Errorf("%.20s: %q", schema, texts(got))
		}
	}
}

func TestCacheIsBounded(t *testing.T) {
	c := New()
	for i := range 3 * maxCached {
		c.Check(jsontext.Value(fmt.Sprintf(`{"const":%d}`, i)), jsontext.Value(`1`))
	}
	if len(c.items) != maxCached || c.order.Len() != maxCached {
		t.Errorf("%d schemas, %d in order, want %d", len(c.items), c.order.Len(), maxCached)
	}
	big := strings.Repeat("x", MaxSchemaBytes/2)
	for i := range 100 {
		c.Check(jsontext.Value(fmt.Sprintf(`{"title":"%s%d"}`, big, i)), jsontext.Value(`1`))
	}
	sum := 0
	for k, item := range c.items {
		s := item.Value.(*schema)
		sum += len(s.text)
		if s.key != k {
			t.Error("a schema is filed under another key")
		}
	}
	if sum != c.bytes || sum > maxCachedBytes || sum < maxCachedBytes/2 {
		t.Errorf("%d bytes, counted %d, want at most %d", sum, c.bytes, maxCachedBytes)
	}
}

func TestCacheKeepsWhatIsUsed(t *testing.T) {
	c := New()
	used := jsontext.Value(`{"const":"used"}`)
	c.Check(used, jsontext.Value(`1`))
	first := c.compiled(used)
	for i := range 3 * maxCached {
		c.Check(jsontext.Value(fmt.Sprintf(`{"const":%d}`, i)), jsontext.Value(`1`))
		if c.compiled(used) != first {
			t.Fatalf("gone after %d others", i)
		}
	}
}

func TestCheckDoesNotKeepWhatItWasGiven(t *testing.T) {
	c := New()
	schema := jsontext.Value(`{"const":1}`)
	s := c.compiled(schema)
	copy(schema, `{"const":2}`)
	if got := s.check(mustDecode(t, `1`)); got != nil {
		t.Errorf("got %q", texts(got))
	}
}

func mustDecode(t *testing.T, text string) any {
	t.Helper()
	v, err := decode(jsontext.Value(text))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestConcurrentUse(t *testing.T) {
	c := New()
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 200 {
				n := (i*7 + j) % 300
				schema := jsontext.Value(fmt.Sprintf(`{"items":{"const":%d}}`, n))
				good, bad := fmt.Sprintf(`[%d,%d]`, n, n), fmt.Sprintf(`[%d,-1]`, n)
				if got := c.Check(schema, jsontext.Value(good)); got != nil {
					t.Errorf("%s: %q", good, texts(got))
				}
				if got := c.Check(schema, jsontext.Value(bad)); len(got) != 1 || got[0].Path != "/1" {
					t.Errorf("%s: %q", bad, texts(got))
				}
			}
		})
	}
	wg.Wait()
}
