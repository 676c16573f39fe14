package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// quoted writes text as a JSON string; invalid UTF-8 is replaced.
func quoted(text string) jsontext.Value {
	v, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		v, _ = jsontext.AppendQuote(nil, string([]rune(text)))
	}
	return v
}

func unquoted(v jsontext.Value) string { return shape.Unquote(v) }

// lookup finds what is kept under the text of a string member, without allocating.
func lookup[T any](m map[string]T, f aisdk.Frame, member string) (T, bool) {
	return shape.Lookup(m, f.Record, member)
}
