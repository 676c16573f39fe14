package agui

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A RunInput is what a client sends to start or to resume a run (AG-UI 1.1,
// RunAgentInput). Raw holds the checked bytes, without what this version does not know.
type RunInput struct {
	ThreadID        string         `json:"threadId"`
	RunID           string         `json:"runId"`
	ProtocolVersion Text           `json:"protocolVersion,omitzero"`
	ParentRunID     Text           `json:"parentRunId,omitzero"`
	State           jsontext.Value `json:"state,omitzero"`
	Messages        []Message      `json:"messages"`
	Tools           []Tool         `json:"tools,omitzero"`
	Context         []Context      `json:"context,omitzero"`
	ForwardedProps  jsontext.Value `json:"forwardedProps,omitzero"`
	Resume          []ResumeEntry  `json:"resume,omitzero"`
	Extra           jsontext.Value `json:",embed"`
	Raw             jsontext.Value `json:"-"`
}

// A Tool is one the application offers to run itself.
type Tool struct {
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Parameters  jsontext.Value `json:"parameters,omitzero"` // a JSON Schema
	Metadata    jsontext.Value `json:"metadata,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// A Context is a piece of information the application passes along.
type Context struct {
	Description string         `json:"description"`
	Value       string         `json:"value"`
	Extra       jsontext.Value `json:",embed"`
}

// ParseRunInput checks and decodes a run input. What is unknown is taken out and
// reported; when nothing was, Raw is raw itself. The error matches ErrMalformed and names the place (basic/run-input).
func ParseRunInput(raw []byte) (RunInput, []Warning, error) {
	clean, warnings, err := shape.Enforce(raw, runInput, nil)
	if err != nil {
		return RunInput{}, nil, fmt.Errorf("%w: RunAgentInput: %w", ErrMalformed, err)
	}
	var in RunInput
	if err := json.Unmarshal(clean, &in); err != nil {
		return RunInput{}, nil, fmt.Errorf("%w: RunAgentInput: %w", ErrMalformed, err)
	}
	if err := in.needIDs(); err != nil {
		return RunInput{}, nil, fmt.Errorf("%w: RunAgentInput: %w", ErrMalformed, err)
	}
	in.Raw = clean
	return in, warnings, nil
}

// needIDs refuses empty ids: they are strings to the schema, but name nothing.
func (in RunInput) needIDs() error {
	for _, id := range []struct{ path, value string }{{"/threadId", in.ThreadID}, {"/runId", in.RunID}} {
		if id.value == "" {
			return &shape.Violation{Path: id.path, Want: "a string that is not empty", Got: `the string ""`}
		}
	}
	return nil
}

// LastUserMessage returns the newest message of the user, if there is one.
func (in RunInput) LastUserMessage() (Message, bool) {
	for i := len(in.Messages) - 1; i >= 0; i-- {
		if in.Messages[i].Role == RoleUser {
			return in.Messages[i], true
		}
	}
	return Message{}, false
}

// OffersTool reports whether the application offers to run the named tool itself.
func (in RunInput) OffersTool(name string) bool {
	for _, t := range in.Tools {
		if t.Name == name {
			return true
		}
	}
	return false
}
