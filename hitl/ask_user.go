package hitl

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
)

// The tool by which a model asks the person it works for.
const (
	AskUserTool        = "ask_user_question"
	AskUserDescription = "Ask the user one or more multiple-choice questions. " +
		"Use it only when the task is ambiguous and nothing you can look up settles it. " +
		"Put everything you need to know into one call, and offer concrete options: " +
		"the user can always answer in other words. " +
		"If the user declines, decide for yourself and say what you chose."
)

// The limits of a call. Lengths are counted in characters (Unicode code points), after
// white space at both ends has been removed.
const (
	maxQuestions   = 10
	maxHeader      = 25
	maxQuestion    = 500
	minOptions     = 2
	maxOptions     = 6
	maxLabel       = 50
	maxDescription = 200
)

// An AskUser is what a model asks through [AskUserTool]: one to ten questions with
// different headers. Use [ParseAskUser] to make one; it checks every limit.
type AskUser struct {
	Questions []Question `json:"questions" jsonschema:"minItems=1,maxItems=10"`
}

// A Question is one question of an [AskUser].
type Question struct {
	Header      string   `json:"header" jsonschema:"minLength=1,maxLength=25" jsonschema_description:"A short name for the question, on one line; no two questions share it. The answers are keyed by it."`
	Question    string   `json:"question" jsonschema:"minLength=1,maxLength=500" jsonschema_description:"The question itself."`
	Options     []Choice `json:"options" jsonschema:"minItems=2,maxItems=6" jsonschema_description:"What the user can pick. Do not list an option for something else; the user can always answer freely."`
	MultiSelect bool     `json:"multi_select,omitzero" jsonschema_description:"Whether several options may be picked."`
}

// A Choice is one answer that a [Question] offers.
type Choice struct {
	Label       string `json:"label" jsonschema:"minLength=1,maxLength=50" jsonschema_description:"The option in a few words, on one line; no two options of a question share it."`
	Description string `json:"description,omitzero" jsonschema:"maxLength=200" jsonschema_description:"What picking it means."`
}

// A CallError says what is wrong with the arguments of a tool call, so that the model
// can correct itself. The person is not asked.
type CallError struct {
	Tool   string
	Issues []Issue
}

// Error names the tool and every fault with its place.
func (e *CallError) Error() string {
	return e.Tool + ": the arguments are not valid: " + join(e.Issues)
}

// askUserParameters is made once; nothing in it depends on a call.
var askUserParameters = func() jsontext.Value {
	reflector := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, DoNotReference: true}
	return schemaText(reflector.Reflect(AskUser{}))
}()

// ParameterSchema is the JSON Schema of the arguments of [AskUserTool], to advertise
// the tool with. It cannot say all that [ParseAskUser] demands.
func ParameterSchema() jsontext.Value { return askUserParameters.Clone() }

// ParseAskUser reads the arguments of a call of [AskUserTool]. White space around texts
// is removed, and optional members may be null. Members that are not known, control
// characters and whatever exceeds a limit are refused by a [*CallError] that lists every
// fault found.
func ParseAskUser(args jsontext.Value) (AskUser, error) {
	var r reader
	var a AskUser
	if m := r.object("", args); m != nil {
		r.refuseOthers(m, "", "questions")
		questions := r.count("/questions", r.list("/questions", m["questions"]), 1, maxQuestions)
		for i, v := range questions {
			a.Questions = append(a.Questions, r.question(item("/questions", i), v))
		}
		r.distinct("/questions", "header", len(a.Questions), func(i int) string { return a.Questions[i].Header })
	}
	if len(r.issues) > 0 {
		return AskUser{}, &CallError{Tool: AskUserTool, Issues: r.issues}
	}
	return a, nil
}

func (r *reader) question(path string, v jsontext.Value) Question {
	var q Question
	m := r.object(path, v)
	if m == nil {
		return q
	}
	r.refuseOthers(m, path, "header", "question", "options", "multi_select")
	q.Header = r.line(m, path, "header", maxHeader, required)
	q.Question = r.lines(m, path, "question", maxQuestion)
	q.MultiSelect = r.boolean(m, path, "multi_select", optional)
	at := pointer(path, "options")
	for i, v := range r.count(at, r.list(at, m["options"]), minOptions, maxOptions) {
		q.Options = append(q.Options, r.option(item(at, i), v))
	}
	r.distinct(at, "label", len(q.Options), func(i int) string { return strings.ToLower(q.Options[i].Label) })
	return q
}

func (r *reader) option(path string, v jsontext.Value) Choice {
	var o Choice
	m := r.object(path, v)
	if m == nil {
		return o
	}
	r.refuseOthers(m, path, "label", "description")
	o.Label = r.line(m, path, "label", maxLabel, required)
	o.Description = r.line(m, path, "description", maxDescription, optional)
	return o
}
