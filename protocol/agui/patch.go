package agui

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// maxCopied bounds how much the copy operations of one patch may add, in bytes.
const maxCopied = 8 << 20

// ErrPatch: a well-formed JSON Patch that does not apply to the value it is meant for.
var ErrPatch = errors.New("JSON Patch does not apply")

// Patch applies a checked JSON Patch (RFC 6902) to any JSON value and returns the new
// one; doc is not changed. It applies whole or not at all; the error matches ErrPatch and
// names the operation. What no operation touches keeps its spelling, and only the way to
// what they touch is taken apart.
func Patch(doc, patch jsontext.Value) (jsontext.Value, error) {
	p := patcher{root: &node{raw: doc}}
	n := 0
	for raw, err := range shape.Elements(patch) {
		if err == nil {
			err = p.apply(raw)
		}
		if err != nil {
			return nil, fmt.Errorf("%w: operation %d: %w", ErrPatch, n, err)
		}
		n++
	}
	if p.root == nil { // it was removed as a whole
		return jsontext.Value("null"), nil
	}
	return p.root.append(nil), nil
}

type patcher struct {
	root   *node
	copied int // bytes
}

func (p *patcher) apply(raw jsontext.Value) error {
	op, err := readObject(raw)
	if err != nil {
		return err
	}
	name, path, from := shape.Unquote(op.get("op")), shape.Unquote(op.get("path")), shape.Unquote(op.get("from"))
	switch name {
	case "add":
		err = p.add(path, &node{raw: op.get("value")})
	case "remove":
		_, err = p.remove(path)
	case "replace":
		var n *node
		if n, err = p.find(path); err == nil {
			*n = node{raw: op.get("value")}
		}
	case "move":
		err = p.move(from, path)
	case "copy":
		err = p.copy(from, path)
	case "test":
		err = p.test(path, op.get("value"))
	}
	if err != nil {
		return fmt.Errorf("%s %q: %w", name, path, err)
	}
	return nil
}

var (
	errNowhere  = errors.New("there is no such place")
	errDiffers  = errors.New("the value is another one")
	errInto     = errors.New("a value cannot be moved into itself")
	errTooLarge = errors.New("more than " + strconv.Itoa(maxCopied) + " bytes are copied")
)

func (p *patcher) move(from, path string) error {
	if strings.HasPrefix(path, from+"/") {
		return errInto
	}
	moved, err := p.remove(from)
	if err != nil {
		return fmt.Errorf("from %q: %w", from, err)
	}
	return p.add(path, moved)
}

func (p *patcher) copy(from, path string) error {
	n, err := p.find(from)
	if err != nil {
		return fmt.Errorf("from %q: %w", from, err)
	}
	raw := n.append(nil)
	if p.copied += len(raw); p.copied > maxCopied {
		return errTooLarge
	}
	return p.add(path, &node{raw: raw})
}

// test compares by what the values mean: 1 is 1.0, and names have no order.
func (p *patcher) test(path string, value jsontext.Value) error {
	n, err := p.find(path)
	if err != nil {
		return err
	}
	want, err := hitl.Canonical(value)
	if err != nil {
		return err
	}
	got, err := hitl.Canonical(n.append(nil))
	if err != nil {
		return err
	}
	if got != want {
		return errDiffers
	}
	return nil
}

var tokenNames = strings.NewReplacer("~1", "/", "~0", "~")

// tokens takes a JSON Pointer apart (RFC 6901); none stand for the whole value.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	list := strings.Split(pointer[1:], "/")
	for i, t := range list {
		list[i] = tokenNames.Replace(t)
	}
	return list
}

func (p *patcher) find(pointer string) (*node, error) {
	n := p.root
	for _, t := range tokens(pointer) {
		if n == nil {
			break
		}
		if n = n.child(t); n == nil {
			return nil, errNowhere
		}
	}
	if n == nil {
		return nil, errNowhere
	}
	return n, nil
}

// holder returns what holds the place of a pointer that is not empty, and its name there.
func (p *patcher) holder(pointer string) (*node, string, error) {
	i := strings.LastIndexByte(pointer, '/')
	n, err := p.find(pointer[:i])
	return n, tokenNames.Replace(pointer[i+1:]), err
}

func (p *patcher) add(pointer string, value *node) error {
	if pointer == "" {
		p.root = value
		return nil
	}
	holder, name, err := p.holder(pointer)
	if err != nil {
		return err
	}
	return holder.put(name, value)
}

func (p *patcher) remove(pointer string) (*node, error) {
	if pointer == "" {
		removed := p.root
		if p.root = nil; removed == nil {
			return nil, errNowhere
		}
		return removed, nil
	}
	holder, name, err := p.holder(pointer)
	if err != nil {
		return nil, err
	}
	return holder.take(name)
}
