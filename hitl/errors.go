package hitl

import (
	"errors"
	"strings"
	"time"
)

// The rules an answer can break. Test with errors.Is; an [*AnswerError] says where.
var (
	// ErrUnknown: nothing of that id was ever asked here.
	ErrUnknown = errors.New("no such request")
	// ErrIncomplete: the agent wants all its requests answered at once, and some are not.
	ErrIncomplete = errors.New("other requests are still open")
	// ErrExpired: the request ran out; it can only be cancelled.
	ErrExpired = errors.New("the request has expired")
	// ErrInvalidPayload: the answer is not one to what was asked.
	ErrInvalidPayload = errors.New("the answer is not valid")
	// ErrAlreadySettled: the request has another answer already, which stands.
	ErrAlreadySettled = errors.New("the request is already settled")
	// ErrEditsNotSupported: the agent cannot take edited arguments, so an approval that
	// edits them is not carried out.
	ErrEditsNotSupported = errors.New("edited arguments cannot be passed on")
)

// An Issue is one fault in a JSON value. Path is a JSON Pointer (RFC 6901) to the
// place, "" for the whole value; Message says what was expected there.
type Issue struct {
	Path    string `json:"path"`
	Message string `json:"message"`
}

// String gives the place, if there is one, and the fault.
func (i Issue) String() string {
	if i.Path == "" {
		return i.Message
	}
	return i.Path + ": " + i.Message
}

// An AnswerError says why an answer was refused. A refused answer changes nothing.
type AnswerError struct {
	RequestID string    // "" where it is not known
	Rule      error     // one of the Err values of this package
	Issues    []Issue   // the faults, if the rule has any
	By        *Response // for ErrAlreadySettled: what settled the request
}

// Error names the request, the rule, each fault, and what the request was settled by.
func (e *AnswerError) Error() string {
	var b strings.Builder
	if e.RequestID != "" {
		b.WriteString("request " + e.RequestID + ": ")
	}
	if e.Rule != nil {
		b.WriteString(e.Rule.Error())
	} else {
		b.WriteString("the answer was refused")
	}
	if e.By != nil {
		b.WriteString(" (" + settledBy(*e.By) + ")")
	}
	if len(e.Issues) > 0 {
		b.WriteString(": " + join(e.Issues))
	}
	return b.String()
}

// Unwrap returns the rule.
func (e *AnswerError) Unwrap() error { return e.Rule }

func settledBy(r Response) string {
	s := r.Word()
	if r.Actor != "" {
		s += " by " + r.Actor
	}
	if !r.At.IsZero() {
		s += " at " + r.At.UTC().Format(time.RFC3339)
	}
	return s
}

func join(issues []Issue) string {
	texts := make([]string, len(issues))
	for i, issue := range issues {
		texts[i] = issue.String()
	}
	return strings.Join(texts, "; ")
}
