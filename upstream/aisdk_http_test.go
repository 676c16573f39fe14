package upstream

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// A step that asks a person and leaves a call to the browser goes on with both answered:
// an agent would run what was approved, and fail for want of the other result.
func TestResumeBodyWithAClientTool(t *testing.T) {
	const asked = `{"id":"u","role":"user","content":"hi"},{"id":"m","role":"assistant","toolCalls":[{"id":"b","type":"function","function":{"name":"locate","arguments":"{}"}}]}`
	q := hitl.Request{ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "send", Args: []byte(`{}`)}}
	for _, test := range []struct{ name, messages, want string }{
		{"that was run", asked + `,{"id":"x","role":"tool","toolCallId":"b","content":"Berlin"}`, `"state":"output-available","input":{},"output":"Berlin"}`},
		{"that failed", asked + `,{"id":"x","role":"tool","toolCallId":"b","content":"","error":"no GPS"}`, `"state":"output-error","input":{},"errorText":"no GPS"}`},
		{"that nobody ran", asked, `"state":"output-error","input":{},"errorText":"Nobody ran this tool; it has no result."}`},
		{
			"whose id an earlier turn had", `{"id":"u0","role":"user","content":"hi"},{"id":"m0","role":"assistant","toolCalls":[{"id":"b","type":"function","function":{"name":"locate","arguments":"{}"}}]},` +
				`{"id":"x","role":"tool","toolCallId":"b","content":"Berlin"},` + asked[:len(`{"id":"u","role":"user","content":"hi"}`)],
			`"state":"output-error","input":{},"errorText":"Nobody ran this tool; it has no result."}`,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var body []byte
			a := newAgent(t, "aisdk", Options{}, func(w http.ResponseWriter, r *http.Request) {
				body, _ = io.ReadAll(r.Body)
				events(w, `{"type":"start","messageId":"m"}`, finish, aisdk.Done)
			})
			c := call()
			c.Input = []byte(`{"threadId":"t","runId":"r2","messages":[` + test.messages + `]}`)
			c.RunID, c.Settled = "r2", []session.Settled{{Request: q, Response: hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}, Agent: "far"}}
			for _, chunk := range []string{
				`{"type":"start","messageId":"m"}`, `{"type":"start-step"}`,
				`{"type":"tool-input-available","toolCallId":"c","toolName":"send","input":{}}`, `{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}`,
				`{"type":"tool-input-available","toolCallId":"b","toolName":"locate","input":{}}`,
				`{"type":"tool-input-available","toolCallId":"p","toolName":"search","input":{},"providerExecuted":true}`, `{"type":"finish-step"}`, `{"type":"finish"}`,
			} {
				c.Turn = append(c.Turn, []byte(chunk))
			}
			if got := listen(t.Context(), a, c, nil); got.err != nil {
				t.Fatal(got.err)
			}
			want := `{"type":"step-start"},{"type":"tool-send","toolCallId":"c","state":"approval-responded","input":{},"approval":{"id":"a","approved":true}},` +
				`{"type":"tool-locate","toolCallId":"b",` + test.want + `,{"type":"tool-search","toolCallId":"p","state":"input-available","input":{},"providerExecuted":true}]`
			if !strings.Contains(string(body), want) {
				t.Errorf("the agent was posted\n%s, want in it\n%s", body, want)
			}
		})
	}
}

// A turn that was stopped twice comes with the answers to its second stop; what was decided
// at the first is known by its outcome, and why, if the client was told.
func TestResumeBodyAfterASecondStop(t *testing.T) {
	const reason = `{"id":"m#result-c","role":"tool","toolCallId":"c","content":"denied","metadata":{"ai-sdk":{"state":"output-denied","approvalId":"a","reason":"no"}}}`
	for _, test := range []struct{ outcome, messages, want string }{
		{`{"type":"tool-output-available","toolCallId":"c","output":1}`, ``, `"state":"output-available","input":{},"output":1,"approval":{"id":"a","approved":true,"signature":"s"}}`},
		{`{"type":"tool-output-error","toolCallId":"c","errorText":"bad"}`, ``, `"state":"output-error","input":{},"errorText":"bad","approval":{"id":"a","approved":true,"signature":"s"}}`},
		{`{"type":"tool-output-denied","toolCallId":"c"}`, ``, `"state":"output-denied","input":{},"approval":{"id":"a","approved":false,"signature":"s"}}`},
		{
			`{"type":"tool-output-denied","toolCallId":"c"}`, `,{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"send","arguments":"{}"}}]},` + reason,
			`"state":"output-denied","input":{},"approval":{"id":"a","approved":false,"reason":"no","signature":"s"}}`,
		},
	} {
		var body []byte
		a := newAgent(t, "aisdk", Options{}, func(w http.ResponseWriter, r *http.Request) {
			body, _ = io.ReadAll(r.Body)
			events(w, `{"type":"start","messageId":"m"}`, finish, aisdk.Done)
		})
		c := call()
		c.Input = []byte(`{"threadId":"t","runId":"r3","messages":[{"id":"u","role":"user","content":"hi"}` + test.messages + `]}`)
		q := hitl.Request{ID: "b", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "d", Name: "drop", Args: []byte(`{}`)}}
		c.RunID, c.Settled = "r3", []session.Settled{{Request: q, Response: hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}, Agent: "far"}}
		for _, chunk := range []string{
			`{"type":"start","messageId":"m"}`, `{"type":"start-step"}`, `{"type":"tool-input-available","toolCallId":"c","toolName":"send","input":{}}`,
			`{"type":"tool-approval-request","approvalId":"a","toolCallId":"c","signature":"s"}`, `{"type":"finish-step"}`, `{"type":"finish"}`,
			`{"type":"start","messageId":"m"}`, test.outcome, `{"type":"start-step"}`, `{"type":"tool-input-available","toolCallId":"d","toolName":"drop","input":{}}`,
			`{"type":"tool-approval-request","approvalId":"b","toolCallId":"d"}`, `{"type":"finish-step"}`, `{"type":"finish"}`,
		} {
			c.Turn = append(c.Turn, []byte(chunk))
		}
		if got := listen(t.Context(), a, c, nil); got.err != nil {
			t.Fatal(got.err)
		}
		want := `{"type":"tool-send","toolCallId":"c",` + test.want + `,{"type":"step-start"},{"type":"tool-drop","toolCallId":"d","state":"approval-responded","input":{},"approval":{"id":"b","approved":true}}]`
		if !strings.Contains(string(body), want) {
			t.Errorf("the agent was posted\n%s, want in it\n%s", body, want)
		}
	}
}

// A chat ends at the first error: nothing after it changes how the run ended.
func TestFirstErrorCounts(t *testing.T) {
	for _, later := range []string{`{"type":"error","errorText":"second"}`, `{"type":"abort"}`, finish} {
		a := newAgent(t, "aisdk", Options{}, says(`{"type":"start"}`, `{"type":"error","errorText":"first"}`, later, aisdk.Done))
		got := listen(t.Context(), a, call(), nil)
		if got.err != nil || got.end == nil || got.end.Status != session.Failed || got.end.Failure.Message != "first" {
			t.Errorf("after %s: got %v, %+v", later, got.err, got.end)
		}
	}
}
