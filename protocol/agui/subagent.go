package agui

import "github.com/go-json-experiment/json/jsontext"

// SubagentStarted announces the work of a subagent (events/subagents).
type SubagentStarted struct {
	Base
	SubagentRunID       string `json:"subagentRunId"`
	Name                string `json:"name"`
	Description         Text   `json:"description,omitzero"`
	ParentSubagentRunID Text   `json:"parentSubagentRunId,omitzero"`
	ParentToolCallID    Text   `json:"parentToolCallId,omitzero"`
	ParentMessageID     Text   `json:"parentMessageId,omitzero"`
}

// SubagentFinished says that a subagent is done, or suspended by interrupts.
type SubagentFinished struct {
	Base
	SubagentRunID string           `json:"subagentRunId"`
	Result        jsontext.Value   `json:"result,omitzero"`
	Outcome       *SubagentOutcome `json:"outcome,omitzero"` // absent means success
}

// A SubagentOutcome says how a subagent's work ended: "success", or "suspended" until
// interrupts are answered.
type SubagentOutcome struct {
	Type         string         `json:"type"`
	InterruptIDs []string       `json:"interruptIds,omitzero"`
	Extra        jsontext.Value `json:",embed"`
}

// SubagentError says that a subagent failed.
type SubagentError struct {
	Base
	SubagentRunID string `json:"subagentRunId"`
	Message       string `json:"message"`
	Code          Text   `json:"code,omitzero"`
}
