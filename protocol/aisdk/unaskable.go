package aisdk

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// ErrNoSuchTool is why a call is unaskable whose tool no front end has.
var ErrNoSuchTool = errors.New("no front end has this tool")

// An UnaskableCall is a call that is left to a front end and that nobody can be shown: a
// question in a form that breaks its rules, or a tool that no front end has. It is an error
// that tells the model what to correct.
type UnaskableCall struct {
	CallID  string
	Dynamic Flag
	Err     error
}

// unaskable begins the text of every [UnaskableCall]: it is how one is known afterwards.
const unaskable = "nobody was asked: "

// Error says that nobody was asked, and why.
func (u *UnaskableCall) Error() string { return unaskable + u.Err.Error() }

// Unwrap returns what is wrong: a [*hitl.CallError] for a question or a form,
// [ErrNoSuchTool] for a tool.
func (u *UnaskableCall) Unwrap() error { return u.Err }

// renderElicitation is the kind of the hint that a call of [RequestInputTool] is a form.
const renderElicitation = "elicitation"

// Unaskable returns the calls that wait for a person and can reach none: questions beyond
// the limits of [hitl.ParseAskUser], forms, known by name and hint, that say nothing or
// whose schema is none, and calls of tools that no front end has. A call by the name of a
// form and without the hint may be of another make, and is a tool like any other. tools are
// the names of what front ends run; without any, nobody has said what they run, and every
// call is left to them.
func (m *Message) Unaskable(tools []string) (calls []*UnaskableCall) {
	for i := range m.Parts {
		p := &m.Parts[i]
		if !p.IsTool() || p.State != StateInputAvailable || p.ProviderExecuted.True() {
			continue
		}
		if err := m.unaskable(p, tools); err != nil {
			call := &UnaskableCall{CallID: p.ToolCallID.String(), Err: err}
			if p.Type == dynamicTool {
				call.Dynamic = On
			}
			calls = append(calls, call)
		}
	}
	return calls
}

func (m *Message) unaskable(p *Part, tools []string) error {
	hint := m.render(p)
	switch p.Tool() {
	case hitl.AskUserTool:
		_, err := hitl.ParseAskUser(p.Input)
		return err
	case RequestInputTool:
		if hint != nil && hint.Kind == renderElicitation {
			return checkForm(p.Input)
		}
	}
	asks := p.clientRequest(hint)
	if asks.Kind == hitl.KindClientTool && len(tools) > 0 && !slices.Contains(tools, p.Tool()) {
		return fmt.Errorf("%s: %w", p.Tool(), ErrNoSuchTool)
	}
	return nil
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
