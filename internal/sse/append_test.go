package sse

import (
	"bytes"
	"slices"
	"strings"
	"testing"
)

func TestAppend(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"json", `{"a":1}`, "data: {\"a\":1}\n\n"},
		{"empty", "", "data: \n\n"},
		{"leading space is kept", " x", "data:  x\n\n"},
		{"lf", "a\nb", "data: a\ndata: b\n\n"},
		{"cr", "a\rb", "data: a\ndata: b\n\n"},
		{"crlf", "a\r\nb", "data: a\ndata: b\n\n"},
		{"two breaks", "a\n\rb", "data: a\ndata: \ndata: b\n\n"},
		{"trailing break", "a\n", "data: a\ndata: \n\n"},
		{"a field in the data stays data", "a\nid: 1\n\ndata: b", "data: a\ndata: id: 1\ndata: \ndata: data: b\n\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Append([]byte("x"), []byte(tt.data))
			if string(got) != "x"+tt.want {
				t.Errorf("Append(%q) = %q, want %q", tt.data, got, "x"+tt.want)
			}
		})
	}
}

func TestAppendComment(t *testing.T) {
	tests := []struct{ text, want string }{
		{"ping", ": ping\n\n"},
		{"", ": \n\n"},
		{"a\r\nb\rc\nd", ": a\n: b\n: c\n: d\n\n"},
	}
	for _, tt := range tests {
		if got := AppendComment(nil, tt.text); string(got) != tt.want {
			t.Errorf("AppendComment(%q) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestAppendDoesNotAllocate(t *testing.T) {
	buf := make([]byte, 0, 1<<10)
	data := []byte(`{"type":"TEXT_MESSAGE_CONTENT","delta":"hello"}`)
	if n := testing.AllocsPerRun(100, func() { buf = AppendComment(Append(buf[:0], data), "ping") }); n != 0 {
		t.Errorf("%v allocations, want none", n)
	}
}

func FuzzAppend(f *testing.F) {
	for _, s := range []string{"", "x", "a\nb", "a\r\nb", "\r", "\r\n\r\n", "\uFEFFx", " x"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		stream := Append(AppendComment(nil, string(data)), data)
		want := strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(string(data))
		var got [][]byte
		for d, err := range Read(bytes.NewReader(stream), len(stream)+1) {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, slices.Clone(d))
		}
		if want == "" && len(got) == 0 {
			return
		}
		if len(got) != 1 || string(got[0]) != want {
			t.Errorf("wrote %q as %q, read %q", data, stream, got)
		}
	})
}

func BenchmarkAppend(b *testing.B) {
	data := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-1","delta":"hello there","timestamp":1700000000000}`)
	buf := make([]byte, 0, 1<<10)
	b.ReportAllocs()
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		buf = Append(buf[:0], data)
	}
}

func BenchmarkAppendComment(b *testing.B) {
	buf := make([]byte, 0, 64)
	b.ReportAllocs()
	for b.Loop() {
		buf = AppendComment(buf[:0], "ping")
	}
}
