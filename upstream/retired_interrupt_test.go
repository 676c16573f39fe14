package upstream

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

const (
	onInterrupt = `{"type":"CUSTOM","name":"on_interrupt","value":"Which colour?"}`
	retiredID   = "r#on_interrupt-1"
)

// Agents that ask by a CUSTOM event stop like any other, and the event still reaches
// clients that know it.
func TestAnAgentAsksInTheFormOfBefore(t *testing.T) {
	a := newAgent(t, "agui", Options{}, says(runStarted, onInterrupt, runFinished))
	got := listen(t.Context(), a, call(), nil)
	if got.err != nil || got.end == nil || got.end.Status != session.Interrupted || len(got.end.Requests) != 1 {
		t.Fatalf("got %v, %+v", got.err, got.end)
	}
	q := got.end.Requests[0]
	if q.ID != retiredID || q.Kind != hitl.KindInput || q.Input.Message != "Which colour?" || !agui.IsRetiredInterrupt(q.ID) {
		t.Errorf("asked %+v", q)
	}
	if got.frames[1] != onInterrupt || !strings.Contains(got.frames[2], `"outcome":{"type":"interrupt"`) {
		t.Errorf("frames %v", got.frames)
	}
}

func TestTheAnswerGoesBackInTheFormOfBefore(t *testing.T) {
	accept, cancel, decline := hitl.Accept([]byte(`"blue"`)), hitl.Cancel(), hitl.Decline()
	for _, tc := range []struct {
		rule   string
		answer hitl.InputResponse
		body   string // "" if the agent is not called
	}{
		{"accepted", accept, `"forwardedProps":{"command":{"resume":"blue"}}`},
		{"cancelled", cancel, ""},
		{"declined", decline, ""},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			body := ""
			a := newAgent(t, "agui", Options{}, func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				body = string(sent)
				says(runStarted, runFinished)(w, r)
			})
			c := call()
			c.Input = []byte(`{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"r#on_interrupt-1","status":"resolved","payload":"blue"}]}`)
			c.Settled = []session.Settled{{Request: hitl.Request{ID: retiredID, Kind: hitl.KindInput}, Response: hitl.Response{Input: &tc.answer}}}
			got := listen(t.Context(), a, c, nil)
			want := session.Success
			if tc.body == "" {
				want = session.Cancelled
			}
			if got.err != nil || got.end == nil || got.end.Status != want {
				t.Fatalf("got %v, %+v, want %s", got.err, got.end, want)
			}
			if (tc.body == "") != (body == "") || !strings.Contains(body, tc.body) || strings.Contains(body, "interruptId") {
				t.Errorf("the agent was posted %q", body)
			}
		})
	}
}
