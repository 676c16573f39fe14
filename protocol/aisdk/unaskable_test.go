package aisdk

import (
	"errors"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func form(input string) string {
	return `{"type":"tool-input-available","toolCallId":"c1","toolName":"request_input","input":` + input + `}`
}

func questions(input string) string {
	return `{"type":"tool-input-available","toolCallId":"c1","toolName":"ask_user_question","dynamic":true,"input":` + input + `}`
}

const hinted = `{"type":"data-render","data":{"toolCallId":"c1","render":{"kind":"elicitation"}}}`

func TestAFormThatIsNone(t *testing.T) {
	const settled = `{"type":"tool-output-available","toolCallId":"c1","output":{}}`
	for _, tc := range []struct {
		rule  string
		lines []string
		want  string // part of what the model is told; "" if the call is asked
	}{
		{"a form", []string{form(`{"message":"Where?","requestedSchema":{"type":"object"}}`), hinted}, ""},
		{"a confirmation", []string{form(`{"message":"Sure?"}`), hinted}, ""},
		{"a schema alone", []string{form(`{"requestedSchema":{"type":"string"}}`), hinted}, ""},
		{"of another make", []string{form(`{"message":5}`)}, ""},
		{"hinted to be of another make", []string{form(`{"message":5,"render":{"kind":"card"}}`), hinted}, ""},
		{"an input that is no object", []string{form(`"Where?"`), hinted}, "request_input: the arguments are not valid: expected an object"},
		{"a message that is no text", []string{form(`{"message":5}`), hinted}, "/message: expected a string"},
		{"hinted in its input", []string{form(`{"message":5,"render":{"kind":"elicitation"}}`)}, "/message: expected a string"},
		{"a schema that is none", []string{form(`{"message":"Where?","requestedSchema":[]}`), hinted}, "/requestedSchema: expected a JSON Schema"},
		{"a form that says nothing", []string{form(`{"message":" ","requestedSchema":null}`), hinted}, "/message: expected a text"},
		{"a form that was settled", []string{form(`{"message":5}`), hinted, settled}, ""},
		{"questions", []string{questions(`{"questions":[{"header":"Where","question":"Where?","options":[{"label":"a"},{"label":"b"}]}]}`)}, ""},
		{"no questions", []string{questions(`{"questions":[]}`)}, "ask_user_question: the arguments are not valid: /questions"},
		{"one option", []string{questions(`{"questions":[{"header":"Where","question":"Where?","options":[{"label":"a"}]}]}`)}, "/questions/0/options"},
		{"another tool", []string{call}, ""},
		{"what the provider asks itself", []string{`{"type":"tool-input-available","toolCallId":"c1","toolName":"ask_user_question","input":{},"providerExecuted":true}`}, ""},
	} {
		m := message(t, tc.lines...)
		got := m.Unaskable(nil)
		if tc.want == "" {
			if len(got) > 0 {
				t.Errorf("%s: %v", tc.rule, got[0])
			}
			continue
		}
		var fault *hitl.CallError
		if len(got) != 1 || got[0].CallID != "c1" || !strings.Contains(got[0].Error(), tc.want) || !errors.As(got[0], &fault) {
			t.Errorf("%s: %v", tc.rule, got)
			continue
		}
		if dynamic := m.Parts[0].Type == "dynamic-tool"; got[0].Dynamic.True() != dynamic {
			t.Errorf("%s: dynamic is %v", tc.rule, got[0].Dynamic)
		}
		if m.Refused() {
			t.Errorf("%s: is refused before it is settled", tc.rule)
		}
		f, err := Encode(&ToolOutputError{Head: Head{Kind: TypeToolOutputError}, ToolCallID: "c1", ErrorText: got[0].Error()})
		if err != nil {
			t.Fatal(err)
		}
		if m := message(t, append(tc.lines, string(f.Raw))...); !m.Refused() || len(m.Unaskable(nil)) > 0 {
			t.Errorf("%s: is not known to be refused", tc.rule)
		}
	}
}

func TestAHintIsTheInputsOwnOrTheLast(t *testing.T) {
	hint := func(data string) string { return `{"type":"data-render","data":` + data + `}` }
	for _, tc := range []struct {
		rule  string
		lines []string
		want  string
	}{
		{"none", nil, ""},
		{"of its call", []string{hint(`{"toolCallId":"c1","render":{"kind":"a"}}`)}, "a"},
		{"of another call", []string{hint(`{"toolCallId":"c2","render":{"kind":"a"}}`)}, ""},
		{"the last of two", []string{hint(`{"toolCallId":"c1","render":{"kind":"a"}}`), hint(`{"toolCallId":"c1","render":{"kind":"b"}}`)}, "b"},
		{"the sound one", []string{hint(`{"toolCallId":"c1","render":{"kind":"a"}}`), hint(`{"toolCallId":"c1","render":5}`), hint(`5`), hint(`{"toolCallId":"c1"}`)}, "a"},
	} {
		for input, want := range map[string]string{`{}`: tc.want, `{"render":{"kind":"own"}}`: "own", `{"render":{"kind":""}}`: tc.want, `{"render":5}`: tc.want} {
			m := message(t, append([]string{form(input)}, tc.lines...)...)
			got := ""
			if q := m.Requests()[0]; q.Render != nil {
				got = q.Render.Kind
			}
			if got != want {
				t.Errorf("%s, with %s: %q, want %q", tc.rule, input, got, want)
			}
		}
	}
}

// A call of a tool that no front end has reaches nobody, if front ends say what they have.
// What is asked by way of a call needs no tool: people are asked it in other ways.
func TestACallOfAToolThatNoFrontEndHasReachesNobody(t *testing.T) {
	const (
		known     = `{"type":"tool-input-available","toolCallId":"c1","toolName":"get_location","input":{}}`
		dynamic   = `{"type":"tool-input-available","toolCallId":"c1","toolName":"get_location","input":{},"dynamic":true}`
		hosted    = `{"type":"tool-input-available","toolCallId":"c1","toolName":"get_location","input":{},"providerExecuted":true}`
		streaming = `{"type":"tool-input-start","toolCallId":"c1","toolName":"get_location"}`
		done      = `{"type":"tool-output-available","toolCallId":"c1","output":1}`
		asked     = `{"type":"tool-approval-request","approvalId":"a","toolCallId":"c1"}`
		form      = `{"type":"tool-input-available","toolCallId":"c1","toolName":"request_input","input":{"message":"Where?"}}`
		likeForm  = `{"type":"tool-input-available","toolCallId":"c1","toolName":"request_input","input":{"message":5}}`
		questions = `{"type":"tool-input-available","toolCallId":"c1","toolName":"ask_user_question","input":{"questions":[{"header":"Where","question":"Where?","options":[{"label":"a"},{"label":"b"}]}]}}`
	)
	for _, tc := range []struct {
		rule    string
		lines   []string
		tools   []string
		refused bool
	}{
		{"another is listed", []string{known}, []string{"get_time"}, true},
		{"a dynamic tool", []string{dynamic}, []string{"get_time"}, true},
		{"it is listed", []string{known}, []string{"get_time", "get_location"}, false},
		{"nothing is listed", []string{known}, nil, false},
		{"the provider's", []string{hosted}, []string{"get_time"}, false},
		{"not whole yet", []string{streaming}, []string{"get_time"}, false},
		{"settled", []string{known, done}, []string{"get_time"}, false},
		{"the agent's own, to be allowed", []string{known, asked}, []string{"get_time"}, false},
		{"a form", []string{form}, []string{"get_time"}, false},
		{"a tool of another make by the name of a form", []string{likeForm}, []string{"get_time"}, true},
		{"questions", []string{questions}, []string{"get_time"}, false},
	} {
		m := message(t, tc.lines...)
		got := m.Unaskable(tc.tools)
		if !tc.refused {
			if len(got) > 0 {
				t.Errorf("%s: %v", tc.rule, got[0])
			}
			continue
		}
		if len(got) != 1 || got[0].CallID != "c1" || !errors.Is(got[0], ErrNoSuchTool) || !strings.Contains(got[0].Error(), m.Parts[0].Tool()) {
			t.Errorf("%s: %v", tc.rule, got)
			continue
		}
		if dynamic := m.Parts[0].Type == "dynamic-tool"; got[0].Dynamic.True() != dynamic {
			t.Errorf("%s: dynamic is %v", tc.rule, got[0].Dynamic)
		}
	}
}
