package gateway

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

func TestRules(t *testing.T) {
	for _, rule := range rules {
		if rule.code == "" || rule.status < http.StatusBadRequest || http.StatusText(rule.status) == "" {
			t.Errorf("%v has code %q and status %d", rule.err, rule.code, rule.status)
		}
		got := refusalOf(fmt.Errorf("context: %w", rule.err))
		if got.code != rule.code || got.status != rule.status || !strings.Contains(got.message, rule.err.Error()) {
			t.Errorf("%v gives %+v, want %s and %d", rule.err, got, rule.code, rule.status)
		}
	}
}

// What the hub refuses with has a rule; a new error without one fails here.
func TestRulesAreComplete(t *testing.T) {
	for _, err := range []error{
		session.ErrUnknownThread, session.ErrUnknownAgent, session.ErrQueueFull, session.ErrInterruptsPending, session.ErrRunReused,
		session.ErrWrongAgent, session.ErrClosed, hitl.ErrIncomplete, hitl.ErrExpired, hitl.ErrInvalidPayload, hitl.ErrAlreadySettled,
		hitl.ErrEditsNotSupported,
	} {
		if got := refusalOf(&hitl.AnswerError{Rule: err}); got.status == http.StatusInternalServerError {
			t.Errorf("%v has no rule", err)
		}
	}
}

func TestUnknownErrorStaysInside(t *testing.T) {
	r := refusalOf(errors.New("password=secret"))
	w := httptest.NewRecorder()
	refuse(w, r)
	if w.Code != http.StatusInternalServerError || w.Header().Get("Content-Type") != "application/json" {
		t.Errorf("status %d, type %s", w.Code, w.Header().Get("Content-Type"))
	}
	if got, want := w.Body.String(), `{"error":{"code":"internal","message":"the bridge could not do this"}}`+"\n"; got != want {
		t.Errorf("body %s, want %s", got, want)
	}
	if got, want := string(r.event()), `{"type":"RUN_ERROR","message":"the bridge could not do this","code":"internal"}`; got != want {
		t.Errorf("event %s, want %s", got, want)
	}
}

func TestRefusalCarriesIssues(t *testing.T) {
	w := httptest.NewRecorder()
	refuse(w, refusalOf(&hitl.AnswerError{RequestID: "q", Rule: hitl.ErrInvalidPayload, Issues: []hitl.Issue{{Path: "/a", Message: "expected b"}}}))
	want := `{"error":{"code":"resume_invalid_payload","message":"request q: the answer is not valid: /a: expected b","issues":[{"path":"/a","message":"expected b"}]}}` + "\n"
	if got := w.Body.String(); got != want {
		t.Errorf("body %s, want %s", got, want)
	}
	// A text that is no UTF-8 must not break the stream.
	parse(t, (&refusal{code: "x", message: "\xff"}).event())
}
