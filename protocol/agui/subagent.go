package agui

import "github.com/go-json-experiment/json/jsontext"

// SubagentStarted announces the work of a subagent (events/subagents).
type SubagentStarted struct {
	Base
	SubagentRunID       string `json:"subagentRunId"`
	Name                string `json:"name"`
	ParentSubagentRunID string `json:"parentSubagentRunId,omitzero"`
	ParentToolCallID    string `json:"parentToolCallId,omitzero"`
	ParentMessageID     string `json:"parentMessageId,omitzero"`
}

// SubagentFinished says that a subagent is done, or suspended by interrupts.
type SubagentFinished struct {
	Base
	SubagentRunID string         `json:"subagentRunId"`
	Result        jsontext.Value `json:"result,omitzero"`
	Outcome       jsontext.Value `json:"outcome,omitzero"`
}

// SubagentError says that a subagent failed.
type SubagentError struct {
	Base
	SubagentRunID string `json:"subagentRunId"`
	Message       string `json:"message"`
	Code          string `json:"code,omitzero"`
}
