package session

import (
	"errors"
	"fmt"
)

// A Code names a refusal or a failure; its text is what clients see (design: error codes).
type Code string

// The codes this package gives. Codes of agents and of the gateway stand there.
const (
	CodeInvalidInput      Code = "invalid_input"
	CodeInterruptsPending Code = "interrupts_pending"
	CodeResumeIncomplete  Code = "resume_incomplete"
	CodeResumeExpired     Code = "resume_expired"
	CodeResumeInvalid     Code = "resume_invalid_payload"
	CodeAlreadySettled    Code = "already_settled"
	CodeEditsNotSupported Code = "edits_not_supported"
	CodeQueueFull         Code = "queue_full"
	CodeUnknownAgent      Code = "unknown_agent"
	CodeUnknownThread     Code = "unknown_thread"
	CodeRunLost           Code = "run_lost"
	CodeResumeUnknown     Code = "resume_unknown"
	CodeInternal          Code = "internal"
)

var (
	// ErrUnknownRun: the thread has no such run.
	ErrUnknownRun = errors.New("unknown run")
	// ErrUnknownThread: the thread has no log.
	ErrUnknownThread = errors.New("unknown thread")
	// ErrUnknownAgent: no agent of that name is configured.
	ErrUnknownAgent = errors.New("unknown agent")
	// ErrQueueFull: as many messages as are allowed wait already.
	ErrQueueFull = errors.New("too many messages are waiting on this thread")
	// ErrInterruptsPending: a message came while requests are open, and the bridge is
	// set to refuse such messages.
	ErrInterruptsPending = errors.New("the thread has requests that are not answered")
	// ErrRunReused: the run id names another run of this thread.
	ErrRunReused = errors.New("the run id was used for another input")
	// ErrWrongAgent: the answer was sent to an agent that did not ask.
	ErrWrongAgent = errors.New("the request was raised by another agent")
	// ErrClosed: the hub is shutting down.
	ErrClosed = errors.New("the bridge is shutting down")

	// ErrCancelled is the cause of a run's context when somebody stopped the run.
	ErrCancelled = errors.New("the run was cancelled")
	// ErrShutdown is the cause of a run's context when the process goes down.
	ErrShutdown = errors.New("the bridge is shutting down while the run is going on")
)

// A Failure is why a run failed, as clients see it. Agents return it from Run.
type Failure struct {
	Code    Code   `json:"code,omitzero"` // empty: the agent's own failure
	Message string `json:"message"`
}

// Error gives code and message.
func (f *Failure) Error() string {
	if f.Code == "" {
		return f.Message
	}
	return fmt.Sprintf("%s: %s", f.Code, f.Message)
}

// failureOf gives the failure that an agent's error stands for.
func failureOf(err error) *Failure {
	var f *Failure
	if errors.As(err, &f) {
		return f
	}
	return &Failure{Code: CodeInternal, Message: "the run failed inside the bridge"}
}
