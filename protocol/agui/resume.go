package agui

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// A ResumeStatus says whether an interrupt was answered or given up.
type ResumeStatus string

// The statuses of a resume entry. A denial is a resolved payload, not a status.
const (
	ResumeResolved  ResumeStatus = "resolved"
	ResumeCancelled ResumeStatus = "cancelled"
)

// A ResumeEntry answers one interrupt (AG-UI 1.1, ResumeEntry).
type ResumeEntry struct {
	InterruptID string         `json:"interruptId"`
	Status      ResumeStatus   `json:"status"`
	Payload     jsontext.Value `json:"payload,omitzero"`
	Metadata    jsontext.Value `json:"metadata,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// Response maps the entry to the neutral answer of the request it names. An entry
// whose status is not known, or whose payload is no answer to that kind of request,
// gives an error that matches hitl.ErrInvalidPayload: it never becomes an approval.
func (e ResumeEntry) Response(q hitl.Request) (hitl.Response, error) {
	switch e.Status {
	case ResumeCancelled:
		cancel := hitl.Cancel()
		return hitl.Response{Input: &cancel}, nil
	case ResumeResolved:
		return e.resolved(q)
	default:
		return hitl.Response{}, e.invalid("/status", `expected "resolved" or "cancelled"`)
	}
}

func (e ResumeEntry) resolved(q hitl.Request) (hitl.Response, error) {
	r := hitl.Response{Payload: e.Payload}
	switch q.Kind {
	case hitl.KindApproval:
		decision, err := hitl.ParseDecision(e.Payload)
		if err != nil {
			return hitl.Response{}, e.named(err)
		}
		r.Decision = &decision
	case hitl.KindInput:
		accept := hitl.Accept(e.Payload)
		r.Input = &accept
	default:
		return hitl.Response{}, e.invalid("", "this request is answered by a tool message, not by a resume entry")
	}
	return r, nil
}

// named puts the request's id into an error of the parser, which does not know it.
func (e ResumeEntry) named(err error) error {
	var answer *hitl.AnswerError
	if !errors.As(err, &answer) {
		return err
	}
	named := *answer
	named.RequestID = e.InterruptID
	return &named
}

func (e ResumeEntry) invalid(path, message string) error {
	return &hitl.AnswerError{
		RequestID: e.InterruptID, Rule: hitl.ErrInvalidPayload,
		Issues: []hitl.Issue{{Path: path, Message: message}},
	}
}
