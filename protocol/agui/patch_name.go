package agui

import (
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// namesNothing reports whether a pointer of the patch may have a token that is empty: it
// stands before a slash, or at the end.
func namesNothing(patch jsontext.Value) bool {
	return bytes.Contains(patch, []byte("//")) || bytes.Contains(patch, []byte(`/"`)) || bytes.ContainsRune(patch, '\\')
}

// unused returns a name that neither value has.
func unused(values ...jsontext.Value) string {
	name := "empty"
	for _, v := range values {
		for bytes.Contains(v, []byte(name)) {
			name += "-"
		}
	}
	return name
}

// renamed gives the members named from, at any depth, the name to.
func renamed(v jsontext.Value, from, to string) (jsontext.Value, error) {
	dec := jsontext.NewDecoder(bytes.NewBuffer(v))
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.AllowDuplicateNames(true))
	for {
		kind, length := dec.StackIndex(dec.StackDepth())
		isName := kind == jsontext.Kind('{') && length%2 == 0
		var err error
		switch next := dec.PeekKind(); next {
		case '{', '[', '}', ']':
			var token jsontext.Token
			if token, err = dec.ReadToken(); err == nil {
				err = enc.WriteToken(token)
			}
		default:
			var value jsontext.Value
			if value, err = dec.ReadValue(); err == nil {
				if isName && shape.Unquote(value) == from {
					value = quote(to)
				}
				err = enc.WriteValue(value)
			}
		}
		if errors.Is(err, io.EOF) {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// renamedPatch puts name for the empty tokens of pointers and the empty names in values.
func renamedPatch(patch jsontext.Value, name string) (jsontext.Value, error) {
	out := []byte{'['}
	for raw, err := range shape.Elements(patch) {
		if err != nil {
			return nil, err
		}
		op, err := readObject(raw)
		if err != nil {
			return nil, err
		}
		for _, place := range []string{"path", "from"} {
			if at := op.get(place); at != nil {
				tokens := strings.Split(shape.Unquote(at), "/")
				for i := 1; i < len(tokens); i++ {
					if tokens[i] == "" {
						tokens[i] = name
					}
				}
				op.set(place, quote(strings.Join(tokens, "/")))
			}
		}
		if v := op.get("value"); v != nil {
			if v, err = renamed(v, "", name); err != nil {
				return nil, err
			}
			op.set("value", v)
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, op.bytes()...)
	}
	return append(out, ']'), nil
}
