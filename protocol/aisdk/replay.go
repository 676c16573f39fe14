package aisdk

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"
)

// Replay writes a message as the chunks that build it, for a chat that has none of it. The
// input of a call comes as a delta and never as tool-input-available: a chat runs its own
// tools when it sees that, and would run them again. What the profile has no chunk for is
// left out. In ai 6 that is a decision, and with it what was asked: an outcome beside a
// question that nobody decided is a history that ai 6 refuses. A denial is an error there,
// see Denied. The error matches ErrMalformed.
func Replay(m *Message, p Profile) ([]Frame, error) {
	r := replay{profile: p}
	r.emit(&Start{Head: Head{Kind: TypeStart}, MessageID: NotEmpty(m.ID), MessageMetadata: m.Metadata})
	for i := range m.Parts {
		r.part(&m.Parts[i], i)
	}
	r.endStep()
	return r.out, r.err
}

type replay struct {
	profile Profile
	inStep  bool
	out     []Frame
	err     error
}

func (r *replay) emit(c Chunk) {
	if r.err != nil || !r.profile.Has(c.Type()) {
		return
	}
	f, err := r.profile.Encode(c)
	if err != nil {
		r.err = err
		return
	}
	r.out = append(r.out, f)
}

func (r *replay) endStep() {
	if r.inStep {
		r.emit(&FinishStep{Head: Head{Kind: TypeFinishStep}})
	}
	r.inStep = false
}

func (r *replay) part(p *Part, n int) {
	id := "replay-" + strconv.Itoa(n)
	text := ""
	if p.Text != nil {
		text = *p.Text
	}
	switch {
	case p.Type == PartStepStart:
		r.endStep()
		r.inStep = true
		r.emit(&StartStep{Head: Head{Kind: TypeStartStep}})
	case p.Type == PartText:
		r.emit(&TextStart{Head: Head{Kind: TypeTextStart}, ID: id, ProviderMetadata: p.ProviderMetadata})
		r.emit(&TextDelta{Head: Head{Kind: TypeTextDelta}, ID: id, Delta: text})
		r.emit(&TextEnd{Head: Head{Kind: TypeTextEnd}, ID: id, Citations: p.Citations})
	case p.Type == PartReasoning:
		if p.ID.Present() {
			id = p.ID.String()
		}
		r.emit(&ReasoningStart{Head: Head{Kind: TypeReasoningStart}, ID: id, ProviderMetadata: p.ProviderMetadata})
		r.emit(&ReasoningDelta{Head: Head{Kind: TypeReasoningDelta}, ID: id, Delta: text})
		r.emit(&ReasoningEnd{Head: Head{Kind: TypeReasoningEnd}, ID: id})
	case p.IsTool():
		r.tool(p)
	default:
		r.other(p)
	}
}

func (r *replay) other(p *Part) {
	switch p.Type {
	case PartFile:
		r.emit(&File{Head: Head{Kind: TypeFile}, URL: p.URL.String(), MediaType: p.MediaType.String(), ProviderMetadata: p.ProviderMetadata})
	case PartReasoningFile:
		r.emit(&ReasoningFile{Head: Head{Kind: TypeReasoningFile}, URL: p.URL.String(), MediaType: p.MediaType.String(), ProviderMetadata: p.ProviderMetadata})
	case PartSourceURL:
		r.emit(&SourceURL{Head: Head{Kind: TypeSourceURL}, SourceID: p.SourceID.String(), URL: p.URL.String(), Title: p.Title, ProviderMetadata: p.ProviderMetadata})
	case PartSourceDocument:
		r.emit(&SourceDocument{
			Head: Head{Kind: TypeSourceDocument}, SourceID: p.SourceID.String(), MediaType: p.MediaType.String(), Title: p.Title.String(),
			Filename: p.Filename, ProviderMetadata: p.ProviderMetadata,
		})
	case PartCustom:
		r.emit(&Custom{Head: Head{Kind: TypeCustom}, CustomKind: p.Kind.String(), ProviderMetadata: p.ProviderMetadata})
	case PartSteeringMessage:
		r.emit(&SteeringMessage{Head: Head{Kind: TypeSteeringMessage}, ID: p.ID.String(), Parts: p.Parts})
	default:
		if _, data := ChunkType(p.Type).IsData(); data && len(p.Data) > 0 {
			r.emit(&Data{Head: Head{Kind: ChunkType(p.Type)}, ID: p.ID, Data: p.Data})
		}
	}
}

func (r *replay) tool(p *Part) {
	id, dynamic := p.ToolCallID.String(), Unset
	if p.Type == dynamicTool {
		dynamic = On
	}
	input := p.Input
	if len(input) == 0 && p.State == StateOutputError {
		input = p.RawInput
	}
	start := &ToolInputStart{
		Head: Head{Kind: TypeToolInputStart}, ToolCallID: id, ToolName: p.Tool(), InputEncoding: p.InputEncoding, Title: p.Title, Dynamic: dynamic,
		ProviderExecuted: p.ProviderExecuted, ProviderMetadata: p.CallProviderMetadata, ToolMetadata: p.ToolMetadata,
	}
	delta := string(input)
	if p.State == StateInputStreaming && p.RawInput.Kind() == '"' {
		delta = unquoted(p.RawInput)
	}
	r.emit(start)
	if delta != "" {
		r.emit(&ToolInputDelta{Head: Head{Kind: TypeToolInputDelta}, ToolCallID: id, InputTextDelta: delta})
	}
	r.approval(p)
	switch p.State {
	case StateOutputAvailable:
		r.emit(&ToolOutputAvailable{
			Head: Head{Kind: TypeToolOutputAvailable}, ToolCallID: id, Output: p.Output, Preliminary: p.Preliminary, Dynamic: dynamic,
			ProviderExecuted: p.ProviderExecuted, ProviderMetadata: p.ResultProviderMetadata,
		})
	case StateOutputError:
		r.emit(&ToolOutputError{
			Head: Head{Kind: TypeToolOutputError}, ToolCallID: id, ErrorText: p.ErrorText.String(), Dynamic: dynamic,
			ProviderExecuted: p.ProviderExecuted, ProviderMetadata: p.ResultProviderMetadata,
		})
	case StateOutputDenied:
		r.emit(Denied(p, r.profile))
	}
}

// Denied is the chunk that settles a denied call for a chat that was not told of the
// decision by itself. One of ai 6 cannot be: it is told of an error, with the reason.
func Denied(p *Part, profile Profile) Chunk {
	id := p.ToolCallID.String()
	if profile == V7 {
		return &ToolOutputDenied{Head: Head{Kind: TypeToolOutputDenied}, ToolCallID: id}
	}
	text := "The call was denied."
	if p.Approval != nil && p.Approval.Reason.String() != "" {
		text = "The call was denied: " + p.Approval.Reason.String()
	}
	return &ToolOutputError{Head: Head{Kind: TypeToolOutputError}, ToolCallID: id, ErrorText: text}
}

// approval says what was asked about a call and, where the profile can, what was decided.
func (r *replay) approval(p *Part) {
	a := p.Approval
	if a == nil || r.profile != V7 && p.State != StateApprovalRequested {
		return
	}
	ask := &ToolApprovalRequest{
		Head: Head{Kind: TypeToolApprovalRequest}, ApprovalID: a.ID, ToolCallID: p.ToolCallID.String(), Signature: a.Signature,
		ApprovalDescriptor: a.Descriptor, InputSchemaInput: a.InputSchemaInput,
	}
	if r.profile == V7 {
		ask.Reason, ask.IsAutomatic = a.RequestReason, a.IsAutomatic
	}
	r.emit(ask)
	if a.Approved != nil {
		r.emit(&ToolApprovalResponse{Head: Head{Kind: TypeToolApprovalResponse}, ApprovalID: a.ID, Approved: *a.Approved, Reason: a.Reason})
	}
}

// unquoted is the text of a JSON string.
func unquoted(v jsontext.Value) string {
	text, err := jsontext.AppendUnquote(nil, v)
	if err != nil {
		return ""
	}
	return string(text)
}

// Again writes a chunk that was said before for a chat that did not hear it, see Replay.
func Again(f Frame) ([][]byte, error) {
	if f.Type != TypeToolInputAvailable {
		return [][]byte{f.Raw}, nil
	}
	c, err := f.Chunk()
	if err != nil {
		return nil, err
	}
	made := c.(*ToolInputAvailable)
	r := replay{}
	r.emit(&ToolInputStart{
		Head: Head{Kind: TypeToolInputStart}, ToolCallID: made.ToolCallID, ToolName: made.ToolName, Title: made.Title, Dynamic: made.Dynamic,
		ProviderExecuted: made.ProviderExecuted, ProviderMetadata: made.ProviderMetadata, ToolMetadata: made.ToolMetadata,
	})
	r.emit(&ToolInputDelta{Head: Head{Kind: TypeToolInputDelta}, ToolCallID: made.ToolCallID, InputTextDelta: string(made.Input)})
	out := make([][]byte, len(r.out))
	for i, f := range r.out {
		out[i] = f.Raw
	}
	return out, r.err
}
