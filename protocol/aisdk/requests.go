package aisdk

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// RequestInputTool is the client tool by which an agent asks a person for input: its input
// is {message, requestedSchema}, its output {action, content?}.
const RequestInputTool = "request_input"

// Requests returns, in order, what the message still asks a person, to approve or to fill
// in, and the calls it leaves for the browser to run. What the provider runs asks nobody.
func (m *Message) Requests() []hitl.Request {
	var requests []hitl.Request
	for i := range m.Parts {
		p := &m.Parts[i]
		switch {
		case !p.IsTool() || p.ProviderExecuted.True() && p.State != StateApprovalRequested:
		case p.State == StateApprovalRequested && p.Approval != nil && !p.Approval.IsAutomatic.True():
			requests = append(requests, p.approvalRequest())
		case p.State == StateInputAvailable:
			requests = append(requests, p.clientRequest(m.render(p)))
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

// clientRequest is what a call asks that the agent leaves to the front end.
func (p *Part) clientRequest(render *hitl.Render) hitl.Request {
	q := hitl.Request{ID: p.ToolCallID.String(), Kind: hitl.KindClientTool, Call: p.call(hitl.ExecutorBrowser), Render: render}
	switch p.Tool() {
	case RequestInputTool:
		var form struct {
			Message string         `json:"message"`
			Schema  jsontext.Value `json:"requestedSchema"`
		}
		if json.Unmarshal(p.Input, &form) != nil || len(form.Schema) > 0 && form.Schema.Kind() != '{' {
			return q // of another make: the front end knows what to do with it
		}
		q.Kind, q.Schema = hitl.KindInput, form.Schema
		q.Input = &hitl.InputRequest{ID: q.ID, Message: form.Message, Schema: form.Schema, ToolCallID: q.ID, Kind: hitl.InputForm}
		if len(form.Schema) == 0 {
			q.Input.Kind = hitl.InputConfirmation
		}
	case hitl.AskUserTool:
		asked, err := hitl.ParseAskUser(p.Input)
		if err != nil {
			return q
		}
		in := asked.InputRequest(q.ID)
		q.Kind, q.Schema, q.Input = hitl.KindInput, in.Schema, &in
	}
	return q
}

// partRender is the data part that says how a call is shown.
const partRender = "data-render"

// render returns the hint how a call is shown: the one in its input, or else that of a
// data-render part of the message, or none.
func (m *Message) render(p *Part) *hitl.Render {
	var inline struct {
		Render *hitl.Render `json:"render"`
	}
	if p.Input.Kind() == '{' && json.Unmarshal(p.Input, &inline) == nil && inline.Render != nil && inline.Render.Kind != "" {
		return inline.Render
	}
	for i := len(m.Parts) - 1; i >= 0; i-- {
		if m.Parts[i].Type != partRender {
			continue
		}
		var hint struct {
			ToolCallID string       `json:"toolCallId"`
			Render     *hitl.Render `json:"render"`
		}
		if json.Unmarshal(m.Parts[i].Data, &hint) == nil && hint.Render != nil && p.ToolCallID.Is(hint.ToolCallID) {
			return hint.Render
		}
	}
	return nil
}
