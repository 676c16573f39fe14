package check

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// Shorthand for events.
const (
	run1  = `{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`
	end1  = `{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`
	run2  = `{"type":"RUN_STARTED","threadId":"t","runId":"r2"}`
	end2  = `{"type":"RUN_FINISHED","threadId":"t","runId":"r2"}`
	fail  = `{"type":"RUN_ERROR","message":"x"}`
	open  = `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`
	say   = `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"x"}`
	done  = `{"type":"TEXT_MESSAGE_END","messageId":"m"}`
	state = `{"type":"STATE_SNAPSHOT","snapshot":{}}`
)

// read checks events and returns what was found, a line each.
func read(c *Checker, events ...string) []string {
	var out []string
	note := func(found []Finding) {
		for _, f := range found {
			out = append(out, strings.TrimSpace(fmt.Sprintf("%d %s %s", f.Index, f.Rule, f.Path)))
		}
	}
	for i, raw := range events {
		note(c.Next(Event{Index: i, Line: i + 1, Raw: []byte(raw)}))
	}
	note(c.End())
	return out
}

var cases = []struct {
	name   string
	events []string
	want   []string
}{
	{"a clean run", []string{run1, open, say, done, end1}, nil},
	{"two clean runs", []string{run1, end1, run2, end2}, nil},
	{"an error alone", []string{fail}, nil},
	{"nothing", nil, []string{"-1 truncated"}},

	// One rule each.
	{"no JSON", []string{run1, `{"type":`, end1}, []string{"1 invalid_json"}},
	{"a member twice", []string{run1, `{"type":"CUSTOM","name":"n","name":"n","value":1}`, end1}, []string{"1 invalid_json"}},
	{"bad UTF-8", []string{run1, "{\"type\":\"CUSTOM\",\"name\":\"\xff\",\"value\":1}", end1}, []string{"1 invalid_json"}},
	{"no object", []string{run1, `[1]`, end1}, []string{"1 malformed_value"}},
	{"no type", []string{run1, `{"messageId":"m"}`, end1}, []string{"1 missing_member /type"}},
	{"a missing member", []string{run1, `{"type":"CUSTOM","value":1}`, end1}, []string{"1 missing_member /name"}},
	{"a malformed member", []string{run1, open, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":1}`, done, end1}, []string{"2 malformed_value /delta"}},
	{"truncated", []string{run1, open, done}, []string{"2 truncated"}},
	{"not started", []string{say, run1, end1}, []string{"0 run_not_started /type"}},
	{"after the end", []string{run1, end1, say, done}, []string{"2 after_run_finished /type"}},
	{"after an error", []string{run1, fail, say, fail}, []string{"2 after_run_error /type"}},
	{"a nested run", []string{run1, run2, end2}, []string{"1 nested_run /type"}},
	{"another thread", []string{run1, end1, `{"type":"RUN_STARTED","threadId":"u","runId":"r"}`, `{"type":"RUN_FINISHED","threadId":"u","runId":"r"}`}, []string{"2 thread_mismatch /threadId"}},
	{"another run's end", []string{run1, end2}, []string{"1 run_mismatch /runId"}},
	{"an interrupt twice", []string{run1, `{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"x"},{"id":"i","reason":"x"}]}}`}, []string{"1 duplicate_interrupt /outcome/interrupts"}},
	{"open already", []string{run1, open, open, done, end1}, []string{"2 already_open /messageId"}},
	{"not open", []string{run1, say, end1}, []string{"1 not_open /messageId"}},
	{"still open", []string{run1, open, end1}, []string{"2 still_open"}},
	{"another's message", []string{run1, open, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"","subagentRunId":"s"}`, done, end1}, []string{"2 wrong_owner /subagentRunId"}},
	{"a subagent twice", []string{run1, `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}`, `{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}`, `{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`, end1}, []string{"2 subagent_restarted /subagentRunId"}},
	{"no such subagent", []string{run1, `{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`, end1}, []string{"1 subagent_not_started"}},
	{"half a chunk", []string{run1, `{"type":"TEXT_MESSAGE_CHUNK","delta":"x"}`, end1}, []string{"1 incomplete_chunk"}},
	{"an ambiguous chunk", []string{
		run1, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","subagentRunId":"s"}`, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"b","subagentRunId":"u"}`,
		`{"type":"TEXT_MESSAGE_CHUNK","delta":"x"}`, end1,
	}, []string{"3 ambiguous_chunk"}},
	{"another role", []string{run1, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"a","role":"user"}`, `{"type":"TEXT_MESSAGE_CHUNK","role":"system"}`, end1}, []string{"2 conflicting_chunk"}},
	{"an unknown event", []string{run1, `{"type":"FUTURE"}`, end1}, []string{"1 unknown_event /type"}},
	{"an unknown member", []string{run1, `{"type":"CUSTOM","name":"n","value":1,"x/y":1}`, end1}, []string{"1 unknown_property /x~1y"}},
	{"an unknown role", []string{run1, `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"narrator"}`, done, end1}, []string{"1 unknown_value /role"}},
	{"a retired event", []string{run1, `{"type":"THINKING_START"}`, `{"type":"THINKING_END"}`, end1}, []string{"1 retired_shape /type", "2 retired_shape /type"}},
	{"a patch that fails", []string{run1, `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/x"}]}`, end1}, []string{"1 patch_failed /delta"}},
	{"an unknown entity", []string{run1, `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"x","encryptedValue":"v"}`, end1}, []string{"1 unknown_entity /entityId"}},
	{"a clash", []string{run1, `{"type":"ACTIVITY_SNAPSHOT","messageId":"m","activityType":"a","content":{}}`, open, done, end1}, []string{"2 entity_clash /messageId", "3 entity_clash /messageId"}},
	{"a newer version", []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r1","protocolVersion":"1.99"}`, end1}, []string{"0 newer_version /protocolVersion"}},
	{"a foreign version", []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r1","protocolVersion":"7.0"}`, end1}, []string{"0 foreign_version /protocolVersion"}},
	{"an unreadable version", []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r1","protocolVersion":"one"}`, end1}, []string{"0 unreadable_version /protocolVersion"}},

	// How it goes on.
	{"a fault is reported once for each id", []string{run1, say, say, done, `{"type":"TEXT_MESSAGE_END","messageId":"n"}`, end1}, []string{"1 not_open /messageId", "4 not_open /messageId"}},
	{"what hangs on a malformed start is not blamed", []string{run1, `{"type":"TEXT_MESSAGE_START","messageId":"m","role":1}`, say, done, say, end1}, []string{"1 malformed_value /role"}},
	{"what hangs on a malformed end is not blamed", []string{run1, open, `{"type":"TEXT_MESSAGE_END","messageId":"m","timestamp":"x"}`, end1}, []string{"2 malformed_value /timestamp"}},
	{"a malformed delta changes nothing", []string{run1, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m"}`, open, end1}, []string{"1 missing_member /delta", "3 still_open"}},
	{"a start without an id leaves no order", []string{run1, `{"type":"TEXT_MESSAGE_START"}`, say, done, `{"type":"CUSTOM"}`, end1, run2, say, end2}, []string{"1 missing_member /messageId", "4 missing_member /name", "7 not_open /messageId"}},
	{"a lost line may have been the end", []string{run1, open, `{"ty`}, []string{"2 invalid_json"}},
	{"a lost line in the middle was not", []string{run1, `{"ty`, say}, []string{"1 invalid_json", "2 truncated"}},
	{"a malformed end is an end", []string{run1, `{"type":"RUN_FINISHED","threadId":1,"runId":"r1"}`, run2, end2}, []string{"1 malformed_value /threadId"}},
	{"a malformed start is a start", []string{`{"type":"RUN_STARTED","runId":"r1"}`, open, say, end1, run2, end2}, []string{"0 missing_member /threadId"}},
	{"a bad end is an end", []string{run1, open, end1, run2, say, end2}, []string{"2 still_open", "4 not_open /messageId"}},
	{"one finding for all that follows an end", []string{run1, end1, open, say, done, run2, end2}, []string{"2 after_run_finished /type"}},
	{"one finding for all before a start", []string{open, say, done, end1, run1, end1}, []string{"0 run_not_started /type"}},
	{"a nested run is judged itself", []string{run1, run2, say, end2}, []string{"1 nested_run /type", "2 not_open /messageId"}},
	{"form without order", []string{say, `{"type":"THINKING_START"}`, `{"type":"FUTURE"}`, `{"type":"CUSTOM"}`, fail}, []string{"0 run_not_started /type", "1 retired_shape /type", "2 unknown_event /type", "3 missing_member /name"}},
	{"children of a subagent that was left out", []string{run1, `{"type":"SUBAGENT_STARTED","subagentRunId":"s"}`, `{"type":"SUBAGENT_STARTED","subagentRunId":"u","parentSubagentRunId":"s","name":"n"}`, end1}, []string{"1 missing_member /name"}},
	{"no patch is judged after a state was left out", []string{run1, `{"type":"STATE_SNAPSHOT"}`, `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/x"}]}`, state, `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/x"}]}`, end1}, []string{"1 missing_member /snapshot", "4 patch_failed /delta"}},
	{"a step twice, another not open", []string{run1, `{"type":"STEP_STARTED","stepName":"s"}`, `{"type":"STEP_STARTED","stepName":"s"}`, `{"type":"STEP_FINISHED","stepName":"u"}`, `{"type":"STEP_FINISHED","stepName":"s"}`, end1}, []string{"2 already_open /stepName", "3 not_open /stepName"}},
	{"a result without a message id", []string{run1, `{"type":"TOOL_CALL_RESULT","toolCallId":"c","content":"x"}`, say, end1}, []string{"1 missing_member /messageId", "2 not_open /messageId"}},
}

func TestFindings(t *testing.T) {
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, read(New(Options{}), tc.events...)); diff != "" {
				t.Errorf("findings (-want +got)\n%s", diff)
			}
		})
	}
}

// Every rule is shown by a case above or below: none is only in the list.
func TestEveryRuleCanBeBroken(t *testing.T) {
	seen := map[string]bool{
		string(ContentType): true, FindingsCut: true, // of those who read endpoints and print
		limitExceeded: true, notFollowed: true, eventTooLarge: true, unfinishedEvent: true, // see below
	}
	for _, tc := range cases {
		for _, line := range read(New(Options{}), tc.events...) {
			seen[strings.Fields(line)[1]] = true
		}
	}
	for _, r := range Rules() {
		if !seen[r.ID] {
			t.Errorf("nothing breaks %s", r.ID)
		}
		if r.Help == "" || !strings.HasSuffix(r.Help, ".") || !slices.Contains([]Severity{Error, Warning, Note}, r.Severity) {
			t.Errorf("%+v is not explained", r)
		}
		delete(seen, r.ID)
	}
	for id := range seen {
		t.Errorf("%s is not in the list", id)
	}
}

func TestLimits(t *testing.T) {
	c := New(Options{Limit: 1, MaxHeld: 2000})
	got := read(c, run1, open, done, strings.ReplaceAll(open, `"m"`, `"n"`), end1, run2, `{"type":"STATE_SNAPSHOT","snapshot":"`+strings.Repeat("x", 3000)+`"}`,
		`{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/x"}]}`, end2)
	if diff := cmp.Diff([]string{"3 limit_exceeded", "6 not_followed"}, got); diff != "" {
		t.Errorf("findings (-want +got)\n%s", diff)
	}
}

func TestFaultsOfTheReader(t *testing.T) {
	for _, tc := range []struct {
		fault error
		want  string
	}{{fmt.Errorf("%w: 9", ErrTooLarge), eventTooLarge}, {ErrUnfinished, unfinishedEvent}, {&shape.SyntaxError{Err: ErrUnfinished}, unfinishedEvent}, {fmt.Errorf("x"), invalidJSON}} {
		c := New(Options{})
		c.Next(Event{Raw: []byte(run1)})
		if found := c.Next(Event{Index: 1, Fault: tc.fault}); len(found) != 1 || found[0].Rule != tc.want || found[0].Severity != Error {
			t.Errorf("%v gives %+v", tc.fault, found)
		}
		if found := c.End(); len(found) > 0 {
			t.Errorf("what could not be read may be the end, got %+v", found)
		}
	}
}

// A producer of a newer version may rightly send what is not known here.
func TestUnknownOfANewerVersionIsANote(t *testing.T) {
	for version, want := range map[string]Severity{"1.99": Note, "1.0": Warning} {
		c := New(Options{})
		c.Next(Event{Raw: []byte(`{"type":"RUN_STARTED","threadId":"t","runId":"r1","protocolVersion":"` + version + `"}`)})
		for _, ordered := range []bool{true, false} {
			if found := c.Next(Event{Index: 1, Raw: []byte(`{"type":"FUTURE"}`)}); len(found) != 1 || found[0].Severity != want {
				t.Errorf("%s, ordered %v: %+v", version, ordered, found)
			}
			c.Next(Event{Index: 2, Raw: []byte(`{`)})
		}
	}
}

func TestTheInputIsWhereARunBegins(t *testing.T) {
	const change = `{"type":"STATE_DELTA","delta":[{"op":"replace","path":"/x","value":2}]}`
	const encrypt = `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"u","encryptedValue":"v"}`
	const input = `{"threadId":"t","runId":"r1","state":{"x":1},"messages":[{"id":"u","role":"user","content":"x"}]}`
	in, _, err := agui.ParseRunInput([]byte(input))
	if err != nil {
		t.Fatal(err)
	}
	if got := read(New(Options{Input: &in}), run1, change, encrypt, end1); got != nil {
		t.Errorf("with an input: %q", got)
	}
	if got := read(New(Options{}), `{"type":"RUN_STARTED","threadId":"t","runId":"r1","input":`+input+`}`, change, encrypt, end1); got != nil {
		t.Errorf("with an input that RUN_STARTED repeats: %q", got)
	}
	c := New(Options{})
	c.Next(Event{Input: []byte(input)})
	if got := read(c, run1, change, encrypt, end1); got != nil {
		t.Errorf("with an input of the recording: %q", got)
	}
	c = New(Options{})
	c.Next(Event{Raw: []byte(run1)})
	if found := c.Next(Event{Raw: []byte(change)}); len(found) != 1 || !strings.Contains(found[0].Message, "input is not known") {
		t.Errorf("without one: %+v", found)
	}
	in.ThreadID = "u"
	want := []string{"0 thread_mismatch /threadId"}
	if diff := cmp.Diff(want, read(New(Options{Input: &in}), run1, end1, run2, end2)); diff != "" {
		t.Errorf("another thread than the input's (-want +got)\n%s", diff)
	}
	want = []string{"1 nested_run /type"}
	in.ThreadID = "t"
	if diff := cmp.Diff(want, read(New(Options{Input: &in}), run1, run2, end2)); diff != "" {
		t.Errorf("nested in the right thread (-want +got)\n%s", diff)
	}
}

func TestFindingsOfAnInput(t *testing.T) {
	_, warnings, err := agui.Outgoing([]byte(`{"threadId":"t","runId":"r","messages":[],"x":1}`))
	if f := Input(warnings, err); len(f) != 1 || f[0].Rule != string(agui.UnknownProperty) || f[0].Path != "/x" || f[0].Type != "RunAgentInput" || f[0].Index != -1 {
		t.Errorf("got %+v", f)
	}
	_, warnings, err = agui.Outgoing([]byte(`{"threadId":1,"runId":"r","messages":[]}`))
	if f := Input(warnings, err); len(f) != 1 || f[0].Rule != malformedValue || f[0].Path != "/threadId" {
		t.Errorf("got %+v", f)
	}
}

// What a peer chooses cannot break the line, nor fill the screen.
func TestMessagesAreOneShortLine(t *testing.T) {
	nasty := strings.Repeat(`\u001b[31m\n\u2028ü`, 200)
	for _, raw := range []string{
		`{"type":"TEXT_MESSAGE_END","messageId":"` + nasty + `"}`,
		`{"type":"` + nasty + `"}`,
		`{"type":"CUSTOM","name":"n","value":1,"` + nasty + `":1}`,
	} {
		c := New(Options{})
		c.Next(Event{Raw: []byte(run1)})
		found := c.Next(Event{Index: 1, Raw: []byte(raw)})
		if len(found) != 1 {
			t.Fatalf("got %+v", found)
		}
		text := string(found[0].Type) + found[0].Path + found[0].Message
		if len(text) > 4*maxText || strings.ContainsAny(text, "\x1b\n\u2028") {
			t.Errorf("got %q", text)
		}
	}
}

// Text is most of a stream, and nobody holds it here.
func TestTextIsNotHeld(t *testing.T) {
	c := New(Options{MaxHeld: 10_000})
	long := `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"` + strings.Repeat("x", 5000) + `","metadata":{"a":1}}`
	if got := read(c, run1, open, long, long, long, long, done, end1); got != nil {
		t.Errorf("got %q", got)
	}
}

func FuzzChecker(f *testing.F) {
	for _, tc := range cases {
		f.Add([]byte(strings.Join(tc.events, "\n")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		c := New(Options{Limit: 20, MaxHeld: 5000})
		errors, i := 0, 0
		p := agui.NewPipeline(agui.PipelineOptions{Limit: 20})
		var consumer error
		judge := func(found []Finding) {
			for _, f := range found {
				if _, known := severities[f.Rule]; !known || strings.ContainsAny(f.Message+f.Path+string(f.Type), "\n\r\x1b") {
					t.Fatalf("got %+v", f)
				}
				if f.Severity == Error {
					errors++
				}
			}
		}
		for raw := range strings.Lines(string(text)) {
			judge(c.Next(Event{Index: i, Line: i + 1, Raw: []byte(raw)}))
			if consumer == nil {
				_, _, consumer = p.Next([]byte(raw))
			}
			i++
		}
		judge(c.End())
		if consumer == nil {
			consumer = p.End()
		}
		if (consumer != nil) != (errors > 0) {
			t.Fatalf("a consumer says %v, and %d errors were found", consumer, errors)
		}
	})
}
