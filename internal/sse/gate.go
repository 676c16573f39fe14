package sse

import (
	"bytes"
	"fmt"
	"io"
	"slices"
)

// A gate passes a stream on one whole event at a time. The parser behind it
// looks at an unfinished event from its start whenever bytes arrive, work that
// grows with the square of the event's size: seconds for 8 MiB that come in
// pieces of 4 KiB. The gate looks at each byte once.
//
// It also removes the byte order mark at the start of the stream and blank
// lines between events, and enforces the size limit.
type gate struct {
	r   io.Reader
	max int

	buf   []byte
	next  int   // buf[next:ready] is a whole event, or what is left of it
	ready int   // buf[ready:] has not been passed on …
	seen  int   // … and has been looked at up to here
	err   error // of r, or the limit: for when buf has no whole event left
	empty int   // reads in a row that brought nothing

	line  bool // the current line has a byte
	cr    bool // the last byte was a CR, so that an LF now belongs to it
	start bool // the byte order mark has been dealt with
}

const (
	readSize = 4 << 10  // room for each read, at least
	keepSize = 64 << 10 // a larger buffer is given back when it is empty
	maxEmpty = 100      // reads in a row may bring nothing, as in bufio
)

func newGate(r io.Reader, maxEvent int) *gate {
	return &gate{r: r, max: maxEvent}
}

// Read implements [io.Reader].
func (g *gate) Read(p []byte) (int, error) {
	for g.next == g.ready && !g.scan() {
		if g.err != nil {
			return 0, g.err
		}
		g.fill()
	}
	n := copy(p, g.buf[g.next:g.ready])
	g.next += n
	return n, nil
}

// scan looks for the blank line that ends the event at ready. It reports
// whether it found one.
func (g *gate) scan() bool {
	if !g.start {
		return false
	}
	for g.seen < len(g.buf) {
		c := g.buf[g.seen]
		second := c == '\n' && g.cr // of CR LF
		g.cr = c == '\r'
		g.seen++
		switch {
		case c != '\r' && c != '\n':
			g.line = true
		case second:
			g.dropBreak()
		case g.line:
			g.line = false
		case !g.dropBreak():
			return g.endEvent()
		}
	}
	g.limit(g.seen - g.ready)
	return false
}

// dropBreak drops the line break just seen if it stands before an event.
func (g *gate) dropBreak() bool {
	if g.ready != g.seen-1 {
		return false
	}
	g.next, g.ready = g.seen, g.seen
	return true
}

func (g *gate) endEvent() bool {
	if !g.limit(g.seen - 1 - g.ready) {
		return false
	}
	g.ready = g.seen
	return true
}

// limit reports whether an event may have this size. If not, the stream is over.
func (g *gate) limit(size int) bool {
	if size <= g.max {
		return true
	}
	g.err = fmt.Errorf("%w: more than %d bytes", ErrEventTooLarge, g.max)
	g.buf, g.next, g.ready, g.seen = nil, 0, 0, 0
	return false
}

// fill reads once.
func (g *gate) fill() {
	g.makeRoom()
	n, err := g.r.Read(g.buf[len(g.buf):cap(g.buf)])
	g.buf = g.buf[:len(g.buf)+n]
	g.err = err
	g.empty++
	if n > 0 {
		g.empty = 0
	}
	if g.err == nil && g.empty == maxEmpty {
		g.err = io.ErrNoProgress
	}
	if !g.start {
		g.startStream()
	}
}

// makeRoom makes room for a read, over what was passed on if possible.
func (g *gate) makeRoom() {
	pending := g.buf[g.ready:]
	if len(pending) == 0 && cap(g.buf) > keepSize {
		g.buf = nil
	}
	if len(pending) == 0 || cap(g.buf)-len(g.buf) < readSize {
		g.buf = append(g.buf[:0], pending...)
		g.seen -= g.ready
		g.next, g.ready = 0, 0
	}
	g.buf = slices.Grow(g.buf, readSize)
}

// startStream removes the byte order mark as soon as enough of the stream has
// come to tell. An empty comment takes its place: after that the parser does
// not look for a mark of its own where the standard has none.
func (g *gate) startStream() {
	const mark = "\xEF\xBB\xBF"
	if g.err == nil && len(g.buf) < len(mark) && bytes.HasPrefix([]byte(mark), g.buf) {
		return
	}
	const comment = ":\n\n"
	g.start = true
	g.buf = append([]byte(comment), bytes.TrimPrefix(g.buf, []byte(mark))...)
	g.ready, g.seen = len(comment), len(comment)
}
