package gateway

import (
	"mime"
	"net/http"
	"strconv"
	"strings"
)

// A mediaRange is one element of an Accept header.
type mediaRange struct {
	kind    string // type/subtype, in lower case; parts may be *
	quality float64
}

// acceptRanges reads the Accept headers of a request (RFC 9110, section 12.5.1). What is
// no media range is left out.
func acceptRanges(h http.Header) (ranges []mediaRange) {
	for _, line := range h.Values("Accept") {
		for _, element := range splitList(line) {
			kind, params, err := mime.ParseMediaType(element)
			if err != nil {
				continue
			}
			quality := 1.0
			if q, ok := params["q"]; ok {
				if quality, err = strconv.ParseFloat(q, 64); err != nil || !(quality >= 0 && quality <= 1) {
					continue
				}
			}
			ranges = append(ranges, mediaRange{kind, quality})
		}
	}
	return ranges
}

// splitList splits at the commas that are not in a quoted string.
func splitList(line string) (list []string) {
	start, quoted := 0, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case c == ',' && !quoted:
			list = append(list, line[start:i])
			start = i + 1
		}
	}
	return append(list, line[start:])
}

// prefers reports whether a client asks for the media type kind by name and likes it at
// least as well as other, the one it gets when it asks for nothing. Of two that it likes
// alike it gets the one it names first, and other does not count as named by a wildcard.
func prefers(h http.Header, kind, other string) bool {
	ranges := acceptRanges(h)
	wanted, known := place(ranges, kind)
	if !known || ranges[wanted].quality == 0 {
		return false
	}
	main, _, _ := strings.Cut(other, "/")
	if named, ok := place(ranges, other); ok {
		a, b := ranges[wanted].quality, ranges[named].quality
		return a > b || a == b && wanted < named
	}
	for _, wildcard := range []string{main + "/*", "*/*"} {
		if at, ok := place(ranges, wildcard); ok {
			return ranges[wanted].quality >= ranges[at].quality
		}
	}
	return true
}

// place returns where a media type stands among ranges.
func place(ranges []mediaRange, kind string) (int, bool) {
	for i, r := range ranges {
		if r.kind == kind {
			return i, true
		}
	}
	return 0, false
}
