package aisdk

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// The names by which JSON could reach the prototypes of a JavaScript program. The JSON
// parser of a chat refuses a text in which an object has the member __proto__, or a
// member constructor that is an object with the member prototype.
const (
	protoName       = "__proto__"
	constructorName = "constructor"
	prototypeName   = "prototype"
)

// forbiddenName returns the pointer to the first forbidden name in raw, which is JSON.
func forbiddenName(raw []byte) (pointer string, found bool) {
	if !bytes.Contains(raw, []byte(protoName)) && !bytes.Contains(raw, []byte(constructorName)) && !bytes.Contains(raw, []byte(`\u`)) {
		return "", false
	}
	// Duplicate names and lone surrogates are not looked for here.
	d := jsontext.NewDecoder(bytes.NewReader(raw), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	var constructed []bool // for each open value: it is the value of a constructor
	last := ""             // the name just read
	for {
		t, err := d.ReadToken()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				return "", false // no JSON; others say so
			}
			return "", false
		}
		switch kind := t.Kind(); {
		case kind == '{' || kind == '[':
			constructed = append(constructed, kind == '{' && last == constructorName)
			last = ""
		case kind == '}' || kind == ']':
			constructed = constructed[:len(constructed)-1]
			last = ""
		case kind == '"' && isName(d):
			last = t.String()
			if last == protoName || last == prototypeName && constructed[len(constructed)-1] {
				return string(d.StackPointer()), true
			}
		default:
			last = ""
		}
	}
}

// isName reports whether the string just read is the name of a member.
func isName(d *jsontext.Decoder) bool {
	kind, n := d.StackIndex(d.StackDepth())
	return kind == '{' && n%2 == 1
}

// checkNames refuses a chunk with a forbidden name.
func checkNames(t ChunkType, raw []byte) error {
	if at, found := forbiddenName(raw); found {
		v := &shape.Violation{Path: at, Want: "no name that reaches a prototype", Got: "one"}
		return fmt.Errorf("%w: %s: %w", ErrMalformed, t, v)
	}
	return nil
}
