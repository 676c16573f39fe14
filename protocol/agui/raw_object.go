package agui

import (
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A rawObject is a JSON object taken apart one level deep, in the order of its members.
type rawObject struct {
	fields  []shape.Field
	changed bool
	gone    bool // whoever holds it leaves it out
}

var errNoObject = errors.New("expected an object")

// readObject takes the object raw apart.
func readObject(raw jsontext.Value) (*rawObject, error) {
	if raw.Kind() != '{' {
		return nil, errNoObject
	}
	o := &rawObject{}
	for m, err := range shape.Fields(raw) {
		if err != nil {
			return nil, err
		}
		o.fields = append(o.fields, m)
	}
	return o, nil
}

func (o *rawObject) index(name string) int {
	return slices.IndexFunc(o.fields, func(m shape.Field) bool { return shape.Unquote(m.Name) == name })
}

// get returns the value of a member, nil if there is none.
func (o *rawObject) get(name string) jsontext.Value {
	if i := o.index(name); i >= 0 {
		return o.fields[i].Value
	}
	return nil
}

func (o *rawObject) set(name string, v jsontext.Value) {
	o.changed = true
	if i := o.index(name); i >= 0 {
		o.fields[i].Value = v
		return
	}
	o.fields = append(o.fields, shape.Field{Name: quote(name), Value: v})
}

func (o *rawObject) drop(name string) {
	if i := o.index(name); i >= 0 {
		o.fields = slices.Delete(o.fields, i, i+1)
		o.changed = true
	}
}

// bytes writes the object on one line.
func (o *rawObject) bytes() []byte {
	out := []byte{'{'}
	for i, m := range o.fields {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, m.Name...), ':'), m.Value...)
	}
	return append(out, '}')
}

func malformed(what string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrMalformed, what, err)
}
