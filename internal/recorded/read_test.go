package recorded

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/internal/sse"
	"github.com/agui-bridge/agui-bridge/protocol/agui/check"
)

// list reads a stream and returns each event as "index line offset text".
func list(r io.Reader, f Format, limit int) []string {
	var out []string
	for e, err := range Read(NewReader(r), f, limit) {
		text := string(e.Raw)
		var syntax *shape.SyntaxError
		switch {
		case err != nil:
			out = append(out, "error "+err.Error())
			continue
		case e.Input != nil:
			out = append(out, "input "+string(e.Input))
			continue
		case errors.Is(e.Fault, check.ErrTooLarge):
			text = "too large"
		case errors.Is(e.Fault, check.ErrUnfinished):
			text = "unfinished"
		case errors.As(e.Fault, &syntax):
			text = "syntax"
		}
		out = append(out, fmt.Sprintf("%d %d %d %s", e.Index, e.Line, e.Offset, text))
	}
	return out
}

var readings = []struct {
	name   string
	format Format
	text   string
	want   []string
}{
	{"lines", JSONLines, "{\"a\":1}\n{\"b\":2}\n", []string{`0 1 0 {"a":1}`, `1 2 8 {"b":2}`}},
	{"lines with everything around them", JSONLines, "\ufeff\r\n {\"a\":1} \r\n\n\t\n{\"b\":2}", []string{`0 2 5 {"a":1}`, `1 5 19 {"b":2}`}},
	{"a line that is no JSON", JSONLines, "{\n{}\n", []string{"0 1 0 {", "1 2 2 {}"}},
	{"a long line", JSONLines, "{}\n{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":1}\n{}\n", []string{"0 1 0 {}", "1 2 3 too large", "2 3 53 {}"}},
	{"no line", JSONLines, "\n\n", nil},

	{"an array", JSON, "[{\"a\":1},\n {\n\"b\":2}\n,3]\n", []string{`0 1 1 {"a":1}`, "1 2 11 {\n\"b\":2}", "2 4 21 3"}},
	{"an empty array", JSON, "\ufeff []", nil},
	{"one after another", JSON, "{\"a\":\n1}\n\n{\"b\":2}", []string{"0 1 0 {\"a\":\n1}", `1 4 10 {"b":2}`}},
	{"an object that holds them", JSON, "{\"x\":0,\n\"stream\":[\n{\"a\":1}],\"input\":{}}", []string{`input {}`, `0 3 19 {"a":1}`}},
	{"an event with a stream", JSON, `{"type":"x","stream":[1]}`, []string{`0 1 0 {"type":"x","stream":[1]}`}},
	{"a member twice is the event's matter", JSON, "[{\"a\":1,\"a\":1}]", []string{`0 1 1 {"a":1,"a":1}`}},
	{"bad UTF-8 is the event's matter", JSON, "[\"\xff\"]", []string{"0 1 1 \"\xff\""}},
	{"no JSON", JSON, "[1,\n x, 2]", []string{"0 1 1 1", "1 2 5 syntax"}},
	{"JSON that breaks off", JSON, "[1,{", []string{"0 1 1 1", "1 1 3 unfinished"}},
	{"a large element", JSON, `[1,"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",2]`, []string{"0 1 1 1", "1 1 3 too large", "2 1 56 2"}},

	{"events", SSE, "data: 1\n\ndata:2\n\n", []string{"0 1 0 1", "1 3 9 2"}},
	{"all line ends", SSE, "\ufeffdata: 1\r\n\r\ndata: 2\r\rdata: 3\n\n", []string{"0 1 3 1", "1 3 14 2", "2 5 23 3"}},
	{"other fields and comments", SSE, ": hello\n\nevent: x\nid: 1\nretry: 2\ndata: 1\n: more\n\nevent: y\n\n", []string{"0 6 33 1"}},
	{"several lines", SSE, "data: [1,\ndata: 2]\n\n", []string{"0 1 0 [1,\n2]"}},
	{"empty data", SSE, "data:\n\ndata\n\ndatax: 1\n\n", nil},
	{"unfinished", SSE, "data: 1\n\ndata: 2\n", []string{"0 1 0 1", "1 3 9 unfinished"}},
	{"unfinished line", SSE, "data: 1", []string{"0 1 0 unfinished"}},
	{"a large event", SSE, "data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\ndata: 2\n\ndata: 3\n\n", []string{"0 1 0 too large", "1 4 69 3"}},
	{"a large event of small lines", SSE, strings.Repeat("data: aaaaaaaaaa\n", 5) + "\ndata: 3\n\n", []string{"0 1 0 too large", "1 7 86 3"}},
	{"a long comment", SSE, ":" + strings.Repeat("x", 100) + "\n\ndata: 3\n\n", []string{"0 3 103 3"}},
}

const smallLimit = 40

func TestRead(t *testing.T) {
	for _, tc := range readings {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, list(strings.NewReader(tc.text), tc.format, smallLimit)); diff != "" {
				t.Errorf("events (-want +got)\n%s", diff)
			}
		})
	}
}

// An error of the reader is the last thing yielded, behind what could be read.
func TestReadErrors(t *testing.T) {
	broken := errors.New("broken")
	for format, text := range map[Format]string{JSONLines: "1\n2", JSON: "[1,2", SSE: "data: 1\n\ndata: 2"} {
		got := list(io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken)), format, smallLimit)
		if len(got) != 2 || !strings.HasSuffix(got[0], "1") || got[1] != "error broken" {
			t.Errorf("%s: got %q", format, got)
		}
	}
}

// Whoever has seen enough stops.
func TestReadStops(t *testing.T) {
	for format, text := range map[Format]string{JSONLines: "1\n2", JSON: "[1,2]", SSE: "data: 1\n\ndata: 2\n\n"} {
		for e := range Read(NewReader(strings.NewReader(text)), format, 0) {
			if e.Index > 0 {
				t.Errorf("%s goes on", format)
			}
			break
		}
	}
}

func TestDetect(t *testing.T) {
	for text, want := range map[string]Format{
		"": JSONLines, " \n": JSONLines, `{"type":"X"}`: JSONLines, "\ufeff{\"type\":\"X\"}\n{}": JSONLines, `{"x":1}`: JSONLines,
		"{\"type\":\"X\",\"b\n": JSONLines, "{\"type\":\"X\",}\n": JSONLines, `{"a" 1}`: JSONLines,
		"[": JSON, "\n\n [": JSON, "{\n\"type\":\"X\"}": JSON, "{\"type\":\"X\",\n\"y\":1}": JSON, `{"name":1,"stream":[]}`: JSON,
		"{\"name\": \"x\",\n": JSON, "{ \"name\":\n": JSON,
		"data: 1": SSE, ": c\n": SSE, "event: x\n": SSE, "\ufeffid: 1\r\rdata: 1": SSE, "retry: 1\n": SSE, "data": SSE,
		`{"type":"` + strings.Repeat("x", 2*peekSize): JSONLines, `{"name":"x","stream":[` + strings.Repeat(" ", 2*peekSize): JSON,
	} {
		for _, r := range []io.Reader{strings.NewReader(text), iotest.OneByteReader(strings.NewReader(text))} {
			if len(text) > peekSize {
				r = strings.NewReader(text) // byte by byte takes its time
			}
			b := NewReader(r)
			got, err := Detect(b)
			if got != want || err != nil {
				t.Errorf("%.40q is %s, %v; want %s", text, got, err, want)
			}
			if rest, err := io.ReadAll(b); string(rest) != text || err != nil {
				t.Errorf("%.40q: %d bytes are left", text, len(rest))
			}
		}
	}
	for _, text := range []string{"hello", "HTTP/1.1 200 OK\n", "<html>", "\x00"} {
		if got, err := Detect(NewReader(strings.NewReader(text))); !errors.Is(err, ErrUnknownFormat) {
			t.Errorf("%q is %s, %v", text, got, err)
		}
	}
	broken := errors.New("broken")
	if _, err := Detect(NewReader(iotest.ErrReader(broken))); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Detect does not wait for more than the first line.
func TestDetectDoesNotWait(t *testing.T) {
	r, w := io.Pipe()
	go func() { _, _ = io.WriteString(w, "{\"type\":\"X\"}\n") }()
	if f, err := Detect(NewReader(r)); f != JSONLines || err != nil {
		t.Errorf("got %s, %v", f, err)
	}
	w.Close()
}

// chunks returns readers of the same text that give it in other portions.
func chunks(text string, seed uint64) map[string]io.Reader {
	random := rand.New(rand.NewPCG(seed, 1))
	var parts []io.Reader
	for rest := text; rest != ""; {
		n := 1 + random.IntN(min(len(rest), 50))
		parts = append(parts, strings.NewReader(rest[:n]))
		rest = rest[n:]
	}
	return map[string]io.Reader{
		"one byte": iotest.OneByteReader(strings.NewReader(text)), "half": iotest.HalfReader(strings.NewReader(text)),
		"random": io.MultiReader(parts...), "data with error": iotest.DataErrReader(strings.NewReader(text)),
	}
}

func FuzzRead(f *testing.F) {
	for _, tc := range readings {
		f.Add([]byte(tc.text), uint64(len(tc.text)))
	}
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		text := string(raw)
		format, formatErr := Detect(NewReader(strings.NewReader(text)))
		for name, r := range chunks(text, seed) {
			if got, err := Detect(bufio.NewReaderSize(r, peekSize)); got != format || (err == nil) != (formatErr == nil) {
				t.Fatalf("%s: %q is %s, not %s", name, text, got, format)
			}
		}
		for _, format := range []Format{JSONLines, JSON, SSE} {
			want := list(strings.NewReader(text), format, smallLimit)
			for name, r := range chunks(text, seed) {
				if diff := cmp.Diff(want, list(r, format, smallLimit)); diff != "" {
					t.Fatalf("%s, %s of %q (-whole +chunked)\n%s", format, name, text, diff)
				}
			}
		}
	})
}

// The data is what package sse reads; here it has places, and faults do not end it.
func FuzzSSEIsThatOfPackageSSE(f *testing.F) {
	for _, tc := range readings {
		f.Add([]byte(tc.text))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want, got []string
		for data, err := range sse.Read(strings.NewReader(string(raw)), 0) {
			if err != nil {
				t.Skip(err)
			}
			want = append(want, string(data))
		}
		for e, err := range Read(NewReader(strings.NewReader(string(raw))), SSE, 0) {
			if err != nil {
				t.Fatal(err)
			}
			if e.Fault == nil {
				got = append(got, string(e.Raw))
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("data of %q (-sse +here)\n%s", raw, diff)
		}
	})
}
