package aisdk

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// partialJSON returns the value that a text, cut off anywhere, stands for so far: as it
// is if it is JSON, or closed as a chat closes it. It is nil when there is none.
func partialJSON(text []byte, p Profile) jsontext.Value {
	if v := parsedJSON(text); v != nil {
		return v
	}
	return parsedJSON(closeJSON(text, p))
}

// parsedJSON reads a text as a chat does: of two members of one name the later counts,
// and a text with a forbidden name is none.
func parsedJSON(text []byte) jsontext.Value {
	v := jsontext.Value(text)
	if v.IsValid() {
		if _, found := forbiddenName(text); found {
			return nil
		}
		return v.Clone()
	}
	lenient := []json.Options{jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)}
	if !v.IsValid(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)) {
		return nil
	}
	if _, found := forbiddenName(text); found {
		return nil
	}
	var value any
	if json.Unmarshal(text, &value, lenient...) != nil {
		return nil
	}
	clean, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return nil
	}
	return clean
}

// A closerState is where in a text the closer is.
type closerState uint8

const (
	atRoot closerState = iota
	atEnd
	inString
	inEscape
	inUnicode
	inLiteral
	inNumber
	objectStart
	objectKey
	afterKey
	beforeValue
	afterMember
	afterMemberComma
	arrayStart
	afterElement
	afterElementComma
)

// A closer goes over a text that begins like JSON and keeps what it would take to end
// it. It judges nothing: what was no JSON is none afterwards either.
type closer struct {
	stack   []closerState
	whole   int // the text up to here can be kept
	literal int // where the literal being read begins
	digits  int // of the escape being read
	six     bool
}

// closeJSON cuts what cannot be kept off the end of a text and closes what is open.
func closeJSON(text []byte, p Profile) []byte {
	c := closer{stack: []closerState{atRoot}, six: p == V6}
	for i, b := range text {
		c.next(text, i, b)
	}
	out := append([]byte(nil), text[:c.whole]...)
	for i := len(c.stack) - 1; i >= 0; i-- {
		switch s := c.stack[i]; {
		case s == inString:
			out = append(out, '"')
		case s >= objectStart && s <= afterMemberComma:
			out = append(out, '}')
		case s >= arrayStart:
			out = append(out, ']')
		case s == inLiteral:
			out = append(out, restOfLiteral(text[c.literal:])...)
		}
	}
	return out
}

var literals = [...]string{"true", "false", "null"}

func restOfLiteral(begun []byte) string {
	for _, l := range literals {
		if len(begun) <= len(l) && l[:len(begun)] == string(begun) {
			return l[len(begun):]
		}
	}
	return ""
}

func isLiteral(begun []byte) bool {
	for _, l := range literals {
		if len(begun) <= len(l) && l[:len(begun)] == string(begun) {
			return true
		}
	}
	return false
}

func (c *closer) top() closerState { return c.stack[len(c.stack)-1] }

func (c *closer) pop() { c.stack = c.stack[:len(c.stack)-1] }

func (c *closer) push(s closerState) { c.stack = append(c.stack, s) }

func (c *closer) swap(s closerState) { c.stack[len(c.stack)-1] = s }

func (c *closer) next(text []byte, i int, b byte) {
	switch c.top() {
	case atRoot:
		c.value(i, b, atEnd)
	case objectStart:
		switch b {
		case '"':
			c.swap(objectKey)
		case '}':
			c.end(i)
		}
	case afterMemberComma:
		if b == '"' {
			c.swap(objectKey)
		}
	case objectKey:
		if b == '"' {
			c.swap(afterKey)
		}
	case afterKey:
		if b == ':' {
			c.swap(beforeValue)
		}
	case beforeValue:
		c.value(i, b, afterMember)
	case afterMember:
		c.afterMember(i, b)
	case inString, inEscape, inUnicode:
		c.text(i, b)
	case arrayStart:
		if b == ']' {
			c.end(i)
			return
		}
		if c.six { // so that a lone minus sign is kept, and makes the whole none
			c.whole = i + 1
		}
		c.value(i, b, afterElement)
	case afterElement:
		if b != ',' {
			c.whole = i + 1
		}
		c.afterElement(i, b)
	case afterElementComma:
		c.value(i, b, afterElement)
	case inNumber:
		c.number(i, b)
	case inLiteral:
		if isLiteral(text[c.literal : i+1]) {
			c.whole = i + 1
			return
		}
		c.pop()
		c.after(i, b)
	}
}

// end ends the innermost object or array.
func (c *closer) end(i int) {
	c.whole = i + 1
	c.pop()
}

// after reads what follows a value.
func (c *closer) after(i int, b byte) {
	switch c.top() {
	case afterMember:
		c.afterMember(i, b)
	case afterElement:
		c.afterElement(i, b)
	}
}

func (c *closer) afterMember(i int, b byte) {
	switch b {
	case ',':
		c.swap(afterMemberComma)
	case '}':
		c.end(i)
	}
}

func (c *closer) afterElement(i int, b byte) {
	switch b {
	case ',':
		c.swap(afterElementComma)
	case ']':
		c.end(i)
	}
}

// value begins a value; then is what comes after it.
func (c *closer) value(i int, b byte, then closerState) {
	var state closerState
	switch {
	case b == '"':
		state = inString
	case b == 'f' || b == 't' || b == 'n':
		state, c.literal = inLiteral, i
	case b == '-' || b >= '0' && b <= '9':
		state = inNumber
	case b == '{':
		state = objectStart
	case b == '[':
		state = arrayStart
	default:
		return
	}
	if b != '-' { // which is nothing by itself
		c.whole = i + 1
	}
	c.swap(then)
	c.push(state)
}

func (c *closer) text(i int, b byte) {
	switch c.top() {
	case inEscape:
		if b == 'u' {
			c.swap(inUnicode)
			c.digits = 0
			return
		}
		c.end(i)
	case inUnicode:
		if b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F' {
			if c.digits++; c.digits == 4 {
				c.end(i)
			}
		}
	default:
		switch b {
		case '"':
			c.end(i)
		case '\\':
			c.push(inEscape)
		default:
			c.whole = i + 1
		}
	}
}

func (c *closer) number(i int, b byte) {
	switch {
	case b >= '0' && b <= '9':
		c.whole = i + 1
	case b == 'e' || b == 'E' || b == '-' || b == '.':
	case b == ',':
		c.pop()
		c.after(i, b)
	case b == '}':
		c.pop()
		if c.top() == afterMember {
			c.afterMember(i, b)
		}
	case b == ']':
		c.pop()
		if c.top() == afterElement {
			c.afterElement(i, b)
		}
	default:
		c.pop()
	}
}
