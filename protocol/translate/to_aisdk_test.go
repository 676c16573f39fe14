package translate

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

var writeChunks = flag.Bool("update-chunks", false, "write the golden chunk streams")

// chunkStreams holds the golden streams; the end-to-end tests give the same files to
// the published ai package.
const chunkStreams = "../../testdata/chunks"

const (
	runStarted  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	runFinished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
)

var (
	said = []string{
		runStarted,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"Hel\"lo"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":" <b>"}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
	}
	called = append(said[:len(said):len(said)],
		`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"send_email","parentMessageId":"m"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"to\":"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"\"ada\"}"}`,
		`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
	)
	settledCall = `{"type":"TOOL_CALL_RESULT","messageId":"x","toolCallId":"c","content":"sent"}`
	closing     = []string{
		`{"type":"TEXT_MESSAGE_START","messageId":"m2"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m2","delta":"Done."}`,
		`{"type":"TEXT_MESSAGE_END","messageId":"m2"}`,
	}
	approval = hitl.Request{
		ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "send_email", Executor: hitl.ExecutorAgent},
	}
	explained = hitl.Request{ID: "a", Kind: hitl.KindApproval, Call: approval.Call, Input: &hitl.InputRequest{ID: "a", Message: "It costs money."}}
	form      = hitl.Request{ID: "i", Kind: hitl.KindInput, Input: &hitl.InputRequest{
		ID: "i", Message: "How many?", Schema: jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
	}}
	ofCall = hitl.Request{ID: "c", Kind: hitl.KindInput, Call: approval.Call, Input: &hitl.InputRequest{
		ID: "c", Message: "How many?", Schema: jsontext.Value(`{"type":"object","properties":{"n":{"type":"integer"}}}`),
	}}
)

func decided(yes bool, reason string) []Answered {
	return []Answered{{Request: approval, Response: hitl.Response{Decision: &hitl.ToolDecision{Approved: yes, Reason: reason}}}}
}

func join(lists ...[]string) []string {
	var all []string
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}

var streams = []struct {
	name    string
	before  []string // of the run this one continues
	events  []string
	answers []Answered
	outcome Outcome
	state   aisdk.PartState // of the tool call afterwards, "" if there is none
}{
	{name: "text", events: join(said, []string{runFinished})},
	{name: "tool-with-result-and-text", events: join(called, []string{settledCall}, closing, []string{runFinished}), state: aisdk.StateOutputAvailable},
	{name: "tool-with-result-last", events: join(called, []string{settledCall, runFinished}), state: aisdk.StateOutputAvailable},
	{name: "approval-requested", events: join(called, []string{runFinished}), outcome: Outcome{Status: Interrupted, Requests: []hitl.Request{approval}}, state: aisdk.StateApprovalRequested},
	{name: "approval-requested-with-a-message", events: join(called, []string{runFinished}), outcome: Outcome{Status: Interrupted, Requests: []hitl.Request{explained}}, state: aisdk.StateApprovalRequested},
	{name: "approved-and-resumed", before: called, events: join([]string{runStarted, settledCall}, closing, []string{runFinished}), answers: decided(true, ""), state: aisdk.StateOutputAvailable},
	{name: "denied-and-resumed", before: called, events: join([]string{runStarted, settledCall}, closing, []string{runFinished}), answers: decided(false, "no"), state: aisdk.StateOutputDenied},
	{name: "resumed-with-a-result-only", before: called, events: []string{runStarted, settledCall, runFinished}, answers: decided(true, ""), state: aisdk.StateOutputAvailable},
	{name: "input-requested", events: join(said, []string{runFinished}), outcome: Outcome{Status: Interrupted, Requests: []hitl.Request{form}}},
	{name: "input-requested-by-a-call-of-the-same-id", events: join(called, []string{runFinished}), outcome: Outcome{Status: Interrupted, Requests: []hitl.Request{ofCall}}, state: aisdk.StateInputAvailable},
	{name: "failed-mid-message", events: said[:3], outcome: Outcome{Status: Failed, Message: "it broke"}},
	{name: "cancelled", events: join(said, []string{runFinished}), outcome: Outcome{Status: Cancelled}},
	{name: "reasoning-and-state", events: []string{
		runStarted, `{"type":"REASONING_START","messageId":"q"}`, `{"type":"REASONING_MESSAGE_START","messageId":"q","role":"reasoning"}`,
		`{"type":"REASONING_MESSAGE_CONTENT","messageId":"q","delta":"hm"}`, `{"type":"REASONING_MESSAGE_END","messageId":"q"}`,
		`{"type":"REASONING_END","messageId":"q"}`, `{"type":"STATE_SNAPSHOT","snapshot":{"n":12345678901234567890}}`, runFinished,
	}},
}

func aguiFrames(t *testing.T, events []string) []agui.Frame {
	t.Helper()
	frames := make([]agui.Frame, len(events))
	for i, e := range events {
		f, _, err := agui.ParseFrame([]byte(e))
		if err != nil {
			t.Fatal(err)
		}
		frames[i] = f
	}
	return frames
}

func translateEvents(t *testing.T, profile aisdk.Profile, before, events []string, answers []Answered, o Outcome) [][]byte {
	t.Helper()
	tr := NewToAISDK(Run{ThreadID: "t", RunID: "r", First: "r0", Answers: answers, Profile: profile})
	if err := tr.Prime(aguiFrames(t, before)); err != nil {
		t.Fatal(err)
	}
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

// profiles are those that chats have.
var profiles = map[string]aisdk.Profile{"v6": aisdk.V6, "v7": aisdk.V7}

func TestEventsBecomeTheGoldenChunks(t *testing.T) {
	for name, profile := range profiles {
		for _, tc := range streams {
			t.Run(name+"/"+tc.name, func(t *testing.T) {
				chunks := translateEvents(t, profile, tc.before, tc.events, tc.answers, tc.outcome)
				if again := translateEvents(t, profile, tc.before, tc.events, tc.answers, tc.outcome); !slices.EqualFunc(again, chunks, bytes.Equal) {
					t.Error("the same events give other chunks the second time")
				}
				golden(t, filepath.Join(chunkStreams, name, tc.name+".jsonl"), chunks)
			})
		}
	}
}

// golden holds chunks against a file, one a line.
func golden(t *testing.T, path string, chunks [][]byte) {
	t.Helper()
	got := append(bytes.Join(chunks, []byte("\n")), '\n')
	if *writeChunks {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s: got\n%s\nwant\n%s", path, got, want)
	}
}

// A chat that holds the message so far must be able to apply the chunks, and its call
// must end in the state that the answer means.
func TestChunksApplyToTheMessageOfTheTurn(t *testing.T) {
	for name, profile := range profiles {
		for _, tc := range streams {
			t.Run(name+"/"+tc.name, func(t *testing.T) {
				r := &aisdk.Reducer{}
				if tc.before != nil {
					before := translateEvents(t, profile, nil, tc.before, nil, Outcome{Status: Interrupted, Requests: []hitl.Request{approval}})
					apply(t, r, before)
					r.Message().Respond(approval, tc.answers[0].Response)
					r = aisdk.Continue(*r.Message())
				}
				apply(t, r, translateEvents(t, profile, tc.before, tc.events, tc.answers, tc.outcome))
				if !r.Ended() {
					t.Error("the stream has no terminal chunk")
				}
				if tc.state != "" && r.Message().ToolPart("c").State != tc.state {
					t.Errorf("the call ends %s, want %s", r.Message().ToolPart("c").State, tc.state)
				}
				if id := r.Message().ID; id != "msg-r0" && tc.outcome.Status != Failed {
					t.Errorf("the message is %q; a turn is one message", id)
				}
			})
		}
	}
}

func apply(t *testing.T, r *aisdk.Reducer, chunks [][]byte) {
	t.Helper()
	for _, raw := range chunks {
		f, warnings, err := aisdk.ParseFrame(raw)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v %v", raw, err, warnings)
		}
		if err := r.Apply(f); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	}
}

func TestNoOptionalMemberIsNull(t *testing.T) {
	for name, profile := range profiles {
		for _, tc := range streams {
			for _, raw := range translateEvents(t, profile, tc.before, tc.events, tc.answers, tc.outcome) {
				if strings.Contains(string(raw), "null") {
					t.Errorf("%s of %s: %s has a null", tc.name, name, raw)
				}
			}
		}
	}
}
