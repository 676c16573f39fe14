package shape

import (
	"bytes"
	"errors"
	"io"
	"iter"

	"github.com/go-json-experiment/json/jsontext"
)

// A Field is one member of an object: its name, quoted as it was written, and its value.
type Field struct{ Name, Value jsontext.Value }

// Fields yields the members of the JSON object raw in order. An error is a *SyntaxError
// and the last thing yielded.
func Fields(raw jsontext.Value) iter.Seq2[Field, error] {
	return func(yield func(Field, error) bool) {
		read := reader(raw)
		for read.dec.PeekKind() != '}' {
			name, value := read.copy(), read.copy()
			if read.err != nil {
				break
			}
			if !yield(Field{name, value}, nil) {
				return
			}
		}
		if err := read.finish(); err != nil {
			yield(Field{}, err)
		}
	}
}

// Elements yields the elements of the JSON array raw in order, like Fields.
func Elements(raw jsontext.Value) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		read := reader(raw)
		for read.dec.PeekKind() != ']' {
			value := read.copy()
			if read.err != nil {
				break
			}
			if !yield(value, nil) {
				return
			}
		}
		if err := read.finish(); err != nil {
			yield(nil, err)
		}
	}
}

// An innerReader reads what is inside one object or array.
type innerReader struct {
	dec *jsontext.Decoder
	err error
}

func reader(raw jsontext.Value) *innerReader {
	r := &innerReader{dec: jsontext.NewDecoder(bytes.NewBuffer(raw))}
	_, r.err = r.dec.ReadToken()
	return r
}

// copy returns the next value; the decoder's own bytes are only good until it goes on.
func (r *innerReader) copy() jsontext.Value {
	if r.err != nil {
		return nil
	}
	var v jsontext.Value
	v, r.err = r.dec.ReadValue()
	return v.Clone()
}

// finish reads the closing delimiter and whatever must not follow it.
func (r *innerReader) finish() error {
	if r.err == nil {
		_, r.err = r.dec.ReadToken()
	}
	if r.err != nil {
		return &SyntaxError{Offset: r.dec.InputOffset(), Err: r.err}
	}
	if _, err := r.dec.ReadToken(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errTrailing
		}
		return &SyntaxError{Offset: r.dec.InputOffset(), Err: err}
	}
	return nil
}
