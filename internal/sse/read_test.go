package sse

import (
	"bytes"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// collect reads a stream to its end.
func collect(r io.Reader, maxEvent int) (events []string, err error) {
	for data, e := range Read(r, maxEvent) {
		if e != nil {
			return events, e
		}
		events = append(events, string(data))
	}
	return events, nil
}

func TestRead(t *testing.T) {
	const bom = "\uFEFF"
	tests := []struct {
		name, stream string
		want         []string
	}{
		{"nothing", "", nil},
		{"one", "data: a\n\n", []string{"a"}},
		{"no space", "data:a\n\n", []string{"a"}},
		{"only one space goes", "data:  a\n\n", []string{" a"}},
		{"several", "data: a\n\ndata: b\n\n", []string{"a", "b"}},
		{"lines", "data: a\ndata\ndata: b\n\n", []string{"a\n\nb"}},
		{"cr", "data: a\r\rdata: b\r\r", []string{"a", "b"}},
		{"crlf", "data: a\r\n\r\ndata: b\r\n\r\n", []string{"a", "b"}},
		{"mixed breaks", "data: a\r\n\rdata: b\n\r\ndata: c\r\n\n", []string{"a", "b", "c"}},
		{"byte order mark", bom + "data: a\n\n", []string{"a"}},
		{"only one mark goes", bom + bom + "data: a\n\n", nil},
		{"no mark after a blank line", "\n" + bom + "data: a\n\n", nil},
		{"mark alone", bom, nil},
		{"half a mark", bom[:2], nil},
		{"comments", ": ping\n\ndata: a\n: b\ndata: c\n\n:\n\n", []string{"a\nc"}},
		{"bare data is empty and skipped", "data\n\n", nil},
		{"two bare data are not empty", "data\ndata\n\n", []string{"\n"}},
		{"other fields", "event: e\nid: 1\nretry: 5\nfoo: bar\ndata: a\n\n", []string{"a"}},
		{"an event without data", "event: e\nid: 1\n\ndata: a\n\n", []string{"a"}},
		{"near misses", "Data: a\ndatas: b\n data: c\ndata : d\n\n", nil},
		{"colon in the data", "data: a: b\n\n", []string{"a: b"}},
		{"blank lines between", "\n\n\ndata: a\n\n\n\n\r\n\rdata: b\n\n\n", []string{"a", "b"}},
		{"cut before the blank line", "data: a\n\ndata: b\n", []string{"a"}},
		{"cut in a line", "data: a\n\ndata: {\"x", []string{"a"}},
		{"cut in crlf", "data: a\r\n\r", []string{"a"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for name, wrap := range readers {
				got, err := collect(wrap(strings.NewReader(tt.stream)), 1<<10)
				if err != nil || !slices.Equal(got, tt.want) {
					t.Errorf("%s: Read(%q) = %q, %v, want %q", name, tt.stream, got, err, tt.want)
				}
			}
		})
	}
}

// readers deliver the same bytes in different pieces.
var readers = map[string]func(io.Reader) io.Reader{
	"whole":            func(r io.Reader) io.Reader { return r },
	"byte by byte":     iotest.OneByteReader,
	"end with data":    iotest.DataErrReader,
	"pauses":           func(r io.Reader) io.Reader { return &pausingReader{r: iotest.OneByteReader(r)} },
	"halves of a read": iotest.HalfReader,
}

// A pausingReader returns no bytes and no error every other time.
type pausingReader struct {
	r     io.Reader
	pause bool
}

func (p *pausingReader) Read(b []byte) (int, error) {
	if p.pause = !p.pause; p.pause {
		return 0, nil
	}
	return p.r.Read(b)
}

func TestReadLimit(t *testing.T) {
	event := "data: 0123456789\n" // 17 bytes
	for name, wrap := range readers {
		got, err := collect(wrap(strings.NewReader("data: a\n\n"+event+"\n"+event+"\n")), 17)
		if err != nil || len(got) != 3 {
			t.Errorf("%s: at the limit: %q, %v", name, got, err)
		}
		got, err = collect(wrap(strings.NewReader("data: a\n\n"+event+"\ndata: b\n\n")), 16)
		if !errors.Is(err, ErrEventTooLarge) || !slices.Equal(got, []string{"a"}) {
			t.Errorf("%s: over the limit: %q, %v", name, got, err)
		}
	}
}

func TestReadLimitStopsAnEndlessEvent(t *testing.T) {
	for _, text := range []string{"x", "data: x\n", ": ping\n", "id: 1\r"} {
		_, err := collect(&endless{text: text}, 1<<10)
		if !errors.Is(err, ErrEventTooLarge) {
			t.Errorf("endless %q: %v", text, err)
		}
	}
}

func TestReadTakesAnyNumberOfHeartbeats(t *testing.T) {
	for _, beat := range []string{"\n", "\r", "\r\n", ":\n\n", ": ping\r\n\r\n"} {
		stream := io.MultiReader(strings.NewReader(strings.Repeat(beat, 10_000)), strings.NewReader("data: a\n\n"))
		got, err := collect(stream, 64)
		if err != nil || !slices.Equal(got, []string{"a"}) {
			t.Errorf("10,000 × %q: %q, %v", beat, got, err)
		}
	}
}

// An endless reader repeats its text.
type endless struct {
	text string
	off  int
}

func (e *endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = e.text[e.off]
		e.off = (e.off + 1) % len(e.text)
	}
	return len(p), nil
}

func TestReadPassesErrorsOn(t *testing.T) {
	broken := errors.New("connection reset")
	stream := io.MultiReader(strings.NewReader("data: a\n\ndata: b\n"), iotest.ErrReader(broken))
	got, err := collect(stream, 1<<10)
	if !errors.Is(err, broken) || !slices.Equal(got, []string{"a"}) {
		t.Errorf("got %q, %v", got, err)
	}
	if _, err := collect(silent{}, 0); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("a reader that brings nothing, for ever: %v", err)
	}
	if _, err := collect(iotest.ErrReader(io.ErrUnexpectedEOF), 0); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("a body that was cut: %v", err)
	}
}

type silent struct{}

func (silent) Read([]byte) (int, error) { return 0, nil }

func TestReadStopsWhenTheLoopDoes(t *testing.T) {
	n := 0
	for range Read(&endless{text: "data: a\n\n"}, 1<<10) {
		if n++; n == 3 {
			break
		}
	}
	if n != 3 {
		t.Errorf("%d events", n)
	}
}

func TestReadYieldsBeforeTheStreamGoesOn(t *testing.T) {
	pr, pw := io.Pipe()
	defer pr.Close()
	go func() {
		_, _ = pw.Write([]byte("data: a\r\n\r\n")) // and then silence
	}()
	for data, err := range Read(pr, 1<<10) {
		if err != nil || string(data) != "a" {
			t.Errorf("got %q, %v", data, err)
		}
		break
	}
}

// TestReadIsLinear would run for minutes if an unfinished event were looked at
// from its start for each byte that arrives.
func TestReadIsLinear(t *testing.T) {
	const size = 2 << 20
	event := Append(nil, bytes.Repeat([]byte("x"), size))
	got, err := collect(iotest.OneByteReader(bytes.NewReader(event)), 0)
	if err != nil || len(got) != 1 || len(got[0]) != size {
		t.Errorf("%d events, %v", len(got), err)
	}
}

func TestGateGivesALargeBufferBack(t *testing.T) {
	large := Append(nil, bytes.Repeat([]byte("x"), 1<<20))
	g := newGate(io.MultiReader(bytes.NewReader(large), strings.NewReader("data: a\n\n")), 2<<20)
	if _, err := io.Copy(io.Discard, g); err != nil {
		t.Fatal(err)
	}
	if cap(g.buf) > keepSize {
		t.Errorf("it keeps %d bytes", cap(g.buf))
	}
}

// reference reads a stream as the standard says, in the plainest way.
func reference(stream string) (events []string) {
	stream = strings.TrimPrefix(stream, "\uFEFF")
	stream = strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(stream)
	lines := strings.Split(stream, "\n")
	data := ""
	for _, line := range lines[:len(lines)-1] { // the last one has no end
		name, value, _ := strings.Cut(line, ":")
		switch {
		case line == "" && data != "":
			events = append(events, strings.TrimSuffix(data, "\n"))
			fallthrough
		case line == "":
			data = ""
		case name == "data":
			data += strings.TrimPrefix(value, " ") + "\n"
		}
	}
	return slices.DeleteFunc(events, func(e string) bool { return e == "" })
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{
		"data: a\n\n", "\uFEFFdata: a\r\n\r\ndata\n\n", "data: a\rdata\r\rdata: b", "\n\uFEFFdata: a\n\n",
		"event: e\nid: 1\nretry: 5\n\n", ": c\ndata:\tb\n\r\n", "data: \x00\xff\n\n\n\n\r\r", "\xEF\xBB", "id: \x00\n\n",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		want := reference(string(stream))
		for name, wrap := range readers {
			got, err := collect(wrap(bytes.NewReader(stream)), len(stream)+1)
			if err != nil || !slices.Equal(got, want) {
				t.Fatalf("%s: Read(%q) = %q, %v, want %q", name, stream, got, err, want)
			}
		}
		for data, err := range Read(bytes.NewReader(stream), 8) {
			if err != nil && !errors.Is(err, ErrEventTooLarge) || len(data) > 8 {
				t.Fatalf("limited: Read(%q) = %q, %v", stream, data, err)
			}
		}
	})
}

func BenchmarkRead(b *testing.B) {
	frame := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"hello there"}`)
	var stream []byte
	for range 1_000 {
		stream = Append(stream, frame)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(stream)))
	for b.Loop() {
		if got, err := collect(bytes.NewReader(stream), 0); err != nil || len(got) != 1_000 {
			b.Fatal(len(got), err)
		}
	}
}
