package protobuf

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
)

// MediaType is what an HTTP body of framed events is called. The reference's client
// compares it as a whole, so it is sent without parameters.
const MediaType = "application/vnd.ag-ui.event+proto"

// MaxFrame is the largest frame that the reference's client takes, its head included.
const MaxFrame = 10 << 20

// frameHead is the size of the length before a framed event, big-endian.
const frameHead = 4

// ReadFramed reads the next frame and returns the event in it, for Decode. At the end
// of the stream it returns io.EOF, and io.ErrUnexpectedEOF if the stream ends within a
// frame. A frame of more than limit bytes gives ErrTooLarge before any of it is read;
// memory grows with what arrives, not with what a length claims.
func ReadFramed(r io.Reader, limit int) ([]byte, error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	size := int64(binary.BigEndian.Uint32(head[:]))
	if size > int64(limit) {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are taken", ErrTooLarge, size, limit)
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, size); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	return b.Bytes(), nil
}

// Frames reads frames until the stream ends, as ReadFramed does. An error ends the loop.
func Frames(r io.Reader, limit int) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for {
			b, err := ReadFramed(r, limit)
			if errors.Is(err, io.EOF) {
				return
			}
			if !yield(b, err) || err != nil {
				return
			}
		}
	}
}
