package protobuf

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
)

// A tape holds where the values of one JSON text lie, in the order of the text. It makes
// skipping a value free, which keeps an encoder linear that looks for members by name.
type tape struct {
	raw   []byte
	nodes []node
}

// A node is one value, or the name of a member, which comes before its value.
type node struct {
	start, end int
	next       int // of the first node that is not inside this one
}

// lay reads a whole JSON text.
func lay(raw []byte) (tape, error) {
	t := tape{raw: raw, nodes: make([]node, 0, len(raw)/16+4)}
	dec := jsontext.NewDecoder(bytes.NewBuffer(raw))
	var open []int
	for {
		switch dec.PeekKind() {
		case '{', '[':
			if _, err := dec.ReadToken(); err != nil {
				return tape{}, err
			}
			open = append(open, len(t.nodes))
			t.nodes = append(t.nodes, node{start: int(dec.InputOffset()) - 1})
		case '}', ']':
			if _, err := dec.ReadToken(); err != nil {
				return tape{}, err
			}
			outer := &t.nodes[open[len(open)-1]]
			open = open[:len(open)-1]
			outer.end, outer.next = int(dec.InputOffset()), len(t.nodes)
		default:
			v, err := dec.ReadValue()
			if err != nil {
				return tape{}, err
			}
			end := int(dec.InputOffset())
			t.nodes = append(t.nodes, node{start: end - len(v), end: end, next: len(t.nodes) + 1})
		}
		if len(open) == 0 {
			return t, nil
		}
	}
}

// text returns the JSON of node i.
func (t *tape) text(i int) jsontext.Value { return t.raw[t.nodes[i].start:t.nodes[i].end] }

// kind returns the first byte of node i: { [ " t f n, or that of a number.
func (t *tape) kind(i int) byte { return t.raw[t.nodes[i].start] }

// member returns the value of the named member of the object i, or -1.
func (t *tape) member(i int, name string) int {
	for at := i + 1; at < t.nodes[i].next; at = t.nodes[at+1].next {
		if means(t.text(at), name) {
			return at + 1
		}
	}
	return -1
}

// means reports whether a JSON string means the given text. It allocates only for a
// string that is written with escapes.
func means(quoted []byte, text string) bool {
	inner := quoted[1 : len(quoted)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner) == text
	}
	return unquote(quoted) == text
}

// unquote returns the text of a JSON string.
func unquote(quoted []byte) string {
	plain, err := jsontext.AppendUnquote(nil, quoted)
	if err != nil {
		return ""
	}
	return string(plain)
}
