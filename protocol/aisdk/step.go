package aisdk

import "github.com/go-json-experiment/json/jsontext"

// Start opens the answer; it names the message the chunks build.
type Start struct {
	Head
	MessageID       Text           `json:"messageId,omitzero"`
	MessageMetadata jsontext.Value `json:"messageMetadata,omitzero"`
}

// A FinishReason says why the model stopped.
type FinishReason string

// The reasons of a finish.
const (
	FinishStop          FinishReason = "stop"
	FinishLength        FinishReason = "length"
	FinishContentFilter FinishReason = "content-filter"
	FinishToolCalls     FinishReason = "tool-calls"
	FinishError         FinishReason = "error"
	FinishOther         FinishReason = "other"
	FinishInterrupted   FinishReason = "interrupted" // ai 7
)

// Finish closes the answer.
type Finish struct {
	Head
	FinishReason    FinishReason   `json:"finishReason,omitzero"`
	MessageMetadata jsontext.Value `json:"messageMetadata,omitzero"`
}

// Abort says that the run was stopped on purpose.
type Abort struct {
	Head
	Reason Text `json:"reason,omitzero"`
}

// Error says that the run failed; it is terminal for a chat.
type Error struct {
	Head
	ErrorText string `json:"errorText"`
}

// MessageMetadata merges into the message's metadata.
type MessageMetadata struct {
	Head
	MessageMetadata jsontext.Value `json:"messageMetadata"`
}

// StartStep opens a step: one call of the model.
type StartStep struct{ Head }

// FinishStep closes a step.
type FinishStep struct{ Head }

// ResetStep takes back what the step has said so far (ai 7).
type ResetStep struct{ Head }
