package hitl

import (
	"bytes"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A SchemaCheck holds a JSON value against a JSON Schema and returns what is wrong with
// it, nothing if it satisfies the schema. A schema that cannot be used is an issue at
// path "".
type SchemaCheck func(schema, value jsontext.Value) []Issue

// Check says whether r may settle q at the moment now. It returns nil or an
// [*AnswerError] of one of the rules [ErrExpired], [ErrInvalidPayload] and
// [ErrEditsNotSupported]; the table of rules is in the documentation of the package.
// Whether q is still open is not Check's to know.
//
// check may be nil; then answers are not held to their schemas.
func (q Request) Check(r Response, now time.Time, check SchemaCheck) error {
	if r.Cancelled() {
		return nil
	}
	if q.Expired(now) {
		return q.refuse(ErrExpired)
	}
	if issues := q.wrongKind(r); issues != nil {
		return q.refuse(ErrInvalidPayload, issues...)
	}
	if r.Decision != nil && r.Decision.Edits() && !q.Answers.EditedArgs {
		return q.refuse(ErrEditsNotSupported, Issue{Path: "/editedArgs", Message: "expected no edited arguments"})
	}
	issues := r.inconsistent()
	if len(issues) == 0 && check != nil {
		issues = q.unschematic(r, check)
	}
	if len(issues) > 0 {
		return q.refuse(ErrInvalidPayload, issues...)
	}
	return nil
}

func (q Request) refuse(rule error, issues ...Issue) error {
	return &AnswerError{RequestID: q.ID, Rule: rule, Issues: issues}
}

// wrongKind says that r is not the kind of answer that q wants.
func (q Request) wrongKind(r Response) []Issue {
	var want string
	var got bool
	switch q.Kind {
	case KindApproval:
		want, got = "a decision", r.Decision != nil
	case KindInput:
		want, got = "an input", r.Input != nil
	case KindClientTool:
		want, got = "the output of a tool", r.ToolOutput != nil
	default:
		want = "no answer: a request of this kind can only be cancelled"
	}
	if got && r.parts() == 1 {
		return nil
	}
	return []Issue{{Message: "expected " + want}}
}

func (r Response) parts() int {
	n := 0
	for _, set := range []bool{r.Decision != nil, r.Input != nil, r.ToolOutput != nil} {
		if set {
			n++
		}
	}
	return n
}

// inconsistent says what is wrong with r by itself, whatever was asked.
func (r Response) inconsistent() []Issue {
	switch {
	case r.Decision != nil:
		return r.Decision.inconsistent(r.Payload)
	case r.Input != nil:
		return r.Input.inconsistent()
	default:
		return r.ToolOutput.inconsistent()
	}
}

// inconsistent also compares the decision with its payload: what an agent of the same
// protocol is sent must not say other than what was decided here.
func (d ToolDecision) inconsistent(payload jsontext.Value) []Issue {
	if d.Edits() && !isObject(d.EditedArgs) {
		return []Issue{{Path: "/editedArgs", Message: "expected an object"}}
	}
	if payload.Kind() != jsontext.KindBeginObject {
		return nil // of a protocol that has its own words for a decision
	}
	var r reader
	if m := r.object("", payload); m != nil && m["approved"] == nil {
		return nil // likewise
	}
	carried, issues := readDecision(payload)
	if len(issues) > 0 {
		return issues
	}
	if carried.Approved != d.Approved || d.Approved && identity(carried.EditedArgs) != identity(d.EditedArgs) {
		return []Issue{{Message: "expected a payload that says what was decided"}}
	}
	return nil
}

func (in InputResponse) inconsistent() []Issue {
	if !in.Action.known() {
		return []Issue{{Path: "/action", Message: wantAction}}
	}
	if in.Action == ActionAccept && len(in.Content) > 0 && !in.Content.IsValid() {
		return []Issue{{Path: "/content", Message: "expected well-formed JSON"}}
	}
	return nil
}

func (t ToolOutput) inconsistent() []Issue {
	switch {
	case len(t.Output) == 0 && t.Error == "", len(t.Output) > 0 && t.Error != "":
		return []Issue{{Message: "expected either an output or an error text"}}
	case len(t.Output) > 0 && !t.Output.IsValid():
		return []Issue{{Path: "/output", Message: "expected well-formed JSON"}}
	}
	return nil
}

func isObject(v jsontext.Value) bool {
	return v.Kind() == jsontext.KindBeginObject && v.IsValid()
}

// unschematic holds r to the schemas of q. A refusal of an input and a failed tool owe
// no schema anything.
func (q Request) unschematic(r Response, check SchemaCheck) []Issue {
	switch {
	case r.Decision != nil:
		return holds(q.Schema, q.decisionPayload(r), check)
	case r.Input != nil && r.Input.Action == ActionAccept:
		return q.inputIssues(r, check)
	case r.ToolOutput != nil && r.ToolOutput.Error == "":
		return holds(q.Schema, r.Payload, check)
	}
	return nil
}

// decisionPayload is what the asking agent will get of a decision. A denial without a
// payload of its own is held to nothing: whoever is asked can always say no.
func (q Request) decisionPayload(r Response) jsontext.Value {
	if len(r.Payload) == 0 && r.Decision.Approved {
		return r.Decision.Payload(q.Answers)
	}
	return r.Payload
}

func (q Request) inputIssues(r Response, check SchemaCheck) []Issue {
	var issues []Issue
	if in := q.Input; in != nil && len(in.Schema) > 0 && in.Kind != InputURL {
		if len(r.Input.Content) == 0 {
			return []Issue{{Message: "expected content"}}
		}
		issues = holds(in.Schema, r.Input.Content, check)
		if bytes.Equal(in.Schema, q.Schema) && bytes.Equal(r.Input.Content, r.Payload) {
			return issues // it would be the same check again
		}
	}
	return append(issues, holds(q.Schema, r.Payload, check)...)
}

// holds checks value if there is one, and a schema to check it against.
func holds(schema, value jsontext.Value, check SchemaCheck) []Issue {
	if len(schema) == 0 || len(value) == 0 {
		return nil
	}
	return check(schema, value)
}
