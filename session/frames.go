package session

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The body of a frames entry holds the frames as they came, byte for byte, each
// after its length, and the run's id before all: no frame is ever rewritten.

var errFramesBody = errors.New("frames entry is cut or damaged")

func (f Frames) body() []byte {
	size := len(f.RunID) + binary.MaxVarintLen64
	for _, frame := range f.Frames {
		size += len(frame) + binary.MaxVarintLen64
	}
	out := appendChunk(make([]byte, 0, size), []byte(f.RunID))
	for _, frame := range f.Frames {
		out = appendChunk(out, frame)
	}
	return out
}

func appendChunk(dst, chunk []byte) []byte {
	dst = binary.AppendUvarint(dst, uint64(len(chunk)))
	return append(dst, chunk...)
}

func readFrames(body []byte) (Record, error) {
	id, rest, err := cutChunk(body)
	if err != nil {
		return nil, err
	}
	f := Frames{RunID: string(id)}
	for len(rest) > 0 {
		var frame []byte
		if frame, rest, err = cutChunk(rest); err != nil {
			return nil, err
		}
		f.Frames = append(f.Frames, frame)
	}
	return f, nil
}

func cutChunk(body []byte) (chunk, rest []byte, err error) {
	n, used := binary.Uvarint(body)
	if used <= 0 || n > uint64(len(body)-used) {
		return nil, nil, fmt.Errorf("%w: at %d bytes from its end", errFramesBody, len(body))
	}
	end := used + int(n) // n was just checked against the length of the body
	return body[used:end:end], body[end:], nil
}
