package agui

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	jsonpatch "github.com/evanphx/json-patch/v5"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// maxCopied bounds how much the copy operations of one patch may add, in bytes.
const maxCopied = 8 << 20

// ErrPatch: a well-formed JSON Patch that does not apply to the value it is meant for.
var ErrPatch = errors.New("JSON Patch does not apply")

// Patch applies a checked JSON Patch (RFC 6902) to any JSON value and returns the new
// one; doc is not changed. It applies whole or not at all. The error matches ErrPatch.
func Patch(doc, patch jsontext.Value) (jsontext.Value, error) {
	if !namesNothing(patch) {
		return apply(doc, patch)
	}
	// The library takes a member whose name is empty for the object that holds it.
	name := unused(doc, patch)
	doc, err := renamed(doc, "", name)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPatch, err)
	}
	if patch, err = renamedPatch(patch, name); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPatch, err)
	}
	if doc, err = apply(doc, patch); err != nil {
		return nil, err
	}
	return renamed(doc, name, "")
}

func apply(doc, patch jsontext.Value) (jsontext.Value, error) {
	// The value is held as the member of an object, so that the whole of it is a place
	// like any other: also a string or a number can be patched.
	doc = append(append([]byte(`{"r":`), doc...), '}')
	var batch []jsontext.Value
	flush := func() (err error) {
		doc, err = applyBatch(doc, batch)
		batch = batch[:0]
		return err
	}
	for raw, err := range shape.Elements(patch) {
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrPatch, err)
		}
		op, err := readObject(raw)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrPatch, err)
		}
		if shape.Unquote(op.get("op")) == "test" {
			if err := flush(); err != nil {
				return nil, err
			}
			if err := test(doc, op); err != nil {
				return nil, err
			}
			continue
		}
		if err := movable(op); err != nil {
			return nil, err
		}
		if oddIndex.MatchString(shape.Unquote(op.get("path")) + shape.Unquote(op.get("from"))) {
			if err := flush(); err != nil {
				return nil, err
			}
			if err := indexed(doc, op); err != nil {
				return nil, err
			}
		}
		for _, place := range []string{"path", "from"} {
			if at := op.get(place); at != nil {
				op.set(place, quote("/r"+shape.Unquote(at)))
			}
		}
		batch = append(batch, op.bytes())
	}
	if err := flush(); err != nil {
		return nil, err
	}
	held, err := readObject(doc)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPatch, err)
	}
	if v := held.get("r"); v != nil {
		return v, nil
	}
	return jsontext.Value("null"), nil // the whole value was removed
}

// movable refuses to move a value into itself (RFC 6902, section 4.4). The library takes
// it out first, and then may find another value in its place.
func movable(op *rawObject) error {
	from, path := shape.Unquote(op.get("from")), shape.Unquote(op.get("path"))
	if shape.Unquote(op.get("op")) == "move" && strings.HasPrefix(path, from+"/") {
		return fmt.Errorf("%w: %q cannot be moved into itself", ErrPatch, from)
	}
	return nil
}

// oddIndex finds tokens that the library takes for an index of an array and RFC 6901,
// section 4, does not: 01, +1.
var oddIndex = regexp.MustCompile(`/(\+[0-9]+|0[0-9]+)(/|$)`)

// indexed refuses such a token where it stands for a place in an array.
func indexed(doc jsontext.Value, op *rawObject) error {
	for _, member := range []string{"path", "from"} {
		at := "/r" + shape.Unquote(op.get(member))
		for i := range at {
			if at[i] != '/' || !oddIndex.MatchString(at[i:]) || oddIndex.FindStringIndex(at[i:])[0] != 0 {
				continue
			}
			if inside, err := pointed(doc, at[:i]); err == nil && inside.Kind() == jsontext.Kind('[') {
				return fmt.Errorf("%w: %q is no index of an array", ErrPatch, at[i+1:])
			}
		}
	}
	return nil
}

func applyBatch(doc jsontext.Value, batch []jsontext.Value) (jsontext.Value, error) {
	if len(batch) == 0 {
		return doc, nil
	}
	text := []byte{'['}
	for i, op := range batch {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, op...)
	}
	decoded, err := jsonpatch.DecodePatch(append(text, ']'))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPatch, err)
	}
	options := jsonpatch.NewApplyOptions()
	options.SupportNegativeIndices = false // RFC 6901 has none
	options.AccumulatedCopySizeLimit = maxCopied
	options.EscapeHTML = false
	doc, err = decoded.ApplyWithOptions(doc, options)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrPatch, err)
	}
	return doc, nil
}

// test compares by what the values mean, as RFC 6902, section 4.6, demands; the library
// compares how numbers are written.
func test(doc jsontext.Value, op *rawObject) error {
	path := shape.Unquote(op.get("path"))
	found, err := pointed(doc, "/r"+path)
	if err != nil {
		return err
	}
	want, err := hitl.Canonical(op.get("value"))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPatch, err)
	}
	got, err := hitl.Canonical(found)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrPatch, err)
	}
	if got != want {
		return fmt.Errorf("%w: the value at %q is not the tested one", ErrPatch, path)
	}
	return nil
}

var pointerNames = strings.NewReplacer("~1", "/", "~0", "~")

// pointed returns the value a JSON Pointer names.
func pointed(doc jsontext.Value, pointer string) (jsontext.Value, error) {
	for _, token := range strings.Split(pointer, "/")[1:] {
		next, err := child(doc, pointerNames.Replace(token))
		if err != nil {
			return nil, err
		}
		if next == nil {
			return nil, fmt.Errorf("%w: there is nothing at %q", ErrPatch, pointer)
		}
		doc = next
	}
	return doc, nil
}

func child(doc jsontext.Value, name string) (jsontext.Value, error) {
	switch doc.Kind() {
	case '{':
		o, err := readObject(doc)
		if err != nil {
			return nil, err
		}
		return o.get(name), nil
	case '[':
		i := 0
		for element, err := range shape.Elements(doc) {
			if err != nil {
				return nil, err
			}
			if name == fmt.Sprint(i) {
				return element, nil
			}
			i++
		}
	}
	return nil, nil
}
