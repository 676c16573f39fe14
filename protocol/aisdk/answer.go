package aisdk

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// What a person answered, as the part of the message says it. The errors match
// hitl.ErrInvalidPayload.

// Decision reads the part as the decision on the request. It binds the call: a part whose
// id or input is not what was asked decides nothing, since nobody can tell what the person
// has seen.
func (p *Part) Decision(q hitl.Request) (hitl.Response, error) {
	a := p.Approval
	switch {
	case p.State != StateApprovalResponded || a == nil || !q.Named(a.ID) || a.Approved == nil:
		return hitl.Response{}, refuse(q, "/approval", "expected a decision on this approval")
	case q.Call != nil && !p.ToolCallID.Is(q.Call.ID):
		return hitl.Response{}, refuse(q, "/toolCallId", "expected the call that was asked about, "+q.Call.ID)
	case q.Call != nil && q.Call.Name != p.Tool():
		return hitl.Response{}, refuse(q, "/type", "expected the tool that was asked about, "+q.Call.Name)
	case q.Call != nil && !sameValue(p.Input, q.Call.Args):
		return hitl.Response{}, refuse(q, "/input", "expected the input that was asked about; this protocol has no place for edits")
	}
	return hitl.Response{Decision: &hitl.ToolDecision{Approved: *a.Approved, Reason: a.Reason.String()}}, nil
}

// InputAnswer reads the part, which is a call of a client tool, as the answer to a request
// for input: its output is {action, content?}, or the content itself; an error gives the
// request up.
func (p *Part) InputAnswer(q hitl.Request) (hitl.Response, error) {
	switch p.State {
	case StateOutputError:
		cancel := hitl.Cancel()
		return hitl.Response{Input: &cancel}, nil
	case StateOutputAvailable:
	default:
		return hitl.Response{}, refuse(q, "", "expected the output of the call")
	}
	if p.Output.Kind() == '{' {
		if _, err := shape.StringMember(p.Output, "action"); err == nil {
			in, err := hitl.ParseInput(p.Output)
			if err != nil {
				return hitl.Response{}, err
			}
			return inputResponse(in), nil
		}
	}
	return inputResponse(hitl.Accept(p.Output)), nil
}

func inputResponse(in hitl.InputResponse) hitl.Response {
	r := hitl.Response{Input: &in}
	if in.Action == hitl.ActionAccept {
		r.Payload = in.Content
	}
	return r
}

// ToolAnswer reads the part as what a client tool returned.
func (p *Part) ToolAnswer(q hitl.Request) (hitl.Response, error) {
	switch p.State {
	case StateOutputAvailable:
		return hitl.Response{ToolOutput: &hitl.ToolOutput{Output: p.Output}}, nil
	case StateOutputError:
		text := p.ErrorText.String()
		if text == "" {
			text = "the tool failed and did not say how"
		}
		return hitl.Response{ToolOutput: &hitl.ToolOutput{Error: text}}, nil
	}
	return hitl.Response{}, refuse(q, "", "expected the output of the call")
}

// sameValue compares what came back from a chat with what was asked about. Chats keep
// numbers as 64-bit floats: what they cannot tell apart is the same. What runs is what was
// asked about, to the last digit.
func sameValue(given, asked jsontext.Value) bool {
	left, err := hitl.Canonical(given)
	if err != nil {
		return false
	}
	right, err := hitl.Canonical(asked)
	if err != nil {
		return false
	}
	if left == right {
		return true
	}
	a, b := jsontext.Value(left), jsontext.Value(right)
	return a.Canonicalize() == nil && b.Canonicalize() == nil && bytes.Equal(a, b)
}

func refuse(q hitl.Request, path, message string) error {
	return &hitl.AnswerError{RequestID: q.ID, Rule: hitl.ErrInvalidPayload, Issues: []hitl.Issue{{Path: path, Message: message}}}
}
