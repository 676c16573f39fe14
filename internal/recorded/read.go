package recorded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/agui-bridge/agui-bridge/protocol/agui/check"
)

// DefaultMaxEvent is how large an event may be unless it is said otherwise, in bytes.
const DefaultMaxEvent = 8 << 20

// NewReader returns a reader as Detect wants it.
func NewReader(r io.Reader) *bufio.Reader { return bufio.NewReaderSize(r, peekSize) }

// Read yields the events of r in order, with their places. The bytes of an event are
// good until the next one. An event that cannot be read has a Fault, and reading goes on
// behind it where that can be found; an error is r's own, and the last thing yielded.
func Read(r *bufio.Reader, f Format, maxEvent int) iter.Seq2[check.Event, error] {
	if maxEvent <= 0 {
		maxEvent = DefaultMaxEvent
	}
	return func(yield func(check.Event, error) bool) {
		s := &sink{yield: yield}
		var err error
		switch f {
		case JSON:
			err = readJSON(r, maxEvent, s)
		case SSE:
			err = readSSE(&lines{r: r, max: maxEvent, returns: true}, s)
		default:
			err = readLines(&lines{r: r, max: maxEvent}, s)
		}
		if err != nil && !s.stopped {
			yield(check.Event{Index: -1}, err)
		}
	}
}

// A sink counts the events that it passes on.
type sink struct {
	yield   func(check.Event, error) bool
	n       int
	stopped bool
}

// event passes one on. It reports whether to go on.
func (s *sink) event(e check.Event) bool {
	if s.stopped {
		return false
	}
	e.Index = s.n
	if e.Input == nil {
		s.n++
	}
	s.stopped = !s.yield(e, nil)
	return !s.stopped
}

func tooLarge(limit int) error { return fmt.Errorf("%w: more than %d bytes", check.ErrTooLarge, limit) }

func readLines(l *lines, s *sink) error {
	for {
		err := l.next()
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return err
		}
		e := check.Event{Line: l.line, Offset: l.offset, Raw: bytes.Trim(l.text, " \t\r")}
		if len(e.Raw) > l.max {
			e.Raw, e.Fault = nil, tooLarge(l.max)
		}
		if (len(e.Raw) > 0 || e.Fault != nil) && !s.event(e) || last {
			return nil
		}
	}
}

// readSSE follows the standard for event streams as far as it concerns data.
func readSSE(l *lines, s *sink) error {
	var e check.Event
	begun := false
	for {
		err := l.next()
		last := errors.Is(err, io.EOF)
		if err != nil && !last {
			return err
		}
		data, isData := dataOf(l)
		switch {
		case isData && !begun:
			e = check.Event{Line: l.line, Offset: l.offset, Raw: append(e.Raw[:0], data...)}
			begun = true
		case isData:
			e.Raw = append(append(e.Raw, '\n'), data...)
		}
		if isData && (l.long || len(e.Raw) > l.max) {
			e.Raw, e.Fault = e.Raw[:0], tooLarge(l.max)
		}
		if last { // a line that no break ends does not count, nor does its event
			if begun && (e.Fault != nil || len(e.Raw) > 0) {
				if e.Fault == nil {
					e.Fault = fmt.Errorf("%w: a blank line has to follow, readers drop it", check.ErrUnfinished)
				}
				s.event(e)
			}
			return nil
		}
		if len(l.text) == 0 && !l.long && begun {
			if (len(e.Raw) > 0 || e.Fault != nil) && !s.event(e) {
				return nil
			}
			e, begun = check.Event{Raw: e.Raw[:0]}, false
		}
	}
}

// dataOf returns the data of a line that is a data field.
func dataOf(l *lines) ([]byte, bool) {
	rest, ok := bytes.CutPrefix(l.text, []byte("data"))
	switch {
	case !ok:
		return nil, false
	case len(rest) == 0:
		return nil, !l.long
	case rest[0] != ':':
		return nil, false
	}
	return bytes.TrimPrefix(rest[1:], []byte(" ")), true
}

// lines reads lines and counts them.
type lines struct {
	r       *bufio.Reader
	max     int
	returns bool // a CR ends a line, too

	text   []byte // the line, without its break; its beginning if it is too long
	long   bool   // it is longer than max
	line   int    // its number
	offset int64  // where it begins

	read   int64
	wasCR  bool // the last line ended with a CR; an LF now belongs to it
	marked bool // a byte order mark was looked for
}

// next reads one line. At the end of the stream it returns io.EOF together with what is
// left, which may be nothing.
func (l *lines) next() error {
	if !l.marked {
		l.marked = true
		if head, _ := l.r.Peek(len(byteOrderMark)); string(head) == byteOrderMark {
			l.skip(len(head))
		}
	}
	l.text, l.long, l.line, l.offset = l.text[:0], false, l.line+1, l.read
	for first := true; ; first = false {
		if _, err := l.r.Peek(1); err != nil {
			return err
		}
		head, err := l.r.Peek(l.r.Buffered())
		if err != nil {
			return err
		}
		if first && l.wasCR && head[0] == '\n' {
			l.wasCR = false
			l.skip(1)
			l.offset = l.read
			continue
		}
		l.wasCR = false
		end := bytes.IndexByte(head, '\n')
		if l.returns {
			end = bytes.IndexAny(head, "\r\n")
		}
		if end < 0 {
			l.take(head)
			l.skip(len(head))
			continue
		}
		l.take(head[:end])
		l.wasCR = head[end] == '\r'
		l.skip(end + 1)
		return nil
	}
}

// take keeps what there is room for.
func (l *lines) take(part []byte) {
	room := l.max + len("data: ") + 1 - len(l.text)
	if !l.returns {
		room = l.max + 1 - len(l.text) // a CR before the LF is not counted
	}
	if len(part) > room {
		part, l.long = part[:room], true
	}
	l.text = append(l.text, part...)
}

func (l *lines) skip(n int) {
	_, _ = l.r.Discard(n) // what is buffered can be discarded
	l.read += int64(n)
}
