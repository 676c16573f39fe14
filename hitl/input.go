package hitl

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// An InputKind says what sort of thing a person is asked for.
type InputKind string

// The kinds of input.
const (
	InputForm         InputKind = "form"         // values for the fields of a schema
	InputURL          InputKind = "url"          // something to do at an address, outside this conversation
	InputQuestion     InputKind = "question"     // a choice among options, see [AskUser]
	InputConfirmation InputKind = "confirmation" // a plain yes or no
)

// An InputRequest asks for something only a person can give. With neither schema nor
// URL it is a plain confirmation. It follows MCP elicitation and ACP elicitation, both
// of which know a form and a URL mode.
type InputRequest struct {
	ID            string         `json:"id"`
	Message       string         `json:"message,omitzero"`
	Schema        jsontext.Value `json:"schema,omitzero"` // JSON Schema of the content of an acceptance
	URL           string         `json:"url,omitzero"`    // shown in full and opened by the person, never fetched
	ElicitationID string         `json:"elicitationId,omitzero"`
	Kind          InputKind      `json:"kind,omitzero"`
	ToolCallID    string         `json:"toolCallId,omitzero"` // the call it belongs to, if any
	ExpiresAt     time.Time      `json:"expiresAt,omitzero"`
	Metadata      jsontext.Value `json:"metadata,omitzero"` // as the asking agent gave it
}

// An InputAction is what a person did with an [InputRequest]: the three actions of MCP
// elicitation.
type InputAction string

// The actions. Declining is an answer, cancelling is none: nothing was decided.
const (
	ActionAccept  InputAction = "accept"
	ActionDecline InputAction = "decline"
	ActionCancel  InputAction = "cancel"
)

// An InputResponse is the answer to an [InputRequest]. The zero value is no answer.
type InputResponse struct {
	Action  InputAction    `json:"action"`
	Content jsontext.Value `json:"content,omitzero"` // of an acceptance only; may be absent
}

// Accept is the answer that gives what was asked for. A URL request and a confirmation
// are accepted without content.
func Accept(content jsontext.Value) InputResponse {
	if len(content) == 0 {
		content = nil
	}
	return InputResponse{Action: ActionAccept, Content: content}
}

// Decline is the answer of a person who will not give what was asked for.
func Decline() InputResponse { return InputResponse{Action: ActionDecline} }

// Cancel says that the request was given up, by a person or by whoever stopped the run.
func Cancel() InputResponse { return InputResponse{Action: ActionCancel} }

// ParseInput reads {"action": "accept"|"decline"|"cancel", "content"?: any}. Members
// that are not known are passed over, and so is the content of anything but an
// acceptance. A fault gives the zero response, which is no answer, and an
// [*AnswerError] of the rule [ErrInvalidPayload].
func ParseInput(payload jsontext.Value) (InputResponse, error) {
	var r reader
	var in InputResponse
	if m := r.object("", payload); m != nil {
		in.Action = InputAction(r.text(m, "", "action", required))
		in.Content = m["content"]
	}
	if len(r.issues) == 0 && !in.Action.known() {
		r.add("/action", wantAction)
	}
	if err := r.answerError(); err != nil {
		return InputResponse{}, err
	}
	if in.Action != ActionAccept {
		in.Content = nil
	}
	return in, nil
}

const wantAction = `expected "accept", "decline" or "cancel"`

func (a InputAction) known() bool {
	return a == ActionAccept || a == ActionDecline || a == ActionCancel
}
