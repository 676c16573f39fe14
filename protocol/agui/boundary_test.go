package agui

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// translate feeds the lines to a boundary and returns what the last one became, and
// where something was retired in it.
func translate(t testing.TB, lines ...string) (last string, paths []string) {
	t.Helper()
	var b Boundary
	for _, line := range lines {
		out, warnings, err := b.Next([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		last, paths = string(out), nil
		for _, w := range warnings {
			if w.Code != RetiredShape || w.Detail == "" {
				t.Errorf("%s: warning %v", line, w)
			}
			paths = append(paths, w.Path)
		}
	}
	return last, paths
}

func TestRetiredShapesAreTranslated(t *testing.T) {
	const (
		user   = `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"user","content":[`
		closes = `]}]}`
		at     = "/messages/0/content/0"
	)
	for _, tc := range []struct {
		rule  string
		lines []string // the last one is looked at
		want  string
		paths []string
	}{
		{"THINKING_START", []string{started, `{"type":"THINKING_START"}`}, `{"type":"REASONING_START","messageId":"r#thinking-1"}`, []string{"/type"}},
		{"its title is lost, and that is said", []string{started, `{"type":"THINKING_START","title":"x","timestamp":1.0}`}, `{"type":"REASONING_START","timestamp":1.0,"messageId":"r#thinking-1"}`, []string{"/type", "/title"}},
		{"THINKING_END", []string{started, `{"type":"THINKING_START"}`, `{"type":"THINKING_END"}`}, `{"type":"REASONING_END","messageId":"r#thinking-1"}`, []string{"/type"}},
		{"THINKING_TEXT_MESSAGE_START", []string{started, `{"type":"THINKING_START"}`, `{"type":"THINKING_TEXT_MESSAGE_START"}`}, `{"type":"REASONING_MESSAGE_START","role":"reasoning","messageId":"r#thinking-2"}`, []string{"/type"}},
		{"THINKING_TEXT_MESSAGE_CONTENT", []string{started, `{"type":"THINKING_TEXT_MESSAGE_START"}`, `{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a"}`}, `{"type":"REASONING_MESSAGE_CONTENT","delta":"a","messageId":"r#thinking-1"}`, []string{"/type"}},
		{"THINKING_TEXT_MESSAGE_END", []string{started, `{"type":"THINKING_TEXT_MESSAGE_START"}`, `{"type":"THINKING_TEXT_MESSAGE_END"}`}, `{"type":"REASONING_MESSAGE_END","messageId":"r#thinking-1"}`, []string{"/type"}},
		{"escapes do not hide a retired type", []string{started, `{"type":"THINKING\u005fSTART"}`}, `{"type":"REASONING_START","messageId":"r#thinking-1"}`, []string{"/type"}},
		{"each span and message has an id of its own", []string{started, `{"type":"THINKING_START"}`, `{"type":"THINKING_END"}`, `{"type":"THINKING_START"}`}, `{"type":"REASONING_START","messageId":"r#thinking-2"}`, []string{"/type"}},
		{"of its run", []string{started, `{"type":"THINKING_START"}`, `{"type":"RUN_STARTED","threadId":"t","runId":"\"2\""}`, `{"type":"THINKING_START"}`}, `{"type":"REASONING_START","messageId":"\"2\"#thinking-1"}`, []string{"/type"}},

		{"binary data", []string{user + `{"type":"binary","mimeType":"image/png","data":"AA=="}` + closes}, user + `{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}}` + closes, []string{at}},
		{"a binary address", []string{user + `{"type":"binary","mimeType":"audio/wav","url":"http:x"}` + closes}, user + `{"type":"audio","source":{"type":"url","value":"http:x","mimeType":"audio/wav"}}` + closes, []string{at}},
		{"data before an address", []string{user + `{"type":"binary","mimeType":"video/mp4","url":"http:x","data":"AA=="}` + closes}, user + `{"type":"video","source":{"type":"data","value":"AA==","mimeType":"video/mp4"}}` + closes, []string{at}},
		{"an address when the data are empty", []string{user + `{"type":"binary","mimeType":"text/plain","url":"http:x","data":""}` + closes}, user + `{"type":"document","source":{"type":"url","value":"http:x","mimeType":"text/plain"}}` + closes, []string{at}},
		{"what only begins like a kind is a document", []string{user + `{"type":"binary","mimeType":"imagex/png","data":"AA=="}` + closes}, user + `{"type":"document","source":{"type":"data","value":"AA==","mimeType":"imagex/png"}}` + closes, []string{at}},
		{"a file name", []string{user + `{"type":"binary","id":"i","mimeType":"application/pdf","filename":"\u0061.pdf","data":"AA=="}` + closes}, user + `{"type":"document","source":{"type":"data","value":"AA==","mimeType":"application/pdf"},"metadata":{"filename":"\u0061.pdf"}}` + closes, []string{at}},
		{"an id alone has no place today", []string{user + `{"type":"binary","mimeType":"image/png","id":"i"}` + closes}, user + `{"type":"binary","mimeType":"image/png","id":"i"}` + closes, nil},
		{"nor has a part without its type", []string{user + `{"type":"binary","data":"AA=="}` + closes}, user + `{"type":"binary","data":"AA=="}` + closes, nil},
		{"one that is sent in both shapes is one", []string{user + `{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}},{"type":"binary","mimeType":"image/png","data":"AA=="}` + closes}, user + `{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}}` + closes, []string{"/messages/0/content/1"}},
		{"whichever comes first", []string{user + `{"type":"binary","mimeType":"image/png","data":"AA==","filename":"a"},{"type":"image","metadata":{"filename":"a"},"source":{"mimeType":"image/png","value":"AA==","type":"data"}}` + closes}, user + `{"type":"image","metadata":{"filename":"a"},"source":{"mimeType":"image/png","value":"AA==","type":"data"}}` + closes, []string{at}},
		{"under another name it is another", []string{user + `{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"},"metadata":{"filename":"b"}},{"type":"binary","mimeType":"image/png","data":"AA==","filename":"a"}` + closes},
			user + `{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"},"metadata":{"filename":"b"}},{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"},"metadata":{"filename":"a"}}` + closes, []string{"/messages/0/content/1"}},
		{"in another message it is another", []string{`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"user","content":[{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}}]},{"id":"2","role":"user","content":[{"type":"binary","mimeType":"image/png","data":"AA=="}]}]}`},
			`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"1","role":"user","content":[{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}}]},{"id":"2","role":"user","content":[{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}}]}]}`, []string{"/messages/1/content/0"}},
		{"in a repeated input", []string{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","forwardedProps":null,"messages":[{"id":"1","role":"user","content":[{"type":"binary","mimeType":"image/png","data":"AA=="}]}],"tools":[{"name":"n","description":"","parameters":null}],"resume":[{"interruptId":"i","status":"resolved","payload":null}]}}`},
			`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}}]}],"tools":[{"name":"n","description":""}],"resume":[{"interruptId":"i","status":"resolved"}]}}`,
			[]string{"/input/forwardedProps", "/input/tools/0/parameters", "/input/resume/0/payload", "/input/messages/0/content/0"}},

		{"a parent that is null", []string{`{"type":"TOOL_CALL_START","toolCallId":"c","parentMessageId":null,"toolCallName":"f"}`}, `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f"}`, []string{"/parentMessageId"}},
		{"also of a chunk", []string{`{"type":"TOOL_CALL_CHUNK","parentMessageId":null}`}, `{"type":"TOOL_CALL_CHUNK"}`, []string{"/parentMessageId"}},
		{"a provider's event that is null", []string{`{"type":"CUSTOM","name":"n","value":null,"rawEvent":null}`}, `{"type":"CUSTOM","name":"n","value":null}`, []string{"/rawEvent"}},
		{"also of a retired type", []string{started, `{"rawEvent":null,"type":"THINKING_START"}`}, `{"type":"REASONING_START","messageId":"r#thinking-1"}`, []string{"/rawEvent", "/type"}},
		{"a result that is null", []string{with(finished, `,"result":null,"outcome":null`)}, finished, []string{"/result", "/outcome"}},
		{"also of a subagent", []string{with(done("s"), `,"result":null`)}, done("s"), []string{"/result"}},
		{"a media part's metadata that is null", []string{user + `{"type":"image","source":{"type":"url","value":"x"},"metadata":null}` + closes}, user + `{"type":"image","source":{"type":"url","value":"x"}}` + closes, []string{at + "/metadata"}},
	} {
		got, paths := translate(t, tc.lines...)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.rule, diff)
		}
		if diff := cmp.Diff(tc.paths, paths); diff != "" {
			t.Errorf("%s: warnings (-want +got)\n%s", tc.rule, diff)
		}
	}
}

// Only the nulls that older producers are known to send stand for absence.
func TestOtherNullsStayFatal(t *testing.T) {
	legacy := map[string]bool{
		"TOOL_CALL_START/parentMessageId": true, "TOOL_CALL_CHUNK/parentMessageId": true,
		"RUN_FINISHED/result": true, "RUN_FINISHED/outcome": true, "SUBAGENT_FINISHED/result": true,
	}
	for _, kind := range sourceTypes(t) {
		for _, m := range eventShapes[kind].Members {
			if m.Shape == anyValue || m.Name == "type" {
				continue
			}
			o, err := readObject(fixtures(t, kind)[0])
			if err != nil {
				t.Fatal(err)
			}
			o.set(m.Name, []byte("null"))
			p := NewPipeline(PipelineOptions{})
			_, warnings, err := p.Next(o.bytes())
			accepted := !errors.Is(err, ErrMalformed)
			if place := string(kind) + "/" + m.Name; accepted != (legacy[place] || m.Name == "rawEvent") {
				t.Errorf("%s: %v, %v", o.bytes(), warnings, err)
			}
		}
	}
	const input = `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[]`
	for _, more := range []string{
		`,"state":null`, `,"context":null`, `,"tools":null`, `,"resume":null`, `,"parentRunId":null`,
		`,"tools":[{"name":"n","description":null}]`, `,"tools":[{"name":"n","description":"","metadata":null}]`, `,"tools":[null]`,
		`,"resume":[{"interruptId":"i","status":null}]`, `,"resume":[{"interruptId":"i","status":"resolved","metadata":null}]`,
	} {
		if _, _, err := NewPipeline(PipelineOptions{}).Next([]byte(input + more + `}}`)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", more, err)
		}
	}
	for _, bad := range []string{
		`{"id":"1","role":"user","content":null}`, `{"id":"1","role":"assistant","content":null}`, `{"id":"1","role":"user","content":"","metadata":null}`,
		`{"id":"1","role":"user","content":[{"type":"text","text":"","metadata":null}]}`, `{"id":"1","role":"user","content":[{"type":"image","id":null,"source":{"type":"url","value":"x"}}]}`,
		`{"id":"1","role":"user","content":[{"type":"image","source":null}]}`, `null`,
	} {
		if _, _, err := NewPipeline(PipelineOptions{}).Next([]byte(`{"type":"MESSAGES_SNAPSHOT","messages":[` + bad + `]}`)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// What goes on with a thought that nothing began gets an id that nothing opened.
func TestThinkingKeepsItsOrder(t *testing.T) {
	const (
		start, end              = `{"type":"THINKING_START"}`, `{"type":"THINKING_END"}`
		message, delta, closing = `{"type":"THINKING_TEXT_MESSAGE_START"}`, `{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":"a"}`, `{"type":"THINKING_TEXT_MESSAGE_END"}`
	)
	for _, tc := range []struct {
		rule  string
		lines []string
		bad   bool
	}{
		{"a span with messages", []string{start, message, delta, delta, closing, message, delta, closing, end, start, end, finished}, false},
		{"a message without a span", []string{message, delta, closing, finished}, false},
		{"a span around a message's end", []string{start, message, end, closing, finished}, false},
		{"text without a message", []string{start, delta}, true},
		{"text behind the message", []string{message, closing, delta}, true},
		{"the end of no message", []string{start, closing}, true},
		{"the end of no span", []string{message, end}, true},
		{"a span is ended once", []string{start, end, end}, true},
		{"also when its id is opened anew", []string{start, end, item(TypeReasoningStart, "messageId", "r#thinking-1"), end}, true},
		{"and so is a message", []string{message, closing, item(TypeReasoningMessageStart, "messageId", "r#thinking-1"), delta}, true},
		{"a span is over before its run", []string{start, finished}, true},
		{"two spans at once", []string{start, start, end, finished}, true},
		{"the span of the run before is over", []string{start, failed, started, end}, true},
		{"a span of today with an empty id is another", []string{`{"type":"REASONING_START","messageId":""}`, end}, true},
		{"a message of today with an empty id is another", []string{item(TypeReasoningMessageStart, "messageId", ""), delta}, true},
	} {
		lines := append([]string{started}, tc.lines...)
		p := NewPipeline(PipelineOptions{})
		for i, line := range lines {
			_, _, err := p.Next([]byte(line))
			if bad := tc.bad && i == len(lines)-1; bad != errors.Is(err, ErrSequence) || !bad && err != nil {
				t.Errorf("%s: %s: %v", tc.rule, line, err)
			}
		}
	}
}

func TestInterruptsAskedByCustomEvents(t *testing.T) {
	ask := func(value string) string { return `{"type":"CUSTOM","name":"on_interrupt","value":` + value + `}` }
	outcome := func(run string, interrupts ...string) string {
		return strings.Replace(with(finished, `,"outcome":{"type":"interrupt","interrupts":[`+strings.Join(interrupts, ",")+`]}`), `"r"`, `"`+run+`"`, 1)
	}
	other := strings.Replace(started, `"r"`, `"r2"`, 1)
	otherEnd := strings.Replace(finished, `"r"`, `"r2"`, 1)
	const success = `,"outcome":{"type":"success"}`
	for _, tc := range []struct {
		rule  string
		lines []string
		want  string
	}{
		{"a text is the message", []string{started, ask(`"Go \u006fn?"`), finished}, outcome("r", `{"id":"r#on_interrupt-1","reason":"on_interrupt","message":"Go \u006fn?","metadata":{"on_interrupt":"Go \u006fn?"}}`)},
		{"any value is kept as it is", []string{started, ask(`{"a": [1.0]}`), finished}, outcome("r", `{"id":"r#on_interrupt-1","reason":"on_interrupt","metadata":{"on_interrupt":{"a": [1.0]}}}`)},
		{"several ask in their order", []string{started, ask(`1`), custom, ask(`null`), finished}, outcome("r", `{"id":"r#on_interrupt-1","reason":"on_interrupt","metadata":{"on_interrupt":1}}`, `{"id":"r#on_interrupt-2","reason":"on_interrupt","metadata":{"on_interrupt":null}}`)},
		{"an outcome that is null is none", []string{started, ask(`1`), with(finished, `,"outcome":null`)}, outcome("r", `{"id":"r#on_interrupt-1","reason":"on_interrupt","metadata":{"on_interrupt":1}}`)},
		{"an outcome of its own stands", []string{started, ask(`1`), with(finished, success)}, with(finished, success)},
		{"a run that asks nothing is as it was", []string{started, custom, finished}, finished},
		{"what the run before asked is answered for", []string{started, ask(`1`), finished, other, otherEnd}, otherEnd},
		{"also when it failed", []string{started, ask(`1`), failed, other, otherEnd}, otherEnd},
		{"also when it had an outcome", []string{started, ask(`1`), with(finished, success), other, otherEnd}, otherEnd},
		{"each run asks its own", []string{started, ask(`1`), finished, other, ask(`2`), otherEnd}, outcome("r2", `{"id":"r2#on_interrupt-1","reason":"on_interrupt","metadata":{"on_interrupt":2}}`)},
	} {
		if got, _ := translate(t, tc.lines...); got != tc.want {
			t.Errorf("%s\n got %s\nwant %s", tc.rule, got, tc.want)
		}
		p := NewPipeline(PipelineOptions{})
		for i, line := range tc.lines {
			out, _, err := p.Next([]byte(line))
			if err != nil {
				t.Fatalf("%s: %s: %v", tc.rule, line, err)
			}
			if last := i == len(tc.lines)-1; last && string(out[0].Raw) != tc.want || strings.Contains(line, "on_interrupt") && string(out[0].Raw) != line {
				t.Errorf("%s: %s became %s", tc.rule, line, out[0].Raw)
			}
		}
	}
}

// today gives every event that has the shape of today: the fixtures, and the corpus'.
func today(t testing.TB) [][]byte {
	t.Helper()
	var out [][]byte
	for _, kind := range sourceTypes(t) {
		out = append(out, fixtures(t, kind)...)
	}
	for _, s := range streams(t) {
		for _, raw := range s.Stream {
			if _, warnings, err := ParseFrame(raw); err == nil && len(warnings) == 0 {
				out = append(out, raw)
			}
		}
	}
	return out
}

// streams reads the corpus, if it is here.
func streams(t testing.TB) []conformanceStream {
	t.Helper()
	dir := conformance(t)
	if dir == "" {
		return nil
	}
	files, err := filepath.Glob(filepath.Join(dir, "streams", "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no streams in %s: %v", dir, err)
	}
	var out []conformanceStream
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s conformanceStream
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		out = append(out, s)
	}
	return out
}

func TestTodaysShapesPassAsTheyCame(t *testing.T) {
	var b Boundary
	for _, raw := range today(t) {
		before := slices.Clone(raw)
		out, warnings, err := b.Next(raw)
		if err != nil || len(warnings) > 0 || &out[0] != &raw[0] || len(out) != len(raw) || !slices.Equal(before, raw) {
			t.Errorf("%s became %s: %v, %v", before, out, warnings, err)
		}
	}
}

func TestTheBoundaryRefusesWhatIsNoEvent(t *testing.T) {
	for _, in := range []string{``, `[]`, `{}`, `{"type":1}`, `{"type":"CUSTOM"`, `{"type":"CUSTOM","a":1,"a":2}`, `{"type":"MESSAGES_SNAPSHOT","messages":[{"content":[{"a":1,"a":2}]}]}`} {
		var b Boundary
		if out, _, err := b.Next([]byte(in)); out != nil || !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %s, %v", in, out, err)
		}
	}
	for _, in := range []string{``, `[]`, `1`, `{"messages":[{"content":[{"a":1,"a":2}]}]}`} {
		if out, _, err := UpgradeInput([]byte(in)); out != nil || !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %s, %v", in, out, err)
		}
		if out, _, err := Outgoing([]byte(in)); out != nil || !errors.Is(err, ErrMalformed) {
			t.Errorf("%q goes out as %s, %v", in, out, err)
		}
	}
}

// What a client sends is made ready: retired shapes are translated, what is unknown goes,
// and activities stay at home.
func TestOutgoingInputs(t *testing.T) {
	const head = `{"threadId":"t","runId":"r","messages":[`
	for _, tc := range []struct {
		rule, in, want string
		paths          []string
	}{
		{"what is as it should be passes", ` ` + head + `]} `, ` ` + head + `]} `, nil},
		{"what is unknown goes", head + `],"x":1}`, head + `]}`, []string{"/x"}},
		{"a message of an unknown role goes", head + `{"id":"1","role":"new"},{"id":"2","role":"user","content":""}]}`, head + `{"id":"2","role":"user","content":""}]}`, []string{"/messages/0"}},
		{"activities stay at home", head + `{"id":"1","role":"user","content":"\u0061"},{"id":"2","role":"activity","activityType":"x","content":{}},{"id":"3","role":"user","content":""}]}`,
			head + `{"id":"1","role":"user","content":"\u0061"},{"id":"3","role":"user","content":""}]}`, nil},
		{"however the role is written", head + `{"id":"2","role":"\u0061ctivity","activityType":"x","content":{}}]}`, head + `]}`, nil},
		{"what is retired is translated without a word", head + `{"id":"1","role":"user","content":[{"type":"binary","mimeType":"image/png","data":"AA=="}]}],"forwardedProps":null}`,
			head + `{"id":"1","role":"user","content":[{"type":"image","source":{"type":"data","value":"AA==","mimeType":"image/png"}}]}]}`, nil},
		{"what cannot be translated goes with a warning", head + `{"id":"1","role":"user","content":[{"type":"binary","mimeType":"image/png","id":"i"}]}]}`, head + `{"id":"1","role":"user","content":[]}]}`, []string{"/messages/0/content/0"}},
	} {
		out, warnings, err := Outgoing([]byte(tc.in))
		var paths []string
		for _, w := range warnings {
			paths = append(paths, w.Path)
		}
		if err != nil || string(out) != tc.want || !slices.Equal(paths, tc.paths) {
			t.Errorf("%s: %v, %v\n got %s\nwant %s", tc.rule, warnings, err, out, tc.want)
		}
	}
	same := []byte(head + `]}`)
	if out, _, err := Outgoing(same); err != nil || &out[0] != &same[0] {
		t.Errorf("an input that needs nothing is copied: %v", err)
	}
	for _, bad := range []string{head + `]`, head + `],"state":null}`, head + `{"id":1,"role":"user","content":""}]}`, head + `{"id":"2","role":"activity"}]}`} {
		if out, _, err := Outgoing([]byte(bad)); out != nil || !errors.Is(err, ErrMalformed) {
			t.Errorf("%s goes out as %s, %v", bad, out, err)
		}
	}
}
