package sse

import "bytes"

// Append appends one event with the given data to dst and returns the extended
// slice. Data is one line of JSON as a rule; should it hold line breaks, each
// of its lines becomes a data line of its own, and a reader sees them joined
// by LF.
func Append(dst, data []byte) []byte {
	for {
		end := lineEnd(data)
		dst = append(dst, "data: "...)
		dst = append(dst, data[:end]...)
		dst = append(dst, '\n')
		if end == len(data) {
			return append(dst, '\n')
		}
		data = data[end+breakLen(data[end:]):]
	}
}

// AppendComment appends a comment to dst and returns the extended slice.
// Readers ignore comments; they keep a quiet connection open.
func AppendComment(dst []byte, text string) []byte {
	dst = append(dst, ':', ' ')
	for i := range len(text) {
		switch c := text[i]; {
		case c == '\r' && i+1 < len(text) && text[i+1] == '\n':
			// The LF that follows starts the next comment line.
		case c == '\r' || c == '\n':
			dst = append(dst, '\n', ':', ' ')
		default:
			dst = append(dst, c)
		}
	}
	return append(dst, '\n', '\n')
}

// lineEnd returns the index of the first line break in data, or len(data).
func lineEnd(data []byte) int {
	end := len(data)
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		end = i
	}
	if i := bytes.IndexByte(data[:end], '\r'); i >= 0 {
		end = i
	}
	return end
}

// breakLen returns the length of the line break that data starts with.
func breakLen(data []byte) int {
	if len(data) > 1 && data[0] == '\r' && data[1] == '\n' {
		return 2
	}
	return 1
}
