package agui

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

// sourceTypes reads the constants of type EventType from the source, so that nobody
// has to keep a second list.
func sourceTypes(t testing.TB) []EventType {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "event_type.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var types []EventType
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "EventType" {
			return true
		}
		for _, v := range spec.Values {
			lit, ok := v.(*ast.BasicLit)
			if !ok {
				t.Fatalf("%v is no literal", spec.Names)
			}
			name, err := strconv.Unquote(lit.Value)
			if err != nil {
				t.Fatal(err)
			}
			types = append(types, EventType(name))
		}
		return true
	})
	if len(types) != 31 {
		t.Fatalf("found %d event types, AG-UI 1.1 has 31", len(types))
	}
	return types
}

// fixtures returns the examples of one type, the smallest first, one line each.
func fixtures(t testing.TB, kind EventType) [][]byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "events", string(kind)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

func TestEveryEventTypeIsComplete(t *testing.T) {
	types := sourceTypes(t)
	for _, kind := range types {
		if eventShapes[kind] == nil {
			t.Errorf("%s has no shape", kind)
		}
		dec := decoders[kind]
		if dec == nil {
			t.Errorf("%s has no decoder", kind)
			continue
		}
		e, err := dec([]byte(`{"type":"` + string(kind) + `"}`))
		if err != nil || e.Type() != kind {
			t.Errorf("%s: the decoder gives %v, %v", kind, e, err)
		}
		if n := len(fixtures(t, kind)); n < 2 {
			t.Errorf("%s has %d fixtures, want a small and a full one", kind, n)
		}
	}
	if len(eventShapes) != len(types) || len(decoders) != len(types) {
		t.Errorf("%d types, %d shapes, %d decoders", len(types), len(eventShapes), len(decoders))
	}
	files, err := os.ReadDir(filepath.Join("testdata", "events"))
	if err != nil || len(files) != len(types) {
		t.Errorf("%d types, %d fixture files, %v", len(types), len(files), err)
	}
}

// roundTrip takes one event through the typed view and back.
func roundTrip(t *testing.T, raw []byte) (Event, []Warning) {
	t.Helper()
	e, warnings, err := Decode(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	out, err := Encode(e)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	if diff := cmp.Diff(string(raw), string(out.Raw)); diff != "" {
		t.Errorf("%s: (-in +out)\n%s", e.Type(), diff)
	}
	if out.Type != e.Type() {
		t.Errorf("%s became %s", e.Type(), out.Type)
	}
	return e, warnings
}

func TestFixturesSurvive(t *testing.T) {
	for _, kind := range sourceTypes(t) {
		for _, raw := range fixtures(t, kind) {
			e, warnings := roundTrip(t, raw)
			if len(warnings) > 0 {
				t.Errorf("%s: %v", raw, warnings)
			}
			if e.Type() != kind || e.base().Kind != kind {
				t.Errorf("%s: the event says %s", kind, e.Type())
			}
			if len(e.base().Extra) > 0 {
				t.Errorf("%s: members without a place: %s", kind, e.base().Extra)
			}
		}
	}
}

const futureMember = `,"futureMember":{"b":[1.0,null],"a":"A"}}`

// Fails at once if the build uses a JSON library that loses embedded members.
func TestUnknownMembersSurvive(t *testing.T) {
	want := []Warning{{Code: UnknownProperty, Path: "/futureMember", Detail: "unknown property"}}
	for _, kind := range sourceTypes(t) {
		for _, raw := range fixtures(t, kind) {
			raw := append(bytes.TrimSuffix(bytes.Clone(raw), []byte("}")), futureMember...)
			_, warnings := roundTrip(t, raw)
			if diff := cmp.Diff(want, warnings); diff != "" {
				t.Errorf("%s: warnings (-want +got)\n%s", kind, diff)
			}
		}
	}
}

func TestUnknownTypeSurvives(t *testing.T) {
	const raw = ` {"b":1, "type":"FUTURE_EVENT","timestamp":"not checked"} `
	e, warnings := roundTrip(t, []byte(raw))
	if _, ok := e.(*UnknownEvent); !ok || e.Type() != "FUTURE_EVENT" || e.base().Kind != "FUTURE_EVENT" {
		t.Errorf("got %T of type %s", e, e.Type())
	}
	if len(warnings) != 1 || warnings[0].Path != "/type" || !strings.Contains(warnings[0].Detail, "FUTURE_EVENT") {
		t.Errorf("warnings %v", warnings)
	}
}

func TestMalformedEventsNameThePlace(t *testing.T) {
	for _, tc := range []struct{ rule, in, place string }{
		{"no JSON", `{"type":"TEXT_MESSAGE_END"`, "not valid JSON"},
		{"two values", `{"type":"TEXT_MESSAGE_END","messageId":"m"} {}`, "not valid JSON"},
		{"invalid UTF-8", "{\"type\":\"TEXT_MESSAGE_END\",\"messageId\":\"\xff\"}", "not valid JSON"},
		{"a member twice", `{"type":"TEXT_MESSAGE_END","messageId":"m","messageId":"n"}`, "not valid JSON"},
		{"the type twice", `{"type":"TEXT_MESSAGE_END","messageId":"m","type":"RUN_ERROR"}`, "not valid JSON"},
		{"no object", `["TEXT_MESSAGE_END"]`, "the value"},
		{"no type", `{"messageId":"m"}`, "/type"},
		{"a type that is no string", `{"type":null}`, "/type"},
		{"a missing member", `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}`, "/delta"},
		{"null is not absence", `{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":null}`, "/timestamp"},
		{"a timestamp that is no whole number", `{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":1.5}`, "/timestamp"},
		{"metadata that is no object", `{"type":"TEXT_MESSAGE_END","messageId":"m","metadata":[]}`, "/metadata"},
		{"a raw event that is null", `{"type":"TEXT_MESSAGE_END","messageId":"m","rawEvent":null}`, "/rawEvent"},
		{"a deep place", `{"type":"STATE_DELTA","delta":[{"op":"add","path":"/a"}]}`, "/delta/0/value"},
		{"no interrupts", `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[]}}`, "/outcome/interrupts"},
		{"a negative count", `{"type":"RUN_ERROR","message":"m","usage":[{"inputTokens":-1}]}`, "/usage/0/inputTokens: expected a whole number, not negative"},
	} {
		_, _, err := ParseFrame([]byte(tc.in))
		if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), tc.place) {
			t.Errorf("%s: got %v, want %q", tc.rule, err, tc.place)
		}
	}
}

func TestUnknownValuesOnlyWarn(t *testing.T) {
	for _, tc := range []struct{ in, path string }{
		{`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"narrator"}`, "/role"},
		{`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"paused"}}`, "/outcome"},
		{`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"narrator"}]}`, "/messages/0"},
		{`{"type":"STATE_DELTA","delta":[{"op":"merge"}]}`, "/delta/0"},
	} {
		_, warnings, err := ParseFrame([]byte(tc.in))
		if err != nil {
			t.Fatal(err)
		}
		if len(warnings) != 1 || warnings[0].Path != tc.path {
			t.Errorf("%s: warnings %v", tc.in, warnings)
		}
	}
}

func TestEncodeChecks(t *testing.T) {
	for _, e := range []Event{
		&StateSnapshot{Base: Base{Kind: TypeStateSnapshot}, Snapshot: []byte(`{`)},
		&StateSnapshot{Base: Base{Kind: TypeStateDelta}, Snapshot: []byte(`{}`)},
		&RunFinished{Base: Base{Kind: TypeRunFinished}, Outcome: &Outcome{Type: OutcomeInterrupt}},
		&TextMessageEnd{Base: Base{Kind: TypeTextMessageEnd}, MessageID: "\xff"},
	} {
		if _, err := Encode(e); !errors.Is(err, ErrMalformed) {
			t.Errorf("%T: %v", e, err)
		}
	}
}

func FuzzParseFrame(f *testing.F) {
	for _, kind := range sourceTypes(f) {
		for _, raw := range fixtures(f, kind) {
			f.Add(raw)
		}
	}
	f.Add([]byte(`{"t\u0079pe":"RAW","event":1}`))
	f.Add([]byte(`{"type":"FUTURE"}`))
	f.Add([]byte(`{"type":"RAW","event":`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		frame, warnings, err := ParseFrame(raw)
		if !bytes.Equal(before, raw) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v is not ErrMalformed", err)
			}
			return
		}
		if len(warnings) == 0 && !bytes.Equal(frame.Raw, before) {
			t.Fatalf("kept %s", frame.Raw)
		}
		if frame.Raw == nil {
			return
		}
		if again, warnings, err := ParseFrame(frame.Raw); err != nil || frame.Known() && len(warnings) > 0 || !bytes.Equal(again.Raw, frame.Raw) {
			t.Fatalf("%s is not clean: %v %v", frame.Raw, warnings, err)
		}
		if _, known := eventShapes[frame.Type]; known && frame.Text("type") != string(frame.Type) {
			t.Fatalf("type %s of %s", frame.Type, raw)
		}
		e, err := frame.Event()
		if err != nil {
			t.Fatalf("typed: %v", err)
		}
		if e.Type() != frame.Type {
			t.Fatalf("%s became %s", frame.Type, e.Type())
		}
		var v Verifier
		_ = v.Next(frame) // no panic
	})
}
