package aisdk

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// An UnaskableCall is a call that asks a person something in a form that nobody can be
// shown. It is an error that tells the model what to correct.
type UnaskableCall struct {
	CallID  string
	Dynamic Flag
	Err     error
}

// unaskable begins the text of every [UnaskableCall]: it is how one is known afterwards.
const unaskable = "nobody was asked: "

// Error says that nobody was asked, and why.
func (u *UnaskableCall) Error() string { return unaskable + u.Err.Error() }

// Unwrap returns what is wrong; a [*hitl.CallError] for a call of [hitl.AskUserTool].
func (u *UnaskableCall) Unwrap() error { return u.Err }

// renderElicitation is the kind of the hint that a call of [RequestInputTool] is a form.
const renderElicitation = "elicitation"

// Unaskable returns the calls that wait for a person and can reach none: questions beyond
// the limits of [hitl.ParseAskUser], and forms, known by name and hint, that say nothing or
// whose schema is none. A call by the name of a form and without the hint may be of
// another make, and is left to the front end.
func (m *Message) Unaskable() (calls []*UnaskableCall) {
	for i := range m.Parts {
		p := &m.Parts[i]
		if !p.IsTool() || p.State != StateInputAvailable || p.ProviderExecuted.True() {
			continue
		}
		var err error
		switch p.Tool() {
		case hitl.AskUserTool:
			_, err = hitl.ParseAskUser(p.Input)
		case RequestInputTool:
			if hint := m.render(p); hint != nil && hint.Kind == renderElicitation {
				err = checkForm(p.Input)
			}
		}
		if err != nil {
			call := &UnaskableCall{CallID: p.ToolCallID.String(), Err: err}
			if p.Type == dynamicTool {
				call.Dynamic = On
			}
			calls = append(calls, call)
		}
	}
	return calls
}

// Refused reports whether the message holds a call that was settled as an [UnaskableCall].
func (m *Message) Refused() bool {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.State == StateOutputError && strings.HasPrefix(p.ErrorText.String(), unaskable) {
			return true
		}
	}
	return false
}

// checkForm reads the input of a form: a message, the schema of the answer, or both.
func checkForm(input jsontext.Value) error {
	fault := &hitl.CallError{Tool: RequestInputTool}
	refuse := func(path, message string) {
		fault.Issues = append(fault.Issues, hitl.Issue{Path: path, Message: message})
	}
	var form map[string]jsontext.Value
	if input.Kind() != '{' || json.Unmarshal(input, &form) != nil {
		refuse("", "expected an object")
		return fault
	}
	var message string
	if m := form["message"]; !isNull(m) && json.Unmarshal(m, &message) != nil {
		refuse("/message", "expected a string")
	}
	schema := form["requestedSchema"]
	if !isNull(schema) && schema.Kind() != '{' {
		refuse("/requestedSchema", "expected a JSON Schema that is an object")
	}
	if len(fault.Issues) == 0 && strings.TrimSpace(message) == "" && isNull(schema) {
		refuse("/message", "expected a text that says what is asked")
	}
	if len(fault.Issues) == 0 {
		return nil
	}
	return fault
}
