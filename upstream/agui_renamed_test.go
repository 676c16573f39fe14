package upstream

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

// An agent is told the answers by the ids that it gave, also where front ends know the
// requests by others.
func TestAnAgentIsAnsweredByItsOwnIds(t *testing.T) {
	approval := hitl.Request{ID: "q@2", Token: "q", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "send", Args: []byte(`{}`)}}
	other := hitl.Request{ID: "p", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "d", Name: "send", Args: []byte(`{}`)}}
	yes := hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}
	const messages = `"messages":[{"id":"u","role":"user","content":"hi"}]`
	for _, tc := range []struct {
		rule, input string
	}{
		{"in the front end's own input", `{"threadId":"t","runId":"r",` + messages + `,"resume":[{"interruptId":"q@2","status":"resolved","payload":{"approved":true}},{"interruptId":"p","status":"resolved","payload":{"approved":true}}]}`},
		{"in an input that lacks them", `{"threadId":"t","runId":"r",` + messages + `}`},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			body := ""
			a := newAgent(t, "agui", Options{}, func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				body = string(sent)
				says(runStarted, runFinished)(w, r)
			})
			c := call()
			c.Input = []byte(tc.input)
			c.Settled = []session.Settled{{Request: approval, Response: yes}, {Request: other, Response: yes}}
			if got := listen(t.Context(), a, c, nil); got.err != nil {
				t.Fatal(got.err)
			}
			if strings.Contains(body, "q@2") || strings.Count(body, `"interruptId":"q"`) != 1 || strings.Count(body, `"interruptId":"p"`) != 1 {
				t.Errorf("the agent was posted %s", body)
			}
		})
	}
}

// What the run asks is renamed in the frame that asks it.
func TestInterruptsAreRenamedInTheirFrame(t *testing.T) {
	a := newAgent(t, "agui", Options{}, says(runStarted, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"q","reason":"input_required"}]}}`))
	got := listen(t.Context(), a, call(), nil)
	if got.err != nil || got.end.Rename == nil {
		t.Fatal(got.err, got.end)
	}
	renamed, err := got.end.Rename([]byte(got.frames[1]), map[string]string{"q": "q@2"})
	if err != nil || !strings.Contains(string(renamed), `"interrupts":[{"id":"q@2",`) {
		t.Errorf("%v %s", err, renamed)
	}
}
