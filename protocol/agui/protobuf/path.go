package protobuf

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// A step is one step into an event: a member, by its name or by its quoted name, or an
// element. It becomes text only when there is something to say.
type step struct {
	name    string
	key     []byte
	index   int
	element bool
}

func (e *encoder) enter(name string) { e.path.push(step{name: name}) }
func (e *encoder) index(i int)       { e.path.push(step{index: i, element: true}) }
func (e *encoder) leave()            { e.path.pop() }

// pointer is where the encoder is.
func (e *encoder) pointer() string { return pointer(e.path.all()) }

// pointer writes a path as a JSON Pointer. Long names are cut, as in all that is said
// about an event.
func pointer(path []step) string {
	var b strings.Builder
	for _, s := range path {
		b.WriteByte('/')
		switch {
		case s.key != nil:
			b.WriteString(escape(clip([]byte(unquote(s.key)))))
		case s.element:
			b.WriteString(strconv.Itoa(s.index))
		default:
			b.WriteString(escape(s.name))
		}
	}
	return b.String()
}

func escape(name string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(name) }

// lose reports that the named member of the place where the encoder is, or the place
// itself, is not carried.
func (e *encoder) lose(member, detail string) {
	if e.lost == nil || e.told == maxTold {
		return
	}
	e.told++
	at := e.pointer()
	if member != "" {
		at += "/" + escape(clip([]byte(member)))
	}
	e.lost(Loss{Path: at, Detail: detail})
}

// maxTold is how many losses of one event are reported, which is enough to look into it.
const maxTold = 16

// unknown reports the members of the object i that no field carries.
func (e *encoder) unknown(m *message, t *tape, i int) {
	if e.lost == nil {
		return
	}
	for at := i + 1; at < t.nodes[i].next; at = t.nodes[at+1].next {
		if name := unquote(t.text(at)); m.arm(name) == nil && name != m.silent {
			e.lose(name, "the binary form has no place for it")
		}
	}
}

// misfit says that a value is not of the form its field has.
func misfit(want string) error { return fail("it is not " + want) }

// fail is an error of the place where the encoder is.
func fail(reason string) error { return errors.New(reason) }

var errTooDeep = errors.New("it nests too deep")

// A fault is an error in a part of what is decoded, and the way to it, from the inside.
type fault struct {
	reason string
	way    []step
}

func (f *fault) Error() string { return f.reason }

// in says in which member an error was found.
func in(name string, err error) error {
	if errors.Is(err, errNoArm) {
		return err // which ends in the list around it
	}
	f, ok := errors.AsType[*fault](err)
	if !ok {
		f = &fault{reason: err.Error()}
	}
	f.way = append(f.way, step{name: clip([]byte(name))})
	return f
}

// malformed is the error of an event that cannot be decoded.
func malformed(typ agui.EventType, err error) error {
	e := &FieldError{Type: typ, Reason: err.Error(), rule: ErrMalformed}
	if f, ok := errors.AsType[*fault](err); ok {
		slices.Reverse(f.way)
		e.Path = pointer(f.way)
	}
	return e
}
