package agui

import (
	"iter"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// The core reasons of an interrupt; any other string is legal.
const (
	ReasonToolCall      = "tool_call"
	ReasonInputRequired = "input_required"
	ReasonConfirmation  = "confirmation"
)

// An Interrupt is something a stopped run asks a person (basic/patterns/interrupt-resume).
type Interrupt struct {
	ID             string         `json:"id"`
	Reason         string         `json:"reason"`
	Message        Text           `json:"message,omitzero"`
	ToolCallID     Text           `json:"toolCallId,omitzero"`
	ResponseSchema jsontext.Value `json:"responseSchema,omitzero"` // a JSON Schema for the payload
	ExpiresAt      Text           `json:"expiresAt,omitzero"`
	Metadata       jsontext.Value `json:"metadata,omitzero"`
	SubagentRunID  Text           `json:"subagentRunId,omitzero"`
	Extra          jsontext.Value `json:",embed"`
}

// About is the id of the tool call that the interrupt may be about: the one it names, or
// else the one it shares its own id with, as requests do that a call itself makes.
func (i Interrupt) About() string {
	if i.ToolCallID.Present() {
		return i.ToolCallID.String()
	}
	return i.ID
}

// Request maps the interrupt to the neutral model. call is the tool call that it is
// [Interrupt.About], as the stream showed it, or nil. An interrupt that names a call asks for
// an approval unless its schema asks for something else; any other interrupt asks for input.
func (i Interrupt) Request(call *hitl.ToolCall) hitl.Request {
	q := hitl.Request{ID: i.ID, Call: call, Schema: i.ResponseSchema, ExpiresAt: i.expiry()}
	if call == nil && i.ToolCallID.Present() {
		q.Call = &hitl.ToolCall{ID: i.ToolCallID.String(), Executor: hitl.ExecutorAgent}
	}
	if i.asksApproval() {
		q.Kind = hitl.KindApproval
		q.Answers = hitl.ApprovalAnswers{
			Reason:     len(i.ResponseSchema) == 0 || i.schemaNames("reason"),
			EditedArgs: i.schemaNames("editedArgs"),
		}
		if i.Message.Present() {
			q.Input = &hitl.InputRequest{ID: i.ID, Message: i.Message.String(), ToolCallID: i.ToolCallID.String(), Metadata: i.Metadata}
		}
		return q
	}
	q.Kind = hitl.KindInput
	q.Input = &hitl.InputRequest{
		ID: i.ID, Message: i.Message.String(), Schema: i.ResponseSchema, Kind: i.inputKind(),
		ToolCallID: i.ToolCallID.String(), ExpiresAt: q.ExpiresAt, Metadata: i.Metadata,
	}
	return q
}

func (i Interrupt) asksApproval() bool {
	return i.ToolCallID.Present() && (len(i.ResponseSchema) == 0 || i.schemaNames("approved"))
}

func (i Interrupt) inputKind() hitl.InputKind {
	if i.Reason == ReasonConfirmation || len(i.ResponseSchema) == 0 {
		return hitl.InputConfirmation
	}
	return hitl.InputForm
}

// schemaNames reports whether the response schema describes the named member. That
// is how an agent says which answers it can take.
func (i Interrupt) schemaNames(member string) bool {
	if len(i.ResponseSchema) == 0 {
		return false
	}
	var schema struct {
		Properties map[string]jsontext.Value `json:"properties"`
	}
	if err := json.Unmarshal(i.ResponseSchema, &schema); err != nil {
		return false
	}
	_, named := schema.Properties[member]
	return named
}

// expiry reads expiresAt. One that is there and cannot be read counts as passed: a
// request whose limit nobody knows must not lead to an execution.
func (i Interrupt) expiry() time.Time {
	if !i.ExpiresAt.Present() {
		return time.Time{}
	}
	at, err := time.Parse(time.RFC3339, i.ExpiresAt.String())
	if err != nil {
		return time.Unix(0, 0).UTC()
	}
	return at
}

// InterruptFor is the interrupt by which a request that did not come from an AG-UI
// agent reaches an AG-UI front end.
func InterruptFor(q hitl.Request) Interrupt {
	i := Interrupt{ID: q.ID, Reason: ReasonInputRequired}
	if q.Input != nil {
		i.Message, i.ResponseSchema, i.Metadata = NotEmpty(q.Input.Message), q.Input.Schema, q.Input.Metadata
	}
	if !q.ExpiresAt.IsZero() {
		i.ExpiresAt = Set(q.ExpiresAt.UTC().Format(time.RFC3339Nano))
	}
	if q.Kind != hitl.KindApproval {
		return i
	}
	i.Reason, i.ResponseSchema = ReasonToolCall, q.Schema
	if len(i.ResponseSchema) == 0 {
		i.ResponseSchema = hitl.ApprovalSchema(q.Answers)
	}
	if q.Call != nil {
		i.ToolCallID = Set(q.Call.ID)
		if i.Message.String() == "" {
			i.Message = Set("Allow " + q.Call.Name + "?")
		}
	}
	return i
}

// interruptsOf yields the interrupts of a checked outcome, none if it has none.
func interruptsOf(outcome jsontext.Value) iter.Seq2[jsontext.Value, error] {
	return func(yield func(jsontext.Value, error) bool) {
		for m, err := range shape.Fields(outcome) {
			if err != nil {
				yield(nil, err)
				return
			}
			if shape.Unquote(m.Name) != "interrupts" {
				continue
			}
			for i, err := range shape.Elements(m.Value) {
				if !yield(i, err) || err != nil {
					return
				}
			}
		}
	}
}
