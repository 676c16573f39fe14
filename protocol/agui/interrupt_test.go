package agui

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

const (
	withEdits = `{"type":"object","properties":{"approved":{"type":"boolean"},"editedArgs":{"type":"object"}}}`
	plainYes  = `{"type":"object","properties":{"approved":{"type":"boolean"}}}`
	aForm     = `{"type":"object","properties":{"city":{"type":"string"}}}`
)

func TestInterruptBecomesARequest(t *testing.T) {
	for _, tc := range []struct {
		rule      string
		in        Interrupt
		kind      hitl.RequestKind
		answers   hitl.ApprovalAnswers
		inputKind hitl.InputKind
	}{
		{"about a call: an approval, with a reason", Interrupt{ToolCallID: Set("c")}, hitl.KindApproval, hitl.ApprovalAnswers{Reason: true}, ""},
		{"the schema says what can be answered", Interrupt{ToolCallID: Set("c"), ResponseSchema: jsontext.Value(withEdits)}, hitl.KindApproval, hitl.ApprovalAnswers{EditedArgs: true}, ""},
		{"and nothing else is offered", Interrupt{ToolCallID: Set("c"), ResponseSchema: jsontext.Value(plainYes)}, hitl.KindApproval, hitl.ApprovalAnswers{}, ""},
		{"both", Interrupt{ToolCallID: Set("c"), ResponseSchema: hitl.ApprovalSchema(hitl.ApprovalAnswers{Reason: true, EditedArgs: true})}, hitl.KindApproval, hitl.ApprovalAnswers{Reason: true, EditedArgs: true}, ""},
		{"a schema that asks for something else", Interrupt{ToolCallID: Set("c"), ResponseSchema: jsontext.Value(aForm)}, hitl.KindInput, hitl.ApprovalAnswers{}, hitl.InputForm},
		{"no call: an input, even if the reason says otherwise", Interrupt{Reason: ReasonToolCall, ResponseSchema: jsontext.Value(withEdits)}, hitl.KindInput, hitl.ApprovalAnswers{}, hitl.InputForm},
		{"neither call nor schema: a confirmation", Interrupt{Reason: "acme:odd"}, hitl.KindInput, hitl.ApprovalAnswers{}, hitl.InputConfirmation},
		{"a confirmation says so", Interrupt{Reason: ReasonConfirmation, ResponseSchema: jsontext.Value(aForm)}, hitl.KindInput, hitl.ApprovalAnswers{}, hitl.InputConfirmation},
	} {
		tc.in.ID = "i"
		q := tc.in.Request(nil)
		if q.ID != "i" || q.Kind != tc.kind || q.Answers != tc.answers || string(q.Schema) != string(tc.in.ResponseSchema) {
			t.Errorf("%s: %+v", tc.rule, q)
		}
		if tc.kind == hitl.KindInput && (q.Input == nil || q.Input.Kind != tc.inputKind) {
			t.Errorf("%s: input %+v", tc.rule, q.Input)
		}
		if tc.in.ToolCallID.Present() && (q.Call == nil || q.Call.ID != "c" || q.Call.Executor != hitl.ExecutorAgent) {
			t.Errorf("%s: call %+v", tc.rule, q.Call)
		}
		if !tc.in.ToolCallID.Present() && q.Call != nil {
			t.Errorf("%s: call %+v out of nothing", tc.rule, q.Call)
		}
	}
}

func TestInterruptShowsTheCallAndTheMessage(t *testing.T) {
	call := &hitl.ToolCall{ID: "c", Name: "send", Args: jsontext.Value(`{}`), Executor: hitl.ExecutorAgent}
	q := Interrupt{ID: "i", ToolCallID: Set("c"), Message: Set("Send?"), Metadata: jsontext.Value(`{"k":1}`)}.Request(call)
	if q.Call != call || q.Input == nil || q.Input.Message != "Send?" || string(q.Input.Metadata) != `{"k":1}` || q.Input.ToolCallID != "c" {
		t.Errorf("got %+v, input %+v", q, q.Input)
	}
}

func TestInterruptIsAboutTheCallWhoseIDItHas(t *testing.T) {
	call := &hitl.ToolCall{ID: "c", Name: hitl.AskUserTool, Executor: hitl.ExecutorAgent}
	asks := Interrupt{ID: "c", ResponseSchema: jsontext.Value(aForm)}
	if id := asks.About(); id != "c" {
		t.Errorf("about %q", id)
	}
	if q := asks.Request(call); q.Kind != hitl.KindInput || q.Call != call {
		t.Errorf("got %+v", q)
	}
	asks = Interrupt{ID: "c", ResponseSchema: jsontext.Value(withEdits)}
	if q := asks.Request(call); q.Kind != hitl.KindInput {
		t.Errorf("an interrupt that names no call became an approval of one: %+v", q)
	}
	if id := (Interrupt{ID: "i", ToolCallID: Set("c")}).About(); id != "c" {
		t.Errorf("about %q, not the call that it names", id)
	}
}

// A limit that nobody can read counts as passed.
func TestExpiryOfInterrupts(t *testing.T) {
	now := time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)
	for text, expired := range map[string]bool{
		"": true, "2026-12-01T12:00:01Z": false, "2026-12-01T13:00:00.5+00:00": false,
		"2026-12-01T12:00:00Z": true, "2026-12-01T12:30:00+01:00": true, "2020-01-01T00:00:00Z": true,
		"tomorrow": true, "2099-01-01": true, "4102444800": true, "2099-13-01T00:00:00Z": true, " ": true,
	} {
		for _, schema := range []string{"", aForm} {
			q := Interrupt{ID: "i", ToolCallID: Set("c"), ExpiresAt: Set(text), ResponseSchema: jsontext.Value(schema)}.Request(nil)
			if got := q.Expired(now); got != expired {
				t.Errorf("%q: expired %v, want %v", text, got, expired)
			}
		}
	}
}

// What another kind of agent asks comes back as the same request.
func TestInterruptForARequest(t *testing.T) {
	limit := time.Date(2026, 12, 1, 13, 0, 0, 500, time.UTC)
	for _, q := range []hitl.Request{
		{ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "send", Executor: hitl.ExecutorAgent}, Answers: hitl.ApprovalAnswers{Reason: true}},
		{ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "send", Executor: hitl.ExecutorAgent}, Answers: hitl.ApprovalAnswers{Reason: true, EditedArgs: true}, ExpiresAt: limit},
		{ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "send", Executor: hitl.ExecutorAgent}, Input: &hitl.InputRequest{Message: "Really?"}},
		{ID: "b", Kind: hitl.KindInput, Input: &hitl.InputRequest{Message: "Where?", Schema: jsontext.Value(aForm)}},
	} {
		i := InterruptFor(q)
		if f, err := Encode(&RunFinished{
			Base: Base{Kind: TypeRunFinished}, ThreadID: "t", RunID: "r",
			Outcome: &Outcome{Type: OutcomeInterrupt, Interrupts: []Interrupt{i}},
		}); err != nil {
			t.Errorf("%+v: %v", f, err)
		}
		back := i.Request(q.Call)
		if back.ID != q.ID || back.Kind != q.Kind || back.Answers != q.Answers || !back.ExpiresAt.Equal(q.ExpiresAt) || back.Call != q.Call {
			t.Errorf("asked %+v, got back %+v", q, back)
		}
		if back.Input == nil || back.Input.Message == "" || q.Input != nil && back.Input.Message != q.Input.Message {
			t.Errorf("asked %+v, the person reads %+v", q.Input, back.Input)
		}
		wantReason := ReasonInputRequired
		if q.Kind == hitl.KindApproval {
			wantReason = ReasonToolCall
		}
		if i.Reason != wantReason {
			t.Errorf("reason %q, want %q", i.Reason, wantReason)
		}
	}
}
