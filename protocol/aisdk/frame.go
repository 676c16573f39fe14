package aisdk

import (
	"bytes"
	"fmt"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A Frame is one chunk as it came over the wire: its type and its checked bytes,
// Raw, which are shared between readers and must not be changed.
type Frame struct {
	Type ChunkType
	shape.Record
}

// A Warning reports something the peer sent that this version does not know.
type Warning = shape.Warning

// Done is the payload that ends a stream over SSE. It is not a chunk.
const Done = "[DONE]"

// ParseFrame checks one chunk. It keeps raw, which the caller must not change. What
// is unknown stays in the bytes and, if it is the type, is reported; a known member
// with a wrong value (null for an optional one too), a missing one, or bytes that are
// not one JSON object give an error that matches ErrMalformed and names the place.
func ParseFrame(raw []byte) (Frame, []Warning, error) {
	t, err := chunkType(raw)
	if err != nil {
		return Frame{}, nil, fmt.Errorf("%w: chunk: %w", ErrMalformed, err)
	}
	s, known := chunkShapes[t]
	if !known {
		s = unknownChunk
		if _, data := t.IsData(); data {
			s, known = dataShape, true
		}
	}
	record, warnings, err := shape.Parse(raw, s)
	if err != nil {
		return Frame{}, nil, fmt.Errorf("%w: %s: %w", ErrMalformed, t, err)
	}
	if !known {
		warnings = append(warnings, Warning{Path: "/type", Detail: "unknown chunk type " + string(t)})
	}
	return Frame{Type: t, Record: record}, warnings, nil
}

var typePrefix = []byte(`{"type":"`)

// chunkType finds the type. Producers put it first, where it costs nothing; the
// checked pass that follows refuses a second member of that name.
func chunkType(raw []byte) (ChunkType, error) {
	if rest, ok := bytes.CutPrefix(raw, typePrefix); ok {
		if end := bytes.IndexByte(rest, '"'); end >= 0 {
			if t, ok := chunkNames[string(rest[:end])]; ok {
				return t, nil
			}
		}
	}
	name, err := shape.StringMember(raw, "type")
	return ChunkType(name), err
}

// chunkNames maps the text of a known type to its constant, so that parsing a frame
// does not allocate its type.
var chunkNames = func() map[string]ChunkType {
	names := make(map[string]ChunkType, len(chunkShapes))
	for t := range chunkShapes {
		names[string(t)] = t
	}
	return names
}()

// TypeOf returns the type of a chunk that was checked before, "" if it has none.
func TypeOf(raw []byte) ChunkType {
	t, err := chunkType(raw)
	if err != nil {
		return ""
	}
	return t
}

// IsDelta reports whether chunks of the type carry the next piece of a part: they come
// once a token and change nothing else.
func (t ChunkType) IsDelta() bool {
	return t == TypeTextDelta || t == TypeReasoningDelta || t == TypeToolInputDelta
}
