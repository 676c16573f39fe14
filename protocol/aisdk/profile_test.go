package aisdk

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// onlyIn7 lists what ai 6 lacks.
var onlyIn7 = []string{
	`{"type":"reset-step"}`,
	`{"type":"custom","kind":"acme.x"}`,
	`{"type":"reasoning-file","url":"u","mediaType":"m"}`,
	`{"type":"steering-message","id":"s","parts":[]}`,
	`{"type":"tool-approval-response","approvalId":"a","approved":true}`,
	`{"type":"finish","finishReason":"interrupted"}`,
}

func TestProfilesAreNamed(t *testing.T) {
	for _, p := range []Profile{V6, V7} {
		if got, ok := ParseProfile(p.String()); !ok || got != p {
			t.Errorf("%s: %v, %v", p, got, ok)
		}
	}
	for _, name := range []string{"", "v5", "V7", "v6 or v7"} {
		if p, ok := ParseProfile(name); ok {
			t.Errorf("%q is %v", name, p)
		}
	}
}

func TestWhatAProfileLacks(t *testing.T) {
	newer := map[ChunkType]bool{}
	for _, f := range frames(t, onlyIn7...) {
		if f.Type != TypeFinish {
			newer[f.Type] = true
		}
		if err := V6.Check(f); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: ai 6 takes it: %v", f.Raw, err)
		}
		if err := errors.Join(V7.Check(f), Profile(0).Check(f)); err != nil {
			t.Errorf("%s: %v", f.Raw, err)
		}
		c, err := f.Chunk()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := V6.Encode(c); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: encoded for ai 6: %v", f.Raw, err)
		}
		if out, err := V7.Encode(c); err != nil || string(out.Raw) != string(f.Raw) {
			t.Errorf("%s became %s, %v", f.Raw, out.Raw, err)
		}
	}
	for _, kind := range withData(t) {
		if !V7.Has(kind) || !Profile(0).Has(kind) || V6.Has(kind) == newer[kind] {
			t.Errorf("%s: v6 %v, v7 %v", kind, V6.Has(kind), V7.Has(kind))
		}
	}
	for kind, members := range map[ChunkType][]string{TypeTextEnd: {"citations"}, TypeToolApprovalRequest: {"reason", "isAutomatic"}} {
		for _, m := range members {
			if V6.HasMember(kind, m) || !V7.HasMember(kind, m) {
				t.Errorf("%s: %s", kind, m)
			}
		}
	}
	if V6.Has("future") || V7.HasMember("future", "type") || !V6.HasMember("data-x", "transient") {
		t.Error("what is unknown to both")
	}
	if V6.HasFinish(FinishInterrupted) || !V7.HasFinish(FinishInterrupted) || !V6.HasFinish(FinishLength) {
		t.Error("interrupted is ai 7")
	}
}

// What ParseFrame only reports, a chat refuses.
func TestProfilesRefuseWhatIsUnknown(t *testing.T) {
	for _, tc := range []struct{ line, place string }{
		{`{"type":"future"}`, "/type"},
		{`{"type":"finish","finishReason":"unknown"}`, "/finishReason"},
		{`{"type":"tool-input-start","toolCallId":"c","toolName":"n","inputEncoding":"xml"}`, "/inputEncoding"},
		{`{"type":"steering-message","id":"s","parts":[{"type":"tool"}]}`, "/parts/0"},
		{`{"type":"text-end","id":"s","citations":[{"source":{"type":"source","sourceType":"future"}}]}`, "/citations/0/source"},
	} {
		f := frames(t, tc.line)[0]
		if err := V7.Check(f); !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), tc.place+":") {
			t.Errorf("%s: %v, want %s", tc.line, err, tc.place)
		}
	}
}

func TestEncodeIsStrict(t *testing.T) {
	null := jsontext.Value("null")
	for _, tc := range []struct {
		rule  string
		chunk Chunk
		place string // "" for none
	}{
		{"no optional is null", &TextStart{Head: Head{Kind: TypeTextStart}, ID: "t", ProviderMetadata: null}, "/providerMetadata"},
		{"nor among what is unknown", &Start{Head: Head{Kind: TypeStart, Extra: jsontext.Value(`{"messageId":null}`)}}, "/messageId"},
		{"provider metadata has two levels", &TextStart{Head: Head{Kind: TypeTextStart}, ID: "t", ProviderMetadata: jsontext.Value(`{"a":"b"}`)}, "/providerMetadata/a"},
		{"tool metadata is an object", &ToolOutputError{Head: Head{Kind: TypeToolOutputError}, ToolMetadata: jsontext.Value(`[]`)}, "/toolMetadata"},
		{"no prototype", &ToolInputAvailable{Head: Head{Kind: TypeToolInputAvailable}, Input: jsontext.Value(`{"a":[{"__proto__":1}]}`)}, "/input/a/0/__proto__"},
		{"written any way", &ToolInputAvailable{Head: Head{Kind: TypeToolInputAvailable}, Input: jsontext.Value(`{"\u005f_proto__":1}`)}, "/input/__proto__"},
		{"nor by its constructor", &ToolOutputAvailable{Head: Head{Kind: TypeToolOutputAvailable}, Output: jsontext.Value(`{"constructor":{"x":1,"prototype":null}}`)}, "/output/constructor/prototype"},
		{"a constructor may be a company", &ToolOutputAvailable{Head: Head{Kind: TypeToolOutputAvailable}, Output: jsontext.Value(`{"constructor":"Ada & Sons","prototype":{"constructor":["prototype"]}}`)}, ""},
		{"a text may say so", &TextDelta{Head: Head{Kind: TypeTextDelta}, Delta: `"__proto__":`}, ""},
		{"a required value may be null", &ToolOutputAvailable{Head: Head{Kind: TypeToolOutputAvailable}, Output: null}, ""},
		{"a chunk has a type", &TextDelta{}, "type"},
		{"what is unknown is passed on", &UnknownChunk{Frame: frames(t, `{"type":"future"}`)[0]}, ""},
		{"unless its names are forbidden", &UnknownChunk{Frame: frames(t, `{"type":"future","__proto__":1}`)[0]}, "/__proto__"},
	} {
		_, err := Encode(tc.chunk)
		if tc.place == "" && err != nil || tc.place != "" && (!errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), tc.place)) {
			t.Errorf("%s: %v, want %q", tc.rule, err, tc.place)
		}
	}
}

// An explicit false, and an empty text, are not absent.
func TestOptionalMembersSurvive(t *testing.T) {
	for _, line := range []string{
		`{"type":"start","messageId":""}`,
		`{"type":"abort","reason":""}`,
		`{"type":"data-x","id":"","data":1,"transient":false}`,
		`{"type":"tool-output-available","toolCallId":"c","output":1,"providerExecuted":false,"dynamic":false,"preliminary":false}`,
		`{"type":"tool-approval-request","approvalId":"a","toolCallId":"c","signature":"","approvalDescriptor":null,"inputSchemaInput":null,"reason":"","isAutomatic":false}`,
	} {
		roundTrip(t, []byte(line))
	}
}
