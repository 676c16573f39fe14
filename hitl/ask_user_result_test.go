package hitl_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func asked() hitl.AskUser {
	return hitl.AskUser{Questions: []hitl.Question{
		{Header: "Database", Question: "Which one?", Options: []hitl.Choice{{Label: "PostgreSQL", Description: "Rows & <tables>"}, {Label: "SQLite"}}},
		{Header: "a/b", Question: "Which of these?", MultiSelect: true, Options: []hitl.Choice{{Label: "X"}, {Label: "Y"}, {Label: "Z"}}},
	}}
}

func TestQuestionsBecomeOneInputRequest(t *testing.T) {
	in := asked().InputRequest("call-1")
	if in.ID != "call-1" || in.ToolCallID != "call-1" || in.Kind != hitl.InputQuestion || in.Message != "Database · a/b" {
		t.Errorf("got %+v", in)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "ask_user_request.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), indented(t, in.Schema)); diff != "" {
		t.Errorf("schema (-want +got)\n%s", diff)
	}
	one := hitl.AskUser{Questions: asked().Questions[:1]}
	if got := one.InputRequest("c").Message; got != "Which one?" {
		t.Errorf("a single question: the message is %q", got)
	}
}

func TestAnswersAreKeyedByHeader(t *testing.T) {
	schema := compile(t, asked().InputRequest("c").Schema)
	for content, want := range map[string]string{
		`{"Database":"SQLite","a/b":["X"]}`:            `{"Database":["SQLite"],"a/b":["X"]}`,
		`{"a/b":["Z","X","Y"],"Database":"SQLite"}`:    `{"Database":["SQLite"],"a/b":["Z","X","Y"]}`,
		`{"Database":" Oracle, sadly ","a/b":["all"]}`: `{"Database":["Oracle, sadly"],"a/b":["all"]}`,
		`{"Database":"deny","a/b":["cancel"]}`:         `{"Database":["deny"],"a/b":["cancel"]}`,
	} {
		got, err := asked().Result(hitl.Accept(raw(content)))
		if err != nil || string(got) != want {
			t.Errorf("%s: got %s, %v; want %s", content, got, err, want)
		}
		if text, err := asked().ResultText(hitl.Accept(raw(content))); err != nil || text != want {
			t.Errorf("%s: the text is %s, %v", content, text, err)
		}
		if !valid(t, schema, content) {
			t.Errorf("%s breaks the schema", content)
		}
	}
}

func TestDecliningIsToldInOneSentence(t *testing.T) {
	for _, in := range []hitl.InputResponse{hitl.Decline(), hitl.Cancel()} {
		got, err := asked().Result(in)
		if err != nil || string(got) != `"`+hitl.AskUserDeclined+`"` {
			t.Errorf("%s: got %s, %v", in.Action, got, err)
		}
		if text, err := asked().ResultText(in); err != nil || text != hitl.AskUserDeclined {
			t.Errorf("%s: the text is %s, %v", in.Action, text, err)
		}
	}
}

func TestAnswersToOtherQuestionsAreRefused(t *testing.T) {
	accept := func(content string) hitl.InputResponse { return hitl.Accept(raw(content)) }
	for _, tc := range []struct {
		rule string
		in   hitl.InputResponse
		want []string
	}{
		{"cancelled with answers", hitl.InputResponse{Action: hitl.ActionCancel, Content: raw(`{}`)}, []string{""}},
		{"declined with answers", hitl.InputResponse{Action: hitl.ActionDecline, Content: raw(`{}`)}, []string{""}},
		{"no action", hitl.InputResponse{}, []string{"/action"}},
		{"no content", accept(``), []string{""}},
		{"no object", accept(`"SQLite"`), []string{""}},
		{"a header twice", accept(`{"Database":"SQLite","Database":"PostgreSQL","a/b":["X"]}`), []string{"/Database"}},
		{"an unknown header", accept(`{"Database":"SQLite","a/b":["X"],"x~y":"X"}`), []string{"/x~0y"}},
		{"an unanswered question", accept(`{"Database":"SQLite"}`), []string{"/a~1b"}},
		{"null for an answer", accept(`{"Database":null,"a/b":["X"]}`), []string{"/Database"}},
		{"several for one", accept(`{"Database":["SQLite"],"a/b":["X"]}`), []string{"/Database"}},
		{"one for several", accept(`{"Database":"SQLite","a/b":"X"}`), []string{"/a~1b"}},
		{"nothing picked", accept(`{"Database":"SQLite","a/b":[]}`), []string{"/a~1b"}},
		{"more picked than offered", accept(`{"Database":"SQLite","a/b":["X","Y","Z","X"]}`), []string{"/a~1b"}},
		{"an option twice", accept(`{"Database":"SQLite","a/b":["X","Y","X"]}`), []string{"/a~1b/2"}},
		{"a blank text", accept(`{"Database":" ","a/b":["\n"]}`), []string{"/Database", "/a~1b/0"}},
		{"a text beside an option", accept(`{"Database":"SQLite","a/b":["X","and more"]}`), []string{"/a~1b/1"}},
		{"two texts", accept(`{"Database":"SQLite","a/b":["this","that"]}`), []string{"/a~1b/0", "/a~1b/1"}},
		{"a number", accept(`{"Database":1,"a/b":[1,"X"]}`), []string{"/Database", "/a~1b/0"}},
		{"nothing right", accept(`{"x":1}`), []string{"/Database", "/a~1b", "/x"}},
	} {
		got, err := asked().Result(tc.in)
		if err == nil || got != nil {
			t.Errorf("%s: got %s, %v; want an error", tc.rule, got, err)
			continue
		}
		if diff := cmp.Diff(tc.want, paths(t, err)); diff != "" {
			t.Errorf("%s: places (-want +got)\n%s", tc.rule, diff)
		}
		if _, err := asked().ResultText(tc.in); !errors.Is(err, hitl.ErrInvalidPayload) {
			t.Errorf("%s: the text gives %v", tc.rule, err)
		}
	}
}

func FuzzAskUserResult(f *testing.F) {
	for _, seed := range []string{
		`{"Database":"SQLite","a/b":["X","Y"]}`, `{"Database":"mine","a/b":["mine"]}`, `{"Database":1}`, `{"a/b":[]}`, `null`, ``,
	} {
		f.Add([]byte(seed))
	}
	schema := asked().InputRequest("c").Schema
	f.Fuzz(func(t *testing.T, content []byte) {
		out, err := asked().Result(hitl.Accept(content))
		if (err == nil) != (out != nil) || err == nil && !out.IsValid() {
			t.Fatalf("got %s, %v", out, err)
		}
		if err == nil && !valid(t, compile(t, schema), string(content)) {
			t.Fatalf("%s gives %s and yet breaks the schema", content, out)
		}
	})
}
