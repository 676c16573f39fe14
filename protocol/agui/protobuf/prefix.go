package protobuf

import (
	"slices"

	"google.golang.org/protobuf/encoding/protowire"
)

// A prefix is the length of a message that is being written. Lengths are put in at the
// end, all at once: writing them as messages end would move the same bytes again for
// every message around them.
type prefix struct {
	at   int // where in the buffer, without any prefix, the message begins
	size int
}

// open begins a message, or text of unknown length, in the given field. It returns what
// shut ends it with.
func (e *encoder) open(num uint8) (mark int, extra int) {
	e.buf = protowire.AppendTag(e.buf, protowire.Number(num), protowire.BytesType)
	e.prefixes.push(prefix{at: len(e.buf)})
	return e.prefixes.size - 1, e.extra
}

func (e *encoder) shut(mark, extra int) {
	p := e.prefixes.at(mark)
	p.size = len(e.buf) - p.at + e.extra - extra
	e.extra += protowire.SizeVarint(uint64(p.size))
}

// settle puts the lengths in, from the last to the first, each byte moving once.
func (e *encoder) settle() []byte {
	end := len(e.buf)
	e.buf = slices.Grow(e.buf, e.extra)[:end+e.extra]
	to := len(e.buf)
	for i := e.prefixes.size - 1; i >= 0; i-- {
		p := e.prefixes.at(i)
		to -= end - p.at
		copy(e.buf[to:], e.buf[p.at:end])
		end = p.at
		to -= protowire.SizeVarint(uint64(p.size))
		putVarint(e.buf[to:], uint64(p.size))
	}
	return e.buf
}

func putVarint(b []byte, v uint64) {
	i := 0
	for ; v >= 0x80; i++ {
		b[i] = byte(v) | 0x80
		v >>= 7
	}
	b[i] = byte(v)
}
