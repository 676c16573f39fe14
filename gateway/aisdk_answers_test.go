package gateway

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

const (
	wentOn   = `{"id":"u","role":"user","parts":[{"type":"text","text":"and now?"}]}`
	allowed  = `{"type":"tool-pay","toolCallId":"c","state":"approval-responded","input":{"euros":5},"approval":{"id":"a","approved":true}}`
	paid     = `{"type":"tool-pay","toolCallId":"c","state":"output-available","input":{"euros":5},"output":"paid","approval":{"id":"a","approved":true}}`
	waits    = `{"type":"tool-pay","toolCallId":"c","state":"approval-requested","input":{"euros":5},"approval":{"id":"a"}}`
	filled   = `{"type":"tool-request_input","toolCallId":"f","state":"output-available","input":{},"output":{"action":"accept","content":{}}}`
	unfilled = `{"type":"tool-request_input","toolCallId":"f","state":"input-available","input":{}}`
)

func message(id, parts string) string {
	return `{"id":"` + id + `","role":"assistant","parts":[` + parts + `]}`
}

var (
	approval = hitl.Request{ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "pay", Args: jsontext.Value(`{"euros":5}`)}}
	form     = hitl.Request{ID: "f", Kind: hitl.KindInput, Call: &hitl.ToolCall{ID: "f", Name: "request_input"}, Input: &hitl.InputRequest{ID: "f"}}
)

// What counts as an answer is what stands in the message that asks: what came with another
// message was answered to something else.
func TestAChatAnswersInTheMessageThatAsks(t *testing.T) {
	asks := func(parts string) *aisdk.Message { return chatWith(t, message("m2", parts)).Continued() }
	tests := []struct {
		name     string
		messages string
		asking   *aisdk.Message
		state    session.State
		answers  []string // what they answer
		rule     error
	}{
		{"a decision in it", message("m2", allowed), asks(waits), awaiting(approval), []string{"a"}, nil},
		{"a decision in it, and the user went on", message("m2", allowed) + "," + wentOn, asks(waits), awaiting(approval), []string{"a"}, nil},
		{"a form in it", message("m2", filled), asks(unfilled), awaiting(form), []string{"f"}, nil},
		{"both", message("m2", allowed+","+filled), asks(waits + "," + unfilled), awaiting(approval, form), []string{"a", "f"}, nil},
		{"a decision of another message, which comes last", message("m1", allowed), asks(waits), awaiting(approval), nil, hitl.ErrUnknown},
		{"a decision of another message, and the user went on", message("m1", allowed) + "," + wentOn, asks(waits), awaiting(approval), nil, nil},
		{"a form of another message, which comes last", message("m1", filled), asks(unfilled), awaiting(form), nil, nil},
		{"a form of another message, and the user went on", message("m1", filled) + "," + wentOn, asks(unfilled), awaiting(form), nil, nil},
		{"a form of before, and the one that is open", message("m1", filled) + "," + message("m2", unfilled) + "," + wentOn, asks(unfilled), awaiting(form), nil, nil},
		{"an old decision under the id of a new question", message("m1", allowed), asks(waits), settledToo(awaiting(approval), approval), nil, hitl.ErrAlreadySettled},
		{"an old form under the id of a new one", message("m1", filled), asks(unfilled), settledToo(awaiting(form), form), nil, hitl.ErrAlreadySettled},
		{"what was settled and is sent again", message("m1", allowed), nil, settledToo(session.State{}, approval), []string{"a"}, nil},
		{"what was settled long ago", message("m1", allowed) + "," + wentOn, nil, settledToo(session.State{}, approval), nil, nil},
		{"nothing was ever asked", message("m1", allowed), nil, session.State{}, nil, hitl.ErrUnknown},
		{"a decision that names nothing", message("m2", `{"type":"tool-pay","toolCallId":"c","state":"approval-responded","input":{}}`), asks(waits), awaiting(approval), nil, hitl.ErrUnknown},
		{"a result is no decision", message("m2", paid), asks(waits), awaiting(approval), nil, nil},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			answers, err := chatAnswers(chatWith(t, tc.messages), tc.state, tc.asking)
			if !errors.Is(err, tc.rule) {
				t.Fatalf("error %v, want %v", err, tc.rule)
			}
			var got []string
			for _, a := range answers {
				got = append(got, a.RequestID)
			}
			if len(got) != len(tc.answers) {
				t.Fatalf("answers %q, want %q", got, tc.answers)
			}
			for i := range got {
				if got[i] != tc.answers[i] {
					t.Fatalf("answers %q, want %q", got, tc.answers)
				}
			}
		})
	}
}

// A call that the agent names like an older one is decided under the name that the chat
// knows, and the older one decides nothing.
func TestADecisionIsReadUnderTheIDThatTheChatWasTold(t *testing.T) {
	tag := `"callProviderMetadata":{"ag-ui":{"toolCallId":"c"}}`
	told := `{"type":"tool-pay","toolCallId":"c@2","state":"approval-requested","input":{"euros":5},"approval":{"id":"a"},` + tag + `}`
	asking := chatWith(t, message("m", paid+","+told)).Continued()
	for _, tc := range []struct {
		name, call string
		approved   bool
	}{
		{"the one that was told", "c@2", true},
		{"the older one", "c", false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			given := `{"type":"tool-pay","toolCallId":"` + tc.call + `","state":"approval-responded","input":{"euros":5},"approval":{"id":"a","approved":true}}`
			answers, err := chatAnswers(chatWith(t, message("m", given)), awaiting(approval), asking)
			if err != nil || len(answers) != 1 {
				t.Fatalf("answers %v, %v", answers, err)
			}
			r, err := answers[0].Read(approval)
			if got := err == nil && r.Decision.Approved; got != tc.approved {
				t.Errorf("approved %t, %v", got, err)
			}
		})
	}
}

func awaiting(requests ...hitl.Request) session.State {
	return session.State{Phase: session.Awaiting, Pending: requests}
}

func settledToo(s session.State, q hitl.Request) session.State {
	s.Settled = []session.Settled{{Request: q, Response: hitl.Response{Decision: &hitl.ToolDecision{}}}}
	return s
}

func chatWith(t *testing.T, messages string) *aisdk.ChatRequest {
	t.Helper()
	post, err := aisdk.ParseChatPost([]byte(`{"id":"t","trigger":"submit-message","messages":[` + messages + `]}`))
	if err != nil {
		t.Fatal(err)
	}
	return &post.ChatRequest
}

func TestAChatCannotDecideWhatHasExpired(t *testing.T) {
	ran := 0
	asks := stub{name: "late", protocol: session.AISDK, run: func(_ context.Context, call session.Call, yield func(session.Output, error) bool) {
		if len(call.Settled) > 0 {
			ran++
		}
		for _, chunk := range []string{
			`{"type":"start","messageId":"m"}`, `{"type":"tool-input-available","toolCallId":"c","toolName":"pay","input":{"euros":5}}`,
			`{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}`, `{"type":"finish"}`,
		} {
			if !yield(session.Output{Frame: []byte(chunk)}, nil) {
				return
			}
		}
		q := approval
		q.ExpiresAt = time.Now().Add(-time.Second)
		yield(session.Output{End: &session.End{Status: session.Interrupted, Requests: []hitl.Request{q}, Spoken: true}}, nil)
	}}
	r := newRig(t, func(h *session.Options, _ *Options) { h.Agents = append(h.Agents, asks) })
	say := func(messages string) (int, string) {
		t.Helper()
		body := `{"id":"t","trigger":"submit-message","messages":[{"id":"u0","role":"user","parts":[{"type":"text","text":"hi"}]}` + messages + `]}`
		res, err := http.Post(r.web.URL+"/v1/agents/late/aisdk", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return res.StatusCode, string(text)
	}
	if status, text := say(""); status != http.StatusOK || !strings.Contains(text, `"tool-approval-request"`) {
		t.Fatalf("%d %s", status, text)
	}
	status, text := say("," + message("m", allowed))
	if status != http.StatusGone || !strings.Contains(text, string(session.CodeResumeExpired)) || ran > 0 {
		t.Errorf("%d %s, and the agent went on %d times", status, text, ran)
	}
}
