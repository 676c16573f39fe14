package agui

import "github.com/go-json-experiment/json/jsontext"

// RunStarted opens a run (events/lifecycle).
type RunStarted struct {
	Base
	ThreadID        string         `json:"threadId"`
	RunID           string         `json:"runId"`
	ProtocolVersion Text           `json:"protocolVersion,omitzero"`
	ParentRunID     Text           `json:"parentRunId,omitzero"`
	Input           jsontext.Value `json:"input,omitzero"`
}

// RunFinished closes a run that did not fail.
type RunFinished struct {
	Base
	ThreadID string         `json:"threadId"`
	RunID    string         `json:"runId"`
	Result   jsontext.Value `json:"result,omitzero"`
	Outcome  *Outcome       `json:"outcome,omitzero"` // absent means success
	Usage    []TokenUsage   `json:"usage,omitzero"`
}

// RunError closes a run that failed, and whatever was open in it.
type RunError struct {
	Base
	Message string       `json:"message"`
	Code    Text         `json:"code,omitzero"`
	Usage   []TokenUsage `json:"usage,omitzero"`
}

// StepStarted opens a named step.
type StepStarted struct {
	Base
	StepName string `json:"stepName"`
	Attributable
}

// StepFinished closes a named step.
type StepFinished struct {
	Base
	StepName string `json:"stepName"`
	Attributable
}

// An OutcomeType tells the outcomes of a finished run apart.
type OutcomeType string

// The known outcomes; any other one reads as success.
const (
	OutcomeSuccess   OutcomeType = "success"
	OutcomeInterrupt OutcomeType = "interrupt"
	OutcomeCancelled OutcomeType = "cancelled"
)

// An Outcome says how a run finished.
type Outcome struct {
	Type               OutcomeType    `json:"type"`
	PendingToolCallIDs []string       `json:"pendingToolCallIds,omitzero"` // with success: calls the application has to run
	Interrupts         []Interrupt    `json:"interrupts,omitzero"`         // with interrupt: at least one
	Extra              jsontext.Value `json:",embed"`
}
