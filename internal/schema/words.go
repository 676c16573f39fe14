package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxChoices = 20 // named in one message
	maxText    = 80 // bytes of a text quoted in a message
)

var typeWords = map[string]string{
	"null": "null", "boolean": "true or false", "integer": "a whole number", "number": "a number",
	"string": "text", "array": "a list", "object": "an object",
}

// types names the allowed types.
func types(names []string) string {
	words := make([]string, len(names))
	for i, name := range names {
		words[i] = typeWords[name]
	}
	return strings.Join(words, " or ")
}

var formatWords = map[string]string{
	"date":          "a date such as 2026-01-31",
	"date-time":     "a date and time such as 2026-01-31T12:00:00Z",
	"time":          "a time such as 12:00:00Z",
	"duration":      "a duration such as P1DT2H",
	"email":         "an e-mail address",
	"hostname":      "a host name",
	"ipv4":          "an IPv4 address",
	"ipv6":          "an IPv6 address",
	"iri":           "an absolute address such as https://example.org/",
	"json-pointer":  "a JSON Pointer",
	"regex":         "a regular expression",
	"uri":           "an absolute address such as https://example.org/",
	"uri-reference": "an address",
	"uuid":          "a UUID",
}

func format(name string) string {
	if words := formatWords[name]; words != "" {
		return words
	}
	return "text of the format " + quote(name)
}

// oneOf names the allowed values.
func oneOf(values []any) string {
	if len(values) == 1 {
		return "expected " + display(values[0])
	}
	var words []string
	for _, v := range values[:min(len(values), maxChoices)] {
		words = append(words, display(v))
	}
	if len(values) > maxChoices {
		words = append(words, "…")
	}
	return "expected one of " + strings.Join(words, ", ")
}

// display writes a decoded value.
func display(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return quote(v)
	case map[string]any:
		return "a certain object"
	case []any:
		return "a certain list"
	default: // a boolean or a number
		return shorten(fmt.Sprint(v))
	}
}

func quote(s string) string {
	quoted, _ := jsontext.AppendQuote(nil, shorten(s))
	return string(quoted)
}

func shorten(s string) string {
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "…"
}
