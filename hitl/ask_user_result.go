package hitl

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
)

// AskUserDeclined is what the model is told when its questions were declined or given up.
const AskUserDeclined = "The user declined to answer. Go on without an answer, " +
	"or ask in another way if you cannot proceed without one."

// InputRequest is the request by which the questions reach a person: for each a member
// named by its header, one of the labels or any other text; several if the question
// takes several. Its id is the id of the tool call.
func (a AskUser) InputRequest(toolCallID string) InputRequest {
	return InputRequest{
		ID: toolCallID, ToolCallID: toolCallID, Kind: InputQuestion,
		Message: a.message(), Schema: a.schema(),
	}
}

func (a AskUser) message() string {
	if len(a.Questions) == 1 {
		return a.Questions[0].Question
	}
	headers := make([]string, len(a.Questions))
	for i, q := range a.Questions {
		headers[i] = q.Header
	}
	return strings.Join(headers, " · ")
}

func (a AskUser) schema() jsontext.Value {
	s := &jsonschema.Schema{Type: "object", Properties: jsonschema.NewProperties()}
	for _, q := range a.Questions {
		s.Properties.Set(q.Header, q.schema())
		s.Required = append(s.Required, q.Header)
	}
	return schemaText(s)
}

// schema offers the options, and beside them any text.
func (q Question) schema() *jsonschema.Schema {
	var choices []*jsonschema.Schema
	for _, o := range q.Options {
		choices = append(choices, &jsonschema.Schema{Const: o.Label, Title: o.Label, Description: o.Description})
	}
	choices = append(choices, &jsonschema.Schema{Type: "string"})
	s := &jsonschema.Schema{Title: q.Header, Description: q.Question}
	if !q.MultiSelect {
		s.Type, s.AnyOf = "string", choices
		return s
	}
	s.Type, s.MinItems = "array", new(uint64(1))
	s.Items = &jsonschema.Schema{AnyOf: choices}
	return s
}

// Result is the output of the tool call: an object that maps each header to the picked
// labels, or to a list of the one text the person wrote instead; or the JSON string
// [AskUserDeclined]. An answer that is none to these questions gives an [*AnswerError]
// of the rule [ErrInvalidPayload]; Request.Check has accepted it if it fits the schema,
// which cannot say all that is checked here.
func (a AskUser) Result(in InputResponse) (jsontext.Value, error) {
	var r reader
	var out jsontext.Value
	switch in.Action {
	case ActionAccept:
		out = r.answers(a, in.Content)
	case ActionDecline, ActionCancel:
		if len(in.Content) > 0 {
			r.add("", "expected no answers, since none were to be given")
		}
		out = encode(AskUserDeclined)
	default:
		r.add("/action", wantAction)
	}
	if err := r.answerError(); err != nil {
		return nil, err
	}
	return out, nil
}

// ResultText is [AskUser.Result] for a protocol whose tool results are text: the JSON
// text of the object, or [AskUserDeclined].
func (a AskUser) ResultText(in InputResponse) (string, error) {
	out, err := a.Result(in)
	if err != nil {
		return "", err
	}
	if in.Action != ActionAccept {
		return AskUserDeclined, nil
	}
	return string(out), nil
}

// answers reads the content of an acceptance and writes the result, in the order of
// the questions.
func (r *reader) answers(a AskUser, content jsontext.Value) jsontext.Value {
	m := r.object("", content)
	if m == nil {
		return nil
	}
	out := jsontext.Value("{")
	headers := make([]string, len(a.Questions))
	for i, q := range a.Questions {
		headers[i] = q.Header
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(out, encode(q.Header)...), ':')
		out = append(out, encode(r.picks(q, m[q.Header]))...)
	}
	r.refuseOthers(m, "", headers...)
	return append(out, '}')
}

// picks reads the answer to one question.
func (r *reader) picks(q Question, v jsontext.Value) []string {
	path := pointer("", q.Header)
	values := []jsontext.Value{v}
	if q.MultiSelect {
		if values = r.list(path, v); values == nil {
			return nil
		}
	}
	if len(values) == 0 || len(values) > len(q.Options) {
		r.add(path, "expected one or more of the options, each once")
		return nil
	}
	var picks []string
	for i, v := range values {
		at := path
		if q.MultiSelect {
			at = item(path, i)
		}
		picks = append(picks, r.pick(q, at, v, picks, len(values)))
	}
	return picks
}

// pick reads one of n picked values. A text that is no label stands alone.
func (r *reader) pick(q Question, at string, v jsontext.Value, before []string, n int) string {
	noted := len(r.issues)
	s := r.str(at, v)
	switch known := q.has(s); {
	case len(r.issues) > noted:
	case known && slices.Contains(before, s):
		r.add(at, "expected each option once")
	case !known && strings.TrimSpace(s) == "":
		r.add(at, "expected an option, or a text that is not blank")
	case !known && n > 1:
		r.add(at, "expected one of the options; a text of one's own stands alone")
	case !known:
		return strings.TrimSpace(s)
	}
	return s
}

func (q Question) has(label string) bool {
	return slices.ContainsFunc(q.Options, func(o Choice) bool { return o.Label == label })
}
