package aisdk

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sourceTypes reads the constants of type ChunkType from the source.
func sourceTypes(t testing.TB) []ChunkType {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "chunk_type.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []ChunkType
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "ChunkType" {
			return true
		}
		for _, v := range spec.Values {
			name, err := strconv.Unquote(v.(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			types = append(types, ChunkType(name))
		}
		return true
	})
	if len(types) != 29 {
		t.Fatalf("found %d chunk types, want 29", len(types))
	}
	return types
}

// withData adds an example of application data to the types of the source.
func withData(t testing.TB) []ChunkType { return append(sourceTypes(t), "data-weather") }

func fixtures(t testing.TB, kind ChunkType) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "chunks", string(kind)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

func TestEveryChunkTypeIsComplete(t *testing.T) {
	types := sourceTypes(t)
	for _, kind := range types {
		if chunkShapes[kind] == nil {
			t.Errorf("%s has no shape", kind)
		}
		dec := decoders[kind]
		if dec == nil {
			t.Errorf("%s has no view", kind)
			continue
		}
		if c, err := dec([]byte(`{"type":"` + string(kind) + `"}`)); err != nil || c.Type() != kind {
			t.Errorf("%s: the decoder gives %v, %v", kind, c, err)
		}
	}
	if len(chunkShapes) != len(types) || len(decoders) != len(types) {
		t.Errorf("%d types, %d shapes, %d decoders", len(types), len(chunkShapes), len(decoders))
	}
	files, err := os.ReadDir(filepath.Join("testdata", "chunks"))
	if err != nil || len(files) != len(types)+1 {
		t.Errorf("%d types, %d fixture files, %v", len(types), len(files), err)
	}
}

func roundTrip(t *testing.T, raw []byte) (Chunk, []Warning) {
	t.Helper()
	f, warnings, err := ParseFrame(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	c, err := f.Chunk()
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	out, err := Encode(c)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	if diff := cmp.Diff(string(raw), string(out.Raw)); diff != "" {
		t.Errorf("%s: (-in +out)\n%s", f.Type, diff)
	}
	if out.Type != f.Type || c.Type() != f.Type || c.head().Kind != f.Type {
		t.Errorf("%s became %s, then %s", f.Type, c.Type(), out.Type)
	}
	return c, warnings
}

func TestFixturesSurvive(t *testing.T) {
	for _, kind := range withData(t) {
		for _, raw := range fixtures(t, kind) {
			if c, warnings := roundTrip(t, raw); c.Type() != kind || len(warnings) > 0 {
				t.Errorf("%s: type %s, %v", raw, c.Type(), warnings)
			}
		}
	}
}

func TestUnknownMembersSurvive(t *testing.T) {
	for _, kind := range withData(t) {
		for _, raw := range fixtures(t, kind) {
			raw := append(bytes.TrimSuffix(bytes.Clone(raw), []byte("}")), `,"futureMember":{"b":[1.0,null],"a":"A"}}`...)
			if _, warnings := roundTrip(t, raw); len(warnings) > 0 {
				t.Errorf("%s: %v, but chunks are open", kind, warnings)
			}
		}
	}
}

func TestUnknownTypeSurvives(t *testing.T) {
	c, warnings := roundTrip(t, []byte(` {"x":1, "type":"future-chunk","id":0} `))
	if _, ok := c.(*UnknownChunk); !ok || len(warnings) != 1 || warnings[0].Path != "/type" || !strings.Contains(warnings[0].Detail, "future-chunk") {
		t.Errorf("got %T, %v", c, warnings)
	}
	if c, warnings := roundTrip(t, []byte(`{"type":"data-","data":1}`)); len(warnings) > 0 {
		t.Errorf("data without a name: %T, %v", c, warnings)
	}
	if _, warnings := roundTrip(t, []byte(`{"type":"finish","finishReason":"bored"}`)); len(warnings) != 1 || warnings[0].Path != "/finishReason" {
		t.Errorf("an unknown reason: %v", warnings)
	}
}

func TestMalformedChunksNameThePlace(t *testing.T) {
	for _, tc := range []struct{ in, place string }{
		{`{"type":"start"`, "not valid JSON"}, {`{"type":"start"}{}`, "not valid JSON"}, {`{"type":"start","messageId":"a","messageId":"b"}`, "not valid JSON"},
		{`[]`, "the value"}, {`{}`, "/type"}, {`{"type":1}`, "/type"}, {`[DONE]`, "not valid JSON"},
		{`{"type":"start","messageId":null}`, "/messageId"}, {`{"type":"text-start"}`, "/id"}, {`{"type":"text-delta","id":"a","delta":1}`, "/delta"},
		{`{"type":"tool-input-available","toolCallId":"c","toolName":"n"}`, "/input"}, {`{"type":"tool-output-available","toolCallId":"c"}`, "/output"},
		{`{"type":"tool-input-start","toolCallId":"c","toolName":"n","title":null}`, "/title"}, {`{"type":"tool-approval-response","approvalId":"a","approved":"true"}`, "/approved"},
		{`{"type":"data-x"}`, "/data"}, {`{"type":"data-x","data":1,"id":1}`, "/id"}, {`{"type":"data-x","data":1,"transient":null}`, "/transient"},
		{`{"type":"text-start","id":"a","providerMetadata":null}`, "/providerMetadata"}, {`{"type":"text-start","id":"a","providerMetadata":{"acme":1}}`, "/providerMetadata/acme"},
		{`{"type":"text-end","id":"a","citations":[{"source":{"type":"source","sourceType":"url","id":"s"}}]}`, "/citations/0/source/url"},
		{`{"type":"steering-message","id":"a","parts":[{"type":"text"}]}`, "/parts/0/text"},
	} {
		if _, _, err := ParseFrame([]byte(tc.in)); !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), tc.place) {
			t.Errorf("%s: %v, want %q", tc.in, err, tc.place)
		}
	}
}

func FuzzParseChunk(f *testing.F) {
	for _, kind := range withData(f) {
		for _, raw := range fixtures(f, kind) {
			f.Add(raw)
		}
	}
	f.Add([]byte(`{"t\u0079pe":"start"}`))
	f.Add([]byte(`{"type":"future"}`))
	f.Add([]byte(`[DONE]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		frame, _, err := ParseFrame(raw)
		if !bytes.Equal(before, raw) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v is not ErrMalformed", err)
			}
			return
		}
		if !bytes.Equal(frame.Raw, before) || frame.Text("type") != string(frame.Type) {
			t.Fatalf("kept %s as %s", frame.Raw, frame.Type)
		}
		c, err := frame.Chunk()
		if err != nil || c.Type() != frame.Type {
			t.Fatalf("typed: %v, %v", c, err)
		}
		var r Reducer
		_ = r.Apply(frame)
		_ = r.Message() // no panic
	})
}

func BenchmarkTextDelta(b *testing.B) {
	raw := []byte(`{"type":"text-delta","id":"txt-0","delta":" and some more words"}`)
	var r Reducer
	if err := r.Apply(frames(b, `{"type":"text-start","id":"txt-0"}`)[0]); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		f, _, err := ParseFrame(raw)
		if err != nil {
			b.Fatal(err)
		}
		if err := r.Apply(f); err != nil {
			b.Fatal(err)
		}
	}
}

// frames parses chunks that are written one per line.
func frames(t testing.TB, lines ...string) []Frame {
	t.Helper()
	var out []Frame
	for _, line := range lines {
		f, _, err := ParseFrame([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, f)
	}
	return out
}
