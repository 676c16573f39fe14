package agui

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestRetiredInterruptsAreKnownByTheirId(t *testing.T) {
	for id, want := range map[string]bool{
		"r1#on_interrupt-1": true, "a#on_interrupt-2#on_interrupt-10": true,
		"": false, "on_interrupt-1": false, "r#on_interrupt-": false, "r#on_interrupt-x": false, "r#thinking-1": false,
	} {
		if got := IsRetiredInterrupt(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}

func TestRetiredAnswers(t *testing.T) {
	for _, tc := range []struct{ rule, in, want string }{
		{"the answer of before", `{"forwardedProps":{"command":{"resume":{"ok":1}}}}`, `{"ok":1}`},
		{"a text", `{"forwardedProps":{"command":{"resume":"yes"}}}`, `"yes"`},
		{"false is an answer", `{"forwardedProps":{"command":{"resume":false}}}`, `false`},
		{"null is none", `{"forwardedProps":{"command":{"resume":null}}}`, ""},
		{"the form of today wins", `{"resume":[],"forwardedProps":{"command":{"resume":1}}}`, ""},
		{"no command", `{"forwardedProps":{}}`, ""},
		{"a command that is no object", `{"forwardedProps":{"command":[1]}}`, ""},
		{"no object", `[]`, ""},
	} {
		if got := RetiredAnswer([]byte(tc.in)); string(got) != tc.want {
			t.Errorf("%s: %s, want %s", tc.rule, got, tc.want)
		}
	}
}

func TestAnsweringAnAgentOfBefore(t *testing.T) {
	for _, tc := range []struct{ rule, in, payload, want string }{
		{
			"the answer goes where it looks", `{"threadId":"t","resume":[{"interruptId":"i","status":"resolved"}]}`, `"blue"`,
			`{"threadId":"t","forwardedProps":{"command":{"resume":"blue"}}}`,
		},
		{
			"what is there stays", `{"forwardedProps":{"a":1,"command":{"b":2,"resume":0}},"threadId":"t"}`, `true`,
			`{"forwardedProps":{"a":1,"command":{"b":2,"resume":true}},"threadId":"t"}`,
		},
		{"no payload is no yes", `{"resume":[]}`, ``, `{"forwardedProps":{"command":{"resume":{}}}}`},
	} {
		got, err := AnswerRetired([]byte(tc.in), jsontext.Value(tc.payload))
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %s %v, want %s", tc.rule, got, err, tc.want)
		}
	}
	if _, err := AnswerRetired([]byte(`[]`), nil); err == nil {
		t.Error("an array was taken for an input")
	}
}
