package aisdk

import (
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

const (
	call   = `{"type":"tool-input-available","toolCallId":"c1","toolName":"send","input":{"to":1}}`
	ask    = `{"type":"tool-approval-request","approvalId":"a1","toolCallId":"c1"}`
	step   = `{"type":"start-step"}`
	opened = `{"type":"text-start","id":"0"}`
)

func reduce(t *testing.T, r *Reducer, lines ...string) string {
	t.Helper()
	for _, f := range frames(t, lines...) {
		if err := r.Apply(f); err != nil {
			t.Fatalf("%s: %v", f.Raw, err)
		}
	}
	text, err := json.Marshal(r.Message())
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestWhatChunksBuild(t *testing.T) {
	const tool = `{"type":"tool-send","toolCallId":"c1",`
	for _, tc := range []struct {
		rule  string
		lines []string
		parts string
	}{
		{"text streams", []string{opened, `{"type":"text-delta","id":"0","delta":"a"}`, `{"type":"text-delta","id":"0","delta":"\u0062"}`}, `{"type":"text","text":"ab","state":"streaming"}`},
		{"and is done", []string{opened, `{"type":"text-end","id":"0"}`}, `{"type":"text","text":"","state":"done"}`},
		{"an open id opened again is another part", []string{opened, `{"type":"text-delta","id":"0","delta":"a"}`, opened, `{"type":"text-delta","id":"0","delta":"b"}`, `{"type":"text-end","id":"0"}`},
			`{"type":"text","text":"a","state":"streaming"},{"type":"text","text":"b","state":"done"}`},
		{"reasoning is apart from text", []string{opened, `{"type":"reasoning-start","id":"0"}`, `{"type":"reasoning-delta","id":"0","delta":"r"}`, `{"type":"text-delta","id":"0","delta":"t"}`},
			`{"type":"text","text":"t","state":"streaming"},{"type":"reasoning","text":"r","state":"streaming","id":"0"}`},
		{"a step leaves a mark", []string{step, `{"type":"finish-step"}`, step}, `{"type":"step-start"},{"type":"step-start"}`},
		{"a call streams", []string{`{"type":"tool-input-start","toolCallId":"c1","toolName":"send"}`, `{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"{\"q\":[1,tr"}`}, tool + `"state":"input-streaming","input":{"q":[1,true]},"rawInput":"{\"q\":[1,tr"}`},
		{"a call that was not streamed", []string{call}, tool + `"state":"input-available","input":{"to":1}}`},
		{"a dynamic call", []string{`{"type":"tool-input-available","toolCallId":"c1","toolName":"send","input":null,"dynamic":true}`}, `{"type":"dynamic-tool","toolCallId":"c1","toolName":"send","state":"input-available","input":null}`},
		{"an input that is not valid", []string{`{"type":"tool-input-error","toolCallId":"c1","toolName":"send","input":0,"errorText":"bad"}`}, tool + `"state":"output-error","input":0,"errorText":"bad"}`},
		{"the same call in one step is one part", []string{step, call, call}, `{"type":"step-start"},` + tool + `"state":"input-available","input":{"to":1}}`},
		{"in another step it is another", []string{call, step, call}, tool + `"state":"input-available","input":{"to":1}},{"type":"step-start"},` + tool + `"state":"input-available","input":{"to":1}}`},
		{"an output", []string{call, `{"type":"tool-output-available","toolCallId":"c1","output":null}`}, tool + `"state":"output-available","input":{"to":1},"output":null}`},
		{"a preliminary output is replaced", []string{call, `{"type":"tool-output-available","toolCallId":"c1","output":1,"preliminary":true}`, `{"type":"tool-output-available","toolCallId":"c1","output":2}`}, tool + `"state":"output-available","input":{"to":1},"output":2}`},
		{"and says so until then", []string{call, `{"type":"tool-output-available","toolCallId":"c1","output":1,"preliminary":true}`}, tool + `"state":"output-available","input":{"to":1},"output":1,"preliminary":true}`},
		{"an error takes the output's place", []string{call, `{"type":"tool-output-available","toolCallId":"c1","output":1,"preliminary":true}`, `{"type":"tool-output-error","toolCallId":"c1","errorText":"bad"}`}, tool + `"state":"output-error","input":{"to":1},"errorText":"bad"}`},
		{"what the provider runs stays so", []string{call, `{"type":"tool-output-available","toolCallId":"c1","output":1,"providerExecuted":true}`}, tool + `"state":"output-available","input":{"to":1},"output":1,"providerExecuted":true}`},
		{"a request for approval", []string{call, ask}, tool + `"state":"approval-requested","input":{"to":1},"approval":{"id":"a1"}}`},
		{"with all that the agent sent", []string{call, `{"type":"tool-approval-request","approvalId":"a1","toolCallId":"c1","signature":"s","reason":"why","isAutomatic":true,"approvalDescriptor":{}}`},
			tool + `"state":"approval-requested","input":{"to":1},"approval":{"id":"a1","requestReason":"why","isAutomatic":true,"signature":"s","descriptor":{}}}`},
		{"a decision taken elsewhere", []string{call, ask, `{"type":"tool-approval-response","approvalId":"a1","approved":true,"reason":"ok"}`}, tool + `"state":"approval-responded","input":{"to":1},"approval":{"id":"a1","approved":true,"reason":"ok"}}`},
		{"approved and run", []string{call, ask, `{"type":"tool-approval-response","approvalId":"a1","approved":true}`, `{"type":"tool-output-available","toolCallId":"c1","output":1}`}, tool + `"state":"output-available","input":{"to":1},"output":1,"approval":{"id":"a1","approved":true}}`},
		{"denied", []string{call, ask, `{"type":"tool-approval-response","approvalId":"a1","approved":false}`, `{"type":"tool-output-denied","toolCallId":"c1"}`}, tool + `"state":"output-denied","input":{"to":1},"approval":{"id":"a1","approved":false}}`},
		{"data is added", []string{`{"type":"data-w","data":1}`, `{"type":"data-w","data":2}`}, `{"type":"data-w","data":1},{"type":"data-w","data":2}`},
		{"data with an id is replaced whole", []string{`{"type":"data-w","id":"x","data":{"a":1}}`, step, `{"type":"data-w","id":"x","data":{"b":2}}`}, `{"type":"data-w","id":"x","data":{"b":2}},{"type":"step-start"}`},
		{"but not another type's", []string{`{"type":"data-w","id":"x","data":1}`, `{"type":"data-v","id":"x","data":2}`}, `{"type":"data-w","id":"x","data":1},{"type":"data-v","id":"x","data":2}`},
		{"transient data is not kept", []string{`{"type":"data-w","data":1,"transient":true}`}, ``},
		{"files are kept as they stand", []string{`{"type":"file","url":"u","mediaType":"m"}`, `{"type":"source-url","sourceId":"s","url":"u"}`}, `{"type":"file","mediaType":"m","url":"u"},{"type":"source-url","url":"u","sourceId":"s"}`},
		{"a step that is taken back", []string{call, step, opened, `{"type":"reset-step"}`}, tool + `"state":"input-available","input":{"to":1}},{"type":"step-start"}`},
		{"unknown chunks build nothing", []string{`{"type":"future"}`}, ``},
	} {
		want := `{"id":"","role":"assistant","parts":[` + tc.parts + `]}`
		if diff := cmp.Diff(want, reduce(t, &Reducer{}, tc.lines...)); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.rule, diff)
		}
	}
}

func TestChunksOutOfOrder(t *testing.T) {
	for _, tc := range []struct {
		rule  string
		lines []string // the last one is out of order
	}{
		{"a delta without its opener", []string{`{"type":"text-delta","id":"0","delta":""}`}},
		{"an end without its opener", []string{`{"type":"text-end","id":"0"}`}},
		{"a delta after the end", []string{opened, `{"type":"text-end","id":"0"}`, `{"type":"text-delta","id":"0","delta":""}`}},
		{"a delta of another part", []string{opened, `{"type":"text-delta","id":"1","delta":""}`}},
		{"text is no reasoning", []string{opened, `{"type":"reasoning-delta","id":"0","delta":""}`}},
		{"a delta after the step", []string{step, opened, `{"type":"finish-step"}`, `{"type":"text-delta","id":"0","delta":""}`}},
		{"input without its opener", []string{`{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":""}`}},
		{"an output without a call", []string{`{"type":"tool-output-available","toolCallId":"c1","output":1}`}},
		{"an error without a call", []string{`{"type":"tool-output-error","toolCallId":"c1","errorText":""}`}},
		{"a denial without a call", []string{`{"type":"tool-output-denied","toolCallId":"c1"}`}},
		{"a request without a call", []string{ask}},
		{"a response without a request", []string{call, `{"type":"tool-approval-response","approvalId":"c1","approved":true}`}},
	} {
		var r Reducer
		in := frames(t, tc.lines...)
		for _, f := range in[:len(in)-1] {
			if err := r.Apply(f); err != nil {
				t.Fatalf("%s: %v", tc.rule, err)
			}
		}
		err := r.Apply(in[len(in)-1])
		var seq *SequenceError
		if !errors.Is(err, ErrSequence) || !errors.As(err, &seq) || seq.Type != in[len(in)-1].Type || !strings.Contains(err.Error(), seq.Rule) {
			t.Errorf("%s: %v", tc.rule, err)
		}
	}
}

func TestMetadataIsMerged(t *testing.T) {
	var r Reducer
	got := reduce(t, &r,
		`{"type":"start","messageId":"m","messageMetadata":{"a":{"x":1,"y":[1,2]},"keep":12345678901234567890}}`,
		`{"type":"message-metadata","messageMetadata":{"a":{"y":[3],"z":null},"b":"new"}}`,
		`{"type":"message-metadata","messageMetadata":null}`, `{"type":"start"}`,
		`{"type":"finish","messageMetadata":{"b":{"c":1}}}`)
	want := `{"id":"m","role":"assistant","metadata":{"a":{"x":1,"y":[3],"z":null},"b":{"c":1},"keep":12345678901234567890},"parts":[]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestEndOfAnAnswer(t *testing.T) {
	for line, want := range map[string]bool{`{"type":"start"}`: false, `{"type":"finish-step"}`: false, `{"type":"finish"}`: true, `{"type":"abort"}`: true, `{"type":"error","errorText":"bad"}`: true} {
		var r Reducer
		reduce(t, &r, line)
		if r.Ended() != want || (r.Failure() == "bad") != strings.Contains(line, "bad") {
			t.Errorf("%s: ended %v, failure %q", line, r.Ended(), r.Failure())
		}
	}
}

func TestContinueGoesOnWithTheMessage(t *testing.T) {
	var first Reducer
	reduce(t, &first, `{"type":"start","messageId":"m"}`, step, call, ask)
	r := Continue(*first.Message())
	got := reduce(t, r, `{"type":"tool-output-available","toolCallId":"c1","output":1}`, step)
	want := `{"id":"m","role":"assistant","parts":[{"type":"step-start"},{"type":"tool-send","toolCallId":"c1","state":"output-available","input":{"to":1},"output":1,"approval":{"id":"a1"}},{"type":"step-start"}]}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestInputText(t *testing.T) {
	var r Reducer
	reduce(t, &r, `{"type":"tool-input-start","toolCallId":"c1","toolName":"send"}`,
		`{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"{\"a\""}`, `{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":":1}"}`)
	if got := r.InputText("c1"); got != `{"a":1}` || r.InputText("c2") != "" {
		t.Errorf("got %q", got)
	}
}
