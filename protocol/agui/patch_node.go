package agui

import (
	"slices"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A node is a JSON value that is taken apart when something in it is looked for.
type node struct {
	raw   jsontext.Value // until it is taken apart
	kind  jsontext.Kind  // '{' or '[' once it is
	names []string       // of an object, in order
	index map[string]int // of an object: where each name is
	inner []*node        // nil for a member that was taken
}

// open takes an object or array apart, one level deep.
func (n *node) open() {
	if n.kind != 0 {
		return
	}
	switch kind := n.raw.Kind(); kind {
	case '{':
		for m, err := range shape.Fields(n.raw) {
			if err != nil {
				return // cannot be: the value was checked
			}
			n.member(shape.Unquote(m.Name), &node{raw: m.Value})
		}
		n.kind, n.raw = kind, nil
	case '[':
		for v, err := range shape.Elements(n.raw) {
			if err != nil {
				return
			}
			n.inner = append(n.inner, &node{raw: v})
		}
		n.kind, n.raw = kind, nil
	}
}

// member adds a member that is not there yet.
func (n *node) member(name string, value *node) {
	if n.index == nil {
		n.index = map[string]int{}
	}
	n.index[name] = len(n.names)
	n.names, n.inner = append(n.names, name), append(n.inner, value)
}

// place returns where a token of a pointer leads, or -1.
func (n *node) place(token string) int {
	n.open()
	switch n.kind {
	case '{':
		if i, there := n.index[token]; there {
			return i
		}
	case '[':
		if i := arrayIndex(token); i < len(n.inner) {
			return i
		}
	}
	return -1
}

// arrayIndex reads an index as RFC 6901, section 4, writes it: no sign, no leading zero.
func arrayIndex(token string) int {
	if !digits(token) {
		return -1
	}
	i, err := strconv.Atoi(token)
	if err != nil {
		return -1
	}
	return i
}

func (n *node) child(token string) *node {
	if i := n.place(token); i >= 0 {
		return n.inner[i]
	}
	return nil
}

// put sets a member, or inserts an element; - stands for the end of an array.
func (n *node) put(token string, value *node) error {
	n.open()
	switch n.kind {
	case '{':
		if i := n.place(token); i >= 0 {
			n.inner[i] = value
			return nil
		}
		n.member(token, value)
		return nil
	case '[':
		i := arrayIndex(token)
		if token == "-" {
			i = len(n.inner)
		}
		if i < 0 || i > len(n.inner) {
			return errNowhere
		}
		n.inner = slices.Insert(n.inner, i, value)
		return nil
	}
	return errNowhere
}

func (n *node) take(token string) (*node, error) {
	i := n.place(token)
	if i < 0 {
		return nil, errNowhere
	}
	taken := n.inner[i]
	if n.kind == '{' {
		delete(n.index, token)
		n.inner[i] = nil
	} else {
		n.inner = slices.Delete(n.inner, i, i+1)
	}
	return taken, nil
}

// append writes the value.
func (n *node) append(out []byte) []byte {
	if n.kind == 0 {
		return append(out, n.raw...)
	}
	out = append(out, byte(n.kind))
	first := len(out)
	for i, v := range n.inner {
		if v == nil {
			continue
		}
		if len(out) > first {
			out = append(out, ',')
		}
		if n.kind == '{' {
			out = append(append(out, quote(n.names[i])...), ':')
		}
		out = v.append(out)
	}
	if n.kind == '{' {
		return append(out, '}')
	}
	return append(out, ']')
}
