package agui

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
)

var updateGolden = flag.Bool("update", false, "write the golden files")

// hold applies the lines to what a consumer holds of the input and returns it with the
// warnings, each after the number of its line.
func hold(t testing.TB, input string, lines ...string) (*Conversation, []Warning) {
	t.Helper()
	var in RunInput
	if err := json.Unmarshal([]byte(input), &in); err != nil {
		t.Fatal(err)
	}
	c := NewConversation(in)
	var warnings []Warning
	for _, f := range frames(t, lines...) {
		more, err := c.Apply(f)
		if err != nil {
			t.Fatalf("%s: %v", f.Raw, err)
		}
		warnings = append(warnings, more...)
	}
	return c, warnings
}

func messagesOf(t testing.TB, c *Conversation) string {
	t.Helper()
	text, err := json.Marshal(c.Messages())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func says(id, delta, more string) string {
	return `{"type":"TEXT_MESSAGE_CONTENT","messageId":"` + id + `","delta":"` + delta + `"` + more + `}`
}

func thinks(id, delta string) string {
	return `{"type":"REASONING_MESSAGE_CONTENT","messageId":"` + id + `","delta":"` + delta + `"}`
}

func args(id, delta string) string {
	return `{"type":"TOOL_CALL_ARGS","toolCallId":"` + id + `","delta":"` + delta + `"}`
}

func restated(messages string) string {
	return `{"type":"MESSAGES_SNAPSHOT","messages":[` + messages + `]}`
}

func meta(line, metadata string) string { return with(line, `,"metadata":`+metadata) }

// What a consumer holds after a line is applied to an input of these messages.
func TestWhatAConsumerHolds(t *testing.T) {
	const (
		user  = `{"id":"u","role":"user","content":"hi"}`
		asked = `{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{"}}]}`
		act   = `{"id":"a","role":"activity","content":{"n":1},"activityType":"x"}`
		mind  = `{"id":"r","role":"reasoning","content":"hm"}`
	)
	start := func(id string) string { return item(TypeTextMessageStart, "messageId", id) }
	think := item(TypeReasoningMessageStart, "messageId", "r")
	begin := item(TypeToolCallStart, "toolCallId", "c")
	for _, tc := range []struct {
		rule, messages string
		lines          []string
		want           string // the messages
		warnings       []WarningCode
	}{
		{"the input's", user + `,` + asked, nil, user + `,` + asked, nil},
		{"a start makes a message, of the assistant unless it says so", "", []string{start("m")}, `{"id":"m","role":"assistant","content":""}`, nil},
		{"with what it says", "", []string{with(start("m"), `,"role":"user","name":"n","subagentRunId":"s","metadata":{"a":1}`)}, `{"id":"m","role":"user","name":"n","content":"","metadata":{"a":1},"subagentRunId":"s"}`, nil},
		{"text is put together", "", []string{start("m"), says("m", "a", ""), says("m", "", ""), says("m", `\u0062\n`, "")}, `{"id":"m","role":"assistant","content":"ab\n"}`, nil},
		{"and goes on behind what is there", user, []string{start("u"), says("u", "!", "")}, `{"id":"u","role":"user","content":"hi!"}`, nil},
		{"whose role and name stand", user, []string{with(start("u"), `,"role":"system","name":"n"`)}, user, nil},
		{"parts give way to text", `{"id":"u","role":"user","content":[]}`, []string{start("u"), says("u", "a", "")}, `{"id":"u","role":"user","content":"a"}`, nil},
		{"text for nobody", "", []string{says("m", "a", "")}, ``, []WarningCode{UnknownEntity}},
		{"the end of nobody", "", []string{item(TypeTextMessageEnd, "messageId", "m")}, ``, []WarningCode{UnknownEntity}},
		{"text for an activity", act, []string{start("a"), says("a", "x", ""), meta(item(TypeTextMessageEnd, "messageId", "a"), `{"b":1}`)}, act, []WarningCode{EntityClash, EntityClash, EntityClash}},
		{"metadata is merged by key, whole", "", []string{meta(start("m"), `{"a":{"x":1},"b":1}`), meta(says("m", "", ""), `{"a":{"y":1.0}}`), meta(item(TypeTextMessageEnd, "messageId", "m"), `{"\u0062":null,"c":[]}`)},
			`{"id":"m","role":"assistant","content":"","metadata":{"a":{"y":1.0},"b":null,"c":[]}}`, nil},
		{"reasoning is a message", "", []string{think, thinks("r", "h"), thinks("r", "m"), item(TypeReasoningMessageEnd, "messageId", "r")}, mind, nil},
		{"its metadata is merged", "", []string{meta(think, `{"a":1}`), meta(thinks("r", "hm"), `{"b":1}`), meta(item(TypeReasoningMessageEnd, "messageId", "r"), `{"c":1}`)}, `{"id":"r","role":"reasoning","content":"hm","metadata":{"a":1,"b":1,"c":1}}`, nil},
		{"a span is none", "", []string{item(TypeReasoningStart, "messageId", "r"), item(TypeReasoningEnd, "messageId", "r")}, ``, nil},

		{"a call gets a message of its own", "", []string{with(begin, tagged("s"))}, `{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}],"subagentRunId":"s"}`, nil},
		{"or the one it names", `{"id":"m","role":"assistant","content":"x"}`, []string{with(begin, `,"parentMessageId":"m"`)}, `{"id":"m","role":"assistant","content":"x","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}`, nil},
		{"which is made if nobody has it", "", []string{with(begin, `,"parentMessageId":"m"`)}, `{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}`, nil},
		{"but is not what the user said", user, []string{with(begin, `,"parentMessageId":"u"`)}, user + `,{"id":"c","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"n","arguments":""}}]}`, []WarningCode{EntityClash}},
		{"arguments are put together", asked, []string{args("c", `}`), args("c", ``)}, strings.Replace(asked, `"{"`, `"{}"`, 1), nil},
		{"and need not be JSON", asked, []string{args("c", `\"\u0000`)}, strings.Replace(asked, `"{"`, `"{\"\u0000"`, 1), nil},
		{"arguments for nobody", "", []string{args("c", ""), item(TypeToolCallEnd, "toolCallId", "c")}, ``, []WarningCode{UnknownEntity, UnknownEntity}},
		{"a call that is known goes on", asked, []string{with(item(TypeToolCallStart, "toolCallId", "c"), ``), args("c", "1")}, strings.Replace(strings.Replace(asked, `"{"`, `"{1"`, 1), `"f"`, `"n"`, 1), []WarningCode{EntityClash}},
		{"a call's metadata is the call's", asked, []string{meta(strings.Replace(begin, `"n"`, `"f"`, 1), `{"a":1}`), meta(args("c", ""), `{"b":1}`), meta(item(TypeToolCallEnd, "toolCallId", "c"), `{"a":2}`)}, strings.Replace(asked, `"{"}`, `"{"},"metadata":{"a":2,"b":1}`, 1), nil},

		{"a result comes behind its call", asked + `,` + user, []string{meta(with(result("x", "s"), `,"role":"tool"`), `{"a":1}`)}, asked + `,{"id":"x","role":"tool","content":"","toolCallId":"c","metadata":{"a":1},"subagentRunId":"s"},` + user, nil},
		{"and behind the results that are there", asked + `,` + user, []string{result("x", ""), result("y", "")}, asked + `,{"id":"x","role":"tool","content":"","toolCallId":"c"},{"id":"y","role":"tool","content":"","toolCallId":"c"},` + user, nil},
		{"one whose call nobody knows comes last", user, []string{result("x", "")}, user + `,{"id":"x","role":"tool","content":"","toolCallId":"c"}`, nil},
		{"parts stay as they are", "", []string{strings.Replace(result("x", ""), `"content":""`, `"content":[ {"type":"text","text":"\u0061"} ]`, 1)}, `{"id":"x","role":"tool","content":[{"type":"text","text":"a"}],"toolCallId":"c"}`, nil},

		{"an activity", user, []string{meta(with(activityOf("s", ""), ``), `{"a":1}`)}, user + `,{"id":"a","role":"activity","content":{},"activityType":"x","metadata":{"a":1},"subagentRunId":"s"}`, nil},
		{"a snapshot replaces it in its place and keeps its metadata", strings.Replace(act, `"x"}`, `"x","metadata":{"k":1},"subagentRunId":"s"}`, 1) + `,` + user, []string{meta(`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"y","content":{"m":1}}`, `{"l":2}`)},
			`{"id":"a","role":"activity","content":{"m":1},"activityType":"y","metadata":{"k":1,"l":2}},` + user, nil},
		{"unless it is to stay", act, []string{activityOf("s", `,"replace":false`)}, act, nil},
		{"which says nothing about the first", "", []string{activityOf("", `,"replace":false`)}, `{"id":"a","role":"activity","content":{},"activityType":"x"}`, nil},
		{"what only is to be there does not change a message of another kind", `{"id":"a","role":"user","content":"x"}`, []string{activityOf("", `,"replace":false`)}, `{"id":"a","role":"user","content":"x"}`, nil},
		{"what is to be replaced gives way", `{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}`, []string{activityOf("", ""), args("c", "x")}, `{"id":"a","role":"activity","content":{},"activityType":"x"}`, []WarningCode{UnknownEntity}},
		{"text that grew gives way, too", "", []string{start("a"), says("a", "old", ""), activityOf("", "")}, `{"id":"a","role":"activity","content":{},"activityType":"x"}`, nil},
		{"an activity is patched", act, []string{`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"y","patch":[{"op":"replace","path":"/n","value":2.0}],"metadata":{"a":1}}`}, `{"id":"a","role":"activity","content":{"n":2.0},"activityType":"y","metadata":{"a":1}}`, nil},
		{"a patch that does not apply changes no content", act, []string{`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"y","patch":[{"op":"add","path":"/m","value":1},{"op":"remove","path":"/x"}],"metadata":{"a":1}}`}, strings.TrimSuffix(act, "}") + `,"metadata":{"a":1}}`, []WarningCode{PatchFailed}},
		{"nor one that leaves no object", act, []string{`{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"y","patch":[{"op":"replace","path":"","value":[]}]}`}, act, []WarningCode{PatchFailed}},
		{"a patch for nobody", "", []string{activityChange("")}, ``, []WarningCode{UnknownEntity}},
		{"a patch for what is no activity", `{"id":"a","role":"user","content":"x"}`, []string{activityChange("")}, `{"id":"a","role":"user","content":"x"}`, []WarningCode{EntityClash}},

		{"a snapshot replaces in place, adds and drops", user + `,` + asked, []string{restated(`{"id":"n","role":"user","content":"new"},{"id":"m","role":"assistant","content":"now"}`)}, `{"id":"m","role":"assistant","content":"now"},{"id":"n","role":"user","content":"new"}`, nil},
		{"but keeps activities and reasoning", act + `,` + user + `,` + mind, []string{restated(``)}, act + `,` + mind, nil},
		{"unless it has such itself", act + `,` + mind, []string{restated(`{"id":"b","role":"activity","content":{},"activityType":"x"}`)}, mind + `,{"id":"b","role":"activity","content":{},"activityType":"x"}`, nil},
		{"each kind for itself", act + `,` + mind, []string{restated(`{"id":"b","role":"reasoning","content":""}`)}, act + `,{"id":"b","role":"reasoning","content":""}`, nil},
		{"reasoning that grew keeps its text", "", []string{think, thinks("r", "hm"), restated(``)}, mind, nil},
		{"a message that grows goes on from what it says now", "", []string{start("m"), says("m", "old", ""), restated(`{"id":"m","role":"assistant","content":"new"}`), says("m", "!", "")}, `{"id":"m","role":"assistant","content":"new!"}`, nil},
		{"the calls of what is dropped are forgotten", asked, []string{restated(``), args("c", "")}, ``, []WarningCode{UnknownEntity}},
		{"the calls of what is restated go on", asked, []string{restated(asked), args("c", "}")}, strings.Replace(asked, `"{"`, `"{}"`, 1), nil},
		{"an encrypted value is not restated by itself", `{"id":"u","role":"user","content":"hi","encryptedValue":"x"}`, []string{restated(user)}, user, nil},

		{"an encrypted value", user, []string{with(encryptedFor("message", "u", ""), `,"encryptedValueType":"t"`)}, `{"id":"u","role":"user","content":"hi","encryptedValue":"x","encryptedValueType":"t"}`, nil},
		{"takes the old type away", `{"id":"u","role":"user","content":"hi","encryptedValue":"y","encryptedValueType":"t"}`, []string{encryptedFor("message", "u", "")}, `{"id":"u","role":"user","content":"hi","encryptedValue":"x"}`, nil},
		{"of a call", asked, []string{encryptedFor("tool-call", "c", "")}, strings.Replace(asked, `"{"}`, `"{"},"encryptedValue":"x"`, 1), nil},
		{"of nobody", asked, []string{encryptedFor("message", "c", ""), encryptedFor("tool-call", "m", "")}, asked, []WarningCode{UnknownEntity, UnknownEntity}},
		{"of an activity, which has none", act, []string{encryptedFor("message", "a", "")}, act, []WarningCode{UnknownEntity}},

		{"what RUN_STARTED repeats and nobody has", user, []string{with(started, `,"input":{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"other"},`+mind+`]}`)}, user + `,` + mind, nil},
		{"an input that is not repeated", user, []string{started, finished, failed, custom, raw0}, user, nil},
	} {
		c, warnings := hold(t, `{"threadId":"t","runId":"r","messages":[`+tc.messages+`]}`, tc.lines...)
		if diff := cmp.Diff(`[`+tc.want+`]`, messagesOf(t, c)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.rule, diff)
		}
		var codes []WarningCode
		for _, w := range warnings {
			codes = append(codes, w.Code)
			if w.Path == "" || w.Detail == "" {
				t.Errorf("%s: the warning %v does not say where or what", tc.rule, w)
			}
		}
		if diff := cmp.Diff(tc.warnings, codes); diff != "" {
			t.Errorf("%s: warnings (-want +got)\n%s", tc.rule, diff)
		}
		for i, h := range c.messages {
			if c.byID[h.ID] == nil {
				t.Errorf("%s: message %d is not known by its id", tc.rule, i)
			}
		}
	}
}

func TestState(t *testing.T) {
	snapshot := func(v string) string { return `{"type":"STATE_SNAPSHOT","snapshot":` + v + `}` }
	delta := func(ops string) string { return `{"type":"STATE_DELTA","delta":[` + ops + `],"subagentRunId":"s"}` }
	const add = `{"op":"add","path":"/a","value":1.0}`
	for _, tc := range []struct {
		rule, input string
		lines       []string
		want        string
		warnings    int
	}{
		{"starts from the input's", `,"state":{ "x":1.0 }`, nil, `{ "x":1.0 }`, 0},
		{"from nothing without one", ``, nil, `{}`, 0},
		{"a delta needs no snapshot", ``, []string{delta(add)}, `{"a":1.0}`, 0},
		{"a snapshot replaces, whatever it is", `,"state":{"x":1}`, []string{snapshot(`null`)}, `null`, 0},
		{"false is a state", ``, []string{snapshot(`false`)}, `false`, 0},
		{"text is a state and can be patched", ``, []string{snapshot(`"a"`), delta(`{"op":"replace","path":"","value":0}`)}, `0`, 0},
		{"a delta that does not apply leaves all as it was", `,"state":[ ]`, []string{delta(add)}, `[ ]`, 1},
		{"also when its first operation would", ``, []string{delta(add + `,{"op":"remove","path":"/x"}`)}, `{}`, 1},
		{"the next one applies again", ``, []string{delta(`{"op":"remove","path":"/x"}`), delta(add)}, `{"a":1.0}`, 1},
		{"a run that begins changes nothing", `,"state":1`, []string{started, finished, started, failed}, `1`, 0},
		{"the state of a repeated input is not taken over", `,"state":1`, []string{with(started, `,"input":{"threadId":"t","runId":"r","messages":[],"state":2}`)}, `1`, 0},
	} {
		c, warnings := hold(t, `{"threadId":"t","runId":"r","messages":[]`+tc.input+`}`, tc.lines...)
		if string(c.State()) != tc.want || len(warnings) != tc.warnings {
			t.Errorf("%s: %s, %v, want %s", tc.rule, c.State(), warnings, tc.want)
		}
		for _, w := range warnings {
			if w.Code != PatchFailed || w.Path != "/delta" {
				t.Errorf("%s: %v", tc.rule, w)
			}
		}
	}
}

// A warning is for whoever looks for the fault: it names places as the producer wrote them.
func TestPatchWarningsNameThePlace(t *testing.T) {
	for _, op := range []string{`{"op":"remove","path":"/a/b"}`, `{"op":"test","path":"/a/b","value":1}`, `{"op":"move","from":"/a/b","path":"/c"}`} {
		_, warnings := hold(t, `{"threadId":"t","runId":"r","messages":[],"state":{"a":{}}}`, `{"type":"STATE_DELTA","delta":[`+op+`]}`)
		if len(warnings) != 1 || !strings.Contains(warnings[0].Detail, "/a") || strings.Contains(warnings[0].Detail, "/r/") {
			t.Errorf("%s: %v", op, warnings)
		}
	}
}

// What is returned is the caller's: nothing that is applied later changes it.
func TestMessagesAreSnapshots(t *testing.T) {
	c, _ := hold(t, `{"threadId":"t","runId":"r","messages":[]}`, item(TypeTextMessageStart, "messageId", "m"), says("m", "a", ""), item(TypeToolCallStart, "toolCallId", "c"), args("c", "1"))
	before := c.Messages()
	text, err := json.Marshal(before)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range frames(t, says("m", "b", ""), args("c", "2"), meta(says("m", "", ""), `{"a":1}`), restated("")) {
		if _, err := c.Apply(f); err != nil {
			t.Fatal(err)
		}
	}
	if after, err := json.Marshal(before); err != nil || !bytes.Equal(text, after) {
		t.Errorf("%s became %s, %v", text, after, err)
	}
}

// Whole conversations, as a pipeline delivers them: testdata/conversations holds the
// events, one a line, and in .golden what is held and warned of at the end.
func TestGoldenConversations(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "conversations", "*.jsonl"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no conversations: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".jsonl"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			golden := strings.TrimSuffix(file, ".jsonl") + ".golden"
			got := transcript(t, bytes.Split(bytes.TrimSpace(text), []byte("\n")))
			if *updateGolden {
				if err := os.WriteFile(golden, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got; go test -update writes it)\n%s", diff)
			}
		})
	}
}

func transcript(t *testing.T, lines [][]byte) []byte {
	t.Helper()
	var out bytes.Buffer
	c := NewConversation(RunInput{})
	p := NewPipeline(PipelineOptions{})
	for _, line := range lines {
		delivered, warnings, err := p.Next(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		for _, f := range delivered {
			more, err := c.Apply(f)
			if err != nil {
				t.Fatalf("%s: %v", f.Raw, err)
			}
			warnings = append(warnings, more...)
		}
		for _, w := range warnings {
			out.WriteString("warning " + string(w.Code) + " " + w.Path + "\n") // what is said of it is not pinned here
		}
	}
	if err := p.End(); err != nil {
		t.Fatal(err)
	}
	for _, m := range c.Messages() {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if err := (*jsontext.Value)(&text).Indent(jsontext.WithIndent("  ")); err != nil {
			t.Fatal(err)
		}
		out.Write(append(text, '\n'))
	}
	out.WriteString("state " + string(c.State()) + "\n")
	return out.Bytes()
}
