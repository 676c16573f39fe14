package protobuf

import (
	"bytes"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// A vector is one event as the reference writes and reads it. The file is generated:
// see e2e/src/proto-vectors.ts.
type vector struct {
	Name    string `json:"name"`
	JSON    string `json:"json"`
	Hex     string `json:"hex"`
	Decoded string `json:"decoded"`
}

// unknown reports whether the event holds what this version does not have.
func (v vector) unknown() bool { return strings.HasPrefix(v.Name, "unknown: ") }

func (v vector) bytes(t testing.TB) []byte {
	t.Helper()
	b, err := hex.DecodeString(v.Hex)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func vectors(t testing.TB) (list []vector) {
	t.Helper()
	raw, err := os.ReadFile("testdata/vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &list); err != nil {
		t.Fatal(err)
	}
	return list
}

func frame(t testing.TB, raw string) agui.Frame {
	t.Helper()
	f, _, err := agui.ParseFrame([]byte(raw))
	if err != nil {
		t.Fatalf("%.200s: %v", raw, err)
	}
	return f
}

func TestAppendWritesWhatTheReferenceWrites(t *testing.T) {
	seen := map[agui.EventType]int{}
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			if v.unknown() {
				t.Skip("it holds what agui.ParseFrame takes out")
			}
			f := frame(t, v.JSON)
			seen[f.Type]++
			got, err := Append([]byte("before"), f)
			if err != nil {
				t.Fatal(err)
			}
			got, ok := bytes.CutPrefix(got, []byte("before"))
			if want := v.bytes(t); !ok || !bytes.Equal(got, want) {
				t.Errorf("%s\n got %x\nwant %x", v.JSON, got, want)
			}
		})
	}
	for typ := range events {
		if seen[typ] < 2 {
			t.Errorf("%s has %d vectors", typ, seen[typ])
		}
	}
}

func TestDecodeReadsWhatTheReferenceReads(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			got, err := Decode(v.bytes(t))
			if err != nil {
				t.Fatal(err)
			}
			if canonical(t, got) != canonical(t, []byte(v.Decoded)) {
				t.Errorf("\n got %s\nwant %s", got, v.Decoded)
			}
			if v.unknown() {
				return
			}
			again, err := Append(nil, frame(t, string(got)))
			if err != nil || !bytes.Equal(again, v.bytes(t)) {
				t.Errorf("%s is written as %x, %v", got, again, err)
			}
		})
	}
}

// canonical gives JSON in the one form that RFC 8785 has for it.
func canonical(t testing.TB, raw []byte) string {
	t.Helper()
	v := jsontext.Value(bytes.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return string(v)
}
