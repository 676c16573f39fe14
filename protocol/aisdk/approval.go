package aisdk

import (
	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// ApprovalAnswers is what an AI SDK agent can carry back: a reason, never edits.
var ApprovalAnswers = hitl.ApprovalAnswers{Reason: true}

// Respond records the answer to a request of this message in the part it belongs
// to, as a chat would. A given-up approval is a denial that says so, since the
// protocol has no third way. It reports whether the request was found open.
func (m *Message) Respond(q hitl.Request, r hitl.Response) bool {
	for i := range m.Parts {
		p := &m.Parts[i]
		if !p.IsTool() || q.Call == nil || !p.ToolCallID.Is(q.Call.ID) {
			continue
		}
		switch {
		case q.Kind == hitl.KindInput && p.State == StateInputAvailable:
			p.fill(r)
			return true
		case q.Kind == hitl.KindApproval && p.State == StateApprovalRequested && p.Approval != nil && q.Named(p.Approval.ID):
			p.decide(r)
			return true
		case q.Kind == hitl.KindClientTool && p.State == StateInputAvailable:
			p.fulfil(r)
			return true
		}
	}
	return false
}

// cancelledReason is what an agent is told of an approval that was given up.
const cancelledReason = "The request was cancelled; nothing was decided."

func (p *Part) decide(r hitl.Response) {
	approved := false
	switch {
	case r.Decision != nil:
		approved, p.Approval.Reason = r.Decision.Approved, NotEmpty(r.Decision.Reason)
	case r.Cancelled():
		p.Approval.Reason = Set(cancelledReason)
	}
	p.Approval.Approved = &approved
	p.State = StateApprovalResponded
}

// fill writes the answer to a request for input as the output of the client tool by which
// it was asked.
func (p *Part) fill(r hitl.Response) {
	in := hitl.Cancel()
	if r.Input != nil {
		in = *r.Input
	}
	if p.Tool() == hitl.AskUserTool {
		p.fillQuestions(in)
		return
	}
	output, err := json.Marshal(in)
	if err != nil {
		p.State, p.ErrorText = StateOutputError, Set(cancelledReason)
		return
	}
	p.State, p.Output = StateOutputAvailable, output
}

// fillQuestions gives the model what the tool returns: what was picked or written under
// each header, or the sentence that the user declined.
func (p *Part) fillQuestions(in hitl.InputResponse) {
	asked, err := hitl.ParseAskUser(p.Input)
	if err != nil {
		p.State, p.ErrorText = StateOutputError, Set(err.Error())
		return
	}
	result, err := asked.Result(in)
	if err != nil {
		p.State, p.ErrorText = StateOutputError, Set(err.Error())
		return
	}
	p.State, p.Output = StateOutputAvailable, result
}

func (p *Part) fulfil(r hitl.Response) {
	switch {
	case r.ToolOutput != nil && r.ToolOutput.Error == "":
		p.State, p.Output = StateOutputAvailable, r.ToolOutput.Output
	case r.ToolOutput != nil:
		p.State, p.ErrorText = StateOutputError, Set(r.ToolOutput.Error)
	default:
		p.State, p.ErrorText = StateOutputError, Set(cancelledReason)
	}
}
