package hitl

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// count holds the number of elements to its limits. Elements beyond them are not looked at.
func (r *reader) count(path string, list []jsontext.Value, least, most int) []jsontext.Value {
	if list == nil {
		return nil // noted already
	}
	if n := len(list); n < least || n > most {
		r.add(path, "expected "+strconv.Itoa(least)+" to "+strconv.Itoa(most)+" elements, got "+strconv.Itoa(n))
	}
	return list[:min(len(list), most)]
}

// distinct notes each element whose text, made comparable by key, came before. Empty
// ones have been noted already.
func (r *reader) distinct(path, name string, n int, key func(int) string) {
	first := map[string]int{}
	for i := range n {
		k := key(i)
		if k == "" {
			continue
		}
		if before, twice := first[k]; twice {
			r.add(pointer(item(path, i), name), "expected another "+name+" than that of element "+strconv.Itoa(before))
			continue
		}
		first[k] = i
	}
}

// line returns the named text, which has to fit on one line.
func (r *reader) line(m members, path, name string, most int, must bool) string {
	if _, there := r.member(m, name, must); !there && !must {
		return ""
	}
	return r.limited(m, path, name, most, must, unicode.IsControl)
}

// lines returns the named text, which may have several lines.
func (r *reader) lines(m members, path, name string, most int) string {
	return r.limited(m, path, name, most, required, func(c rune) bool { return unicode.IsControl(c) && c != '\n' })
}

func (r *reader) limited(m members, path, name string, most int, must bool, forbidden func(rune) bool) string {
	noted := len(r.issues)
	s := strings.TrimSpace(strings.ReplaceAll(r.text(m, path, name, must), "\r\n", "\n"))
	if len(r.issues) > noted {
		return ""
	}
	at := pointer(path, name)
	if must && s == "" {
		r.add(at, "expected a text that is not blank")
	}
	if n := utf8.RuneCountInString(s); n > most {
		r.add(at, "expected at most "+strconv.Itoa(most)+" characters, got "+strconv.Itoa(n))
	}
	if i := strings.IndexFunc(s, forbidden); i >= 0 {
		c, _ := utf8.DecodeRuneInString(s[i:])
		r.add(at, "expected no control character, got "+strconv.QuoteRuneToASCII(c))
	}
	return s
}

func item(path string, i int) string { return pointer(path, strconv.Itoa(i)) }
