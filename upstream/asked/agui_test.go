package asked

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// asks is what an AG-UI agent said that stops to ask, after it has set its state.
var asks = frames(
	`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
	`{"type":"STATE_SNAPSHOT","snapshot":{"step":1}}`,
	`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"pay","parentMessageId":"m"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{\"euros\":5}"}`,
	`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
	`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":[{"id":"a","reason":"tool_call","toolCallId":"c"}]}}`,
)

func TestAnInputOfAGUIIsPassedOnAsItIs(t *testing.T) {
	input := []byte(`{ "threadId":"t","runId":"r","messages":[] }`)
	call, err := AGUI(session.Call{ThreadID: "t", RunID: "r", Protocol: session.AGUI, Input: input}, session.AGUI)
	if err != nil || string(call.Input) != string(input) {
		t.Errorf("got %s, %v", call.Input, err)
	}
}

// An agent that goes on with what a chat has decided is sent what a client of AG-UI would
// send: the conversation with all that the agent said, its state, and the answers by the
// interrupts they are to.
func TestAChatsDecisionBecomesAResume(t *testing.T) {
	call, err := AGUI(session.Call{
		ThreadID: "t", RunID: "r2", First: "r1", Protocol: session.AISDK, Settled: decided(false, "no"), Turn: asks,
		Input:  post(hello, `{"id":"m","role":"assistant","parts":[`+spare+`]}`),
		Origin: session.Asking{Input: post(hello), Protocol: session.AISDK},
	}, session.AGUI)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := agui.ParseRunInput(call.Input)
	if err != nil {
		t.Fatal(err)
	}
	var messages []string
	for _, m := range in.Messages {
		messages = append(messages, string(m.Role)+" "+m.ID)
	}
	got := []any{call.Protocol, in.RunID, string(in.State), messages, len(in.Resume)}
	want := []any{session.AGUI, "r2", `{"step":1}`, []string{"user u", "assistant m"}, 1}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	e := in.Resume[0]
	if e.InterruptID != "a" || e.Status != agui.ResumeResolved || string(e.Payload) != `{"approved":false,"reason":"no"}` {
		t.Errorf("the answer is %s %s %s", e.InterruptID, e.Status, e.Payload)
	}
}

func TestANewTurnOfAChatIsAnInputOfAGUI(t *testing.T) {
	call, err := AGUI(session.Call{ThreadID: "t", RunID: "r", First: "r", Protocol: session.AISDK, Input: []byte(`{"id":"t","messages":[` + hello + `],"model":"big"}`)}, session.AGUI)
	if err != nil {
		t.Fatal(err)
	}
	in, _, err := agui.ParseRunInput(call.Input)
	if err != nil || in.ThreadID != "t" || in.RunID != "r" || len(in.Messages) != 1 || in.Messages[0].Text() != "pay" || len(in.Resume) != 0 {
		t.Errorf("got %s, %v", call.Input, err)
	}
	if string(in.ForwardedProps) != `{"model":"big"}` {
		t.Errorf("forwarded %s", in.ForwardedProps)
	}
}
