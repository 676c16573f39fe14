package shape

import (
	"encoding/binary"
	"strings"
	"unicode/utf8"
)

// flat accepts the objects that streams are made of: all members described, all
// strings, whole numbers or booleans, at most one space between things. It accepts
// only what the walker accepts without a warning; whatever else it meets, it says no
// and the walker gives the verdict. (FuzzFlat holds the two together.)
func flat(raw []byte, s *Shape, spans []Span) bool {
	if s.Type != Struct || len(raw) < 2 || raw[0] != '{' {
		return false
	}
	var seen uint64
	next := 0 // the member that usually follows
	for i := 1; ; {
		m, end := s.near(raw, i, next)
		if m < 0 || seen&(1<<m) != 0 {
			return false
		}
		seen |= 1 << m
		next = m + 1
		i = end
		if i >= len(raw) || raw[i] != ':' {
			return false
		}
		if i++; i < len(raw) && raw[i] == ' ' {
			i++
		}
		start := i
		if i = flatValue(raw, i, s.Members[m].Shape); i < 0 || i >= len(raw) {
			clear(spans)
			return false
		}
		if spans != nil {
			spans[m] = Span{Start: start, End: i}
		}
		if raw[i] == '}' && i == len(raw)-1 && s.required()&^seen == 0 {
			return true
		}
		if raw[i] != ',' {
			clear(spans)
			return false
		}
		if i++; i < len(raw) && raw[i] == ' ' {
			i++
		}
	}
}

// near returns the member whose quoted name stands at i, and where the name ends. The
// place where the name is expected is looked at first, and costs no scan.
func (s *Shape) near(raw []byte, i, expected int) (m, end int) {
	if expected < len(s.Members) && i < len(raw) && raw[i] == '"' {
		name := s.Members[expected].Name
		if end := i + 1 + len(name); end < len(raw) && raw[end] == '"' && string(raw[i+1:end]) == name {
			return expected, end + 1
		}
	}
	text, end := flatString(raw, i)
	if end < 0 || text.escaped {
		return -1, -1
	}
	for m := range s.Members {
		if s.Members[m].Name == string(raw[i+1:end-1]) {
			return m, end
		}
	}
	return -1, -1
}

func (s *Shape) required() uint64 {
	var set uint64
	for i := range s.Members {
		if s.Members[i].Required {
			set |= 1 << i
		}
	}
	return set
}

// flatValue returns where the value at i ends, or -1.
func flatValue(raw []byte, i int, s *Shape) int {
	if i >= len(raw) {
		return -1
	}
	switch s.Type {
	case String, Const:
		text, end := flatString(raw, i)
		if end < 0 || s.Words != nil && (text.escaped || !s.knows(raw[i+1:end-1])) {
			return -1
		}
		return end
	case StringOrArray, NotNull, Any:
		_, end := flatString(raw, i)
		return end
	case Integer:
		return flatInteger(raw, i, s)
	case Bool:
		for _, word := range [...]string{"true", "false"} {
			if strings.HasPrefix(string(raw[i:min(i+len(word), len(raw))]), word) {
				return i + len(word)
			}
		}
	}
	return -1
}

func (s *Shape) knows(word []byte) bool {
	for _, known := range s.Words {
		if known == string(word) {
			return true
		}
	}
	return false
}

// flatInteger accepts a whole number of at most 15 digits, which are all safe.
func flatInteger(raw []byte, i int, s *Shape) int {
	start, n, negative := i, 0, false
	if raw[i] == '-' {
		negative = true
		i++
		start++
	}
	for i < len(raw) && i-start < 16 && raw[i] >= '0' && raw[i] <= '9' {
		n = n*10 + int(raw[i]-'0')
		i++
	}
	digits := i - start
	if digits == 0 || digits > 15 || raw[start] == '0' && (digits > 1 || negative) {
		return -1
	}
	if negative {
		n = -n
	}
	if float64(n) < s.Min || float64(n) > s.Max {
		return -1
	}
	return i
}

type flatText struct{ escaped bool }

// flatString returns where the string at i ends, or -1.
func flatString(raw []byte, i int) (t flatText, end int) {
	if i >= len(raw) || raw[i] != '"' {
		return t, -1
	}
	ascii := true
	for j := i + 1; j < len(raw); j++ {
		for j+8 <= len(raw) && plain(binary.LittleEndian.Uint64(raw[j:])) {
			j += 8
		}
		if j == len(raw) {
			break
		}
		switch b := raw[j]; {
		case b == '"':
			if !ascii && !utf8.Valid(raw[i+1:j]) {
				return t, -1
			}
			return t, j + 1
		case b == '\\':
			t.escaped = true
			if j++; j >= len(raw) || !simpleEscape(raw[j]) {
				return t, -1
			}
		case b < ' ':
			return t, -1
		case b >= utf8.RuneSelf:
			ascii = false
		}
	}
	return t, -1
}

// plain reports whether none of eight bytes is a quote, a backslash, a control character
// or beyond ASCII. A byte is found by what borrowing from it does to its highest bit.
func plain(x uint64) bool {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	quotes, slashes := x^(ones*'"'), x^(ones*'\\')
	return (x|(x-ones*' ')|(quotes-ones)&^quotes|(slashes-ones)&^slashes)&highs == 0
}

// simpleEscape reports whether a backslash and b make an escape of two characters.
func simpleEscape(b byte) bool {
	switch b {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	}
	return false
}
