package aisdk

import "github.com/go-json-experiment/json/jsontext"

// ToolInputStart opens a tool call whose input is streamed.
type ToolInputStart struct {
	Head
	ToolCallID       string         `json:"toolCallId"`
	ToolName         string         `json:"toolName"`
	InputEncoding    InputEncoding  `json:"inputEncoding,omitzero"`
	ProviderExecuted Flag           `json:"providerExecuted,omitzero"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
	ToolMetadata     jsontext.Value `json:"toolMetadata,omitzero"`
	Dynamic          Flag           `json:"dynamic,omitzero"`
	Title            Text           `json:"title,omitzero"`
}

// An InputEncoding says what the deltas of a call's input are; absent means JSON.
type InputEncoding string

// The encodings of a streamed input.
const (
	EncodingJSON InputEncoding = "json"
	EncodingText InputEncoding = "text"
)

// ToolInputDelta appends to the text of a call's input.
type ToolInputDelta struct {
	Head
	ToolCallID     string `json:"toolCallId"`
	InputTextDelta string `json:"inputTextDelta"`
}

// ToolInputAvailable says that a call's input is complete. Input is a required key;
// null is a value.
type ToolInputAvailable struct {
	Head
	ToolCallID       string         `json:"toolCallId"`
	ToolName         string         `json:"toolName"`
	Input            jsontext.Value `json:"input"`
	ProviderExecuted Flag           `json:"providerExecuted,omitzero"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
	ToolMetadata     jsontext.Value `json:"toolMetadata,omitzero"`
	Dynamic          Flag           `json:"dynamic,omitzero"`
	Title            Text           `json:"title,omitzero"`
}

// ToolInputError says that the model made a call whose input is not valid.
type ToolInputError struct {
	Head
	ToolCallID       string         `json:"toolCallId"`
	ToolName         string         `json:"toolName"`
	Input            jsontext.Value `json:"input"`
	ErrorText        string         `json:"errorText"`
	ProviderExecuted Flag           `json:"providerExecuted,omitzero"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
	ToolMetadata     jsontext.Value `json:"toolMetadata,omitzero"`
	Dynamic          Flag           `json:"dynamic,omitzero"`
	Title            Text           `json:"title,omitzero"`
}

// ToolApprovalRequest asks a person whether a call may run. An automatic one was
// already decided by the agent's own rules.
type ToolApprovalRequest struct {
	Head
	ApprovalID         string         `json:"approvalId"`
	ToolCallID         string         `json:"toolCallId"`
	Signature          Text           `json:"signature,omitzero"`
	ApprovalDescriptor jsontext.Value `json:"approvalDescriptor,omitzero"`
	InputSchemaInput   jsontext.Value `json:"inputSchemaInput,omitzero"`
	Reason             Text           `json:"reason,omitzero"`
	IsAutomatic        Flag           `json:"isAutomatic,omitzero"`
}

// ToolApprovalResponse records a decision that was not taken by the chat it reaches.
type ToolApprovalResponse struct {
	Head
	ApprovalID       string         `json:"approvalId"`
	Approved         bool           `json:"approved"`
	Reason           Text           `json:"reason,omitzero"`
	ProviderExecuted Flag           `json:"providerExecuted,omitzero"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// ToolOutputAvailable carries what a call returned. Output is a required key; null
// is a value. A preliminary output will be followed by another one.
type ToolOutputAvailable struct {
	Head
	ToolCallID       string         `json:"toolCallId"`
	Output           jsontext.Value `json:"output"`
	ProviderExecuted Flag           `json:"providerExecuted,omitzero"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
	ToolMetadata     jsontext.Value `json:"toolMetadata,omitzero"`
	Dynamic          Flag           `json:"dynamic,omitzero"`
	Preliminary      Flag           `json:"preliminary,omitzero"`
}

// ToolOutputError says that a call failed.
type ToolOutputError struct {
	Head
	ToolCallID       string         `json:"toolCallId"`
	ErrorText        string         `json:"errorText"`
	ProviderExecuted Flag           `json:"providerExecuted,omitzero"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
	ToolMetadata     jsontext.Value `json:"toolMetadata,omitzero"`
	Dynamic          Flag           `json:"dynamic,omitzero"`
}

// ToolOutputDenied says that a call did not run because a person said no.
type ToolOutputDenied struct {
	Head
	ToolCallID string `json:"toolCallId"`
}
