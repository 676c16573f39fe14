package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// What has no place in the other protocol travels beside it and comes back: in the
// metadata of AG-UI events under aisdkKey, in provider metadata under aguiKey.
const (
	aisdkKey = "ai-sdk"
	aguiKey  = "ag-ui"
)

// A note is a JSON object at hand, member by member, in order. What is nil is absent.
type note struct {
	names  []string
	values []jsontext.Value
}

// readNote reads an object; anything else is an empty one.
func readNote(v jsontext.Value) note {
	var n note
	if v.Kind() != '{' {
		return n
	}
	for m, err := range shape.Fields(v) {
		if err != nil {
			return note{}
		}
		n.set(unquoted(m.Name), m.Value)
	}
	return n
}

func (n *note) set(name string, v jsontext.Value) {
	if len(v) == 0 {
		return
	}
	for i, known := range n.names {
		if known == name {
			n.values[i] = v
			return
		}
	}
	n.names, n.values = append(n.names, name), append(n.values, v)
}

func (n *note) text(name, text string) {
	if text != "" {
		n.set(name, quoted(text))
	}
}

func (n *note) all(other note) {
	for i, name := range other.names {
		n.set(name, other.values[i])
	}
}

func (n *note) get(name string) jsontext.Value {
	for i, known := range n.names {
		if known == name {
			return n.values[i]
		}
	}
	return nil
}

func (n *note) take(name string) jsontext.Value {
	for i, known := range n.names {
		if known == name {
			v := n.values[i]
			n.names = append(n.names[:i:i], n.names[i+1:]...)
			n.values = append(n.values[:i:i], n.values[i+1:]...)
			return v
		}
	}
	return nil
}

func (n *note) has(name string) bool { return n.get(name) != nil }

func (n *note) is(name, word string) bool { return string(n.get(name)) == word }

func (n *note) empty() bool { return len(n.names) == 0 }

// object writes the members as a JSON object.
func (n *note) object() jsontext.Value {
	out := jsontext.Value{'{'}
	for i, name := range n.names {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, quoted(name)...), ':')
		out = append(out, n.values[i]...)
	}
	return append(out, '}')
}

// value is object, or nil when there are no members.
func (n *note) value() jsontext.Value {
	if n.empty() {
		return nil
	}
	return n.object()
}

// under puts members under one key of an object that may be absent.
func under(key string, members note, into jsontext.Value) jsontext.Value {
	if members.empty() {
		return into
	}
	n := readNote(into)
	n.set(key, members.object())
	return n.object()
}

// parted takes what stands under the key out of an object: has says whether it was there.
func parted(object jsontext.Value, key string) (inner note, rest jsontext.Value, has bool) {
	n := readNote(object)
	v := n.take(key)
	if v == nil || v.Kind() != '{' {
		return note{}, object, false
	}
	return readNote(v), n.value(), true
}

// members returns what a chunk holds beside its type and the members named, under the
// names that AG-UI has for it.
func members(f aisdk.Frame, but ...string) note {
	n := readNote(outright(f.Raw))
	n.take("type")
	for _, name := range but {
		n.take(name)
	}
	return n
}
