package translate

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

const page = "../../docs/translation.md"

var inCode = regexp.MustCompile("`([^`]+)`")

// rows reads the table under a heading: what the first column names → what the second does.
func rows(t *testing.T, heading string) map[string][]string {
	t.Helper()
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	_, section, found := strings.Cut(string(text), "\n## "+heading+"\n")
	if !found {
		t.Fatalf("%s has no section %q", page, heading)
	}
	if i := strings.Index(section, "\n#"); i >= 0 {
		section = section[:i]
	}
	table := map[string][]string{}
	for line := range strings.Lines(section) {
		cells := strings.Split(line, "|")
		if len(cells) < 4 || strings.HasPrefix(cells[1], " ---") {
			continue
		}
		name := strings.TrimSpace(cells[1])
		if m := inCode.FindStringSubmatch(name); m != nil {
			name = m[1]
		}
		if _, twice := table[name]; twice {
			t.Errorf("%s: %q has two rows", heading, name)
		}
		table[name] = []string{}
		for _, m := range inCode.FindAllStringSubmatch(cells[2], -1) {
			table[name] = append(table[name], m[1])
		}
	}
	return table
}

// tried holds a row against what came of its type in all examples.
func tried(t *testing.T, table map[string][]string, name string, came map[string]bool) {
	t.Helper()
	row, has := table[name]
	if !has {
		t.Errorf("%s has no row for %s", page, name)
		return
	}
	for _, kind := range row {
		if !came[kind] {
			t.Errorf("%s: its row says %s, which came of no example", name, kind)
		}
	}
	for kind := range came {
		if !slices.Contains(row, kind) {
			t.Errorf("%s: its row does not say %s", name, kind)
		}
	}
}

func TestEveryEventTypeHasATrueRow(t *testing.T) {
	table := rows(t, "AG-UI event → AI SDK chunk")
	came := map[string]map[string]bool{}
	add := func(kind agui.EventType, chunks [][]byte) {
		if came[string(kind)] == nil {
			came[string(kind)] = map[string]bool{}
		}
		for _, raw := range chunks {
			switch chunk := typeIn(t, raw); aisdk.ChunkType(chunk) {
			case aisdk.TypeStartStep, aisdk.TypeFinishStep: // around whatever is said
			default:
				came[string(kind)][chunk] = true
			}
		}
	}
	for _, example := range eventExamples {
		tr := NewToAISDK(Run{ThreadID: "t", RunID: "r", First: "r", Profile: aisdk.V7, Answers: example.answers})
		if err := tr.Prime(framesOf(t, example.before)); err != nil {
			t.Fatal(err)
		}
		var last agui.EventType
		for _, f := range framesOf(t, example.events) {
			chunks, err := tr.Next(f)
			if err != nil {
				t.Fatalf("%s: %v", f.Raw, err)
			}
			last = f.Type
			add(last, chunks)
		}
		if last != agui.TypeRunFinished && last != agui.TypeRunError {
			continue
		}
		chunks, err := tr.Finish(example.outcome)
		if err != nil {
			t.Fatal(err)
		}
		add(last, chunks)
	}
	for _, kind := range everyEventType {
		tried(t, table, string(kind), came[string(kind)])
		delete(table, string(kind))
	}
	delete(table, "event")
	for name := range table {
		t.Errorf("there is a row for %s, which is no event type", name)
	}
}

func TestEveryChunkTypeHasATrueRow(t *testing.T) {
	table := rows(t, "AI SDK chunk → AG-UI event")
	came := map[string]map[string]bool{}
	for _, example := range chunkExamples {
		tr := NewToAGUI(Run{ThreadID: "t", RunID: "r", First: "r"})
		var last string
		add := func(events [][]byte) {
			if came[last] == nil {
				came[last] = map[string]bool{}
			}
			for _, raw := range events {
				came[last][typeIn(t, raw)] = true
			}
		}
		for i, raw := range example.chunks {
			f, _, err := aisdk.ParseFrame([]byte(raw))
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			events, err := tr.Next(f)
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			if i == 0 && f.Type != aisdk.TypeStart {
				events = events[1:] // RUN_STARTED is said by whatever comes first
			}
			last = string(f.Type)
			if _, data := f.Type.IsData(); data {
				last = "data-*"
			}
			add(events)
		}
		if !example.ends {
			continue
		}
		events, err := tr.Finish(example.outcome)
		if err != nil {
			t.Fatal(err)
		}
		add(events[len(events)-1:])
	}
	known := []string{"data-*"}
	for _, kind := range everyChunkType {
		known = append(known, string(kind))
	}
	for _, name := range known {
		tried(t, table, name, came[name])
		delete(table, name)
	}
	delete(table, "chunk")
	for name := range table {
		t.Errorf("there is a row for %s, which is no chunk type", name)
	}
}

func TestEveryLossOfAStreamIsListed(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	_, section, _ := strings.Cut(string(text), "\n## Losses\n")
	for line := range strings.Lines(section) {
		if cells := strings.Split(line, "|"); len(cells) > 3 && strings.HasSuffix(strings.TrimSpace(cells[2]), "stream") {
			listed = append(listed, strings.TrimSpace(cells[1]))
		}
	}
	if want := []string{lossSpans, lossOpen, lossEnding}; !slices.Equal(listed, want) {
		t.Errorf("listed are %q, the tests know %q", listed, want)
	}
}

func framesOf(t *testing.T, events []string) []agui.Frame {
	t.Helper()
	var frames []agui.Frame
	for _, raw := range events {
		f, _, err := agui.ParseFrame([]byte(raw))
		if err != nil || f.Raw == nil {
			t.Fatalf("%s is no event: %v", raw, err)
		}
		frames = append(frames, f)
	}
	return frames
}

func typeIn(t *testing.T, raw []byte) string {
	t.Helper()
	n := readNote(raw)
	kind := unquoted(n.get("type"))
	if kind == "" {
		t.Fatalf("%s has no type", raw)
	}
	return kind
}

type eventExample struct {
	before  []string // of the run that it continues
	events  []string
	answers []Answered
	outcome Outcome
}

// eventExamples say each event at least once, in each of the ways that differ.
var eventExamples = func() []eventExample {
	plain := func(events ...string) eventExample {
		return eventExample{events: append([]string{runStarted}, events...)}
	}
	failed := `{"type":"TOOL_CALL_RESULT","messageId":"x","toolCallId":"c","content":"no","metadata":{"ai-sdk":{"state":"output-error"}}}`
	ofSDK := `{"type":"RUN_STARTED","threadId":"t","runId":"r","metadata":{"ai-sdk":{}}}`
	return []eventExample{
		{events: join(said, []string{runFinished})},
		plain(runFinished[:len(runFinished)-1] + `,"result":1}`),
		{events: []string{runStarted[:len(runStarted)-1] + `,"parentRunId":"q"}`}},
		{events: join(called, []string{runFinished}), outcome: Outcome{Status: Interrupted, Requests: []hitl.Request{approval}}},
		{events: join(said, []string{runFinished}), outcome: Outcome{Status: Interrupted, Requests: []hitl.Request{form}}},
		{events: join(said, []string{runFinished}), outcome: Outcome{Status: Cancelled}},
		{events: join(said, []string{runFinished}), outcome: Outcome{Status: Failed, Message: "it broke"}},
		{events: join(called, []string{settledCall, runFinished})},
		{events: join(said[:3], []string{`{"type":"RUN_ERROR","message":"it broke","code":"x"}`}), outcome: Outcome{Status: Failed, Message: "it broke"}},
		plain(`{"type":"STEP_STARTED","stepName":"s"}`, `{"type":"STEP_FINISHED","stepName":"s"}`),
		plain(`{"type":"TEXT_MESSAGE_START","messageId":"u","role":"user"}`, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"u","delta":"a"}`, `{"type":"TEXT_MESSAGE_END","messageId":"u"}`),
		{events: []string{ofSDK, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"k","delta":"a","role":"assistant"}`, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"l","delta":"a","role":"assistant"}`}},
		plain(
			`{"type":"REASONING_START","messageId":"q"}`, `{"type":"REASONING_MESSAGE_START","messageId":"q","role":"reasoning"}`,
			`{"type":"REASONING_MESSAGE_CONTENT","messageId":"q","delta":"hm"}`, `{"type":"REASONING_MESSAGE_END","messageId":"q"}`,
			`{"type":"REASONING_END","messageId":"q"}`, `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"q","encryptedValue":"e"}`,
		),
		{events: []string{ofSDK, `{"type":"REASONING_MESSAGE_CHUNK","messageId":"k","delta":"a"}`, `{"type":"REASONING_MESSAGE_CHUNK","messageId":"l","delta":"a"}`}},
		{events: join([]string{runStarted}, called[5:])},
		{events: join(called, []string{
			`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"send_email"}`, `{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":" "}`, `{"type":"TOOL_CALL_END","toolCallId":"c"}`,
		})},
		{events: []string{ofSDK, `{"type":"TOOL_CALL_CHUNK","toolCallId":"k","toolCallName":"f","delta":"{}"}`, `{"type":"TOOL_CALL_CHUNK","toolCallId":"l","toolCallName":"f","delta":"{}"}`}},
		{events: join([]string{ofSDK}, called[1:], []string{failed})},
		{events: []string{runStarted, `{"type":"TOOL_CALL_RESULT","messageId":"x","toolCallId":"nobody","content":"?"}`}},
		{before: called, events: []string{runStarted, settledCall}, answers: decided(false, "no")},
		plain(`{"type":"STATE_SNAPSHOT","snapshot":{}}`, `{"type":"STATE_DELTA","delta":[]}`, `{"type":"MESSAGES_SNAPSHOT","messages":[]}`),
		plain(`{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"x","content":{}}`, `{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"x","patch":[]}`),
		plain(`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}`, `{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`),
		plain(`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"n"}`, `{"type":"SUBAGENT_ERROR","subagentRunId":"s","message":"m"}`),
		plain(`{"type":"RAW","event":{}}`, `{"type":"CUSTOM","name":"n","value":1}`),
	}
}()

type chunkExample struct {
	chunks  []string
	ends    bool // the last chunk ends the run
	outcome Outcome
}

// chunkExamples say each chunk at least once, in each of the ways that differ.
var chunkExamples = func() []chunkExample {
	const start, call = `{"type":"start","messageId":"m"}`, `{"type":"tool-input-available","toolCallId":"c","toolName":"send_email","input":{}}`
	plain := func(chunks ...string) chunkExample { return chunkExample{chunks: append([]string{start}, chunks...)} }
	return []chunkExample{
		{chunks: []string{start, `{"type":"finish"}`}, ends: true},
		{chunks: []string{start, `{"type":"abort"}`}, ends: true, outcome: Outcome{Status: Cancelled}},
		{chunks: []string{start, `{"type":"error","errorText":"e"}`}, ends: true, outcome: Outcome{Status: Failed, Message: "e"}},
		{chunks: []string{start, call, `{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}`}, ends: true, outcome: Outcome{Status: Interrupted, Requests: []hitl.Request{approval}}},
		plain(call, `{"type":"tool-approval-request","approvalId":"a","toolCallId":"c","isAutomatic":true}`, `{"type":"tool-approval-response","approvalId":"a","approved":false}`, `{"type":"tool-output-denied","toolCallId":"c"}`),
		{chunks: []string{`{"type":"start-step"}`, `{"type":"start","messageMetadata":{"a":1}}`, `{"type":"finish-step"}`}},
		plain(`{"type":"message-metadata","messageMetadata":{}}`, `{"type":"start-step"}`, `{"type":"reset-step"}`, `{"type":"finish-step"}`),
		plain(`{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"a"}`, `{"type":"text-end","id":"0"}`),
		plain(`{"type":"reasoning-start","id":"0"}`, `{"type":"reasoning-delta","id":"0","delta":"a"}`, `{"type":"reasoning-end","id":"0"}`),
		plain(`{"type":"reasoning-file","mediaType":"text/plain","url":"data:,a"}`),
		plain(`{"type":"tool-input-start","toolCallId":"c","toolName":"f"}`, `{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{}"}`, `{"type":"tool-input-available","toolCallId":"c","toolName":"f","input":{}}`),
		plain(call, `{"type":"tool-output-available","toolCallId":"c","output":1,"preliminary":true}`, `{"type":"tool-output-available","toolCallId":"c","output":2}`),
		plain(call, `{"type":"tool-output-error","toolCallId":"c","errorText":"e"}`),
		plain(`{"type":"tool-input-error","toolCallId":"c","toolName":"f","input":"?","errorText":"e"}`),
		plain(`{"type":"source-url","sourceId":"s","url":"https://example.com"}`, `{"type":"source-document","sourceId":"s","mediaType":"a/b","title":"t"}`),
		plain(`{"type":"file","url":"data:,a","mediaType":"text/plain"}`, `{"type":"custom","kind":"a.b"}`),
		plain(`{"type":"data-weather","data":1}`),
		plain(`{"type":"steering-message","id":"s","parts":[]}`),
	}
}()
