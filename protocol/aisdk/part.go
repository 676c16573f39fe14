package aisdk

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// The types of parts. Tool parts are tool-<name> or dynamic-tool, data parts data-<name>.
const (
	PartText            = "text"
	PartReasoning       = "reasoning"
	PartStepStart       = "step-start"
	PartFile            = "file"
	PartSourceURL       = "source-url"
	PartSourceDocument  = "source-document"
	PartReasoningFile   = "reasoning-file"   // ai 7
	PartCustom          = "custom"           // ai 7
	PartSteeringMessage = "steering-message" // ai 7

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
// state does not have are absent, never null. A part of a type this version does not
// know, and one whose members are not what they should be, has them all in Extra.
type Part struct {
	Type             string         `json:"type"`
	Text             *string        `json:"text,omitzero"` // text, reasoning
	ToolCallID       Text           `json:"toolCallId,omitzero"`
	ToolName         Text           `json:"toolName,omitzero"` // dynamic-tool
	State            PartState      `json:"state,omitzero"`
	Title            Text           `json:"title,omitzero"`
	Dynamic          Flag           `json:"dynamic,omitzero"` // false in a dynamic-tool whose tool is gone
	Input            jsontext.Value `json:"input,omitzero"`
	RawInput         jsontext.Value `json:"rawInput,omitzero"` // the text streamed so far, or an input that is not valid
	InputEncoding    InputEncoding  `json:"inputEncoding,omitzero"`
	Output           jsontext.Value `json:"output,omitzero"`
	ErrorText        Text           `json:"errorText,omitzero"`
	Preliminary      Flag           `json:"preliminary,omitzero"`
	ProviderExecuted Flag           `json:"providerExecuted,omitzero"`
	Approval         *Approval      `json:"approval,omitzero"`

	ProviderMetadata       jsontext.Value `json:"providerMetadata,omitzero"`
	CallProviderMetadata   jsontext.Value `json:"callProviderMetadata,omitzero"`
	ResultProviderMetadata jsontext.Value `json:"resultProviderMetadata,omitzero"`
	ToolMetadata           jsontext.Value `json:"toolMetadata,omitzero"`

	ID                Text           `json:"id,omitzero"`   // data, reasoning, steering-message
	Data              jsontext.Value `json:"data,omitzero"` // data
	MediaType         Text           `json:"mediaType,omitzero"`
	URL               Text           `json:"url,omitzero"`
	Filename          Text           `json:"filename,omitzero"`
	SourceID          Text           `json:"sourceId,omitzero"`          // source-url, source-document
	Kind              Text           `json:"kind,omitzero"`              // custom
	Citations         jsontext.Value `json:"citations,omitzero"`         // text: an array of Citation
	Parts             jsontext.Value `json:"parts,omitzero"`             // steering-message: text and file parts
	ProviderReference jsontext.Value `json:"providerReference,omitzero"` // file: the provider's own id of it
	Extra             jsontext.Value `json:",embed"`
}

// An Approval is what a tool part holds about the decision on it. The members that
// an agent added are kept and go back to it as they came.
type Approval struct {
	ID               string         `json:"id"`
	Approved         *bool          `json:"approved,omitzero"`      // absent while nobody has decided
	Reason           Text           `json:"reason,omitzero"`        // of the decision
	RequestReason    Text           `json:"requestReason,omitzero"` // ai 7
	IsAutomatic      Flag           `json:"isAutomatic,omitzero"`   // ai 7
	Signature        Text           `json:"signature,omitzero"`
	Descriptor       jsontext.Value `json:"descriptor,omitzero"`
	InputSchemaInput jsontext.Value `json:"inputSchemaInput,omitzero"`
	Extra            jsontext.Value `json:",embed"`
}

// IsTool reports whether the part is a tool call.
func (p *Part) IsTool() bool { return p.Type == dynamicTool || p.isStatic() }

// isStatic reports whether the part is a call of a tool that the chat knows by type.
func (p *Part) isStatic() bool { return strings.HasPrefix(p.Type, toolPrefix) }

// Tool returns the name of the tool a tool part calls.
func (p *Part) Tool() string {
	if p.Type == dynamicTool {
		return p.ToolName.String()
	}
	return strings.TrimPrefix(p.Type, toolPrefix)
}

// Settled reports whether nobody is waiting on the tool call any more.
func (p *Part) Settled() bool {
	switch p.State {
	case StateOutputAvailable:
		return !p.Preliminary.True()
	case StateOutputError, StateOutputDenied:
		return true
	}
	return false
}

// TextPart makes a finished text part.
func TextPart(text string) Part { return Part{Type: PartText, Text: &text, State: StateDone} }

// ToolPart makes the part of a call of the named tool.
func ToolPart(name, callID string, state PartState) Part {
	return Part{Type: toolPrefix + name, ToolCallID: Set(callID), State: state}
}
