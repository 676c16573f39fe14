package hitl

import (
	"errors"

	"github.com/go-json-experiment/json/jsontext"
)

// An Executor says who runs a tool call once nothing stands in its way. Only what the
// browser runs is answered with an output; nothing is inferred from the shape of a message.
type Executor string

// The executors of a tool call.
const (
	ExecutorAgent    Executor = "agent"    // the agent itself, or a server behind it
	ExecutorBrowser  Executor = "browser"  // the front end; its result is the answer
	ExecutorProvider Executor = "provider" // the model's provider; neither gates nor resumes a run
)

// A ToolCall is one call that an agent proposed. ID is unique in its thread and is not
// the id of a [Request] about the call, even where a protocol makes the two look alike.
type ToolCall struct {
	ID       string         `json:"id"`
	Name     string         `json:"name"`
	Args     jsontext.Value `json:"args,omitzero"` // a JSON object as a rule; absent means none
	Executor Executor       `json:"executor"`
}

var errNoName = errors.New("a tool call without a name has no key")

// Key names what is called, for binding an approval to exactly this call: the tool's
// name, "#" and the canonical text of the arguments, absent ones counting as {}. The
// id is no part of it. A call without a name, or with arguments that have no canonical
// text, has no key: nobody can have approved it before, so it is asked again.
func (c ToolCall) Key() (string, error) {
	if c.Name == "" {
		return "", errNoName
	}
	if len(c.Args) == 0 {
		return c.Name + "#{}", nil
	}
	args, err := Canonical(c.Args)
	if err != nil {
		return "", err
	}
	return c.Name + "#" + args, nil
}
