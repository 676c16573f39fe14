package agui

import (
	"errors"
	"slices"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestReadRunInput(t *testing.T) {
	const head = `{"threadId":"t","runId":"r",`
	user := func(parts string) string {
		return head + `"messages":[{"id":"u","role":"user","content":[` + parts + `]}]}`
	}
	for _, tc := range []struct {
		rule, in, want string // want is "" for the same bytes
		codes          []WarningCode
	}{
		{rule: "an input of today passes", in: user(`{"type":"text","text":"a"}`)},
		{rule: "unknown members are taken out, as ever", in: head + `"messages":[],"odd":1}`, want: head + `"messages":[]}`, codes: []WarningCode{UnknownProperty}},
		{
			rule:  "a binary part with data is media of today",
			in:    user(`{"type":"text","text":"a"},{"type":"binary","mimeType":"image/png","data":"QQ==","filename":"a.png"}`),
			want:  user(`{"type":"text","text":"a"},{"type":"image","source":{"type":"data","value":"QQ==","mimeType":"image/png"},"metadata":{"filename":"a.png"}}`),
			codes: []WarningCode{RetiredShape},
		},
		{
			rule:  "a binary part with a url is media of today",
			in:    user(`{"type":"binary","mimeType":"application/pdf","url":"https://example.com/a.pdf"}`),
			want:  user(`{"type":"document","source":{"type":"url","value":"https://example.com/a.pdf","mimeType":"application/pdf"}}`),
			codes: []WarningCode{RetiredShape},
		},
		{
			rule:  "a binary part with only an id has no place today",
			in:    user(`{"type":"binary","mimeType":"image/png","id":"f-1"}`),
			want:  user(``),
			codes: []WarningCode{UnknownValue},
		},
		{
			rule:  "what is unknown goes also where something was retired",
			in:    head + `"messages":[{"id":"u","role":"user","content":[{"type":"binary","mimeType":"audio/mp3","url":"https://example.com/a"}],"odd":1}]}`,
			want:  head + `"messages":[{"id":"u","role":"user","content":[{"type":"audio","source":{"type":"url","value":"https://example.com/a","mimeType":"audio/mp3"}}]}]}`,
			codes: []WarningCode{RetiredShape, UnknownProperty},
		},
		{
			rule:  "a null that stood for nothing is nothing",
			in:    head + `"messages":[],"forwardedProps":null}`,
			want:  head + `"messages":[]}`,
			codes: []WarningCode{RetiredShape},
		},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			in, warnings, err := ReadRunInput([]byte(tc.in))
			if err != nil {
				t.Fatal(err)
			}
			want := tc.want
			if want == "" {
				want = tc.in
			}
			if got := canonical(t, in.Raw); got != canonical(t, []byte(want)) {
				t.Errorf("got %s, want %s", in.Raw, want)
			}
			if tc.want == "" && string(in.Raw) != tc.in {
				t.Errorf("the bytes changed: %s", in.Raw)
			}
			var codes []WarningCode
			for _, w := range warnings {
				codes = append(codes, w.Code)
			}
			if !slices.Equal(codes, tc.codes) {
				t.Errorf("warnings %v, want codes %v", warnings, tc.codes)
			}
		})
	}
}

func TestReadRunInputNamesTheFault(t *testing.T) {
	for _, in := range []string{`{"threadId":5,"runId":"r","messages":[]}`, `[]`, `x`, `{"threadId":5,"runId":"r","messages":[],"forwardedProps":null}`} {
		if _, _, err := ReadRunInput([]byte(in)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", in, err)
		}
	}
}

// What a downgrade makes of media, the peer sends back, and an agent gets what it sent.
func TestBinaryPartsComeBackAsTheMediaTheyWere(t *testing.T) {
	var d Downgrader
	const messages = `"messages":[{"id":"u","role":"user","content":[{"type":"image","source":{"type":"data","value":"QQ==","mimeType":"image/png"},"metadata":{"filename":"a.png"}}]}]}`
	got, lost, err := d.Next(frames(t, `{"type":"MESSAGES_SNAPSHOT",`+messages)[0])
	if err != nil || len(lost) > 0 {
		t.Fatal(lost, err)
	}
	in, _, err := ReadRunInput([]byte(`{"threadId":"t","runId":"r","messages":` + string(got[0].Member("messages")) + `}`))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := canonical(t, in.Raw), canonical(t, []byte(`{"threadId":"t","runId":"r",`+messages)); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestDeclaredVersion(t *testing.T) {
	for _, tc := range []struct {
		rule, member, declared string
		present                bool
	}{
		{rule: "none"},
		{"one", `,"protocolVersion":"1.1"`, "1.1", true},
		{"an empty one", `,"protocolVersion":""`, "", true},
	} {
		in, _, err := ReadRunInput([]byte(`{"threadId":"t","runId":"r","messages":[]` + tc.member + `}`))
		if err != nil {
			t.Fatal(err)
		}
		if declared, present := in.DeclaredVersion(); declared != tc.declared || present != tc.present {
			t.Errorf("%s: got %q, %v", tc.rule, declared, present)
		}
	}
}

func canonical(t *testing.T, raw []byte) string {
	t.Helper()
	v := jsontext.Value(slices.Clone(raw))
	if err := v.Canonicalize(); err != nil {
		t.Fatal(err)
	}
	return string(v)
}
