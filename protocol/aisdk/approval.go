package aisdk

import (
	"github.com/agui-bridge/agui-bridge/hitl"
)

// ApprovalAnswers is what an AI SDK agent can carry back: a reason, never edits.
var ApprovalAnswers = hitl.ApprovalAnswers{Reason: true}

// Requests returns, in order, what the message still asks a person to approve, and
// the calls it leaves for the browser to run. What the provider runs asks nobody.
func (m *Message) Requests() []hitl.Request {
	var requests []hitl.Request
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case !p.IsTool() || p.ProviderExecuted.True() && p.State != StateApprovalRequested:
		case p.State == StateApprovalRequested && p.Approval != nil && !p.Approval.IsAutomatic.True():
			requests = append(requests, p.approvalRequest())
		case p.State == StateInputAvailable:
			requests = append(requests, hitl.Request{
				ID: p.ToolCallID.String(), Kind: hitl.KindClientTool, Call: p.call(hitl.ExecutorBrowser),
			})
		}
	}
	return requests
}

func (p *Part) approvalRequest() hitl.Request {
	executor := hitl.ExecutorAgent
	if p.ProviderExecuted.True() {
		executor = hitl.ExecutorProvider
	}
	q := hitl.Request{ID: p.Approval.ID, Kind: hitl.KindApproval, Call: p.call(executor), Answers: ApprovalAnswers}
	if reason := p.Approval.RequestReason.String(); reason != "" {
		q.Input = &hitl.InputRequest{ID: p.Approval.ID, Message: reason, ToolCallID: p.ToolCallID.String()}
	}
	return q
}

func (p *Part) call(executor hitl.Executor) *hitl.ToolCall {
	return &hitl.ToolCall{ID: p.ToolCallID.String(), Name: p.Tool(), Args: p.Input, Executor: executor}
}

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
		case q.Kind == hitl.KindApproval && p.State == StateApprovalRequested && p.Approval != nil && p.Approval.ID == q.ID:
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
