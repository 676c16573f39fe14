package gateway

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// The codes that only the gateway gives.
const (
	codeNotFound           session.Code = "not_found"
	codeForbidden          session.Code = "forbidden"
	codeTooManyConnections session.Code = "too_many_connections"
)

// rules says which code and status stands for which error; the first match counts.
var rules = []struct {
	err    error
	code   session.Code
	status int
}{
	{agui.ErrMalformed, session.CodeInvalidInput, http.StatusBadRequest},
	{aisdk.ErrMalformed, session.CodeInvalidInput, http.StatusBadRequest},
	{session.ErrRunReused, session.CodeInvalidInput, http.StatusConflict},
	{session.ErrWrongAgent, session.CodeInvalidInput, http.StatusConflict},
	{session.ErrUnknownAgent, session.CodeUnknownAgent, http.StatusNotFound},
	{session.ErrUnknownThread, session.CodeUnknownThread, http.StatusNotFound},
	{session.ErrInterruptsPending, session.CodeInterruptsPending, http.StatusConflict},
	{session.ErrQueueFull, session.CodeQueueFull, http.StatusTooManyRequests},
	{hitl.ErrUnknown, codeNotFound, http.StatusNotFound},
	{hitl.ErrIncomplete, session.CodeResumeIncomplete, http.StatusConflict},
	{hitl.ErrExpired, session.CodeResumeExpired, http.StatusGone},
	{hitl.ErrInvalidPayload, session.CodeResumeInvalid, http.StatusUnprocessableEntity},
	{hitl.ErrAlreadySettled, session.CodeAlreadySettled, http.StatusConflict},
	{hitl.ErrEditsNotSupported, session.CodeEditsNotSupported, http.StatusUnprocessableEntity},
	{session.ErrClosed, session.CodeInternal, http.StatusServiceUnavailable},
	{context.Canceled, session.CodeInternal, http.StatusServiceUnavailable},
}

// A refusal is an error as a client sees it.
type refusal struct {
	code    session.Code
	status  int
	message string
	issues  []hitl.Issue
}

// refusalOf gives the refusal an error stands for. The text of an error that is in no
// rule stays inside.
func refusalOf(err error) *refusal {
	for _, rule := range rules {
		if errors.Is(err, rule.err) {
			return &refusal{code: rule.code, status: rule.status, message: err.Error(), issues: issuesOf(err)}
		}
	}
	return &refusal{code: session.CodeInternal, status: http.StatusInternalServerError, message: "the bridge could not do this"}
}

func issuesOf(err error) []hitl.Issue {
	var answer *hitl.AnswerError
	if errors.As(err, &answer) {
		return answer.Issues
	}
	var v *shape.Violation
	if errors.As(err, &v) {
		return []hitl.Issue{{Path: v.Path, Message: "expected " + v.Want + ", got " + v.Got}}
	}
	return nil
}

// text is the refusal in one line.
func (r *refusal) text() string { return string(r.code) + ": " + r.message }

type errorBody struct {
	Error struct {
		Code    session.Code `json:"code"`
		Message string       `json:"message"`
		Issues  []hitl.Issue `json:"issues,omitzero"`
	} `json:"error"`
}

func refuse(w http.ResponseWriter, r *refusal) {
	var body errorBody
	body.Error.Code, body.Error.Message, body.Error.Issues = r.code, r.message, r.issues
	writeJSON(w, r.status, body)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		http.Error(w, `{"error":{"code":"internal","message":"the answer could not be written"}}`, http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(append(raw, '\n')) // the client is gone if this fails
}

// event is the refusal as the first and only event of a stream.
func (r *refusal) event() []byte {
	f, err := agui.Encode(&agui.RunError{Base: agui.Base{Kind: agui.TypeRunError}, Message: r.message, Code: agui.Set(string(r.code))})
	if err != nil {
		return []byte(`{"type":"RUN_ERROR","message":"the bridge could not do this","code":"internal"}`)
	}
	return f.Raw
}

// invalid refuses an input for what it has at the given place.
func invalid(path, message string) *refusal {
	return invalidFrame(&hitl.AnswerError{Rule: errors.New("invalid input"), Issues: []hitl.Issue{{Path: path, Message: message}}})
}

func invalidFrame(err error) *refusal {
	return &refusal{code: session.CodeInvalidInput, status: http.StatusBadRequest, message: err.Error(), issues: issuesOf(err)}
}
