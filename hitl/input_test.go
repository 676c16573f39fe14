package hitl_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func TestInputIsOneOfThreeActions(t *testing.T) {
	for payload, want := range map[string]hitl.InputResponse{
		`{"action":"accept"}`:                                        hitl.Accept(nil),
		`{"action":"accept","content":{"guests":2}}`:                 hitl.Accept(raw(`{"guests":2}`)),
		`{"action":"accept","content":"yes"}`:                        hitl.Accept(raw(`"yes"`)),
		`{"action":"accept","content":null}`:                         hitl.Accept(raw(`null`)),
		`{"action":"decline"}`:                                       hitl.Decline(),
		`{"action":"decline","content":{"guests":2}}`:                hitl.Decline(),
		`{"action":"cancel","humanFriendlyMessage":"closed","x":[]}`: hitl.Cancel(),
	} {
		got, err := hitl.ParseInput(raw(payload))
		if err != nil {
			t.Errorf("%s: %v", payload, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", payload, diff)
		}
	}
}

func TestMalformedInputIsNoAnswer(t *testing.T) {
	for payload, want := range map[string][]string{
		``:                                      {""},
		`"accept"`:                              {""},
		`null`:                                  {""},
		`{"action":"accept"`:                    {""},
		`{}`:                                    {"/action"},
		`{"action":null}`:                       {"/action"},
		`{"action":true}`:                       {"/action"},
		`{"action":""}`:                         {"/action"},
		`{"action":"Accept"}`:                   {"/action"},
		`{"action":"accept "}`:                  {"/action"},
		`{"content":{"guests":2}}`:              {"/action"},
		`{"action":"cancel","action":"accept"}`: {"/action"},
	} {
		got, err := hitl.ParseInput(raw(payload))
		if err == nil || !cmp.Equal(got, hitl.InputResponse{}) {
			t.Errorf("%s: got %+v, %v; want an error and no answer", payload, got, err)
			continue
		}
		if diff := cmp.Diff(want, paths(t, err)); diff != "" {
			t.Errorf("%s: places (-want +got)\n%s", payload, diff)
		}
	}
}

func TestEmptyContentIsAbsent(t *testing.T) {
	if got := hitl.Accept(raw("")); got.Content != nil {
		t.Errorf("got %q", got.Content)
	}
}

func FuzzParseInput(f *testing.F) {
	for _, seed := range []string{
		`{"action":"accept","content":{"a":1}}`, `{"action":"decline"}`, `{"action":"cancel","content":1}`,
		`{"action":"ACCEPT"}`, `{"content":{}}`, `[]`, ``, `{"action":"accept","content":}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		in, err := hitl.ParseInput(payload)
		switch {
		case err != nil:
			if !cmp.Equal(in, hitl.InputResponse{}) || len(paths(t, err)) == 0 {
				t.Fatalf("a refused payload gave %+v, %v", in, err)
			}
		case in.Action != hitl.ActionAccept && (in.Action != hitl.ActionDecline && in.Action != hitl.ActionCancel || in.Content != nil):
			t.Fatalf("%s gave %+v", payload, in)
		case len(in.Content) > 0 && !in.Content.IsValid():
			t.Fatalf("%s gave malformed content %s", payload, in.Content)
		}
	})
}
