package agui

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

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

// eachObject lets change look at each object of a list; other elements stay. An element
// that change drops goes.
func eachObject(o *rawObject, name, at string, change func(o *rawObject, at string) error) error {
	list := o.get(name)
	if list.Kind() != '[' {
		return nil
	}
	out, changed, n := []byte{'['}, false, -1
	for element, err := range shape.Elements(list) {
		if err != nil {
			return err
		}
		n++
		if element.Kind() == '{' {
			inner, err := readObject(element)
			if err != nil {
				return err
			}
			if err := change(inner, at+"/"+name+"/"+strconv.Itoa(n)); err != nil {
				return err
			}
			changed = changed || inner.changed || inner.gone
			if inner.gone {
				continue
			}
			if inner.changed {
				element = inner.bytes()
			}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, element...)
	}
	if changed {
		o.set(name, append(out, ']'))
	}
	return nil
}

func malformed(what string, err error) error {
	return fmt.Errorf("%w: %s: %w", ErrMalformed, what, err)
}
