package protobuf

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"testing"
	"testing/iotest"
)

func TestFramesAreReadAsTheyAreWritten(t *testing.T) {
	var stream []byte
	list := slices.DeleteFunc(vectors(t), vector.unknown)
	for _, v := range list {
		var err error
		if stream, err = AppendFramed(stream, frame(t, v.JSON)); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	for b, err := range Frames(iotest.HalfReader(bytes.NewReader(stream)), MaxFrame) {
		if err != nil {
			t.Fatal(err)
		}
		if want, err := Append(nil, frame(t, list[n].JSON)); err != nil || !bytes.Equal(b, want) {
			t.Fatalf("frame %d: got %x, want %x, %v", n, b, want, err)
		}
		n++
	}
	if n != len(list) {
		t.Errorf("%d of %d frames", n, len(list))
	}
}

func TestReadFramed(t *testing.T) {
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		in   io.Reader
		want error
	}{
		"the end":                {bytes.NewReader(nil), io.EOF},
		"half a length":          {bytes.NewReader([]byte{0, 0}), io.ErrUnexpectedEOF},
		"a length and no more":   {bytes.NewReader([]byte{0, 0, 0, 1}), io.ErrUnexpectedEOF},
		"half an event":          {bytes.NewReader([]byte{0, 0, 0, 2, 1}), io.ErrUnexpectedEOF},
		"too large":              {bytes.NewReader([]byte{0, 0, 0, 9}), ErrTooLarge},
		"as large as can be":     {bytes.NewReader([]byte{255, 255, 255, 255}), ErrTooLarge},
		"an error of the reader": {io.MultiReader(bytes.NewReader([]byte{0, 0, 0, 2, 1}), iotest.ErrReader(broken)), broken},
	} {
		t.Run(name, func(t *testing.T) {
			if b, err := ReadFramed(tc.in, 8); !errors.Is(err, tc.want) || b != nil {
				t.Errorf("got %x, %v", b, err)
			}
		})
	}
	if b, err := ReadFramed(bytes.NewReader([]byte{0, 0, 0, 0}), 8); err != nil || len(b) != 0 {
		t.Errorf("an empty frame: got %x, %v", b, err)
	}
}

// A meanReader gives one byte at a time and remembers how many it was asked for.
type meanReader struct {
	left []byte
	most int
}

func (r *meanReader) Read(p []byte) (int, error) {
	r.most = max(r.most, len(p))
	n := copy(p, r.left[:min(1, len(r.left))])
	r.left = r.left[n:]
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

func TestALengthAloneTakesNoMemory(t *testing.T) {
	r := &meanReader{left: []byte{0x7f, 255, 255, 255, 1}}
	if _, err := ReadFramed(r, math.MaxInt32); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Fatal(err)
	}
	if r.most > 64<<10 {
		t.Errorf("%d bytes are held ready for a frame that never comes", r.most)
	}
}

func TestFramesEndsAtAnError(t *testing.T) {
	n := 0
	for _, err := range Frames(bytes.NewReader([]byte{0, 0, 0, 1, 7, 0}), 8) {
		if n++; n == 2 && !errors.Is(err, io.ErrUnexpectedEOF) || n > 2 {
			t.Fatalf("frame %d: %v", n, err)
		}
	}
}
