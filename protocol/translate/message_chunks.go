package translate

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// chunksOf returns the chunks that build what an AG-UI client can hold of an answer.
// Sources, files and data of the application have no place in AG-UI messages.
func chunksOf(m *aisdk.Message) []aisdk.Chunk {
	chunks := []aisdk.Chunk{&aisdk.Start{Head: head(aisdk.TypeStart), MessageID: aisdk.NotEmpty(m.ID)}}
	for i := range m.Parts {
		p := &m.Parts[i]
		id := strconv.Itoa(i)
		switch {
		case p.Type == aisdk.PartStepStart:
			chunks = append(chunks, &aisdk.StartStep{Head: head(aisdk.TypeStartStep)})
		case p.Type == aisdk.PartText && p.Text != nil:
			chunks = append(chunks,
				&aisdk.TextStart{Head: head(aisdk.TypeTextStart), ID: id, ProviderMetadata: p.ProviderMetadata},
				&aisdk.TextDelta{Head: head(aisdk.TypeTextDelta), ID: id, Delta: *p.Text},
				&aisdk.TextEnd{Head: head(aisdk.TypeTextEnd), ID: id, Citations: p.Citations})
		case p.Type == aisdk.PartReasoning && p.Text != nil:
			id = reasoningID(p, i)
			chunks = append(chunks,
				&aisdk.ReasoningStart{Head: head(aisdk.TypeReasoningStart), ID: id, ProviderMetadata: p.ProviderMetadata},
				&aisdk.ReasoningDelta{Head: head(aisdk.TypeReasoningDelta), ID: id, Delta: *p.Text},
				&aisdk.ReasoningEnd{Head: head(aisdk.TypeReasoningEnd), ID: id})
		case p.Type == dataEvent && len(p.Data) > 0:
			switch eventType(p.Data) {
			case agui.TypeToolCallStart, agui.TypeToolCallArgs, agui.TypeToolCallEnd:
				continue // the call's part has what they came to
			}
			chunks = append(chunks, &aisdk.Data{Head: head(dataEvent), Data: p.Data})
		case p.IsTool() && p.ToolCallID.Present():
			chunks = append(chunks, callChunks(p)...)
		}
	}
	return chunks
}

// reasoningID is the id of the chunks of a part: its own, or one that it is given.
func reasoningID(p *aisdk.Part, i int) string {
	if p.ID.String() != "" {
		return p.ID.String()
	}
	return "part-" + strconv.Itoa(i)
}

// unnamed returns the ids that parts were given.
func unnamed(m *aisdk.Message) map[string]bool {
	given := map[string]bool{}
	for i := range m.Parts {
		if p := &m.Parts[i]; p.Type == aisdk.PartReasoning && p.ID.String() == "" {
			given[reasoningID(p, i)] = true
		}
	}
	return given
}

// callChunks returns the chunks of one call. A decision is no result: what ran, or was
// denied, is what the part's state says.
func callChunks(p *aisdk.Part) []aisdk.Chunk {
	if p.State == aisdk.StateInputStreaming || p.Tool() == "" {
		return nil
	}
	tag, rest, tagged := parted(p.CallProviderMetadata, aguiKey)
	if tag.has("unsaid") {
		return nil // no agent made this call
	}
	id := p.ToolCallID.String()
	dynamic := aisdk.Unset
	if p.Type == "dynamic-tool" {
		dynamic = aisdk.On
	}
	input, provider := p.Input, p.CallProviderMetadata
	if len(input) == 0 {
		input = p.RawInput
	}
	if len(input) == 0 {
		input = jsontext.Value("{}")
	}
	if p.State == aisdk.StateOutputError && len(p.Input) == 0 && len(p.RawInput) > 0 {
		return []aisdk.Chunk{&aisdk.ToolInputError{
			Head: head(aisdk.TypeToolInputError), ToolCallID: id, ToolName: p.Tool(), Input: input, ErrorText: p.ErrorText.String(), Dynamic: dynamic,
			ProviderExecuted: p.ProviderExecuted, ProviderMetadata: p.CallProviderMetadata, ToolMetadata: p.ToolMetadata, Title: p.Title,
		}}
	}
	if tagged && tag.take("again") != nil {
		whole := readNote(rest)
		whole.set(aguiKey, tag.object())
		provider = whole.object()
	}
	chunks := []aisdk.Chunk{&aisdk.ToolInputAvailable{
		Head: head(aisdk.TypeToolInputAvailable), ToolCallID: id, ToolName: p.Tool(), Input: input, Dynamic: dynamic,
		ProviderExecuted: p.ProviderExecuted, ProviderMetadata: provider, ToolMetadata: p.ToolMetadata, Title: p.Title,
	}}
	chunks = append(chunks, approvalChunks(p)...)
	switch p.State {
	case aisdk.StateOutputAvailable:
		chunks = append(chunks, &aisdk.ToolOutputAvailable{
			Head: head(aisdk.TypeToolOutputAvailable), ToolCallID: id, Output: p.Output, Preliminary: p.Preliminary,
			ProviderMetadata: p.ResultProviderMetadata,
		})
	case aisdk.StateOutputError:
		chunks = append(chunks, &aisdk.ToolOutputError{
			Head: head(aisdk.TypeToolOutputError), ToolCallID: id, ErrorText: p.ErrorText.String(), ProviderMetadata: p.ResultProviderMetadata,
		})
	case aisdk.StateOutputDenied:
		chunks = append(chunks, &aisdk.ToolOutputDenied{Head: head(aisdk.TypeToolOutputDenied), ToolCallID: id})
	}
	return chunks
}

// approvalChunks returns the request that a part holds, and the decision on it.
func approvalChunks(p *aisdk.Part) []aisdk.Chunk {
	a := p.Approval
	if a == nil {
		return nil
	}
	chunks := []aisdk.Chunk{&aisdk.ToolApprovalRequest{
		Head: head(aisdk.TypeToolApprovalRequest), ApprovalID: a.ID, ToolCallID: p.ToolCallID.String(), Reason: a.RequestReason,
		IsAutomatic: a.IsAutomatic, Signature: a.Signature, ApprovalDescriptor: a.Descriptor, InputSchemaInput: a.InputSchemaInput,
	}}
	if a.Approved != nil {
		chunks = append(chunks, &aisdk.ToolApprovalResponse{
			Head: head(aisdk.TypeToolApprovalResponse), ApprovalID: a.ID, Approved: *a.Approved, Reason: a.Reason,
		})
	}
	return chunks
}
