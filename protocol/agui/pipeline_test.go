package agui

import (
	"bytes"
	stdcmp "cmp"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// read feeds lines to a pipeline until it refuses one. Frames are copied: the pipeline
// reuses its slices.
func read(p *Pipeline, lines ...string) (delivered, clean []Frame, warnings []Warning, err error) {
	for _, line := range lines {
		frames, more, err := p.Next([]byte(line))
		delivered, warnings = append(delivered, frames...), append(warnings, more...)
		if err != nil {
			return delivered, clean, warnings, err
		}
		clean = append(clean, p.Clean()...)
	}
	return delivered, clean, warnings, nil
}

const begunThinking = `{"type":"THINKING_TEXT_MESSAGE_START","x":1}`

func TestMiddlewareComesBehindTheBoundaryAndBeforeTheRest(t *testing.T) {
	var seen []string
	watch := func(event []byte) ([][]byte, error) {
		seen = append(seen, string(event))
		return [][]byte{event}, nil
	}
	lines := []string{
		`{"type":"RUN_STARTED","threadId":"t","runId":"r","x":1}`,
		begunThinking,
		`{"type":"THINKING_TEXT_MESSAGE_END"}`,
		chunk("text", `"messageId":"m","role":"new","delta":"a"`),
		`{"type":"FUTURE","x":1}`,
		with(finished, `,"result":null`),
	}
	got, clean, warnings, err := read(NewPipeline(PipelineOptions{Middleware: watch}), lines...)
	if err != nil {
		t.Fatal(err)
	}
	wantSeen := []string{
		lines[0],
		`{"type":"REASONING_MESSAGE_START","x":1,"role":"reasoning","messageId":"r#thinking-1"}`,
		`{"type":"REASONING_MESSAGE_END","messageId":"r#thinking-1"}`,
		lines[3], lines[4], finished,
	}
	if diff := cmp.Diff(wantSeen, seen); diff != "" {
		t.Errorf("the middleware sees (-want +got)\n%s", diff)
	}
	want := "RUN_STARTED think+r#thinking-1 think-r#thinking-1 text+m text.m=a text-m RUN_FINISHED"
	if briefs(got) != want {
		t.Errorf("delivered %s, want %s", briefs(got), want)
	}
	wantClean := []string{
		started, `{"type":"REASONING_MESSAGE_START","role":"reasoning","messageId":"r#thinking-1"}`,
		wantSeen[2], chunk("text", `"messageId":"m","delta":"a"`), finished,
	}
	if diff := cmp.Diff(wantClean, raws(clean)); diff != "" {
		t.Errorf("clean (-want +got)\n%s", diff)
	}
	var codes []WarningCode
	for _, w := range warnings {
		codes = append(codes, w.Code)
	}
	wantCodes := []WarningCode{UnknownProperty, RetiredShape, UnknownProperty, RetiredShape, UnknownValue, UnknownEventType, RetiredShape}
	if diff := cmp.Diff(wantCodes, codes); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	// Without middleware the order of the stages is the same.
	got, clean, again, err := read(NewPipeline(PipelineOptions{}), lines...)
	if err != nil || briefs(got) != want {
		t.Errorf("without middleware: delivered %s, %v", briefs(got), err)
	}
	if diff := cmp.Diff(wantClean, raws(clean)); diff != "" {
		t.Errorf("without middleware: clean (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(warnings, again); diff != "" {
		t.Errorf("without middleware: warnings (-with +without)\n%s", diff)
	}
}

func TestMiddlewareMayChangeTheStream(t *testing.T) {
	errStop := errors.New("stop")
	change := func(event []byte) ([][]byte, error) {
		switch {
		case bytes.Contains(event, []byte("CUSTOM")):
			return nil, nil // dropped
		case bytes.Contains(event, []byte("STATE")):
			return [][]byte{[]byte(raw0), []byte(chunk("text", `"messageId":"m"`)), []byte(`{"type":"THINKING_START"}`)}, nil
		case bytes.Contains(event, []byte("STEP_STARTED")):
			return [][]byte{[]byte(raw0), []byte(`{"type":"RAW"}`), []byte(raw0)}, nil
		case bytes.Contains(event, []byte("STEP_FINISHED")):
			return [][]byte{[]byte(raw0), []byte(item(TypeTextMessageEnd, "messageId", "x")), []byte(raw0)}, nil
		case bytes.Contains(event, []byte("RUN_ERROR")):
			return [][]byte{[]byte(raw0)}, errStop
		}
		return [][]byte{event}, nil
	}
	const state = `{"type":"STATE_SNAPSHOT","snapshot":0}`
	for _, tc := range []struct {
		rule, line, want string
		err              error
		warnings         []WarningCode
	}{
		{"it may drop", custom, "", nil, nil},
		{"it may put others in its place, which are of today", state, "RAW text+m", nil, []WarningCode{UnknownEventType}},
		{"what it says is checked, and what came before is delivered", item(TypeStepStarted, "stepName", "s"), "RAW", ErrMalformed, nil},
		{"also for its order", item(TypeStepFinished, "stepName", "s"), "RAW", ErrSequence, nil},
		{"its error is returned as it is", failed, "", errStop, nil},
		{"what is no event does not reach it", `{"type":"CUSTOM"`, "", ErrMalformed, nil},
	} {
		p := NewPipeline(PipelineOptions{Middleware: change})
		if _, _, _, err := read(p, started); err != nil {
			t.Fatal(err)
		}
		got, _, warnings, err := read(p, tc.line)
		var codes []WarningCode
		for _, w := range warnings {
			codes = append(codes, w.Code)
		}
		if briefs(got) != tc.want || !errors.Is(err, tc.err) || tc.err == nil && err != nil || !slices.Equal(codes, tc.warnings) {
			t.Errorf("%s: %q, %v, %v", tc.rule, briefs(got), warnings, err)
		}
	}
}

// The first fault ends a stream; what came before it is delivered.
func TestFaultsInAPipeline(t *testing.T) {
	for _, tc := range []struct {
		rule  string
		lines []string // behind RUN_STARTED; the last is at fault
		want  string   // of the last
		err   error
	}{
		{"malformed", []string{`{"type":"RAW"}`}, "", ErrMalformed},
		{"no JSON", []string{`{`}, "", ErrMalformed},
		{"malformed in a chunk", []string{chunk("text", `"messageId":"m","role":1`)}, "", ErrMalformed},
		{"malformed in what a chunk does not say again", []string{chunk("text", `"messageId":"m"`), chunk("text", `"timestamp":1.5`)}, "", ErrMalformed},
		{"malformed beside what is unknown", []string{`{"type":"RAW","x":1}`}, "", ErrMalformed},
		{"malformed in what was retired", []string{`{"type":"THINKING_TEXT_MESSAGE_START"}`, `{"type":"THINKING_TEXT_MESSAGE_CONTENT","delta":1}`}, "", ErrMalformed},
		{"out of order", []string{item(TypeTextMessageEnd, "messageId", "m")}, "", ErrSequence},
		{"a chunk out of order", []string{chunk("text", `"delta":"a"`)}, "", ErrSequence},
		{"out of order behind the end of a chunk's message", []string{chunk("text", `"messageId":"m"`), item(TypeTextMessageContent, "messageId", "m")}, "text-m", ErrSequence},
		{"a chunk for a message that is open", []string{item(TypeTextMessageStart, "messageId", "m"), chunk("text", `"messageId":"m"`)}, "", ErrSequence},
		{"an error behind an error", []string{failed, failed}, "", ErrSequence},
		{"another thread", []string{failed, `{"type":"RUN_STARTED","threadId":"x","runId":"r"}`}, "", ErrSequence},
		{"too many ids", []string{item(TypeTextMessageStart, "messageId", "1"), item(TypeTextMessageStart, "messageId", "2"), item(TypeTextMessageStart, "messageId", "3")}, "", ErrLimit},
	} {
		p := NewPipeline(PipelineOptions{ThreadID: "t", Limit: 2})
		if _, _, _, err := read(p, append([]string{started}, tc.lines[:len(tc.lines)-1]...)...); err != nil {
			t.Fatalf("%s: %v", tc.rule, err)
		}
		got, _, _, err := read(p, tc.lines[len(tc.lines)-1])
		if briefs(got) != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("%s: %q, %v", tc.rule, briefs(got), err)
		}
		for _, other := range []error{ErrMalformed, ErrSequence, ErrLimit, ErrTruncated} {
			if !errors.Is(tc.err, other) && errors.Is(err, other) {
				t.Errorf("%s: %v is also %v", tc.rule, err, other)
			}
		}
	}
	if _, _, _, err := read(NewPipeline(PipelineOptions{ThreadID: "x"}), started); !errors.Is(err, ErrSequence) {
		t.Errorf("the thread is the input's: %v", err)
	}
	nameless := strings.Replace(started, `"t"`, `""`, 1)
	if _, _, _, err := read(NewPipeline(PipelineOptions{}), nameless, failed, started); !errors.Is(err, ErrSequence) {
		t.Errorf("a thread without a name is a thread, and not another one: %v", err)
	}
}

// An event of which nothing is left, or that is unknown, says nothing and ends nothing.
func TestWhatIsDropped(t *testing.T) {
	p := NewPipeline(PipelineOptions{})
	if _, _, _, err := read(p, started, chunk("text", `"messageId":"m"`)); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`{"type":"FUTURE"}`, `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"new","entityId":"m","encryptedValue":""}`} {
		got, clean, warnings, err := read(p, line)
		if len(got)+len(clean) > 0 || len(warnings) != 1 || err != nil {
			t.Errorf("%s: %s, %v, %v", line, briefs(got), warnings, err)
		}
	}
	got, _, warnings, err := read(p, chunk("text", `"delta":"a"`))
	if briefs(got) != "text.m=a" || len(warnings) > 0 || err != nil {
		t.Errorf("the message goes on: %s, %v, %v", briefs(got), warnings, err)
	}
	if _, _, warnings, err := read(NewPipeline(PipelineOptions{}), `{"type":"FUTURE"}`, started, finished, `{"type":"FUTURE"}`); len(warnings) != 2 || err != nil {
		t.Errorf("an unknown event is legal anywhere: %v, %v", warnings, err)
	}
}

func TestNewerAndEnd(t *testing.T) {
	declares := func(v string) string { return with(started, `,"protocolVersion":"`+v+`"`) }
	for _, tc := range []struct {
		lines    []string
		newer    bool
		warnings int
		end      error
	}{
		{nil, false, 0, ErrTruncated},
		{[]string{started}, false, 0, ErrTruncated},
		{[]string{declares("1.0")}, false, 0, ErrTruncated},
		{[]string{declares("1.1"), finished}, false, 0, nil},
		{[]string{declares("1.2"), finished}, true, 1, nil},
		{[]string{declares(`1\u002e10`), failed}, true, 1, nil},
		{[]string{declares("2.2")}, false, 1, ErrTruncated},
		{[]string{declares("0.9")}, false, 1, ErrTruncated},
		{[]string{declares("next")}, false, 1, ErrTruncated},
		{[]string{declares("1.2"), finished, started}, false, 1, ErrTruncated},
		{[]string{started, finished, declares("1.2"), custom}, true, 1, ErrTruncated},
		{[]string{started, finished, failed}, false, 0, nil},
	} {
		p := NewPipeline(PipelineOptions{})
		_, _, warnings, err := read(p, tc.lines...)
		if err != nil || p.Newer() != tc.newer || len(warnings) != tc.warnings || !errors.Is(p.End(), tc.end) || p.Ended() != (tc.end == nil) {
			t.Errorf("%v: newer %v, %v, ended %v, %v", tc.lines, p.Newer(), warnings, p.End(), err)
		}
	}
}

// The slices are good until the next call; the frames in them are good for ever.
func TestFramesOutliveTheirSlice(t *testing.T) {
	p := NewPipeline(PipelineOptions{})
	var kept []Frame
	var want []string
	for _, line := range []string{started, chunk("text", `"messageId":"m","delta":"a","x":0`), chunk("text", `"delta":"b"`), custom, finished} {
		out, _, err := p.Next([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		kept, want = append(append(kept, out...), p.Clean()...), append(append(want, raws(out)...), raws(p.Clean())...)
	}
	if diff := cmp.Diff(want, raws(kept)); diff != "" {
		t.Errorf("(-then +now)\n%s", diff)
	}
	for _, f := range kept {
		if f.Text("type") != string(f.Type) {
			t.Errorf("%s has become %s", f.Type, f.Raw)
		}
	}
}

// cancelled checks that a relay that has passed on the clean events of a stream ends it,
// with the frames of Cancel, as a stream in order that was stopped on purpose.
func cancelled(t interface {
	Helper()
	Errorf(string, ...any)
}, p *Pipeline, thread string, clean []Frame) {
	t.Helper()
	end, err := p.Cancel(thread, "last")
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	relayed := NewPipeline(p.opts)
	lines := raws(append(slices.Clone(clean), end...))
	_, _, _, err = read(relayed, lines...)
	if err != nil || relayed.End() != nil || !strings.Contains(lines[len(lines)-1], `"outcome":{"type":"cancelled"}`) {
		t.Errorf("%v after\n%s", err, strings.Join(lines, "\n"))
	}
	if again, err := p.Cancel(thread, "last"); err != nil || !slices.Equal(raws(end), raws(again)) {
		t.Errorf("it is not the same twice: %v", err)
	}
}

func TestCancelAfterAnyPrefix(t *testing.T) {
	for _, s := range streams(t) {
		p := NewPipeline(PipelineOptions{ThreadID: s.Input.ThreadID})
		var clean []Frame
		thread := func() string { return stdcmp.Or(p.verify.ThreadID, "t") }
		cancelled(t, p, thread(), clean)
		for _, raw := range s.Stream {
			_, more, _, err := read(p, string(raw))
			if err != nil {
				break
			}
			clean = append(clean, more...)
			cancelled(t, p, thread(), clean)
		}
	}
	for rule, lines := range map[string][]string{
		"chunks in three lanes": {started, chunk("text", `"messageId":"m"`), chunk("call", `"toolCallId":"m","toolCallName":"f","subagentRunId":"s"`), chunk("think", `"messageId":"m","subagentRunId":"u"`)},
		"chunks and items":      {started, item(TypeTextMessageStart, "messageId", "m"), item(TypeToolCallStart, "toolCallId", "c"), chunk("text", `"messageId":"n"`), item(TypeStepStarted, "stepName", "x"), chunk("think", `"messageId":"m"`), item(TypeReasoningStart, "messageId", "m")},
		"a step of a subagent":  {started, begun("s", ""), with(item(TypeStepStarted, "stepName", "x"), tagged("s")), item(TypeStepStarted, "stepName", "x")},
		"one without a name":    {started, begun("", ""), with(item(TypeStepStarted, "stepName", "x"), `,"subagentRunId":""`), chunk("text", `"messageId":"m","subagentRunId":""`), done("")},
		"two of one name":       {started, with(item(TypeStepStarted, "stepName", "x"), `,"subagentRunId":""`), item(TypeStepStarted, "stepName", "x")},
		"a run that asked":      {started, `{"type":"CUSTOM","name":"on_interrupt","value":1}`},
	} {
		p := NewPipeline(PipelineOptions{})
		for i := range lines {
			if _, _, _, err := read(p, lines[i]); err != nil {
				t.Fatalf("%s: %v", rule, err)
			}
			clean := raws(frames(t, lines[:i+1]...))
			cancelled(t, p, "t", frames(t, clean...))
		}
	}
}

func TestCancelAfterAnyLegalStream(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &producer{t: rt, ran: map[string]bool{}, text: map[string]string{}, lane: map[string]string{}}
		p.say(started)
		for range rapid.IntRange(0, 25).Draw(rt, "events") {
			rapid.SampledFrom([]func(){p.start, p.goOn, p.other, p.subagent, p.chunk, p.chunk}).Draw(rt, "what")()
		}
		pipe := NewPipeline(PipelineOptions{})
		_, clean, _, err := read(pipe, p.lines...)
		if err != nil {
			rt.Fatalf("%v", err)
		}
		cancelled(rt, pipe, "t", clean)
	})
}

func FuzzPipeline(f *testing.F) {
	for _, s := range streams(f) {
		var lines [][]byte
		for _, raw := range s.Stream {
			lines = append(lines, raw)
		}
		f.Add(bytes.Join(lines, []byte("\n")))
	}
	for _, lines := range [][]string{
		{started, begunThinking, `{"type":"THINKING_TEXT_MESSAGE_END"}`, with(finished, `,"result":null`)},
		{started, chunk("text", `"messageId":"m","delta":"a"`), chunk("call", `"toolCallId":"c","toolCallName":"f","subagentRunId":"s"`), finished},
		{started, `{"type":"CUSTOM","name":"on_interrupt","value":"?"}`, with(finished, `,"outcome":{"type":"future"}`)},
		{`{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"binary","mimeType":"image/png","data":"AA=="}]}]}}`, failed},
	} {
		f.Add([]byte(strings.Join(lines, "\n")))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		p := NewPipeline(PipelineOptions{})
		c := NewConversation(RunInput{})
		var clean, delivered []Frame
		for line := range bytes.SplitSeq(in, []byte("\n")) {
			before := bytes.Clone(line)
			frames, _, err := p.Next(line)
			if !bytes.Equal(before, line) {
				t.Fatalf("%q became %q", before, line)
			}
			for _, f := range frames {
				if _, warnings, err := ParseFrame(f.Raw); err != nil || len(warnings) > 0 || f.kind.chunk != nil {
					t.Fatalf("%s is delivered: %v, %v", f.Raw, warnings, err)
				}
				if _, err := c.Apply(f); err != nil {
					t.Fatalf("%s is not applied: %v", f.Raw, err)
				}
			}
			if err != nil {
				if !errors.Is(err, ErrMalformed) && !errors.Is(err, ErrSequence) {
					t.Fatalf("%q: %v", line, err)
				}
				return // what was clean before is checked by shorter inputs
			}
			clean, delivered = append(clean, p.Clean()...), append(delivered, frames...)
		}
		again := NewPipeline(PipelineOptions{})
		got, cleanAgain, _, err := read(again, raws(clean)...)
		if err != nil || again.Ended() != p.Ended() {
			t.Fatalf("%q: what was clean is refused: %v", raws(clean), err)
		}
		if diff := cmp.Diff(raws(delivered), raws(got)); diff != "" {
			t.Fatalf("delivered (-first +again)\n%s", diff)
		}
		if diff := cmp.Diff(raws(clean), raws(cleanAgain)); diff != "" {
			t.Fatalf("clean (-first +again)\n%s", diff)
		}
		cancelled(t, p, stdcmp.Or(p.verify.ThreadID, "t"), clean)
	})
}
