package translate

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A chat refuses JSON in which a name could reach a prototype: __proto__ anywhere, and
// prototype inside a constructor. What AG-UI says under such a name is told a chat with a
// ~ before it, and names that look like that already get one more, so that each name has
// exactly one way back.
const (
	protoName       = "__proto__"
	prototypeName   = "prototype"
	constructorName = "constructor"
	safe            = "~"
)

// harmless returns the value with the names that a chat accepts.
func harmless(v jsontext.Value) jsontext.Value {
	return renamed(v, func(name string) string { return safe + name })
}

// outright takes back what harmless did.
func outright(v jsontext.Value) jsontext.Value {
	return renamed(v, func(name string) string { return strings.TrimPrefix(name, safe) })
}

func renamed(v jsontext.Value, rename func(string) string) jsontext.Value {
	if !bytes.Contains(v, []byte(protoName)) && !bytes.Contains(v, []byte(prototypeName)) && !bytes.Contains(v, []byte(`\u`)) {
		return v
	}
	out, changed := renameIn(v, false, rename)
	if !changed {
		return v
	}
	return out
}

// renameIn rewrites one value; constructed says that it is what a constructor holds.
func renameIn(v jsontext.Value, constructed bool, rename func(string) string) (out jsontext.Value, changed bool) {
	switch v.Kind() {
	case '{':
		out = append(out, '{')
		for m, err := range shape.Fields(v) {
			if err != nil {
				return v, false
			}
			name := unquoted(m.Name)
			inner, more := renameIn(m.Value, name == constructorName, rename)
			if reaches := strings.TrimLeft(name, safe); reaches == protoName || constructed && reaches == prototypeName {
				m.Name, more = quoted(rename(name)), true
			}
			changed = changed || more
			out = listed(out, append(append(m.Name, ':'), inner...))
		}
		return append(out, '}'), changed
	case '[':
		out = append(out, '[')
		for e, err := range shape.Elements(v) {
			if err != nil {
				return v, false
			}
			inner, more := renameIn(e, false, rename)
			changed = changed || more
			out = listed(out, inner)
		}
		return append(out, ']'), changed
	}
	return v, false
}

func listed(out, item jsontext.Value) jsontext.Value {
	if len(out) > 1 {
		out = append(out, ',')
	}
	return append(out, item...)
}
