package agui

import (
	"bytes"
	"fmt"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A Frame is one event as it came over the wire: its type and its checked bytes, Raw,
// without what this version does not know. Raw is shared between readers and must not
// be changed.
type Frame struct {
	Type EventType
	shape.Record
	kind *eventKind // nil for an unknown type
}

// Known reports whether this version knows the event's type.
func (f Frame) Known() bool { return f.kind != nil }

// An eventKind is what this package knows of one event type, so that one look at the
// type's name finds all of it.
type eventKind struct {
	name   EventType
	shape  *shape.Shape
	chunk  *chunkKind // of a chunk event
	closes closing    // which lanes it ends
}

var eventKinds = func() map[string]*eventKind {
	kinds := make(map[string]*eventKind, len(eventShapes))
	for t, s := range eventShapes {
		kinds[string(t)] = &eventKind{name: t, shape: s, chunk: chunkKinds[t], closes: closes[t]}
	}
	return kinds
}()

// ParseFrame checks one event and takes out what is unknown (AG-UI 1.1,
// basic/processing). It keeps raw, which the caller must not change: when nothing was
// unknown, Raw is raw itself. Each thing taken out has a warning; an event of an unknown
// type is kept whole, with a warning. A known member with a wrong value, a missing one,
// or bytes that are not one JSON object give an error that matches ErrMalformed and
// names the place. An event of which nothing can stay gives a Frame without Raw.
func ParseFrame(raw []byte) (Frame, []Warning, error) {
	t, kind, err := eventType(raw)
	if err != nil {
		return Frame{}, nil, fmt.Errorf("%w: event: %w", ErrMalformed, err)
	}
	if kind == nil {
		record, _, err := shape.Parse(raw, unknownEvent)
		if err != nil {
			return Frame{}, nil, fmt.Errorf("%w: %s: %w", ErrMalformed, t, err)
		}
		return Frame{Type: t, Record: record}, []Warning{{Code: UnknownEventType, Path: "/type", Detail: "unknown event type " + string(t)}}, nil
	}
	record, warnings, err := shape.ParseEnforced(raw, kind.shape)
	if err != nil {
		return Frame{Type: t, kind: kind}, warnings, fmt.Errorf("%w: %s: %w", ErrMalformed, t, err)
	}
	return Frame{Type: t, Record: record, kind: kind}, warnings, nil
}

// unknownEvent is what is checked of an event whose type is not known.
var unknownEvent = &shape.Shape{Type: shape.Struct, Open: true, Members: members{req("type", aString)}}

// typePrefixes are how producers begin an event, with and without a space.
var typePrefixes = [...][]byte{[]byte(`{"type":"`), []byte(`{"type": "`)}

// eventType finds the type; kind is nil for one that is not known. Producers put it
// first, where it costs nothing; the checked pass that follows refuses a second member
// of that name.
func eventType(raw []byte) (t EventType, kind *eventKind, err error) {
	for _, prefix := range typePrefixes {
		if rest, ok := bytes.CutPrefix(raw, prefix); ok {
			if end := bytes.IndexByte(rest, '"'); end >= 0 {
				if kind := eventKinds[string(rest[:end])]; kind != nil {
					return kind.name, kind, nil
				}
			}
		}
	}
	name, err := shape.StringMember(raw, "type")
	if err != nil {
		return "", nil, err
	}
	if kind := eventKinds[name]; kind != nil {
		return kind.name, kind, nil
	}
	return EventType(name), nil, nil
}
