package hitl

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A RequestKind says how a [Request] is answered.
type RequestKind string

// The kinds of request, and the part of a [Response] that answers each.
const (
	KindApproval   RequestKind = "approval"   // Response.Decision
	KindInput      RequestKind = "input"      // Response.Input
	KindClientTool RequestKind = "clientTool" // Response.ToolOutput
)

// ApprovalAnswers is what the asking agent can carry back beside yes or no. A front end
// offers nothing else, so that no answer is lost on the way.
type ApprovalAnswers struct {
	Reason     bool `json:"reason"`
	EditedArgs bool `json:"editedArgs"`
	Remember   bool `json:"remember"`
}

// A Request is one thing that a stopped run waits for. Its id, the id of the tool call
// it is about and any token of the asking agent are three things; none stands for another.
type Request struct {
	ID   string      `json:"id"`
	Kind RequestKind `json:"kind"`
	// Token is the id by which the asking agent knows the request, if that is not ID: an
	// agent may use an id again, a thread does not.
	Token string `json:"token,omitzero"`

	// Call is the tool call that is to be approved or run, or that an input belongs to.
	Call *ToolCall `json:"toolCall,omitzero"`
	// Input is what is asked for. An approval may have one for its message.
	Input *InputRequest `json:"input,omitzero"`
	// Schema is the JSON Schema that the whole answer payload has to satisfy, as the
	// asking agent gave it. It may be absent.
	Schema jsontext.Value `json:"schema,omitzero"`
	// Answers is what an approval can carry back.
	Answers ApprovalAnswers `json:"answers"`
	Render  *Render         `json:"render,omitzero"`

	RaisedAt    time.Time `json:"raisedAt,omitzero"`
	ExpiresAt   time.Time `json:"expiresAt,omitzero"` // zero: never
	RaisedInRun string    `json:"raisedInRun,omitzero"`
	Turn        string    `json:"turn,omitzero"` // id of the user message it belongs to
}

// Own returns the request as the asking agent knows it.
func (q Request) Own() Request {
	if q.Token != "" {
		q.ID = q.Token
	}
	return q
}

// Named reports whether an id is one of the two by which the request is known.
func (q Request) Named(id string) bool { return id != "" && (id == q.ID || id == q.Token) }

// Expired reports whether now is at or after the moment when the request ran out,
// given on the request or on its input (AG-UI basic/patterns/interrupt-resume: now or
// earlier counts as expired). A request without such a moment never expires.
func (q Request) Expired(now time.Time) bool {
	limit := q.Expiry()
	return !limit.IsZero() && !now.Before(limit)
}

// Expiry is the moment at which the request runs out: the earlier one of its own and that
// of its input. It is zero for a request that never does.
func (q Request) Expiry() time.Time {
	limit := q.ExpiresAt
	if q.Input != nil && (limit.IsZero() || q.Input.ExpiresAt.Before(limit)) && !q.Input.ExpiresAt.IsZero() {
		limit = q.Input.ExpiresAt
	}
	return limit
}
