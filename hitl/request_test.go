package hitl_test

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// What is stored is what comes back, with the names the documentation gives.
func TestJSONOfTheModel(t *testing.T) {
	for name, text := range map[string]string{
		"approval": `{"id":"q1","kind":"approval","toolCall":{"id":"c1","name":"send_email","args":{"n":12345678901234567890},"executor":"agent"},` +
			`"schema":{"type":"object"},"answers":{"reason":true,"editedArgs":false,"remember":true},"render":{"kind":"email","theme":"dark","x":[1]},` +
			`"raisedAt":"2026-12-01T12:00:00Z","expiresAt":"2026-12-01T13:00:00.5Z","raisedInRun":"r1","turn":"m1"}`,
		"input": `{"id":"q2","kind":"input","input":{"id":"q2","message":"Where?","schema":{},"url":"https://x","elicitationId":"e1","kind":"url",` +
			`"toolCallId":"c1","expiresAt":"2026-12-01T13:00:00Z","metadata":{"a":null}},"answers":{"reason":false,"editedArgs":false,"remember":false}}`,
		"client tool": `{"id":"q3","kind":"clientTool","answers":{"reason":false,"editedArgs":false,"remember":false}}`,
	} {
		roundTrip[hitl.Request](t, name, text)
	}
	for name, text := range map[string]string{
		"decision": `{"decision":{"approved":true,"reason":"ok","editedArgs":{},"remember":true},"payload":{"approved":true},"actor":"ada","at":"2026-12-01T12:00:00Z"}`,
		"denial":   `{"decision":{"approved":false}}`,
		"input":    `{"input":{"action":"accept","content":null}}`,
		"output":   `{"toolOutput":{"output":null}}`,
		"error":    `{"toolOutput":{"error":"no GPS"}}`,
	} {
		roundTrip[hitl.Response](t, name, text)
	}
}

func roundTrip[T any](t *testing.T, name, text string) {
	t.Helper()
	var v T
	if err := json.Unmarshal([]byte(text), &v, json.RejectUnknownMembers(true)); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	out, err := json.Marshal(v)
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if diff := cmp.Diff(text, string(out)); diff != "" {
		t.Errorf("%s: (-want +got)\n%s", name, diff)
	}
}

// Needs the JSON library without GOEXPERIMENT=jsonv2, under which they are lost.
func TestOpenMembersOfARenderSurvive(t *testing.T) {
	var r hitl.Render
	if err := json.Unmarshal([]byte(`{"columns":2,"kind":"form"}`), &r); err != nil {
		t.Fatal(err)
	}
	if r.Kind != "form" || r.Extra.String() != `{"columns":2}` {
		t.Errorf("got %+v", r)
	}
	r = hitl.Render{Kind: "form", Extra: jsontext.Value(`{"columns":3}`)}
	if out, err := json.Marshal(r); err != nil || string(out) != `{"kind":"form","columns":3}` {
		t.Errorf("got %s, %v", out, err)
	}
}

func TestOnlyACancelIsCancelled(t *testing.T) {
	cancel := hitl.Cancel()
	for _, tc := range []struct {
		response hitl.Response
		want     bool
	}{
		{hitl.Response{Input: &cancel}, true},
		{hitl.Response{}, false},
		{input(hitl.Decline()), false},
		{input(hitl.Accept(nil)), false},
		{decided(hitl.ToolDecision{}), false},
		{hitl.Response{Input: &cancel, Decision: &hitl.ToolDecision{Approved: true}}, false},
		{hitl.Response{Input: &cancel, ToolOutput: &hitl.ToolOutput{}}, false},
	} {
		if got := tc.response.Cancelled(); got != tc.want {
			t.Errorf("%+v: got %v", tc.response, got)
		}
	}
}
