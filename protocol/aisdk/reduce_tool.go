package aisdk

import (
	"github.com/go-json-experiment/json/jsontext"
)

func (r *Reducer) applyTool(c Chunk) error {
	switch c := c.(type) {
	case *ToolInputStart:
		p := r.input(c.ToolCallID, c.ToolName, c.Dynamic)
		p.State = StateInputStreaming
		describe(p, c.Title, c.ProviderExecuted, c.ProviderMetadata, c.ToolMetadata)
		if r.inputs == nil {
			r.inputs = map[string]*openInput{}
		}
		r.inputs[c.ToolCallID] = &openInput{}
	case *ToolInputAvailable:
		p := r.input(c.ToolCallID, c.ToolName, c.Dynamic)
		p.State, p.Input = StateInputAvailable, c.Input
		describe(p, c.Title, c.ProviderExecuted, c.ProviderMetadata, c.ToolMetadata)
	case *ToolInputError:
		p := r.input(c.ToolCallID, c.ToolName, c.Dynamic)
		p.State, p.Input, p.ErrorText = StateOutputError, c.Input, c.ErrorText
		describe(p, c.Title, c.ProviderExecuted, c.ProviderMetadata, c.ToolMetadata)
	case *ToolApprovalRequest:
		return r.approvalRequest(c)
	case *ToolApprovalResponse:
		return r.approvalResponse(c)
	case *ToolOutputAvailable:
		p, err := r.call(c, c.ToolCallID)
		if err != nil {
			return err
		}
		p.State, p.Output, p.Preliminary = StateOutputAvailable, c.Output, c.Preliminary
		r.outcome(p, c.ProviderExecuted, c.ProviderMetadata)
	case *ToolOutputError:
		p, err := r.call(c, c.ToolCallID)
		if err != nil {
			return err
		}
		p.State, p.ErrorText, p.Output, p.Preliminary = StateOutputError, c.ErrorText, nil, false
		r.outcome(p, c.ProviderExecuted, c.ProviderMetadata)
	case *ToolOutputDenied:
		p, err := r.call(c, c.ToolCallID)
		if err != nil {
			return err
		}
		p.State = StateOutputDenied
	}
	return nil
}

// input returns the part of a call in the current step, and makes it if it is new:
// the same id in a later step is another call.
func (r *Reducer) input(callID, name string, dynamic bool) *Part {
	kind := toolPrefix + name
	if dynamic {
		kind = dynamicTool
	}
	for i := len(r.message.Parts) - 1; i >= r.stepStart; i-- {
		if p := &r.message.Parts[i]; p.Type == kind && p.ToolCallID == callID {
			return p
		}
	}
	p := ToolPart(name, callID, "")
	if dynamic {
		p.Type, p.ToolName = dynamicTool, name
	}
	return &r.message.Parts[r.push(p)]
}

func describe(p *Part, title string, executed bool, provider, tool jsontext.Value) {
	if title != "" {
		p.Title = title
	}
	p.ProviderExecuted = p.ProviderExecuted || executed
	if len(provider) > 0 {
		p.CallProviderMetadata = provider
	}
	if len(tool) > 0 {
		p.ToolMetadata = tool
	}
}

func (r *Reducer) outcome(p *Part, executed bool, provider jsontext.Value) {
	p.ProviderExecuted = p.ProviderExecuted || executed
	if len(provider) > 0 {
		p.ResultProviderMetadata = provider
	}
}

func (r *Reducer) call(c Chunk, callID string) (*Part, error) {
	if p := r.message.ToolPart(callID); p != nil {
		return p, nil
	}
	return nil, &SequenceError{Type: c.Type(), Rule: "the message has no tool call " + callID}
}

func (r *Reducer) inputDelta(f Frame) error {
	in := r.inputs[f.Text("toolCallId")]
	if in == nil {
		return &SequenceError{Type: f.Type, Rule: "tool call " + f.Text("toolCallId") + " was not started"}
	}
	in.text = append(in.text, f.Text("inputTextDelta")...)
	return nil
}

// InputText returns the text that was streamed as the call's input so far.
func (r *Reducer) InputText(callID string) string {
	if in := r.inputs[callID]; in != nil {
		return string(in.text)
	}
	return ""
}

func (r *Reducer) approvalRequest(c *ToolApprovalRequest) error {
	p, err := r.call(c, c.ToolCallID)
	if err != nil {
		return err
	}
	p.State = StateApprovalRequested
	p.Approval = &Approval{
		ID: c.ApprovalID, RequestReason: c.Reason, IsAutomatic: c.IsAutomatic,
		Signature: c.Signature, Descriptor: c.ApprovalDescriptor, InputSchemaInput: c.InputSchemaInput,
	}
	return nil
}

func (r *Reducer) approvalResponse(c *ToolApprovalResponse) error {
	for i := range r.message.Parts {
		p := &r.message.Parts[i]
		if p.Approval == nil || p.Approval.ID != c.ApprovalID {
			continue
		}
		approved := c.Approved
		p.Approval.Approved, p.Approval.Reason = &approved, c.Reason
		p.State = StateApprovalResponded
		p.ProviderExecuted = p.ProviderExecuted || c.ProviderExecuted
		return nil
	}
	return &SequenceError{Type: c.Type(), Rule: "the message asks no approval " + c.ApprovalID}
}
