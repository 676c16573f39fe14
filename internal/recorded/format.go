package recorded

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// A Format is a form of a recorded stream.
type Format string

// The formats.
const (
	JSONLines Format = "jsonl"
	JSON      Format = "json"
	SSE       Format = "sse"
)

// ErrUnknownFormat: the beginning of the stream fits none of the formats.
var ErrUnknownFormat = errors.New("cannot tell the format of the stream")

// peekSize is how far ahead the format is looked for.
const peekSize = 64 << 10

const byteOrderMark = "\xEF\xBB\xBF"

// Detect tells the format from the first line that is not blank, and leaves r where it
// is. It waits for no more than that line. Nothing at all is JSON lines: of no events.
func Detect(r *bufio.Reader) (Format, error) {
	head, ended, err := firstLine(r)
	if err != nil {
		return "", err
	}
	switch {
	case len(head) == 0:
		return JSONLines, nil
	case head[0] == '[':
		return JSON, nil
	case head[0] == '{':
		return ofObject(head, ended), nil
	}
	field, _, _ := strings.Cut(string(head), ":")
	switch field {
	case "", "data", "event", "id", "retry":
		return SSE, nil
	}
	return "", ErrUnknownFormat
}

// ofObject tells events on a line each from one object that goes on over lines, and from
// one that holds the events.
func ofObject(head []byte, ended bool) Format {
	members := jsontext.NewDecoder(bytes.NewReader(head), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	_, _ = members.ReadToken()
	typed, stream := false, false
	for members.PeekKind() == '"' {
		name, err := members.ReadToken()
		if err != nil {
			break
		}
		typed = typed || name.String() == "type"
		stream = stream || name.String() == "stream" && members.PeekKind() == '['
		if members.SkipValue() != nil {
			break
		}
	}
	switch end, err := members.ReadToken(); {
	case !ended && !stream:
		return JSONLines // a very long line
	case typed:
		return typedObject(head, err)
	case stream:
		return JSON
	case err == nil && end.Kind() == '}':
		return JSONLines // a bad event, on a line of its own
	case len(bytes.TrimSpace(head)) > 1 && bytes.HasSuffix(bytes.TrimSpace(head), []byte("}")):
		return JSONLines
	}
	return JSON
}

// typedObject tells an event that goes on over lines from a line that is cut or broken.
func typedObject(head []byte, err error) Format {
	last := head[len(head)-1]
	if errors.Is(err, io.ErrUnexpectedEOF) && (last == ',' || last == '{' || last == '[' || last == ':') {
		return JSON
	}
	return JSONLines
}

// firstLine returns the first line that is not blank, without the white space around it,
// or what fits into the buffer; ended says that the line is whole.
func firstLine(r *bufio.Reader) (line []byte, ended bool, err error) {
	skip := 0
	if head, _ := r.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
		skip = len(head)
	}
	for seen := skip; ; { // skip is where the line begins, seen is what was looked at
		head, err := r.Peek(min(max(seen+1, r.Buffered()), r.Size()))
		ended = errors.Is(err, io.EOF)
		if err != nil && !ended {
			return nil, false, err
		}
		for ; seen < len(head); seen++ {
			switch c := head[seen]; {
			case skip < seen && (c == '\n' || c == '\r'):
				return bytes.TrimRight(head[skip:seen], " \t"), true, nil
			case skip == seen && (c == ' ' || c == '\t' || c == '\r' || c == '\n'):
				skip++
			}
		}
		if ended || len(head) == r.Size() {
			return bytes.TrimRight(head[min(skip, len(head)):], " \t"), ended, nil
		}
	}
}
