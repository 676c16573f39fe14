package hitl_test

import (
	"errors"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/hitl"
)

var now = time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC)

// onlySchema accepts a value if the schema is its very text.
func onlySchema(schema, value jsontext.Value) []hitl.Issue {
	if string(schema) == string(value) {
		return nil
	}
	return []hitl.Issue{{Path: "/x", Message: "expected " + string(schema)}}
}

func approval() hitl.Request {
	return hitl.Request{
		ID: "q1", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c1", Name: "send_email", Executor: hitl.ExecutorAgent},
		Answers: hitl.ApprovalAnswers{Reason: true, EditedArgs: true},
	}
}

func form(schema string) hitl.Request {
	return hitl.Request{ID: "q1", Kind: hitl.KindInput, Schema: raw(schema), Input: &hitl.InputRequest{ID: "q1", Kind: hitl.InputForm, Schema: raw(schema)}}
}

func clientTool() hitl.Request { return hitl.Request{ID: "q1", Kind: hitl.KindClientTool} }

func change(q hitl.Request, f func(*hitl.Request)) hitl.Request { f(&q); return q }

func TestCheck(t *testing.T) {
	yes, no := decided(hitl.ToolDecision{Approved: true}), decided(hitl.ToolDecision{Reason: "no"})
	edits := decided(hitl.ToolDecision{Approved: true, EditedArgs: raw(`{"to":"b"}`)})
	ran := output(`"approved"`)
	schema := func(s string) hitl.Request { return change(approval(), func(q *hitl.Request) { q.Schema = raw(s) }) }
	noEdits := change(approval(), func(q *hitl.Request) { q.Answers.EditedArgs = false })
	url := change(form(`{}`), func(q *hitl.Request) { q.Schema, q.Input.Kind, q.Input.URL = nil, hitl.InputURL, "https://x" })
	confirm := hitl.Request{ID: "q1", Kind: hitl.KindInput}

	for _, tc := range []struct {
		rule     string
		request  hitl.Request
		response hitl.Response
		want     error
	}{
		{"approved", approval(), yes, nil},
		{"denied", approval(), no, nil},
		{"approved with edits", approval(), edits, nil},
		{"edits the agent cannot take", noEdits, edits, hitl.ErrEditsNotSupported},
		{"edits to nothing the agent cannot take", noEdits, decided(hitl.ToolDecision{Approved: true, EditedArgs: raw(`{}`)}), hitl.ErrEditsNotSupported},
		{"edits of a denial have no effect", noEdits, decided(hitl.ToolDecision{EditedArgs: raw(`[`)}), nil},
		{"edits that are no object", approval(), decided(hitl.ToolDecision{Approved: true, EditedArgs: raw(`[1]`)}), hitl.ErrInvalidPayload},
		{"edits that are no JSON", approval(), decided(hitl.ToolDecision{Approved: true, EditedArgs: raw(`{"a"`)}), hitl.ErrInvalidPayload},
		{"approval cancelled", approval(), input(hitl.Cancel()), nil},
		{"approval accepted like an input", approval(), input(hitl.Accept(nil)), hitl.ErrInvalidPayload},
		{"approval declined like an input", approval(), input(hitl.Decline()), hitl.ErrInvalidPayload},
		{"approval answered by an output", approval(), ran, hitl.ErrInvalidPayload},
		{"no answer at all", approval(), hitl.Response{}, hitl.ErrInvalidPayload},
		{"only a payload", approval(), with(hitl.Response{}, `{"approved":true}`), hitl.ErrInvalidPayload},
		{"two answers", approval(), hitl.Response{Decision: yes.Decision, ToolOutput: ran.ToolOutput}, hitl.ErrInvalidPayload},
		{"a cancel that also approves", approval(), hitl.Response{Decision: yes.Decision, Input: input(hitl.Cancel()).Input}, hitl.ErrInvalidPayload},
		{"a kind nobody knows", hitl.Request{ID: "q1", Kind: "poll"}, yes, hitl.ErrInvalidPayload},
		{"a kind nobody knows, cancelled", hitl.Request{ID: "q1", Kind: "poll"}, input(hitl.Cancel()), nil},

		{"payload agrees", approval(), with(edits, `{"editedArgs":{ "to":"b"},"approved":true}`), nil},
		{"payload of another protocol", approval(), with(yes, `{"outcome":{"optionId":"a"}}`), nil},
		{"payload of text", approval(), with(yes, `"allow"`), nil},
		{"denial whose payload approves", approval(), with(no, `{"approved":true}`), hitl.ErrInvalidPayload},
		{"approval whose payload denies", approval(), with(yes, `{"approved":false}`), hitl.ErrInvalidPayload},
		{"denial whose payload says yes in words", approval(), with(no, `{"approved":"yes"}`), hitl.ErrInvalidPayload},
		{"payload with edits the decision lacks", approval(), with(yes, `{"approved":true,"editedArgs":{}}`), hitl.ErrInvalidPayload},
		{"payload without the edits", approval(), with(edits, `{"approved":true}`), hitl.ErrInvalidPayload},
		{"malformed payload", approval(), with(yes, `{"approved":true`), hitl.ErrInvalidPayload},

		{"payload fits the schema", schema(`{"approved":true,"n":1}`), with(yes, `{"approved":true,"n":1}`), nil},
		{"payload breaks the schema", schema(`{"approved":true,"n":1}`), with(yes, `{"approved":true}`), hitl.ErrInvalidPayload},
		{"denial breaks the schema", schema(`{"approved":true,"n":1}`), with(no, `{"approved":false}`), hitl.ErrInvalidPayload},
		{"approval without payload fits", schema(`{"approved":true}`), yes, nil},
		{"approval without payload breaks the schema", schema(`{"approved":true,"n":1}`), yes, hitl.ErrInvalidPayload},
		{"denial without payload owes nothing", schema(`{"approved":true,"n":1}`), no, nil},

		{"content fits", form(`{"a":1}`), input(hitl.Accept(raw(`{"a":1}`))), nil},
		{"content and payload fit", form(`{"a":1}`), with(input(hitl.Accept(raw(`{"a":1}`))), `{"a":1}`), nil},
		{"content breaks the schema", form(`{"a":1}`), input(hitl.Accept(raw(`{"a":2}`))), hitl.ErrInvalidPayload},
		{"payload breaks the schema, content fits", form(`{"a":1}`), with(input(hitl.Accept(raw(`{"a":1}`))), `{"a":2}`), hitl.ErrInvalidPayload},
		{"content fits, but not the schema of the whole", change(form(`1`), func(q *hitl.Request) { q.Schema = raw(`2`) }), with(input(hitl.Accept(raw(`1`))), `1`), hitl.ErrInvalidPayload},
		{"no content for a form", form(`{"a":1}`), input(hitl.Accept(nil)), hitl.ErrInvalidPayload},
		{"content that is no JSON", confirm, input(hitl.Accept(raw(`{`))), hitl.ErrInvalidPayload},
		{"declined", form(`{"a":1}`), input(hitl.Decline()), nil},
		{"cancelled", form(`{"a":1}`), input(hitl.Cancel()), nil},
		{"an action nobody knows", form(`{"a":1}`), input(hitl.InputResponse{Action: "ok"}), hitl.ErrInvalidPayload},
		{"no action", form(`{"a":1}`), input(hitl.InputResponse{}), hitl.ErrInvalidPayload},
		{"a page visited, without content", url, input(hitl.Accept(nil)), nil},
		{"a plain confirmation", confirm, input(hitl.Accept(nil)), nil},
		{"an input decided like a call", confirm, yes, hitl.ErrInvalidPayload},

		{"output", clientTool(), ran, nil},
		{"output null", clientTool(), output(`null`), nil},
		{"failed", clientTool(), hitl.Response{ToolOutput: &hitl.ToolOutput{Error: "no GPS"}}, nil},
		{"neither output nor error", clientTool(), hitl.Response{ToolOutput: &hitl.ToolOutput{}}, hitl.ErrInvalidPayload},
		{"output and error", clientTool(), hitl.Response{ToolOutput: &hitl.ToolOutput{Output: raw(`1`), Error: "x"}}, hitl.ErrInvalidPayload},
		{"output that is no JSON", clientTool(), output(`{`), hitl.ErrInvalidPayload},
		{"client tool cancelled", clientTool(), input(hitl.Cancel()), nil},
		{"client tool decided like a gate", clientTool(), yes, hitl.ErrInvalidPayload},
	} {
		err := tc.request.Check(tc.response, now, onlySchema)
		if !errors.Is(err, tc.want) || tc.want == nil && err != nil {
			t.Errorf("%s: got %v, want %v", tc.rule, err, tc.want)
		}
		if e, ok := errors.AsType[*hitl.AnswerError](err); err != nil && (!ok || e.RequestID != "q1" || len(e.Issues) == 0) {
			t.Errorf("%s: %#v does not say where", tc.rule, err)
		}
	}
}

func TestSchemaIssuesAreHandedOn(t *testing.T) {
	err := form(`{"a":1}`).Check(input(hitl.Accept(raw(`{}`))), now, onlySchema)
	e, ok := errors.AsType[*hitl.AnswerError](err)
	if !ok {
		t.Fatalf("got %v", err)
	}
	if diff := cmp.Diff([]hitl.Issue{{Path: "/x", Message: `expected {"a":1}`}}, e.Issues); diff != "" {
		t.Error(diff)
	}
}

func TestEqualSchemasAreCheckedOnce(t *testing.T) {
	calls := 0
	count := func(_, _ jsontext.Value) []hitl.Issue { calls++; return nil }
	if err := form(`{}`).Check(with(input(hitl.Accept(raw(`1`))), `1`), now, count); err != nil || calls != 1 {
		t.Errorf("%d checks, %v", calls, err)
	}
}

func TestWithoutACheckSchemasDoNotBind(t *testing.T) {
	if err := form(`{"a":1}`).Check(input(hitl.Accept(raw(`{}`))), now, nil); err != nil {
		t.Error(err)
	}
}

func TestExpiryIsTheMomentItself(t *testing.T) {
	yes := decided(hitl.ToolDecision{Approved: true})
	for _, tc := range []struct {
		name     string
		at       time.Time
		expected error
	}{
		{"never", time.Time{}, nil},
		{"in a nanosecond", now.Add(1), nil},
		{"now", now, hitl.ErrExpired},
		{"a nanosecond ago", now.Add(-1), hitl.ErrExpired},
		{"now, in another zone", now.In(time.FixedZone("", 3600)), hitl.ErrExpired},
	} {
		q := change(approval(), func(q *hitl.Request) { q.ExpiresAt = tc.at })
		if err := q.Check(yes, now, nil); !errors.Is(err, tc.expected) || tc.expected == nil && err != nil {
			t.Errorf("%s: got %v, want %v", tc.name, err, tc.expected)
		}
		onInput := hitl.Request{Kind: hitl.KindInput, Input: &hitl.InputRequest{ExpiresAt: tc.at}}
		if got := onInput.Expired(now); got != (tc.expected != nil) {
			t.Errorf("%s, given on the input: expired is %v", tc.name, got)
		}
	}
}

func TestExpiredRequestCanOnlyBeCancelled(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom([]hitl.Request{approval(), form(`{}`), clientTool(), {Kind: "poll"}}).Draw(t, "request")
		q.ExpiresAt = now.Add(-time.Duration(rapid.Int64Range(0, 1<<50).Draw(t, "late")))
		r := genAnswer().Draw(t, "answer")
		err := q.Check(r, now, onlySchema)
		if r.Cancelled() != (err == nil) || err != nil && !errors.Is(err, hitl.ErrExpired) {
			t.Fatalf("cancelled is %v, got %v", r.Cancelled(), err)
		}
	})
}

// An approval that passes is one by every measure.
func TestOnlyASoundApprovalPasses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		q := approval()
		q.Answers.EditedArgs = rapid.Bool().Draw(t, "takes edits")
		r := genAnswer().Draw(t, "answer")
		if q.Check(r, now, nil) != nil || r.Decision == nil || !r.Decision.Approved {
			return
		}
		if r.Decision.Edits() && (!q.Answers.EditedArgs || r.Decision.EditedArgs.Kind() != '{') {
			t.Fatalf("%+v passed", r.Decision)
		}
	})
}
