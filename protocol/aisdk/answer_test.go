package aisdk

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// A decision binds the approval, the call, its tool and its input: whatever differs from
// what was asked about decides nothing.
func TestADecisionBindsWhatWasAsked(t *testing.T) {
	q := hitl.Request{ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "pay", Args: jsontext.Value(`{"euros":5,"to":"ada"}`)}}
	for _, tc := range []struct {
		rule, part string
		path       string // of the fault; "-" for none
	}{
		{"as it was asked", `{"type":"tool-pay","toolCallId":"c","state":"approval-responded","input":{"euros":5,"to":"ada"},"approval":{"id":"a","approved":true}}`, "-"},
		{"written otherwise", `{"type":"tool-pay","toolCallId":"c","state":"approval-responded","input":{"to":"ada","euros":5.0},"approval":{"id":"a","approved":true}}`, "-"},
		{"dynamic now", `{"type":"dynamic-tool","toolName":"pay","toolCallId":"c","state":"approval-responded","input":{"euros":5,"to":"ada"},"approval":{"id":"a","approved":true}}`, "-"},
		{"another approval", `{"type":"tool-pay","toolCallId":"c","state":"approval-responded","input":{"euros":5,"to":"ada"},"approval":{"id":"b","approved":true}}`, "/approval"},
		{"not decided", `{"type":"tool-pay","toolCallId":"c","state":"approval-requested","input":{"euros":5,"to":"ada"},"approval":{"id":"a"}}`, "/approval"},
		{"decided and run", `{"type":"tool-pay","toolCallId":"c","state":"output-available","input":{"euros":5,"to":"ada"},"output":1,"approval":{"id":"a","approved":true}}`, "/approval"},
		{"another call", `{"type":"tool-pay","toolCallId":"d","state":"approval-responded","input":{"euros":5,"to":"ada"},"approval":{"id":"a","approved":true}}`, "/toolCallId"},
		{"another tool", `{"type":"tool-look","toolCallId":"c","state":"approval-responded","input":{"euros":5,"to":"ada"},"approval":{"id":"a","approved":true}}`, "/type"},
		{"another dynamic tool", `{"type":"dynamic-tool","toolName":"look","toolCallId":"c","state":"approval-responded","input":{"euros":5,"to":"ada"},"approval":{"id":"a","approved":true}}`, "/type"},
		{"another input", `{"type":"tool-pay","toolCallId":"c","state":"approval-responded","input":{"euros":6,"to":"ada"},"approval":{"id":"a","approved":true}}`, "/input"},
		{"more input", `{"type":"tool-pay","toolCallId":"c","state":"approval-responded","input":{"euros":5,"to":"ada","now":true},"approval":{"id":"a","approved":true}}`, "/input"},
		{"no input", `{"type":"tool-pay","toolCallId":"c","state":"approval-responded","approval":{"id":"a","approved":true}}`, "/input"},
	} {
		m, err := ParseMessage([]byte(held(tc.part)))
		if err != nil {
			t.Errorf("%s: %v", tc.rule, err)
			continue
		}
		got, err := m.Parts[0].Decision(q)
		if tc.path == "-" {
			if err != nil || got.Decision == nil || !got.Decision.Approved {
				t.Errorf("%s: %+v, %v", tc.rule, got, err)
			}
			continue
		}
		var fault *hitl.AnswerError
		if !errors.As(err, &fault) || !errors.Is(err, hitl.ErrInvalidPayload) || len(fault.Issues) != 1 || fault.Issues[0].Path != tc.path {
			t.Errorf("%s: %v, want a fault at %s", tc.rule, err, tc.path)
		}
		if got.Decision != nil {
			t.Errorf("%s: decides %+v", tc.rule, *got.Decision)
		}
	}
}
