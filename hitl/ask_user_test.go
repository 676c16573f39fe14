package hitl_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
)

const twoOptions = `[{"label":"A"},{"label":"B"}]`

func questions(list ...string) string { return `{"questions":[` + strings.Join(list, ",") + `]}` }

func question(header, text, options string) string {
	return fmt.Sprintf(`{"header":%q,"question":%q,"options":%s}`, header, text, options)
}

func options(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"label":"L%d"}`, i))
	}
	return "[" + strings.Join(list, ",") + "]"
}

func manyQuestions(n int) string {
	var list []string
	for i := range n {
		list = append(list, question(fmt.Sprintf("H%d", i), "Which?", twoOptions))
	}
	return questions(list...)
}

func TestAskUserIsTrimmedAndKept(t *testing.T) {
	got, err := hitl.ParseAskUser(raw(questions(
		`{"header":" Database\t","question":"Which one?\r\nThink of the load. ","multi_select":true,
		  "options":[{"label":" PostgreSQL","description":" Rows "},{"label":"SQLite","description":null}]}`,
		`{"header":"Sécurité 🔒","question":"Q","multi_select":null,"options":`+twoOptions+`}`)))
	if err != nil {
		t.Fatal(err)
	}
	want := hitl.AskUser{Questions: []hitl.Question{
		{Header: "Database", Question: "Which one?\nThink of the load.", MultiSelect: true, Options: []hitl.Choice{{Label: "PostgreSQL", Description: "Rows"}, {Label: "SQLite"}}},
		{Header: "Sécurité 🔒", Question: "Q", Options: []hitl.Choice{{Label: "A"}, {Label: "B"}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAskUserAtItsLimits(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	for name, args := range map[string]string{
		"ten questions":       manyQuestions(10),
		"two options":         questions(question("H", "Q", options(2))),
		"six options":         questions(question("H", "Q", options(6))),
		"header of 25":        questions(question("  "+long(25)+" ", "Q", twoOptions)),
		"question of 500":     questions(question("H", long(500), twoOptions)),
		"label of 50":         questions(question("H", "Q", `[{"label":"`+long(50)+`"},{"label":"B"}]`)),
		"description of 200":  questions(question("H", "Q", `[{"label":"A","description":"`+long(200)+`"},{"label":"B"}]`)),
		"headers by case":     questions(question("db", "Q", twoOptions), question("DB", "Q", twoOptions)),
		"labels in two":       questions(question("1", "Q", twoOptions), question("2", "Q", twoOptions)),
		"blank description":   questions(question("H", "Q", `[{"label":"A","description":"  "},{"label":"B"}]`)),
		"question on 2 lines": questions(question("H", "Q\nQ", twoOptions)),
	} {
		if _, err := hitl.ParseAskUser(raw(args)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAskUserBeyondItsLimitsReachesNobody(t *testing.T) {
	long := func(n int) string { return strings.Repeat("é", n) }
	at := func(options string) string { return questions(question("H", "Q", options)) }
	for _, tc := range []struct {
		rule, args string
		want       []string
	}{
		{"no arguments", ``, []string{""}},
		{"no object", `[]`, []string{""}},
		{"no JSON", `{"questions":[`, []string{"/questions"}},
		{"a member twice", `{"questions":[],"questions":[]}`, []string{"/questions"}},
		{"no member", `{}`, []string{"/questions"}},
		{"questions no list", `{"questions":{}}`, []string{"/questions"}},
		{"no question", `{"questions":[]}`, []string{"/questions"}},
		{"eleven questions", manyQuestions(11), []string{"/questions"}},
		{"a question no object", questions(`"Which?"`), []string{"/questions/0"}},
		{"an unknown member", `{"questions":[` + question("H", "Q", twoOptions) + `],"title":"x"}`, []string{"/title"}},
		{"an unknown member of a question", questions(`{"header":"H","question":"Q","options":` + twoOptions + `,"multiSelect":true}`), []string{"/questions/0/multiSelect"}},
		{"an unknown member of an option", at(`[{"label":"A","value":1},{"label":"B"}]`), []string{"/questions/0/options/0/value"}},
		{"nothing in a question", questions(`{}`), []string{"/questions/0/header", "/questions/0/question", "/questions/0/options"}},
		{"header of 26", questions(question(long(26), "Q", twoOptions)), []string{"/questions/0/header"}},
		{"header blank", questions(question(" ", "Q", twoOptions)), []string{"/questions/0/header"}},
		{"header null", questions(`{"header":null,"question":"Q","options":` + twoOptions + `}`), []string{"/questions/0/header"}},
		{"header on two lines", questions(question("H\nI", "Q", twoOptions)), []string{"/questions/0/header"}},
		{"headers equal once trimmed", questions(question("H", "Q", twoOptions), question("I", "Q", twoOptions), question(" H", "Q", twoOptions)), []string{"/questions/2/header"}},
		{"question of 501", questions(question("H", long(501), twoOptions)), []string{"/questions/0/question"}},
		{"question blank", questions(question("H", "\n", twoOptions)), []string{"/questions/0/question"}},
		{"question with a bell", questions(`{"header":"H","question":"Q\u0007","options":` + twoOptions + `}`), []string{"/questions/0/question"}},
		{"question with a bell inside", questions(`{"header":"H","question":"Q\u0007Q","options":` + twoOptions + `}`), []string{"/questions/0/question"}},
		{"options no list", at(`"A"`), []string{"/questions/0/options"}},
		{"one option", at(options(1)), []string{"/questions/0/options"}},
		{"seven options", at(options(7)), []string{"/questions/0/options"}},
		{"an option no object", at(`["A",{"label":"B"}]`), []string{"/questions/0/options/0"}},
		{"label of 51", at(`[{"label":"A"},{"label":"` + long(51) + `"}]`), []string{"/questions/0/options/1/label"}},
		{"label absent", at(`[{"description":"A"},{"label":"B"}]`), []string{"/questions/0/options/0/label"}},
		{"label on two lines", at(`[{"label":"A\nB"},{"label":"B"}]`), []string{"/questions/0/options/0/label"}},
		{"label with an escape", at(`[{"label":"A\u001b[31m"},{"label":"B"}]`), []string{"/questions/0/options/0/label"}},
		{"labels that differ in case", at(`[{"label":"Yes"},{"label":"yes "}]`), []string{"/questions/0/options/1/label"}},
		{"description of 201", at(`[{"label":"A","description":"` + long(201) + `"},{"label":"B"}]`), []string{"/questions/0/options/0/description"}},
		{"description a number", at(`[{"label":"A","description":1},{"label":"B"}]`), []string{"/questions/0/options/0/description"}},
		{"multi_select in words", questions(`{"header":"H","question":"Q","multi_select":"yes","options":` + twoOptions + `}`), []string{"/questions/0/multi_select"}},
		{"everything at once", questions(question("", "", options(1)), question(long(30), "Q", `[1,{"label":" "}]`)), []string{
			"/questions/0/header", "/questions/0/question", "/questions/0/options",
			"/questions/1/header", "/questions/1/options/0", "/questions/1/options/1/label",
		}},
	} {
		got, err := hitl.ParseAskUser(raw(tc.args))
		e, ok := errors.AsType[*hitl.CallError](err)
		if !ok || len(got.Questions) > 0 {
			t.Errorf("%s: got %+v, %v; want a CallError and no questions", tc.rule, got, err)
			continue
		}
		var at []string
		for _, issue := range e.Issues {
			at = append(at, issue.Path)
		}
		if diff := cmp.Diff(tc.want, at); diff != "" {
			t.Errorf("%s: places (-want +got)\n%s", tc.rule, diff)
		}
	}
}

func TestCallErrorTellsTheModelEverything(t *testing.T) {
	_, err := hitl.ParseAskUser(raw(questions(question(strings.Repeat("x", 31), "Q", options(1)))))
	const want = "ask_user_question: the arguments are not valid: /questions/0/header: expected at most 25 characters, got 31; " +
		"/questions/0/options: expected 2 to 6 elements, got 1"
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestFaultsAreBounded(t *testing.T) {
	var b strings.Builder
	for i := range 10000 {
		fmt.Fprintf(&b, `,"x%d":0`, i)
	}
	_, err := hitl.ParseAskUser(raw(`{"questions":[]` + b.String() + `}`))
	if e, ok := errors.AsType[*hitl.CallError](err); !ok || len(e.Issues) > 100 {
		t.Errorf("got %T with %d characters", err, len(err.Error()))
	}
}

func TestParameterSchemaGolden(t *testing.T) {
	want, err := os.ReadFile(filepath.Join("testdata", "ask_user_parameters.json"))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(strings.TrimSpace(string(want)), indented(t, hitl.ParameterSchema())); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestParameterSchemaAgreesWithTheParser(t *testing.T) {
	schema := compile(t, hitl.ParameterSchema())
	for args, want := range map[string]bool{
		manyQuestions(1):                          true,
		manyQuestions(10):                         true,
		manyQuestions(11):                         false,
		manyQuestions(0):                          false,
		questions(question("H", "Q", options(6))): true,
		questions(question("H", "Q", options(7))): false,
		questions(question("H", "Q", options(1))): false,
		questions(question(strings.Repeat("x", 26), "Q", twoOptions)):                               false,
		questions(question("H", strings.Repeat("x", 501), twoOptions)):                              false,
		questions(question("H", "Q", `[{"label":"A","x":1},{"label":"B"}]`)):                        false,
		questions(`{"header":"H","question":"Q","options":` + twoOptions + `,"multi_select":true}`): true,
	} {
		_, err := hitl.ParseAskUser(raw(args))
		if bySchema := valid(t, schema, args); bySchema != want || (err == nil) != want {
			t.Errorf("%.80s: by the schema %v, by the parser %v", args, bySchema, err)
		}
	}
}

func FuzzParseAskUser(f *testing.F) {
	f.Add([]byte(manyQuestions(2)))
	f.Add([]byte(questions(`{"header":" H ","question":"Q\r\nQ","multi_select":true,"options":[{"label":"A","description":"d"},{"label":"B"}]}`)))
	f.Add([]byte(questions(question("a/b~c", "Q", `[{"label":"A"},{"label":"a"}]`))))
	f.Add([]byte(`{"questions":[{}],"x":1}`))
	f.Add([]byte(`[]`))
	f.Fuzz(func(t *testing.T, args []byte) {
		a, err := hitl.ParseAskUser(args)
		if err != nil {
			if e, ok := errors.AsType[*hitl.CallError](err); !ok || len(e.Issues) == 0 || len(a.Questions) > 0 {
				t.Fatalf("got %+v, %#v", a, err)
			}
			return
		}
		checkLimits(t, a)
		out, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		again, err := hitl.ParseAskUser(out)
		if err != nil || !cmp.Equal(a, again) {
			t.Fatalf("%s reads back as %+v, %v", out, again, err)
		}
		checkFirstOptions(t, a)
	})
}

// checkLimits looks at the result alone.
func checkLimits(t *testing.T, a hitl.AskUser) {
	t.Helper()
	text := func(s string, most int) {
		if n := utf8.RuneCountInString(s); s == "" || n > most || strings.TrimSpace(s) != s || strings.ContainsAny(s, "\x00\x1b\r\t\u0085") {
			t.Fatalf("%q was accepted", s)
		}
	}
	headers := map[string]bool{}
	for _, q := range a.Questions {
		text(q.Header, 25)
		text(q.Question, 500)
		headers[q.Header] = true
		labels := map[string]bool{}
		for _, o := range q.Options {
			text(o.Label, 50)
			text(o.Description+"x", 201)
			labels[strings.ToLower(o.Label)] = true
		}
		if len(labels) != len(q.Options) || len(labels) < 2 || len(labels) > 6 {
			t.Fatalf("%+v was accepted", q)
		}
	}
	if n := len(a.Questions); len(headers) != n || n < 1 || n > 10 {
		t.Fatalf("%+v was accepted", a)
	}
}

// checkFirstOptions answers every question by its first option.
func checkFirstOptions(t *testing.T, a hitl.AskUser) {
	t.Helper()
	answer, want := map[string]any{}, map[string][]string{}
	for _, q := range a.Questions {
		want[q.Header] = []string{q.Options[0].Label}
		answer[q.Header] = q.Options[0].Label
		if q.MultiSelect {
			answer[q.Header] = want[q.Header]
		}
	}
	content, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if !a.InputRequest("c1").Schema.IsValid() {
		t.Fatalf("the schema is no JSON: %s", a.InputRequest("c1").Schema)
	}
	out, err := a.Result(hitl.Accept(content))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	if err := json.Unmarshal(out, &got); err != nil || !cmp.Equal(want, got) {
		t.Fatalf("got %s, %v; want %v", out, err, want)
	}
}
