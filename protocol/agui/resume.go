package agui

import (
	"errors"
	"slices"

	"github.com/go-json-experiment/json"
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

// ResumeEntryFor is the entry by which the answer to a request reaches an AG-UI agent. An
// answer that came as such an entry keeps its payload; one that did not is written by the
// recommended shapes. AG-UI has no way to decline: that is given up, too.
func ResumeEntryFor(q hitl.Request, r hitl.Response) (ResumeEntry, error) {
	e := ResumeEntry{InterruptID: q.ID, Status: ResumeResolved, Payload: r.Payload}
	switch {
	case r.Decision != nil && len(e.Payload) == 0:
		payload, err := DecisionPayload(*r.Decision)
		e.Payload = payload
		return e, err
	case r.Decision != nil:
	case r.Input != nil && r.Input.Action == hitl.ActionAccept:
		if len(e.Payload) == 0 {
			e.Payload = r.Input.Content
		}
	default:
		e.Status, e.Payload = ResumeCancelled, nil
	}
	return e, nil
}

// DecisionPayload is the recommended payload for the answer to an approval.
func DecisionPayload(d hitl.ToolDecision) (jsontext.Value, error) {
	payload := struct {
		Approved   bool           `json:"approved"`
		Reason     string         `json:"reason,omitzero"`
		EditedArgs jsontext.Value `json:"editedArgs,omitzero"`
	}{d.Approved, d.Reason, d.EditedArgs}
	return json.Marshal(payload)
}

// CoverResume adds the entries that the resume list of the input raw lacks: an agent wants
// all of them at once, and an answer may have come from somewhere else. It returns raw
// itself when none lacks. The error matches ErrMalformed.
func CoverResume(raw []byte, entries []ResumeEntry) ([]byte, error) {
	in, err := readObject(raw)
	if err != nil {
		return nil, malformed("RunAgentInput", err)
	}
	var list []ResumeEntry
	if given := in.get("resume"); given != nil {
		if err := json.Unmarshal(given, &list); err != nil {
			return nil, malformed("RunAgentInput", err)
		}
	}
	missing := false
	for _, e := range entries {
		if !slices.ContainsFunc(list, func(g ResumeEntry) bool { return g.InterruptID == e.InterruptID }) {
			list, missing = append(list, e), true
		}
	}
	if !missing {
		return raw, nil
	}
	text, err := json.Marshal(list)
	if err != nil {
		return nil, malformed("RunAgentInput", err)
	}
	in.set("resume", text)
	return in.bytes(), nil
}
