package asked

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

const (
	hello = `{"id":"u","role":"user","parts":[{"type":"text","text":"pay"}]}`
	spare = `{"type":"tool-pay","toolCallId":"c","state":"approval-responded","input":{"euros":5},"approval":{"id":"a","approved":true}}`
)

// turn is what an agent said that stops to ask whether it may pay, and with a step that has
// a call for the browser beside.
var turn = frames(
	`{"type":"start","messageId":"m"}`,
	`{"type":"start-step"}`,
	`{"type":"tool-input-available","toolCallId":"c","toolName":"pay","input":{"euros":5},"providerMetadata":{"p":{"sig":"s1"}}}`,
	`{"type":"tool-approval-request","approvalId":"a","toolCallId":"c","signature":"s2","approvalDescriptor":{"d":1}}`,
	`{"type":"finish-step"}`,
	`{"type":"finish"}`,
)

var beside = frames(
	`{"type":"start","messageId":"m"}`,
	`{"type":"tool-input-available","toolCallId":"c","toolName":"pay","input":{"euros":5}}`,
	`{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}`,
	`{"type":"tool-input-available","toolCallId":"w","toolName":"where","input":{}}`,
	`{"type":"finish"}`,
)

// again is the same turn after it has gone on, and stopped to ask about another call.
var again = append(turn[:len(turn):len(turn)], frames(
	`{"type":"start"}`,
	`{"type":"tool-output-available","toolCallId":"c","output":"paid"}`,
	`{"type":"start-step"}`,
	`{"type":"tool-input-available","toolCallId":"c2","toolName":"pay","input":{"euros":5}}`,
	`{"type":"tool-approval-request","approvalId":"a2","toolCallId":"c2"}`,
	`{"type":"finish"}`,
)...)

var toPayAgain = []session.Settled{{
	Request:  hitl.Request{ID: "a2", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c2", Name: "pay", Args: jsontext.Value(`{"euros":5}`)}},
	Response: hitl.Response{Decision: &hitl.ToolDecision{}},
}}

var toPay = hitl.Request{ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "pay", Args: jsontext.Value(`{"euros":5}`)}}

func frames(lines ...string) [][]byte {
	out := make([][]byte, len(lines))
	for i, line := range lines {
		out[i] = []byte(line)
	}
	return out
}

func post(messages ...string) []byte {
	return []byte(`{"id":"t","messages":[` + strings.Join(messages, ",") + `],"trigger":"submit-message"}`)
}

func decided(approved bool, reason string) []session.Settled {
	return []session.Settled{{Request: toPay, Response: hitl.Response{Decision: &hitl.ToolDecision{Approved: approved, Reason: reason}}}}
}

// lastParts gives the tool parts of the last message of a body, as far as they decide what
// an agent does.
func lastParts(t *testing.T, body []byte) []string {
	t.Helper()
	var chat struct {
		Messages []struct {
			Parts []struct {
				ToolCallID string         `json:"toolCallId"`
				State      string         `json:"state"`
				Input      jsontext.Value `json:"input"`
				Output     jsontext.Value `json:"output"`
				ErrorText  string         `json:"errorText"`
				Approval   jsontext.Value `json:"approval"`
				Metadata   jsontext.Value `json:"callProviderMetadata"`
			} `json:"parts"`
		} `json:"messages"`
	}
	if err := json.Unmarshal(body, &chat); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	var out []string
	for _, p := range chat.Messages[len(chat.Messages)-1].Parts {
		if p.ToolCallID != "" {
			out = append(out, strings.Join([]string{p.ToolCallID, p.State, string(p.Input), string(p.Output) + p.ErrorText, string(p.Approval), string(p.Metadata)}, " "))
		}
	}
	return out
}

func TestANewTurnIsPostedByteForByte(t *testing.T) {
	input := []byte(`{ "id":"t","messages":[` + hello + `], "trigger":"submit-message","model":"big" }`)
	_, body, err := Chat(session.Call{ThreadID: "t", RunID: "r", First: "r", Protocol: session.AISDK, Input: input})
	if err != nil || string(body) != string(input) {
		t.Errorf("got %s, %v", body, err)
	}
}

// What an agent acts on is built from what it said itself and from the answers: nothing that
// a chat sends beside them counts, and nothing that it has dropped is missing.
func TestTheAskedMessageIsTheLogsOwn(t *testing.T) {
	const signed = `c approval-responded {"euros":5}  {"id":"a","approved":true,"signature":"s2","descriptor":{"d":1}} {"p":{"sig":"s1"}}`
	for _, tc := range []struct {
		name string
		sent string // the chat's copy of the message
		turn [][]byte
		by   []session.Settled
		want []string
	}{
		{"approved, and the chat has dropped the signature", spare, turn, decided(true, ""), []string{signed}},
		{"approved, and the chat has other arguments", strings.Replace(spare, "5", "500", 1), turn, decided(true, ""), []string{signed}},
		{"approved, and the chat has another signature", strings.Replace(spare, `"id":"a"`, `"id":"a","signature":"x"`, 1), turn, decided(true, ""), []string{signed}},
		{"approved, and the chat has no message", "", turn, decided(true, ""), []string{signed}},
		{"denied, whatever the chat says", spare, turn, decided(false, "no"), []string{
			`c approval-responded {"euros":5}  {"id":"a","approved":false,"reason":"no","signature":"s2","descriptor":{"d":1}} {"p":{"sig":"s1"}}`,
		}},
		{"a call beside it that nobody ran", spare, beside, decided(true, ""), []string{
			`c approval-responded {"euros":5}  {"id":"a","approved":true} `, `w output-error {} ` + notRun + `  `,
		}},
		{"a call beside it that the browser ran", spare + `,{"type":"tool-where","toolCallId":"w","state":"output-available","input":{},"output":"Oslo"}`, beside, decided(true, ""), []string{
			`c approval-responded {"euros":5}  {"id":"a","approved":true} `, `w output-available {} "Oslo"  `,
		}},
		{"a decision of before, whose outcome is known", "", again, toPayAgain, []string{
			`c output-available {"euros":5} "paid" {"id":"a","approved":true,"signature":"s2","descriptor":{"d":1}} {"p":{"sig":"s1"}}`,
			`c2 approval-responded {"euros":5}  {"id":"a2","approved":false} `,
		}},
		{"nobody has answered", spare, turn, nil, []string{
			`c approval-requested {"euros":5}  {"id":"a","signature":"s2","descriptor":{"d":1}} {"p":{"sig":"s1"}}`,
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			input := post(hello)
			if tc.sent != "" {
				input = post(hello, `{"id":"m","role":"assistant","parts":[`+tc.sent+`]}`)
			}
			_, body, err := Chat(session.Call{
				ThreadID: "t", RunID: "r2", First: "r1", Protocol: session.AISDK, Input: input, Settled: tc.by, Turn: tc.turn,
				Origin: session.Asking{Input: post(hello), Protocol: session.AISDK},
			})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, lastParts(t, body)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// A history cannot make an agent run what was never allowed.
func TestWhatAHistoryLeavesOpenIsSettled(t *testing.T) {
	for _, tc := range []struct{ name, part, want string }{
		{"a decision", spare, `c output-denied {"euros":5}  {"id":"a","approved":false,"reason":"Nobody allowed this call; it did not run."} `},
		{"a question", strings.Replace(strings.Replace(spare, "responded", "requested", 1), `,"approved":true`, "", 1), `c output-denied {"euros":5}  {"id":"a","approved":false,"reason":"Nobody allowed this call; it did not run."} `},
		{"a call for the browser", `{"type":"tool-where","toolCallId":"w","state":"input-available","input":{}}`, `w output-error {} Nobody ran this call.  `},
		{"a result", `{"type":"tool-where","toolCallId":"w","state":"output-available","input":{},"output":1}`, `w output-available {} 1  `},
		{"an error beside an approval that nobody gave", `{"type":"tool-pay","toolCallId":"c","state":"output-error","input":{},"errorText":"x","approval":{"id":"a","approved":false}}`, `c output-error {} x {"id":"a","approved":false} `},
		{"a result that does not fit the tool", `{"type":"tool-where","toolCallId":"w","state":"output-error","rawInput":"{x","errorText":"bad"}`, `w output-error  bad  `},
	} {
		t.Run(tc.name, func(t *testing.T) {
			input := post(hello, `{"id":"m","role":"assistant","parts":[`+tc.part+`]}`)
			_, body, err := Chat(session.Call{ThreadID: "t", RunID: "r", First: "r", Protocol: session.AISDK, Input: input})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{tc.want}, lastParts(t, body)); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
