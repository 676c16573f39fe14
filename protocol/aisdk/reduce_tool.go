package aisdk

import "github.com/go-json-experiment/json/jsontext"

// A toolUpdate is what a chunk says of a call's part. It takes the place of what the
// part held, save for the members that are absent here and stay there.
type toolUpdate struct {
	name     string // of the tool
	kind     string // the type of a static part, if it is at hand
	callID   string
	dynamic  bool
	state    PartState
	input    jsontext.Value
	rawInput jsontext.Value
	encoding InputEncoding
	output   jsontext.Value
	error    Text

	preliminary Flag
	executed    Flag           // stays
	title       Text           // stays
	provider    jsontext.Value // stays, of the call and of the result apart
	tool        jsontext.Value // stays
}

func (r *Reducer) applyTool(c Chunk) error {
	r.flushInputs()
	switch c := c.(type) {
	case *ToolInputStart:
		r.inputStart(c)
	case *ToolInputAvailable:
		r.update(toolUpdate{
			name: c.ToolName, callID: c.ToolCallID, dynamic: c.Dynamic.True(), state: StateInputAvailable, input: c.Input,
			executed: c.ProviderExecuted, title: c.Title, provider: c.ProviderMetadata, tool: c.ToolMetadata,
		})
	case *ToolInputError:
		r.inputError(c)
	case *ToolApprovalRequest:
		return r.approvalRequest(c)
	case *ToolApprovalResponse:
		return r.approvalResponse(c)
	case *ToolOutputAvailable:
		return r.output(c, c.ToolCallID, toolUpdate{
			state: StateOutputAvailable, output: c.Output, preliminary: c.Preliminary,
			executed: c.ProviderExecuted, provider: c.ProviderMetadata, tool: c.ToolMetadata,
		})
	case *ToolOutputError:
		return r.output(c, c.ToolCallID, toolUpdate{
			state: StateOutputError, error: Set(c.ErrorText),
			executed: c.ProviderExecuted, provider: c.ProviderMetadata, tool: c.ToolMetadata,
		})
	case *ToolOutputDenied:
		p, err := r.call(c, c.ToolCallID)
		if err != nil {
			return err
		}
		p.State = StateOutputDenied
	}
	return nil
}

// update brings the part of a call in the current step up to date, and makes it if it is
// new: the same id in a later step is another call, and so is one of the other kind.
func (r *Reducer) update(u toolUpdate) (index int, made bool) {
	for i := r.stepStart; i < len(r.message.Parts); i++ {
		p := &r.message.Parts[i]
		if p.ToolCallID.Is(u.callID) && (u.dynamic && p.Type == dynamicTool || !u.dynamic && p.isStatic()) {
			u.write(p)
			return i, false
		}
	}
	p := Part{ToolCallID: Set(u.callID)}
	if u.dynamic {
		p.Type = dynamicTool
		u.rawInput = nil // a chat forgets it here, and here only
	}
	u.write(&p)
	return r.push(p), true
}

func (u *toolUpdate) write(p *Part) {
	switch {
	case p.Type == dynamicTool:
		p.ToolName = Set(u.name)
	case u.kind != "":
		p.Type = u.kind
	default:
		p.Type = toolPrefix + u.name
	}
	p.State, p.Input, p.RawInput, p.InputEncoding = u.state, u.input, u.rawInput, u.encoding
	p.Output, p.ErrorText, p.Preliminary = u.output, u.error, u.preliminary
	p.Title = u.title.or(p.Title)
	p.ProviderExecuted = u.executed.or(p.ProviderExecuted)
	if len(u.tool) > 0 {
		p.ToolMetadata = u.tool
	}
	switch {
	case len(u.provider) == 0:
	case u.state == StateOutputAvailable || u.state == StateOutputError:
		p.ResultProviderMetadata = u.provider
	default:
		p.CallProviderMetadata = u.provider
	}
}

// inputError settles a call whose input is not valid, in the part that it has already,
// if it has one. Where the input goes is the one thing in which the majors differ.
func (r *Reducer) inputError(c *ToolInputError) {
	u := toolUpdate{
		name: c.ToolName, callID: c.ToolCallID, dynamic: c.Dynamic.True(), state: StateOutputError, error: Set(c.ErrorText),
		executed: c.ProviderExecuted, provider: c.ProviderMetadata, tool: c.ToolMetadata,
	}
	if p := r.callOfStep(c.ToolCallID); p != nil {
		u.dynamic = p.Type == dynamicTool
	}
	if r.profile == V6 && !u.dynamic {
		u.rawInput = c.Input
	} else {
		u.input = c.Input
	}
	r.update(u)
}

// output settles a call; its input stays, and so does the decision on it.
func (r *Reducer) output(c Chunk, callID string, u toolUpdate) error {
	p, err := r.call(c, callID)
	if err != nil {
		return err
	}
	u.name, u.input = p.Tool(), p.Input
	if u.state == StateOutputError && p.isStatic() {
		u.rawInput = p.RawInput
	}
	u.write(p)
	return nil
}

// callOfStep returns the first part of the call in the current step, or nil.
func (r *Reducer) callOfStep(callID string) *Part {
	for i := r.stepStart; i < len(r.message.Parts); i++ {
		if p := &r.message.Parts[i]; p.IsTool() && p.ToolCallID.Is(callID) {
			return p
		}
	}
	return nil
}

// call returns the part of the call in the current step, or else its newest one.
func (r *Reducer) call(c Chunk, callID string) (*Part, error) {
	if p := r.callOfStep(callID); p != nil {
		return p, nil
	}
	if p := r.message.ToolPart(callID); p != nil {
		return p, nil
	}
	return nil, &SequenceError{Type: c.Type(), Rule: "the message has no tool call " + callID}
}

func (r *Reducer) approvalRequest(c *ToolApprovalRequest) error {
	p, err := r.call(c, c.ToolCallID)
	if err != nil {
		return err
	}
	a := &Approval{ID: c.ApprovalID, Signature: c.Signature, InputSchemaInput: c.InputSchemaInput}
	if !isNull(c.ApprovalDescriptor) {
		a.Descriptor = c.ApprovalDescriptor
	}
	if r.profile != V6 {
		a.RequestReason = c.Reason
		if c.IsAutomatic.True() {
			a.IsAutomatic = On
		}
	}
	p.State, p.Approval = StateApprovalRequested, a
	return nil
}

func (r *Reducer) approvalResponse(c *ToolApprovalResponse) error {
	for i := range r.message.Parts {
		p := &r.message.Parts[i]
		if !p.IsTool() || p.Approval == nil || p.Approval.ID != c.ApprovalID {
			continue
		}
		a, approved := *p.Approval, c.Approved
		a.Approved, a.Reason = &approved, c.Reason.or(a.Reason)
		p.State, p.Approval = StateApprovalResponded, &a
		p.ProviderExecuted = c.ProviderExecuted.or(p.ProviderExecuted)
		if len(c.ProviderMetadata) > 0 {
			p.CallProviderMetadata = c.ProviderMetadata
		}
		return nil
	}
	return &SequenceError{Type: c.Type(), Rule: "the message asks no approval " + c.ApprovalID}
}
