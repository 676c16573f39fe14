package aisdk

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// message builds a message out of chunks.
func message(t *testing.T, lines ...string) *Message {
	t.Helper()
	var r Reducer
	reduce(t, &r, lines...)
	return r.Message()
}

func TestRequestsOfAMessage(t *testing.T) {
	const executed = `{"type":"tool-input-available","toolCallId":"c1","toolName":"send","input":{},"providerExecuted":true}`
	for _, tc := range []struct {
		rule     string
		lines    []string
		kind     hitl.RequestKind // "" for no request
		id       string
		executor hitl.Executor
	}{
		{"an approval has its own id", []string{call, ask}, hitl.KindApproval, "a1", hitl.ExecutorAgent},
		{"of the provider's call, too", []string{executed, ask}, hitl.KindApproval, "a1", hitl.ExecutorProvider},
		{"an automatic one asks nobody", []string{call, `{"type":"tool-approval-request","approvalId":"a1","toolCallId":"c1","isAutomatic":true}`}, "", "", ""},
		{"a decided one asks nobody", []string{call, ask, `{"type":"tool-approval-response","approvalId":"a1","approved":true}`}, "", "", ""},
		{"a call for the browser", []string{call}, hitl.KindClientTool, "c1", hitl.ExecutorBrowser},
		{"what the provider runs asks nobody", []string{executed}, "", "", ""},
		{"a settled call asks nobody", []string{call, `{"type":"tool-output-available","toolCallId":"c1","output":1}`}, "", "", ""},
		{"an input that still streams asks nobody", []string{`{"type":"tool-input-start","toolCallId":"c1","toolName":"send"}`}, "", "", ""},
		{"text asks nobody", []string{opened}, "", "", ""},
	} {
		got := message(t, tc.lines...).Requests()
		if tc.kind == "" {
			if len(got) > 0 {
				t.Errorf("%s: %+v", tc.rule, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Kind != tc.kind || got[0].ID != tc.id || got[0].Call.ID != "c1" || got[0].Call.Name != "send" || got[0].Call.Executor != tc.executor {
			t.Errorf("%s: %+v", tc.rule, got)
		}
		if len(got) == 1 && tc.kind == hitl.KindApproval && got[0].Answers != (hitl.ApprovalAnswers{Reason: true}) {
			t.Errorf("%s: offers %+v", tc.rule, got[0].Answers)
		}
	}
	q := message(t, call, `{"type":"tool-approval-request","approvalId":"a1","toolCallId":"c1","reason":"costs money"}`).Requests()[0]
	if q.Input == nil || q.Input.Message != "costs money" || q.Input.ToolCallID != "c1" {
		t.Errorf("the agent's reason is lost: %+v", q.Input)
	}
}

// Whatever is not an approval in every word is recorded as a denial.
func TestRespond(t *testing.T) {
	cancel := hitl.Cancel()
	accept := hitl.Accept(jsontext.Value(`{"approved":true}`))
	for _, tc := range []struct {
		rule   string
		client bool
		answer hitl.Response
		want   string // the part after its input
	}{
		{"approved", false, hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}, `"state":"approval-responded","input":{"to":1},"approval":{"id":"a1","approved":true}}`},
		{"denied", false, hitl.Response{Decision: &hitl.ToolDecision{Reason: "no"}}, `"state":"approval-responded","input":{"to":1},"approval":{"id":"a1","approved":false,"reason":"no"}}`},
		{"given up", false, hitl.Response{Input: &cancel}, `"state":"approval-responded","input":{"to":1},"approval":{"id":"a1","approved":false,"reason":"` + cancelledReason + `"}}`},
		{"no answer", false, hitl.Response{}, `"state":"approval-responded","input":{"to":1},"approval":{"id":"a1","approved":false}}`},
		{"an answer of another kind", false, hitl.Response{Input: &accept}, `"state":"approval-responded","input":{"to":1},"approval":{"id":"a1","approved":false}}`},
		{"an output is no approval", false, hitl.Response{ToolOutput: &hitl.ToolOutput{Output: jsontext.Value(`{"approved":true}`)}}, `"state":"approval-responded","input":{"to":1},"approval":{"id":"a1","approved":false}}`},
		{"run by the browser", true, hitl.Response{ToolOutput: &hitl.ToolOutput{Output: jsontext.Value(`null`)}}, `"state":"output-available","input":{"to":1},"output":null}`},
		{"failed in the browser", true, hitl.Response{ToolOutput: &hitl.ToolOutput{Error: "no GPS"}}, `"state":"output-error","input":{"to":1},"errorText":"no GPS"}`},
		{"not run at all", true, hitl.Response{Input: &cancel}, `"state":"output-error","input":{"to":1},"errorText":"` + cancelledReason + `"}`},
	} {
		lines := []string{call, ask}
		if tc.client {
			lines = lines[:1]
		}
		m := message(t, lines...)
		q := m.Requests()[0]
		if !m.Respond(q, tc.answer) {
			t.Errorf("%s: the request was not found", tc.rule)
		}
		got, err := json.Marshal(m.Parts[0])
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(`{"type":"tool-send","toolCallId":"c1",`+tc.want, string(got)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.rule, diff)
		}
		if m.Respond(q, tc.answer) {
			t.Errorf("%s: answered twice", tc.rule)
		}
	}
}

func TestRespondToAnotherRequest(t *testing.T) {
	yes := hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}
	for rule, change := range map[string]func(q *hitl.Request){
		"another approval":  func(q *hitl.Request) { q.ID = "a2" },
		"the call's own id": func(q *hitl.Request) { q.ID = "c1" },
		"another call":      func(q *hitl.Request) { q.Call = &hitl.ToolCall{ID: "c2"} },
		"no call":           func(q *hitl.Request) { q.Call = nil },
		"another kind":      func(q *hitl.Request) { q.Kind = hitl.KindInput },
		"a call to be run":  func(q *hitl.Request) { q.Kind = hitl.KindClientTool },
		"no kind":           func(q *hitl.Request) { q.Kind = "" },
	} {
		m := message(t, call, ask)
		q := m.Requests()[0]
		change(&q)
		if m.Respond(q, yes) || m.Parts[0].State != StateApprovalRequested || m.Parts[0].Approval.Approved != nil {
			t.Errorf("%s: approved", rule)
		}
	}
}
