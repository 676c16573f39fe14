package inproc

import (
	"errors"

	"github.com/agui-bridge/agui-bridge/session"
)

// What asking can come to instead of an answer. All of it means no.
var (
	// ErrGivenUp: the person cancelled the request; nothing was decided.
	ErrGivenUp = errors.New("the request was given up")
	// ErrNotShown: there is no such call, or it was not shown by this function.
	ErrNotShown = errors.New("the tool call was not shown in this conversation")
	// ErrDone: the call has a result already, so there is nothing left to allow.
	ErrDone = errors.New("the tool call has a result already")
	// ErrReused: the id of the input request names another one.
	ErrReused = errors.New("the id was used for another request")
	// ErrNoAnswer: the run went on, and this request was not among what was answered.
	ErrNoAnswer = errors.New("the request was not answered")
	// ErrOver: the function has returned, or nobody listens to it any more.
	ErrOver = errors.New("the function is over")
	// ErrTooManyParked: as many functions wait as may.
	ErrTooManyParked = errors.New("too many functions are waiting for an answer")
	// ErrParkedTooLong: nobody answered while the function was kept.
	ErrParkedTooLong = errors.New("the function was parked for too long")
)

// CodeResumeUnknown is the code of a run whose function is gone: what it did after it
// asked, if it did anything, is not known.
const CodeResumeUnknown session.Code = "resume_unknown"

var (
	errPanicked = errors.New("the function panicked")
	errExited   = errors.New("the function ended its goroutine")
)

func goneFailure() *session.Failure {
	return &session.Failure{
		Code:    CodeResumeUnknown,
		Message: "the function that asked is gone, and was not run again; nothing was done with the answers",
	}
}

func lostFailure() *session.Failure {
	return &session.Failure{Code: session.CodeRunLost, Message: "the bridge went down while the run was going on"}
}

// shown is the failure that clients see of a function's error.
func shown(err error) *session.Failure {
	var f *session.Failure
	if errors.As(err, &f) && f != nil {
		return f
	}
	return &session.Failure{Message: "the agent failed"}
}
