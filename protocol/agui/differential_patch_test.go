package agui

import (
	"errors"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A reading of RFC 6902 to the letter, small and slow, for the differential test: the
// client's library also writes to places that do not exist.

var errLetter = errors.New("the patch does not apply")

type letterOp struct {
	Op    string         `json:"op"`
	Path  string         `json:"path"`
	From  string         `json:"from"`
	Value jsontext.Value `json:"value"`
}

// letterPatch applies a patch, whole or not at all.
func letterPatch(doc, patch jsontext.Value) (any, error) {
	var root any
	var ops []letterOp
	if err := errors.Join(json.Unmarshal(doc, &root), json.Unmarshal(patch, &ops)); err != nil {
		return nil, err
	}
	for _, op := range ops {
		var err error
		if root, err = op.apply(root); err != nil {
			return nil, err
		}
	}
	return root, nil
}

func (op letterOp) apply(root any) (any, error) {
	var value any
	if op.Value != nil {
		if err := json.Unmarshal(op.Value, &value); err != nil {
			return nil, err
		}
	}
	switch op.Op {
	case "add":
		return letterAdd(root, op.Path, value)
	case "remove":
		return letterRemove(root, op.Path)
	case "replace":
		if op.Path == "" {
			return value, nil
		}
		root, err := letterRemove(root, op.Path)
		if err != nil {
			return nil, err
		}
		return letterAdd(root, op.Path, value)
	case "test":
		found, err := letterGet(root, op.Path)
		if err != nil || !reflect.DeepEqual(found, value) {
			return nil, errLetter
		}
		return root, nil
	}
	moved, err := letterGet(root, op.From)
	if err != nil {
		return nil, err
	}
	if op.Op == "copy" {
		return letterAdd(root, op.Path, letterCopy(moved))
	}
	if op.Path == op.From {
		return root, nil
	}
	if strings.HasPrefix(op.Path, op.From+"/") {
		return nil, errLetter
	}
	if root, err = letterRemove(root, op.From); err != nil {
		return nil, err
	}
	return letterAdd(root, op.Path, moved)
}

func letterCopy(v any) any {
	switch v := v.(type) {
	case map[string]any:
		m := map[string]any{}
		for name, child := range v {
			m[name] = letterCopy(child)
		}
		return m
	case []any:
		l := make([]any, len(v))
		for i, child := range v {
			l[i] = letterCopy(child)
		}
		return l
	}
	return v
}

func letterNames(pointer string) []string {
	names := strings.Split(pointer, "/")[1:]
	for i, name := range names {
		names[i] = strings.ReplaceAll(strings.ReplaceAll(name, "~1", "/"), "~0", "~")
	}
	return names
}

var letterIndex = regexp.MustCompile(`^(0|[1-9][0-9]*)$`)

// letterAt reads the index of an element, at most the given one.
func letterAt(name string, most int) (int, error) {
	i, err := strconv.Atoi(name)
	if !letterIndex.MatchString(name) || err != nil || i > most {
		return 0, errLetter
	}
	return i, nil
}

func letterGet(v any, pointer string) (any, error) {
	for _, name := range letterNames(pointer) {
		switch at := v.(type) {
		case map[string]any:
			child, ok := at[name]
			if !ok {
				return nil, errLetter
			}
			v = child
		case []any:
			i, err := letterAt(name, len(at)-1)
			if err != nil {
				return nil, err
			}
			v = at[i]
		default:
			return nil, errLetter
		}
	}
	return v, nil
}

// letterChange replaces the container of what the pointer names.
func letterChange(v any, names []string, change func(at any, name string) (any, error)) (any, error) {
	if len(names) == 1 {
		return change(v, names[0])
	}
	switch at := v.(type) {
	case map[string]any:
		child, ok := at[names[0]]
		if !ok {
			return nil, errLetter
		}
		now, err := letterChange(child, names[1:], change)
		at[names[0]] = now
		return at, err
	case []any:
		i, err := letterAt(names[0], len(at)-1)
		if err != nil {
			return nil, err
		}
		at[i], err = letterChange(at[i], names[1:], change)
		return at, err
	}
	return nil, errLetter
}

func letterAdd(root any, pointer string, value any) (any, error) {
	if pointer == "" {
		return value, nil
	}
	return letterChange(root, letterNames(pointer), func(at any, name string) (any, error) {
		switch at := at.(type) {
		case map[string]any:
			at[name] = value
			return at, nil
		case []any:
			if name == "-" {
				return append(at, value), nil
			}
			i, err := letterAt(name, len(at))
			if err != nil {
				return nil, err
			}
			return slices.Insert(at, i, value), nil
		}
		return nil, errLetter
	})
}

func letterRemove(root any, pointer string) (any, error) {
	if pointer == "" {
		return nil, nil // nothing is left, which is held as null
	}
	return letterChange(root, letterNames(pointer), func(at any, name string) (any, error) {
		switch at := at.(type) {
		case map[string]any:
			if _, ok := at[name]; ok {
				delete(at, name)
				return at, nil
			}
		case []any:
			if i, err := letterAt(name, len(at)-1); err == nil {
				return slices.Delete(at, i, i+1), nil
			}
		}
		return nil, errLetter
	})
}

func TestLetterPatch(t *testing.T) {
	for _, c := range []struct{ doc, patch, want string }{
		{`{"a":1}`, `[{"op":"add","path":"/b","value":[]},{"op":"add","path":"/b/-","value":2}]`, `{"a":1,"b":[2]}`},
		{`{"-":1}`, `[{"op":"move","from":"/-","path":"/a~1b"}]`, `{"a/b":1}`},
		{`[1,2,3]`, `[{"op":"remove","path":"/1"},{"op":"replace","path":"/0","value":null}]`, `[null,3]`},
		{`{"":1}`, `[{"op":"move","from":"/","path":"/"},{"op":"test","path":"/","value":1.0}]`, `{"":1}`},
		{`{"a":{}}`, `[{"op":"copy","from":"/a","path":"/a/b"}]`, `{"a":{"b":{}}}`},
		{`{"a":{}}`, `[{"op":"move","from":"/a","path":"/a/b"}]`, ``},
		{`[1]`, `[{"op":"add","path":"/01","value":1}]`, ``},
		{`[1]`, `[{"op":"remove","path":"/-"}]`, ``},
		{`true`, `[{"op":"add","path":"/0","value":1}]`, ``},
		{`{}`, `[{"op":"replace","path":"/a","value":1}]`, ``},
	} {
		got, err := letterPatch(jsontext.Value(c.doc), jsontext.Value(c.patch))
		if c.want == "" {
			if err == nil {
				t.Errorf("%s applies to %s", c.patch, c.doc)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, jsValue(t, []byte(c.want))) {
			t.Errorf("%s of %s: %v, %v", c.patch, c.doc, got, err)
		}
	}
}
