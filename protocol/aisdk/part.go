package aisdk

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The types of the parts this package builds. Tool parts are tool-<name> or dynamic-tool.
const (
	PartText      = "text"
	PartReasoning = "reasoning"
	PartStepStart = "step-start"
	PartFile      = "file"

	dynamicTool = "dynamic-tool"
	toolPrefix  = "tool-"
)

// A PartState is the state of a text, reasoning or tool part.
type PartState string

// The states of text and reasoning.
const (
	StateStreaming PartState = "streaming"
	StateDone      PartState = "done"
)

// The states of a tool part.
const (
	StateInputStreaming    PartState = "input-streaming"
	StateInputAvailable    PartState = "input-available"
	StateApprovalRequested PartState = "approval-requested"
	StateApprovalResponded PartState = "approval-responded"
	StateOutputAvailable   PartState = "output-available"
	StateOutputError       PartState = "output-error"
	StateOutputDenied      PartState = "output-denied"
)

// A Part is one part of a Message, whatever its type. Members that the type or the
// state does not have are absent, never null.
type Part struct {
	Type             string         `json:"type"`
	Text             *string        `json:"text,omitzero"` // text, reasoning
	ToolCallID       string         `json:"toolCallId,omitzero"`
	ToolName         string         `json:"toolName,omitzero"` // dynamic-tool
	State            PartState      `json:"state,omitzero"`
	Title            string         `json:"title,omitzero"`
	Input            jsontext.Value `json:"input,omitzero"`
	Output           jsontext.Value `json:"output,omitzero"`
	ErrorText        string         `json:"errorText,omitzero"`
	Preliminary      bool           `json:"preliminary,omitzero"`
	ProviderExecuted bool           `json:"providerExecuted,omitzero"`
	Approval         *Approval      `json:"approval,omitzero"`

	ProviderMetadata       jsontext.Value `json:"providerMetadata,omitzero"`
	CallProviderMetadata   jsontext.Value `json:"callProviderMetadata,omitzero"`
	ResultProviderMetadata jsontext.Value `json:"resultProviderMetadata,omitzero"`
	ToolMetadata           jsontext.Value `json:"toolMetadata,omitzero"`

	ID        string         `json:"id,omitzero"`   // data
	Data      jsontext.Value `json:"data,omitzero"` // data
	MediaType string         `json:"mediaType,omitzero"`
	URL       string         `json:"url,omitzero"`
	Filename  string         `json:"filename,omitzero"`
	Extra     jsontext.Value `json:",embed"`
}

// An Approval is what a tool part holds about the decision on it. The members that
// an agent added are kept and go back to it as they came.
type Approval struct {
	ID               string         `json:"id"`
	Approved         *bool          `json:"approved,omitzero"` // absent while nobody has decided
	Reason           string         `json:"reason,omitzero"`   // of the decision
	RequestReason    string         `json:"requestReason,omitzero"`
	IsAutomatic      bool           `json:"isAutomatic,omitzero"`
	Signature        string         `json:"signature,omitzero"`
	Descriptor       jsontext.Value `json:"descriptor,omitzero"`
	InputSchemaInput jsontext.Value `json:"inputSchemaInput,omitzero"`
	Extra            jsontext.Value `json:",embed"`
}

// IsTool reports whether the part is a tool call.
func (p *Part) IsTool() bool {
	return p.Type == dynamicTool || strings.HasPrefix(p.Type, toolPrefix)
}

// Tool returns the name of the tool a tool part calls.
func (p *Part) Tool() string {
	if p.Type == dynamicTool {
		return p.ToolName
	}
	return strings.TrimPrefix(p.Type, toolPrefix)
}

// Settled reports whether nobody is waiting on the tool call any more.
func (p *Part) Settled() bool {
	switch p.State {
	case StateOutputAvailable:
		return !p.Preliminary
	case StateOutputError, StateOutputDenied:
		return true
	}
	return false
}

// TextPart makes a finished text part.
func TextPart(text string) Part { return Part{Type: PartText, Text: &text, State: StateDone} }

// ToolPart makes the part of a call of the named tool.
func ToolPart(name, callID string, state PartState) Part {
	return Part{Type: toolPrefix + name, ToolCallID: callID, State: state}
}
