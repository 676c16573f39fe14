package hitl

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A Response settles a [Request]. Exactly one of Decision, Input and ToolOutput is set.
type Response struct {
	Decision   *ToolDecision  `json:"decision,omitzero"`
	Input      *InputResponse `json:"input,omitzero"`
	ToolOutput *ToolOutput    `json:"toolOutput,omitzero"`

	// Payload is the answer as its protocol carried it. It means something to agents of
	// that protocol only, and is what a Request's Schema is held against.
	Payload jsontext.Value `json:"payload,omitzero"`

	Actor string    `json:"actor,omitzero"` // who answered
	At    time.Time `json:"at,omitzero"`    // when
}

// A ToolOutput is what a call that the browser ran came to: a JSON value, or an error
// text. Exactly one of the two is set. An output stays data, also when it is spelled
// like a decision.
type ToolOutput struct {
	Output jsontext.Value `json:"output,omitzero"`
	Error  string         `json:"error,omitzero"`
}

// Cancelled reports whether the request was given up. That settles a request of any
// kind, and is neither a denial nor an answer.
func (r Response) Cancelled() bool {
	return r.Decision == nil && r.ToolOutput == nil && r.Input != nil && r.Input.Action == ActionCancel
}

// Word says in one word what the response did.
func (r Response) Word() string {
	switch {
	case r.Cancelled():
		return "cancelled"
	case r.Decision != nil && r.Decision.Approved:
		return "approved"
	case r.Decision != nil:
		return "denied"
	case r.Input != nil && r.Input.Action == ActionDecline:
		return "declined"
	case r.Input != nil:
		return "accepted"
	case r.ToolOutput != nil && r.ToolOutput.Error != "":
		return "failed"
	}
	return "answered"
}
