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
}

// Known reports whether this version knows the event's type.
func (f Frame) Known() bool { return eventShapes[f.Type] != nil }

// ParseFrame checks one event and takes out what is unknown (AG-UI 1.1,
// basic/processing). It keeps raw, which the caller must not change: when nothing was
// unknown, Raw is raw itself. Each thing taken out has a warning; an event of an unknown
// type is kept whole, with a warning. A known member with a wrong value, a missing one,
// or bytes that are not one JSON object give an error that matches ErrMalformed and
// names the place. An event of which nothing can stay gives a Frame without Raw.
func ParseFrame(raw []byte) (Frame, []Warning, error) {
	t, known, err := eventType(raw)
	if err != nil {
		return Frame{}, nil, fmt.Errorf("%w: event: %w", ErrMalformed, err)
	}
	if !known {
		record, _, err := shape.Parse(raw, unknownEvent)
		if err != nil {
			return Frame{}, nil, fmt.Errorf("%w: %s: %w", ErrMalformed, t, err)
		}
		return Frame{Type: t, Record: record}, []Warning{{Code: UnknownEventType, Path: "/type", Detail: "unknown event type " + string(t)}}, nil
	}
	record, warnings, err := shape.ParseEnforced(raw, eventShapes[t])
	if err != nil {
		return Frame{Type: t}, warnings, fmt.Errorf("%w: %s: %w", ErrMalformed, t, err)
	}
	return Frame{Type: t, Record: record}, warnings, nil
}

// unknownEvent is what is checked of an event whose type is not known.
var unknownEvent = &shape.Shape{Type: shape.Struct, Open: true, Members: members{req("type", aString)}}

var typePrefix = []byte(`{"type":"`)

// eventType finds the type. Producers put it first, where it costs nothing; the
// checked pass that follows refuses a second member of that name.
func eventType(raw []byte) (t EventType, known bool, err error) {
	if rest, ok := bytes.CutPrefix(raw, typePrefix); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 {
			if s, ok := eventNames[string(rest[:end])]; ok {
				return s, true, nil
			}
		}
	}
	name, err := shape.StringMember(raw, "type")
	if err != nil {
		return "", false, err
	}
	t, known = eventNames[name]
	if !known {
		t = EventType(name)
	}
	return t, known, nil
}

// eventNames maps the text of a known type to its constant, so that parsing a
// frame does not allocate its type.
var eventNames = func() map[string]EventType {
	names := make(map[string]EventType, len(eventShapes))
	for t := range eventShapes {
		names[string(t)] = t
	}
	return names
}()
