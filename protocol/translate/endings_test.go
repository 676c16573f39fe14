package translate

import (
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// toolsOfLastStep returns the tool parts of the last step that a chat shows.
func toolsOfLastStep(m aisdk.Message) (tools []aisdk.Part, textAfter bool) {
	for _, p := range m.Parts {
		switch {
		case p.Type == aisdk.PartStepStart:
			tools, textAfter = nil, false
		case p.IsTool():
			tools, textAfter = append(tools, p), false
		case p.Type == aisdk.PartText && p.State != aisdk.StateDone:
			textAfter = true
		}
	}
	return tools, textAfter
}

// completeWithToolCalls is lastAssistantMessageIsCompleteWithToolCalls of package ai.
func completeWithToolCalls(m aisdk.Message) bool {
	tools, textAfter := toolsOfLastStep(m)
	n := 0
	for _, p := range tools {
		if p.ProviderExecuted.True() {
			continue
		}
		n++
		if !(p.State == aisdk.StateOutputAvailable && !p.Preliminary.True() || p.State == aisdk.StateOutputError) {
			return false
		}
	}
	return n > 0 && !textAfter
}

// completeWithApprovals is lastAssistantMessageIsCompleteWithApprovalResponses.
func completeWithApprovals(m aisdk.Message) bool {
	tools, _ := toolsOfLastStep(m)
	n := 0
	for _, p := range tools {
		switch {
		case p.State == aisdk.StateApprovalResponded:
			n++
		case !p.Settled():
			return false
		}
	}
	return n > 0
}

func posts(m aisdk.Message) bool { return completeWithToolCalls(m) || completeWithApprovals(m) }

// answerAll gives every answer that the message asks for, one after the other, and
// reports after which of them a chat posts.
func answerAll(m *aisdk.Message) (times int) {
	for _, q := range m.Requests() {
		r := hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}
		if q.Kind == hitl.KindClientTool {
			r = hitl.Response{ToolOutput: &hitl.ToolOutput{Output: []byte(`{"action":"accept"}`)}}
		}
		m.Respond(q, r)
		if posts(*m) {
			times++
		}
	}
	return times
}

func call(id string) []string {
	return []string{
		`{"type":"TOOL_CALL_START","toolCallId":"` + id + `","toolCallName":"tool_` + id + `"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"` + id + `"}`,
	}
}

func resultOf(id string) string {
	return `{"type":"TOOL_CALL_RESULT","messageId":"x` + id + `","toolCallId":"` + id + `","content":"ok"}`
}

func approvalOf(id string) hitl.Request {
	return hitl.Request{ID: "a" + id, Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: id, Name: "tool_" + id}}
}

func clientTool(id string) hitl.Request {
	return hitl.Request{ID: id, Kind: hitl.KindClientTool, Call: &hitl.ToolCall{ID: id, Name: "tool_" + id}}
}

func interrupted(requests ...hitl.Request) Outcome {
	return Outcome{Status: Interrupted, Requests: requests}
}

// Whatever way a run ends, a chat that sends by itself must not post again; if it is
// asked, it posts once, when the last answer is given (facts: ai, client helpers).
func TestEndings(t *testing.T) {
	said, start, done := closing, []string{runStarted}, []string{runFinished}
	metadata := []string{strings.TrimSuffix(runFinished, "}") + `,"metadata":{"a":1}}`}
	first := []string{runStarted}
	first = append(first, call("c")...)
	before := join(first, done)
	yes := []Answered{{Request: approvalOf("c"), Response: hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}}}
	no := []Answered{{Request: approvalOf("c"), Response: hitl.Response{Decision: &hitl.ToolDecision{}}}}
	up := hitl.Cancel()
	given := []Answered{{Request: approvalOf("c"), Response: hitl.Response{Input: &up}}}
	for _, tc := range []struct {
		rule    string
		events  []string
		resumes []Answered
		outcome Outcome
		asks    bool
	}{
		{rule: "text", events: join(start, said, done)},
		{rule: "nothing", events: join(start, done)},
		{rule: "a result last", events: join(start, call("c"), []string{resultOf("c")}, done)},
		{rule: "a result last, and the run says more", events: join(start, call("c"), []string{resultOf("c")}, metadata)},
		{rule: "a result and text", events: join(start, call("c"), []string{resultOf("c")}, said, done)},
		{rule: "text in the step, then the result", events: join(start, call("c"), said, []string{resultOf("c")}, done)},
		{rule: "cancelled with an open call", events: join(start, call("c")), outcome: Outcome{Status: Cancelled}},
		{rule: "cancelled after a result", events: join(start, call("c"), []string{resultOf("c")}), outcome: Outcome{Status: Cancelled}},
		{rule: "an approval", events: join(start, call("c"), done), outcome: interrupted(approvalOf("c")), asks: true},
		{rule: "two approvals", events: join(start, call("c"), call("d"), done), outcome: interrupted(approvalOf("c"), approvalOf("d")), asks: true},
		{rule: "an approval beside a call with a result", events: join(start, call("c"), call("d"), []string{resultOf("d")}, said, done), outcome: interrupted(approvalOf("c")), asks: true},
		{rule: "an approval beside a call that nobody answers", events: join(start, call("c"), call("d"), done), outcome: interrupted(approvalOf("c")), asks: true},
		{rule: "an approval of a call that never streamed", events: join(start, said, done), outcome: interrupted(approvalOf("z")), asks: true},
		{rule: "an approval of a call whose step is over", events: join(start, call("c"), []string{resultOf("c")}, said, done), outcome: interrupted(approvalOf("c")), asks: true},
		{rule: "a client tool", events: join(start, call("c"), done), outcome: Outcome{Requests: []hitl.Request{clientTool("c")}}, asks: true},
		{rule: "a form", events: join(start, said, done), outcome: interrupted(form), asks: true},
		{rule: "a form beside an open call", events: join(start, call("c"), done), outcome: interrupted(form), asks: true},
		{rule: "a form and an approval", events: join(start, call("c"), done), outcome: interrupted(form, approvalOf("c")), asks: true},
		{rule: "resumed: nothing said", events: join(start, done), resumes: yes},
		{rule: "resumed: the result only", events: join(start, []string{resultOf("c")}, done), resumes: yes},
		{rule: "resumed: text only, the call stays open", events: join(start, said, done), resumes: yes},
		{rule: "resumed: result and text", events: join(start, []string{resultOf("c")}, said, done), resumes: yes},
		{rule: "resumed: cancelled", events: start, resumes: yes, outcome: Outcome{Status: Cancelled}},
		{rule: "resumed: cancelled after the result", events: join(start, []string{resultOf("c")}), resumes: yes, outcome: Outcome{Status: Cancelled}},
		{rule: "denied: nothing said", events: join(start, done), resumes: no},
		{rule: "denied: a result", events: join(start, []string{resultOf("c")}, done), resumes: no},
		{rule: "denied: text", events: join(start, said, done), resumes: no},
		{rule: "given up: nothing said", events: join(start, done), resumes: given},
		{rule: "resumed: asks again about the same call", events: join(start, done), resumes: yes, outcome: interrupted(approvalOf("c")), asks: true},
		{rule: "resumed: asks about another call", events: join(start, []string{resultOf("c")}, call("e"), done), resumes: yes, outcome: interrupted(approvalOf("e")), asks: true},
		{rule: "denied: asks for input", events: join(start, []string{resultOf("c")}, done), resumes: no, outcome: interrupted(form), asks: true},
	} {
		for _, p := range []aisdk.Profile{aisdk.V6, aisdk.V7} {
			t.Run(tc.rule+" "+p.String(), func(t *testing.T) {
				m := &aisdk.Message{}
				run := Run{ThreadID: "t", RunID: "r", First: "r0", Profile: p, Answers: tc.resumes}
				tr := NewToAISDK(run)
				if tc.resumes != nil {
					opening := Run{ThreadID: "t", RunID: "r0", First: "r0", Profile: p}
					m = show(t, p, nil, translated(t, NewToAISDK(opening), before, interrupted(approvalOf("c"))))
					if answerAll(m) != 1 {
						t.Fatal("the first run does not ask")
					}
					if err := tr.Prime(aguiFrames(t, before)); err != nil {
						t.Fatal(err)
					}
				}
				m = show(t, p, m, translated(t, tr, tc.events, tc.outcome))
				if posts(*m) {
					t.Fatalf("the chat posts again: %s", text(t, m))
				}
				want := 0
				if tc.asks {
					want = 1
				}
				if times := answerAll(m); times != want {
					t.Errorf("answering makes the chat post %d times, want %d: %s", times, want, text(t, m))
				}
			})
		}
	}
}

// An error keeps a chat from posting whatever the message looks like.
func TestAFailedRunEndsInAnError(t *testing.T) {
	chunks := translated(t, NewToAISDK(Run{First: "r"}), join([]string{runStarted}, call("c"), []string{resultOf("c")}), Outcome{Status: Failed, Message: "no"})
	if last := string(chunks[len(chunks)-1]); last != `{"type":"error","errorText":"no"}` {
		t.Error(last)
	}
}

func translated(t *testing.T, tr *ToAISDK, events []string, o Outcome) [][]byte {
	t.Helper()
	var out [][]byte
	for _, f := range aguiFrames(t, events) {
		chunks, err := tr.Next(f)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, chunks...)
	}
	last, err := tr.Finish(o)
	if err != nil {
		t.Fatal(err)
	}
	return append(out, last...)
}

// show gives the message as a chat shows it after the chunks.
func show(t *testing.T, p aisdk.Profile, m *aisdk.Message, chunks [][]byte) *aisdk.Message {
	t.Helper()
	if m != nil && len(m.Parts) == 0 {
		m = nil
	}
	r := aisdk.NewReducer(aisdk.ReducerOptions{Profile: p, Message: m})
	for _, raw := range chunks {
		f, _, err := aisdk.ParseFrame(raw)
		if err == nil {
			err = p.Check(f)
		}
		if err == nil {
			err = r.Apply(f)
		}
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	}
	shown, _ := r.Shown()
	if m != nil && len(shown.Parts) < len(m.Parts) {
		shown.Parts = r.Message().Parts[:len(m.Parts)]
	}
	return &shown
}
