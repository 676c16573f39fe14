package translate

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// input parses a run input with the given messages.
func input(t *testing.T, messages string) agui.RunInput {
	t.Helper()
	in, _, err := agui.ParseRunInput([]byte(`{"threadId":"T","runId":"R2","messages":[` + messages + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return in
}

func text(t *testing.T, v any) string {
	t.Helper()
	out, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestHistory(t *testing.T) {
	const (
		user   = `{"id":"u","role":"user","content":"hi"}`
		userAI = `{"id":"u","role":"user","parts":[{"type":"text","text":"hi"}]}`
		call   = `{"id":"M","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"q\":1}"}}]}`
		open   = `{"id":"M","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-look","toolCallId":"c1",`
		in     = `"input":{"q":1}`
	)
	tool := func(more string) string {
		return call + `,{"id":"M#result-c1","role":"tool","toolCallId":"c1",` + more + `}`
	}
	for _, tc := range []struct{ rule, in, want string }{
		{"nothing", ``, ``},
		{"a user", user, userAI},
		{"instructions", `{"id":"s","role":"system","content":"be kind"},{"id":"d","role":"developer","content":"be brief"}`,
			`{"id":"s","role":"system","parts":[{"type":"text","text":"be kind","state":"done"}]},{"id":"d","role":"system","metadata":{"ag-ui":{"role":"developer"}},"parts":[{"type":"text","text":"be brief","state":"done"}]}`},
		{"files", `{"id":"u","role":"user","content":[{"type":"image","source":{"type":"url","value":"https://a.example/i.png","mimeType":"image/png"}},{"type":"document","source":{"type":"data","value":"QQ==","mimeType":"text/plain"}},{"type":"audio","source":{"type":"url","value":"https://a.example/x"}},{"type":"smell"}]}`,
			`{"id":"u","role":"user","parts":[{"type":"file","mediaType":"image/png","url":"https://a.example/i.png"},{"type":"file","mediaType":"text/plain","url":"data:text/plain;base64,QQ=="},{"type":"file","providerMetadata":{"ag-ui":{"type":"audio","source":{"type":"url","value":"https://a.example/x"}}},"mediaType":"application/octet-stream","url":"https://a.example/x"}]}`},
		{"the messages of a turn are one, a step each", user + `,{"id":"M#r0","role":"reasoning","content":"hm"},{"id":"M","role":"assistant","content":"a"},{"id":"M#1","role":"assistant","content":"b"}`,
			userAI + `,{"id":"M","role":"assistant","parts":[{"type":"step-start"},{"type":"reasoning","text":"hm","state":"done"},{"type":"step-start"},{"type":"text","text":"a","state":"done"},{"type":"step-start"},{"type":"text","text":"b","state":"done"}]}`},
		{"a user between two answers", `{"id":"M","role":"assistant","content":"a"},` + user + `,{"id":"N","role":"assistant","content":"b"}`,
			`{"id":"M","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"a","state":"done"}]},` + userAI + `,{"id":"N","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"b","state":"done"}]}`},
		{"text output", tool(`"content":"42"`), open + `"state":"output-available",` + in + `,"output":"42"}]}`},
		{"a value comes back as it was", tool(`"content":"{\"n\":1.0}","metadata":{"ai-sdk":{"json":true}}`), open + `"state":"output-available",` + in + `,"output":{"n":1.0}}]}`},
		{"unless it is none any more", tool(`"content":"{","metadata":{"ai-sdk":{"json":true}}`), open + `"state":"output-available",` + in + `,"output":"{"}]}`},
		{"a failure of the browser", tool(`"content":"","error":"no GPS"`), open + `"state":"output-error",` + in + `,"errorText":"no GPS","resultProviderMetadata":{"ag-ui":{"content":"","messageId":"M#result-c1"}}}]}`},
		{"a failure of the agent", tool(`"content":"bad","metadata":{"ai-sdk":{"state":"output-error"}}`), open + `"state":"output-error",` + in + `,"errorText":"bad"}]}`},
		{"a denial", tool(`"content":"x","metadata":{"ai-sdk":{"state":"output-denied","approvalId":"a1","reason":"no"}}`), open + `"state":"output-denied",` + in + `,"approval":{"id":"a1","approved":false,"reason":"no"}}]}`},
		{"a denial without its approval is an error", tool(`"content":"x","metadata":{"ai-sdk":{"state":"output-denied"}}`), open + `"state":"output-error",` + in + `,"errorText":"x"}]}`},
		{"foreign metadata is kept", tool(`"content":"x","metadata":{"ai-sdk":7}`), open + `"state":"output-available",` + in + `,"output":"x","resultProviderMetadata":{"ag-ui":{"metadata":{"ai-sdk":7},"messageId":"M#result-c1"}}}]}`},
		{"a call without a result is left out", user + `,` + call, userAI},
		{"a result without a call, too", `{"id":"x","role":"tool","toolCallId":"c9","content":"x"}`, ``},
		{"activity never travels back", `{"id":"x","role":"activity","activityType":"plan","content":{}}`, ``},
		{"an unknown role, too", `{"id":"x","role":"narrator"}`, ``},
		{"arguments that are no JSON", `{"id":"M","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{"}}]},{"id":"r","role":"tool","toolCallId":"c1","content":"x"}`,
			open + `"state":"output-available","input":"{","output":"x","callProviderMetadata":{"ag-ui":{"arguments":true,"parentMessageId":"M"}},"resultProviderMetadata":{"ag-ui":{"messageId":"r"}}}]}`},
		{"no arguments", `{"id":"M","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"look","arguments":""}}]},{"id":"r","role":"tool","toolCallId":"c1","content":"x"}`,
			open + `"state":"output-available","input":{},"output":"x","resultProviderMetadata":{"ag-ui":{"messageId":"r"}}}]}`},
		{"arguments that were corrected", `{"id":"M","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"},"metadata":{"ai-sdk":{"input":{"q":33}}}}]},{"id":"r","role":"tool","toolCallId":"c1","content":"x"}`,
			open + `"state":"output-available","input":{"q":33},"output":"x","resultProviderMetadata":{"ag-ui":{"messageId":"r"}}}]}`},
	} {
		got := History(input(t, tc.in).Messages)
		if got == nil {
			got = []aisdk.Message{}
		}
		if diff := cmp.Diff("["+tc.want+"]", text(t, got)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.rule, diff)
		}
	}
}

func TestChatRequest(t *testing.T) {
	const (
		user   = `{"id":"u","role":"user","content":"hi"}`
		userAI = `{"id":"u","role":"user","parts":[{"type":"text","text":"hi"}]}`
		copied = `{"id":"M","role":"assistant","content":"a copy that the client changed"}`
		part   = `{"id":"M","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"I will delete it.","state":"done"},` +
			`{"type":"tool-delete","toolCallId":"c1","state":"approval-responded","input":{"path":"/tmp"},"approval":{"id":"a1",`
	)
	yes := answered(hitl.ToolDecision{Approved: true})
	cancel := hitl.Cancel()
	for _, tc := range []struct {
		rule, in string
		turn     []string
		answers  []Answered
		want     string // messages
		id       string // of the message that goes on
	}{
		{"a new turn", user, nil, nil, userAI, ""},
		{"what a browser ran goes on with its message", user + `,{"id":"M","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"where","arguments":"{}"}}]},{"id":"x","role":"tool","toolCallId":"c","content":"here"}`, nil, nil,
			userAI + `,{"id":"M","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-where","toolCallId":"c","state":"output-available","input":{},"output":"here","resultProviderMetadata":{"ag-ui":{"messageId":"x"}}}]}`, "M"},
		{"approved, of the client's copy nothing is taken", user + "," + copied, asked, yes, userAI + `,` + part + `"approved":true}}]}`, "M"},
		{"denied", user, asked, answered(hitl.ToolDecision{Reason: "no"}), userAI + `,` + part + `"approved":false,"reason":"no"}}]}`, "M"},
		{"given up", user, asked, []Answered{{Request: deleteApproval(), Response: hitl.Response{Input: &cancel}}},
			userAI + `,` + part + `"approved":false,"reason":"The request was cancelled; nothing was decided."}}]}`, "M"},
		{"a message without an id is named by the turn", user, asked[1:], yes, "", "msg-R1"},
	} {
		req, err := ChatRequest(input(t, tc.in), chunks(t, tc.turn...), Run{ThreadID: "T", RunID: "R2", First: "R1", Answers: tc.answers})
		if err != nil {
			t.Errorf("%s: %v", tc.rule, err)
			continue
		}
		if req.ID != "T" || req.Trigger != aisdk.TriggerSubmit || req.MessageID != tc.id {
			t.Errorf("%s: %s, %s, %q", tc.rule, req.ID, req.Trigger, req.MessageID)
		}
		if _, err := req.Encode(); err != nil {
			t.Errorf("%s: %v", tc.rule, err)
		}
		if tc.want == "" {
			continue
		}
		if diff := cmp.Diff("["+tc.want+"]", text(t, req.Messages)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.rule, diff)
		}
	}
	if _, err := ChatRequest(input(t, user), chunks(t, `{"type":"text-end","id":"0"}`), Run{}); !errors.Is(err, aisdk.ErrSequence) {
		t.Errorf("a turn out of order: %v", err)
	}
}

// Without an answer nothing is approved.
func TestChatRequestApprovesNothingByItself(t *testing.T) {
	other := answered(hitl.ToolDecision{Approved: true})
	other[0].Request.ID = "a2"
	for rule, answers := range map[string][]Answered{"no answer": nil, "an answer to something else": other} {
		req, err := ChatRequest(input(t, `{"id":"u","role":"user","content":"hi"}`), chunks(t, asked...), Run{First: "R1", Answers: answers})
		if err != nil {
			t.Fatal(err)
		}
		p := req.Messages[1].ToolPart("c1")
		if p.State != aisdk.StateApprovalRequested || p.Approval.Approved != nil {
			t.Errorf("%s: %+v", rule, p)
		}
	}
}
