package agui

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// frames parses events that are written one per line.
func frames(t testing.TB, lines ...string) []Frame {
	t.Helper()
	var out []Frame
	for _, line := range lines {
		f, _, err := ParseFrame([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, f)
	}
	return out
}

// feed gives the frames to the verifier and returns how many it took.
func feed(v *Verifier, in []Frame) (int, error) {
	for i, f := range in {
		if err := v.Next(f); err != nil {
			return i, err
		}
	}
	return len(in), nil
}

const (
	started  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	finished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
	failed   = `{"type":"RUN_ERROR","message":"no"}`
)

// item writes an event whose only other member of note is an id.
func item(kind EventType, member, id string) string {
	more := ""
	switch kind {
	case TypeToolCallStart:
		more = `,"toolCallName":"n"`
	case TypeTextMessageContent, TypeReasoningMessageContent, TypeToolCallArgs:
		more = `,"delta":""`
	case TypeReasoningMessageStart:
		more = `,"role":"reasoning"`
	}
	return `{"type":"` + string(kind) + `","` + member + `":"` + id + `"` + more + `}`
}

// families lists what opens and closes.
var families = []struct {
	what             string
	open, delta, end EventType // delta may be ""
	member           string
}{
	{"message", TypeTextMessageStart, TypeTextMessageContent, TypeTextMessageEnd, "messageId"},
	{"tool call", TypeToolCallStart, TypeToolCallArgs, TypeToolCallEnd, "toolCallId"},
	{"reasoning message", TypeReasoningMessageStart, TypeReasoningMessageContent, TypeReasoningMessageEnd, "messageId"},
	{"reasoning span", TypeReasoningStart, "", TypeReasoningEnd, "messageId"},
	{"step", TypeStepStarted, "", TypeStepFinished, "stepName"},
}

func TestOrderOfItems(t *testing.T) {
	for _, f := range families {
		open := func(id string) string { return item(f.open, f.member, id) }
		end := func(id string) string { return item(f.end, f.member, id) }
		delta := func(id string) string {
			if f.delta == "" {
				return `{"type":"RAW","event":0}`
			}
			return item(f.delta, f.member, id)
		}
		for _, tc := range []struct {
			rule  string
			lines []string
			bad   bool // the last line breaks the rule
		}{
			{"opened, filled, closed", []string{open("a"), delta("a"), delta("a"), end("a"), finished}, false},
			{"items interleave", []string{open("a"), open("b"), delta("a"), delta("b"), end("a"), delta("b"), end("b"), finished}, false},
			{"a closed id may be opened again", []string{open("a"), end("a"), open("a"), delta("a"), end("a"), finished}, false},
			{"escapes do not make another id", []string{open(`\u0061`), delta("a"), end(`\u0061`), finished}, false},
			{"an open id is not opened again", []string{open("a"), open("a")}, true},
			{"nothing closes what is not open", []string{open("a"), end("b")}, true},
			{"nothing is closed twice", []string{open("a"), end("a"), end("a")}, true},
			{"what is open is closed before the run is finished", []string{open("a"), finished}, true},
			{"an error ends whatever is open", []string{open("a"), failed}, false},
		} {
			check(t, f.what+": "+tc.rule, append([]string{started}, tc.lines...), tc.bad)
		}
		if f.delta != "" {
			check(t, f.what+": a delta needs its opener", []string{started, delta("a")}, true)
			check(t, f.what+": nothing is added after the end", []string{started, open("a"), end("a"), delta("a")}, true)
		}
	}
}

func check(t *testing.T, rule string, lines []string, bad bool) {
	t.Helper()
	var v Verifier
	n, err := feed(&v, frames(t, lines...))
	want := len(lines)
	if bad {
		want--
	}
	if n != want || bad != errors.Is(err, ErrSequence) {
		t.Errorf("%s: took %d of %d, %v", rule, n, len(lines), err)
	}
	var seq *SequenceError
	if bad && (!errors.As(err, &seq) || seq.Rule == "" || string(seq.Type) == "") {
		t.Errorf("%s: %v does not say which rule", rule, err)
	}
}

func TestNamespacesAreSeparate(t *testing.T) {
	var opened, ended []string
	for _, f := range families {
		opened = append(opened, item(f.open, f.member, "same"))
		ended = append(ended, item(f.end, f.member, "same"))
	}
	lines := slices.Concat([]string{started}, opened, ended, []string{finished})
	check(t, "one id in every namespace", lines, false)
	check(t, "a reasoning span is no message", []string{started, opened[3], item(TypeReasoningMessageContent, "messageId", "same")}, true)
}

func TestOrderOfRuns(t *testing.T) {
	const custom = `{"type":"CUSTOM","name":"n","value":0}`
	const future = `{"type":"FUTURE_EVENT"}`
	for _, tc := range []struct {
		rule  string
		lines []string
		bad   bool
	}{
		{"an empty run", []string{started, finished}, false},
		{"a stream may open with an error", []string{failed}, false},
		{"a stream opens with nothing else", []string{custom}, true},
		{"not with its end", []string{finished}, true},
		{"a run does not start inside a run", []string{started, started}, true},
		{"nothing follows the end", []string{started, finished, custom}, true},
		{"not even another end", []string{started, finished, finished}, true},
		{"but a late error", []string{started, finished, failed}, false},
		{"or the same run again", []string{started, finished, started, finished}, false},
		{"nothing follows an error", []string{started, failed, custom}, true},
		{"not even the end", []string{started, failed, finished}, true},
		{"but a run", []string{started, failed, started, finished}, false},
		{"an error closes what was open for the next run, too", []string{started, item(TypeTextMessageStart, "messageId", "a"), failed, started, finished}, false},
		{"unknown events are nobody's business", []string{future, started, future, finished, future}, false},
		{"the end names the run", []string{started, `{"type":"RUN_FINISHED","threadId":"t","runId":"r2"}`}, true},
		{"interrupt ids are used once", []string{started, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"a"},{"id":"i","reason":"b"}]}}`}, true},
		{"two interrupts", []string{started, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"a"},{"id":"j","reason":"a"}]}}`}, false},
		{"an unknown outcome", []string{started, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"later"}}`}, false},
	} {
		check(t, tc.rule, tc.lines, tc.bad)
	}
}

func TestIdentityOfARun(t *testing.T) {
	for _, tc := range []struct {
		rule  string
		v     Verifier
		lines []string
		want  string // part of the error, "" for none
	}{
		{"what was asked for", Verifier{ThreadID: "t"}, []string{started, finished}, ""},
		{"another thread at the start", Verifier{ThreadID: "x"}, []string{started}, "threadId"},
		{"another run at the end", Verifier{}, []string{started, `{"type":"RUN_FINISHED","threadId":"t","runId":"x"}`}, "runId"},
		{"a second run of the thread", Verifier{}, []string{started, finished, `{"type":"RUN_STARTED","threadId":"t","runId":"r2"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r2"}`}, ""},
		{"a second run of another thread", Verifier{}, []string{started, finished, `{"type":"RUN_STARTED","threadId":"x","runId":"r2"}`}, "threadId"},
		{"the first run's id at the end of the second", Verifier{}, []string{started, finished, `{"type":"RUN_STARTED","threadId":"t","runId":"r2"}`, finished}, "runId"},
		{"another thread at the end", Verifier{ThreadID: "t"}, []string{started, `{"type":"RUN_FINISHED","threadId":"x","runId":"r"}`}, "threadId"},
	} {
		_, err := feed(&tc.v, frames(t, tc.lines...))
		if (err != nil) != (tc.want != "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.rule, err)
		}
	}
}

func TestEnded(t *testing.T) {
	for text, want := range map[string]bool{started: false, started + "\n" + finished: true, started + "\n" + failed: true, failed: true} {
		var v Verifier
		if _, err := feed(&v, frames(t, strings.Split(text, "\n")...)); err != nil || v.Ended() != want {
			t.Errorf("%s: ended %v, %v", text, v.Ended(), err)
		}
	}
	if (&Verifier{}).Ended() {
		t.Error("a stream without events has ended")
	}
}

// Whatever is open, the frames of Cancel end the stream in order and as cancelled.
func TestCancelEndsEveryStream(t *testing.T) {
	lines := []string{started}
	for _, f := range families {
		lines = append(lines, item(f.open, f.member, "b"), item(f.open, f.member, "a"))
	}
	for n := range len(lines) + 1 {
		var v Verifier
		if _, err := feed(&v, frames(t, lines[:n]...)); err != nil {
			t.Fatal(err)
		}
		end, err := v.Cancel("t", "r")
		if err != nil {
			t.Fatal(err)
		}
		again, err := v.Cancel("t", "r")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(raws(end), raws(again)); diff != "" {
			t.Errorf("after %d events it is not the same twice:\n%s", n, diff)
		}
		if took, err := feed(&v, end); err != nil || !v.Ended() {
			t.Errorf("after %d events: took %d of %d, %v", n, took, len(end), err)
		}
		if last := string(end[len(end)-1].Raw); !strings.Contains(last, `"outcome":{"type":"cancelled"}`) {
			t.Errorf("the last event is %s", last)
		}
	}
}

func raws(in []Frame) []string {
	var out []string
	for _, f := range in {
		out = append(out, string(f.Raw))
	}
	return out
}

func TestCalls(t *testing.T) {
	var c Calls
	c.Seed([]Message{
		{Role: RoleAssistant, ToolCalls: []ToolCall{{ID: "old", Function: FunctionCall{Name: "f", Arguments: `{"a":1}`}}}},
		{Role: RoleTool, ToolCallID: Set("old")},
	})
	for _, f := range frames(t,
		started,
		`{"type":"TOOL_CALL_START","toolCallId":"c1","toolCallName":"send"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"c2","toolCallName":"look"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"{\"to\":"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c2","delta":"no JSON \"at\" all"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"c1","delta":"1}"}`,
		`{"type":"TOOL_CALL_ARGS","toolCallId":"lost","delta":"1}"}`,
		`{"type":"TOOL_CALL_START","toolCallId":"c3","toolCallName":"none"}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c2","content":"x"}`,
	) {
		c.Observe(f)
	}
	for id, want := range map[string]string{"c1": `{"to":1}`, "c2": `"no JSON \"at\" all"`, "c3": "", "old": `{"a":1}`} {
		if got := c.Call(id); got == nil || string(got.Args) != want || got.ID != id {
			t.Errorf("%s: %+v, want arguments %s", id, got, want)
		}
	}
	if c.Call("lost") != nil {
		t.Error("a call that was never opened is known")
	}
	if diff := cmp.Diff([]string{"c1", "c3"}, c.Unanswered()); diff != "" {
		t.Errorf("unanswered (-want +got)\n%s", diff)
	}
}
