package findings

import (
	"io"
	"strconv"

	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/protocol/agui/check"
)

// A Writer writes findings as they come.
type Writer interface {
	// Write writes one finding in the named file.
	Write(file string, f check.Finding) error
	// Close writes what has to come at the end.
	Close() error
}

// NewText returns a writer of lines that people and editors read:
//
//	file:line: severity rule event 3 TYPE /path: message
//
// What a finding does not have is left out.
func NewText(w io.Writer) Writer { return &text{w: w} }

type text struct {
	w   io.Writer
	buf []byte
}

// Write implements Writer.
func (t *text) Write(file string, f check.Finding) error {
	b := append(t.buf[:0], file...)
	b = strconv.AppendInt(append(b, ':'), int64(f.Line), 10)
	b = append(append(append(b, ": "...), f.Severity...), ' ')
	b = append(b, f.Rule...)
	if f.Index >= 0 {
		b = strconv.AppendInt(append(b, " event "...), int64(f.Index), 10)
	}
	for _, part := range []string{string(f.Type), f.Path} {
		if part != "" {
			b = append(append(b, ' '), part...)
		}
	}
	t.buf = append(append(append(b, ": "...), f.Message...), '\n')
	_, err := t.w.Write(t.buf)
	return err
}

// Close implements Writer.
func (*text) Close() error { return nil }

// NewJSON returns a writer of one JSON object a line. Its members are documented in
// docs/check.md and stay as they are.
func NewJSON(w io.Writer) Writer { return &lines{w} }

type lines struct{ w io.Writer }

type jsonFinding struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Offset   int64  `json:"offset"`
	Event    *int   `json:"event,omitzero"`
	Type     string `json:"type,omitzero"`
	Severity string `json:"severity"`
	Rule     string `json:"rule"`
	Path     string `json:"path"`
	Message  string `json:"message"`
}

// Write implements Writer.
func (l *lines) Write(file string, f check.Finding) error {
	out, err := json.Marshal(jsonFinding{
		File: file, Line: f.Line, Offset: f.Offset, Event: event(f), Type: string(f.Type),
		Severity: string(f.Severity), Rule: f.Rule, Path: f.Path, Message: f.Message,
	})
	if err != nil {
		return err
	}
	_, err = l.w.Write(append(out, '\n'))
	return err
}

// Close implements Writer.
func (*lines) Close() error { return nil }

func event(f check.Finding) *int {
	if f.Index < 0 {
		return nil
	}
	return &f.Index
}
