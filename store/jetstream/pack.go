package jetstream

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"time"

	"github.com/agui-bridge/agui-bridge/store"
)

var (
	// ErrTooLarge says that the entries of an append are larger together than
	// the log takes. Nothing was written.
	ErrTooLarge = errors.New("store/jetstream: append is too large")
	// ErrDamaged says that the log of a thread cannot be read: a checksum is
	// wrong, or entries are missing.
	ErrDamaged = errors.New("store/jetstream: log is damaged")
)

// A message is
//
//	version, what it is                      1 byte each
//	first, count, part, parts                uvarint each
//	seconds, nanoseconds of the last entry   varint, uvarint
//	a part of the payload
//	CRC-32C of all of it                     4 bytes, little-endian
//
// and a payload is, for each entry,
//
//	length of the kind, the kind             uvarint, bytes
//	seconds, nanoseconds                     varint, uvarint
//	length of the body, the body             uvarint, bytes
const (
	version = 1

	holdsEntries = 0
	holdsGrave   = 1 // the thread ends here, and begins anew with the next entry

	maxHead = 2 + 6*binary.MaxVarintLen64
	sumSize = 4
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A head says what a message holds.
type head struct {
	grave bool
	first uint64    // sequence of the append's first entry
	count uint64    // entries of the append
	part  uint64    // which part of the append this is, the first being 0
	parts uint64    // how many parts the append has
	at    time.Time // of the append's last entry
}

// complete reports whether the append is in the log with this message.
func (h head) complete() bool { return h.part+1 == h.parts }

// last returns the sequence at which the log ends with this message.
func (h head) last() uint64 {
	switch {
	case h.grave:
		return 0
	case h.complete():
		return h.first + h.count - 1
	}
	return h.first - 1
}

// pack returns the messages of an append, each with up to size bytes of payload.
func pack(first uint64, entries []store.Entry, size, limit int) ([][]byte, error) {
	total := 0
	for _, e := range entries {
		total += len(e.Body) + len(e.Kind) + 4*binary.MaxVarintLen64
	}
	if total > limit {
		return nil, fmt.Errorf("%w: %d bytes, of %d", ErrTooLarge, total, limit)
	}
	h := head{first: first, count: uint64(len(entries)), parts: 1, at: entries[len(entries)-1].At}
	if total <= size {
		b := make([]byte, 0, maxHead+total+sumSize)
		return [][]byte{seal(appendEntries(appendHead(b, h), entries))}, nil
	}
	payload := appendEntries(make([]byte, 0, total), entries)
	h.parts = uint64((len(payload) + size - 1) / size)
	messages := make([][]byte, 0, h.parts)
	for part := range slices.Chunk(payload, size) {
		b := append(appendHead(make([]byte, 0, maxHead+len(part)+sumSize), h), part...)
		messages = append(messages, seal(b))
		h.part++
	}
	return messages, nil
}

// grave returns the message that ends a thread.
func grave() []byte { return seal(appendHead(nil, head{grave: true, parts: 1})) }

func appendHead(b []byte, h head) []byte {
	what := byte(holdsEntries)
	if h.grave {
		what = holdsGrave
	}
	b = append(b, version, what)
	for _, n := range [...]uint64{h.first, h.count, h.part, h.parts} {
		b = binary.AppendUvarint(b, n)
	}
	return appendTime(b, h.at)
}

func appendTime(b []byte, t time.Time) []byte {
	return binary.AppendUvarint(binary.AppendVarint(b, t.Unix()), uint64(t.Nanosecond()))
}

func appendEntries(b []byte, entries []store.Entry) []byte {
	for _, e := range entries {
		b = append(binary.AppendUvarint(b, uint64(len(e.Kind))), e.Kind...)
		b = appendTime(b, e.At)
		b = append(binary.AppendUvarint(b, uint64(len(e.Body))), e.Body...)
	}
	return b
}

func seal(b []byte) []byte {
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// unseal checks a message and returns its head and its part of the payload.
func unseal(message []byte) (head, []byte, error) {
	n := len(message) - sumSize
	if n < 2 || crc32.Checksum(message[:n], castagnoli) != binary.LittleEndian.Uint32(message[n:]) {
		return head{}, nil, fmt.Errorf("%w: wrong checksum", ErrDamaged)
	}
	if message[0] != version || message[1] > holdsGrave {
		return head{}, nil, fmt.Errorf("%w: message of version %d, kind %d, is unknown here", ErrDamaged, message[0], message[1])
	}
	s := scanner{rest: message[2:n]}
	h := head{grave: message[1] == holdsGrave, first: s.uvarint(), count: s.uvarint(), part: s.uvarint(), parts: s.uvarint(), at: s.time()}
	switch {
	case s.bad, h.part >= h.parts:
	case h.grave && h.parts == 1 && len(s.rest) == 0:
		return h, nil, nil
	case !h.grave && h.first > 0 && h.count > 0 && h.first+h.count > h.first:
		return h, s.rest, nil
	}
	return head{}, nil, fmt.Errorf("%w: malformed message", ErrDamaged)
}

// unpack returns the entries of a payload. Their bodies are parts of it.
func unpack(h head, payload []byte) ([]store.Entry, error) {
	s := scanner{rest: payload}
	entries := make([]store.Entry, 0, min(h.count, uint64(len(payload)))) // an entry has four bytes at least
	for i := range h.count {
		e := store.Entry{Seq: h.first + i, Kind: store.Kind(s.bytes()), At: s.time(), Body: s.bytes()}
		if s.bad {
			return nil, fmt.Errorf("%w: entry %d is malformed", ErrDamaged, e.Seq)
		}
		entries = append(entries, e)
	}
	if len(s.rest) > 0 {
		return nil, fmt.Errorf("%w: %d bytes follow entry %d", ErrDamaged, len(s.rest), h.last())
	}
	return entries, nil
}

// A scanner reads values off the front of bytes. After the first that is not
// there, bad is set and all others are zero.
type scanner struct {
	rest []byte
	bad  bool
}

func (s *scanner) uvarint() uint64 {
	v, n := binary.Uvarint(s.rest)
	if !s.take(n) {
		return 0
	}
	return v
}

func (s *scanner) time() time.Time {
	sec, n := binary.Varint(s.rest)
	if !s.take(n) {
		return time.Time{}
	}
	nsec := s.uvarint()
	if nsec > 999_999_999 {
		s.bad = true
		return time.Time{}
	}
	return time.Unix(sec, int64(nsec)).UTC()
}

func (s *scanner) bytes() []byte {
	n := s.uvarint()
	if s.bad || n > uint64(len(s.rest)) {
		s.bad = true
		return nil
	}
	b := s.rest[:n:n]
	s.rest = s.rest[n:]
	return b
}

// take steps over n bytes, which is what a reader of package binary returned.
func (s *scanner) take(n int) bool {
	if s.bad || n <= 0 {
		s.bad, s.rest = true, nil
		return false
	}
	s.rest = s.rest[n:]
	return true
}
