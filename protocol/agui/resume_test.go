package agui

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// Nothing is an approval that does not say so in every word.
func TestResumeDeniesByDefault(t *testing.T) {
	for _, tc := range []struct {
		rule             string
		status           ResumeStatus
		payload          string
		approved, failed bool
	}{
		{"approved", ResumeResolved, `{"approved":true}`, true, false},
		{"with edits", ResumeResolved, `{"approved":true,"editedArgs":{"a":1}}`, true, false},
		{"denied", ResumeResolved, `{"approved":false,"reason":"no"}`, false, false},
		{"no payload", ResumeResolved, ``, false, true},
		{"null", ResumeResolved, `null`, false, true},
		{"empty", ResumeResolved, `{}`, false, true},
		{"a word", ResumeResolved, `"approved"`, false, true},
		{"true alone", ResumeResolved, `true`, false, true},
		{"text that looks true", ResumeResolved, `{"approved":"true"}`, false, true},
		{"a number", ResumeResolved, `{"approved":1}`, false, true},
		{"another spelling", ResumeResolved, `{"Approved":true}`, false, true},
		{"approved twice", ResumeResolved, `{"approved":false,"approved":true}`, false, true},
		{"edits under another name", ResumeResolved, `{"approved":true,"edited_args":{}}`, false, true},
		{"edits that are no object", ResumeResolved, `{"approved":true,"editedArgs":[]}`, false, true},
		{"an unknown status", "approved", `{"approved":true}`, false, true},
		{"no status", "", `{"approved":true}`, false, true},
		{"cancelled, whatever the payload says", ResumeCancelled, `{"approved":true}`, false, false},
	} {
		e := ResumeEntry{InterruptID: "i", Status: tc.status, Payload: jsontext.Value(tc.payload)}
		r, err := e.Response(hitl.Request{ID: "i", Kind: hitl.KindApproval})
		if (err != nil) != tc.failed || err != nil && !errors.Is(err, hitl.ErrInvalidPayload) {
			t.Errorf("%s: %v", tc.rule, err)
		}
		if got := r.Decision != nil && r.Decision.Approved; got != tc.approved {
			t.Errorf("%s: approved %v", tc.rule, got)
		}
		if err != nil && (r.Decision != nil || r.Input != nil || r.ToolOutput != nil) {
			t.Errorf("%s: an answer beside the error: %+v", tc.rule, r)
		}
		if r.Cancelled() != (tc.status == ResumeCancelled) {
			t.Errorf("%s: cancelled %v", tc.rule, r.Cancelled())
		}
	}
}

func TestResumeOfOtherKinds(t *testing.T) {
	entry := ResumeEntry{InterruptID: "i", Status: ResumeResolved, Payload: jsontext.Value(`{"approved":true}`)}
	r, err := entry.Response(hitl.Request{ID: "i", Kind: hitl.KindInput})
	if err != nil || r.Decision != nil || r.Input == nil || r.Input.Action != hitl.ActionAccept || string(r.Payload) != `{"approved":true}` {
		t.Errorf("an input is data, whatever it looks like: %+v, %v", r, err)
	}
	for _, kind := range []hitl.RequestKind{hitl.KindClientTool, "", "other"} {
		r, err := entry.Response(hitl.Request{ID: "i", Kind: kind})
		if !errors.Is(err, hitl.ErrInvalidPayload) || r.Decision != nil || r.Input != nil || r.ToolOutput != nil {
			t.Errorf("kind %q: %+v, %v", kind, r, err)
		}
	}
}
