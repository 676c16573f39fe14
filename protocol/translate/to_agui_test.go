package translate

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

var update = flag.Bool("update", false, "write the golden files")

func chunks(t testing.TB, lines ...string) []aisdk.Frame {
	t.Helper()
	var out []aisdk.Frame
	for _, line := range lines {
		f, _, err := aisdk.ParseFrame([]byte(line))
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		out = append(out, f)
	}
	return out
}

// asked is the first run of a turn that ends in a request for approval.
var asked = []string{
	`{"type":"start","messageId":"M"}`, `{"type":"start-step"}`,
	`{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"I will delete it."}`, `{"type":"text-end","id":"0"}`,
	`{"type":"tool-input-start","toolCallId":"c1","toolName":"delete"}`,
	`{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"{\"path\":"}`, `{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"\"/tmp\"}"}`,
	`{"type":"tool-input-available","toolCallId":"c1","toolName":"delete","input":{"path":"/tmp"}}`,
	`{"type":"tool-approval-request","approvalId":"a1","toolCallId":"c1"}`,
	`{"type":"finish-step"}`, `{"type":"finish","finishReason":"tool-calls"}`,
}

func deleteApproval() hitl.Request {
	return hitl.Request{
		ID: "a1", Kind: hitl.KindApproval, Answers: aisdk.ApprovalAnswers,
		Call: &hitl.ToolCall{ID: "c1", Name: "delete", Args: jsontext.Value(`{"path":"/tmp"}`), Executor: hitl.ExecutorAgent},
	}
}

func answered(d hitl.ToolDecision) []Answered {
	return []Answered{{Request: deleteApproval(), Response: hitl.Response{Decision: &d}}}
}

type conversation struct {
	name    string
	answers []Answered
	before  []string // frames of the runs this one continues
	chunks  []string
	outcome Outcome
}

var conversations = []conversation{
	{name: "text", chunks: []string{
		`{"type":"start","messageId":"M","messageMetadata":{"model":"m"}}`, `{"type":"start-step"}`,
		`{"type":"reasoning-start","id":"r"}`, `{"type":"reasoning-delta","id":"r","delta":"hm"}`, `{"type":"reasoning-end","id":"r"}`,
		`{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"Grüße,\n"}`, `{"type":"text-delta","id":"0","delta":""}`, `{"type":"text-delta","id":"0","delta":"\u0041da"}`, `{"type":"text-end","id":"0"}`,
		`{"type":"text-start","id":"1"}`, `{"type":"text-delta","id":"1","delta":"again"}`, `{"type":"text-end","id":"1"}`,
		`{"type":"finish-step"}`, `{"type":"finish","finishReason":"stop"}`,
	}},
	{name: "steps_tool", chunks: []string{
		`{"type":"start"}`, `{"type":"start-step"}`,
		`{"type":"tool-input-start","toolCallId":"c1","toolName":"look"}`, `{"type":"tool-input-delta","toolCallId":"c1","inputTextDelta":"{ \"q\": 1 }"}`,
		`{"type":"tool-input-available","toolCallId":"c1","toolName":"look","input":{"q":1}}`,
		`{"type":"tool-input-available","toolCallId":"c2","toolName":"look","input":{"q":2}}`,
		`{"type":"tool-input-start","toolCallId":"c3","toolName":"look"}`, `{"type":"tool-input-delta","toolCallId":"c3","inputTextDelta":"{\"q\":3}"}`,
		`{"type":"tool-input-available","toolCallId":"c3","toolName":"look","input":{"q":33}}`,
		`{"type":"tool-input-error","toolCallId":"c4","toolName":"look","input":"{","errorText":"not valid"}`,
		`{"type":"tool-output-available","toolCallId":"c1","output":"half","preliminary":true}`,
		`{"type":"tool-output-available","toolCallId":"c1","output":"found"}`, `{"type":"tool-output-available","toolCallId":"c2","output":{"n":[1]}}`,
		`{"type":"tool-output-error","toolCallId":"c3","errorText":"no luck"}`, `{"type":"finish-step"}`,
		`{"type":"start-step"}`, `{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"Done."}`, `{"type":"text-end","id":"0"}`,
		`{"type":"finish-step"}`, `{"type":"finish"}`,
	}},
	{name: "approval", chunks: asked, outcome: Outcome{Status: Interrupted, Requests: []hitl.Request{deleteApproval()}}},
	{name: "approved", answers: answered(hitl.ToolDecision{Approved: true}), before: asked, chunks: []string{
		`{"type":"start","messageId":"M"}`, `{"type":"tool-output-available","toolCallId":"c1","output":true}`,
		`{"type":"start-step"}`, `{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"Gone."}`, `{"type":"text-end","id":"0"}`,
		`{"type":"finish-step"}`, `{"type":"finish"}`,
	}},
	{name: "denied", answers: answered(hitl.ToolDecision{Reason: "I need \"it\""}), before: asked, chunks: []string{
		`{"type":"start","messageId":"M"}`, `{"type":"tool-output-denied","toolCallId":"c1"}`,
		`{"type":"start-step"}`, `{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"It stays."}`, `{"type":"text-end","id":"0"}`,
		`{"type":"finish-step"}`, `{"type":"finish"}`,
	}},
	{
		name: "answered", before: []string{
			`{"type":"start","messageId":"M"}`, `{"type":"start-step"}`, `{"type":"tool-input-available","toolCallId":"c1","toolName":"request_input","input":{"message":"Name?","requestedSchema":{}}}`,
			`{"type":"finish-step"}`, `{"type":"finish"}`,
		},
		answers: []Answered{{
			Request: hitl.Request{ID: "c1", Kind: hitl.KindInput, Call: &hitl.ToolCall{ID: "c1", Name: "request_input"}}, Response: hitl.Response{Input: &hitl.InputResponse{Action: hitl.ActionDecline}},
		}},
		chunks: []string{`{"type":"start","messageId":"M"}`, `{"type":"start-step"}`, `{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"Fine."}`, `{"type":"text-end","id":"0"}`, `{"type":"finish-step"}`, `{"type":"finish"}`},
	},
	{name: "error", chunks: []string{
		`{"type":"start","messageId":"M"}`, `{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"I"}`, `{"type":"error","errorText":"overloaded"}`,
	}, outcome: Outcome{Status: Failed, Message: "overloaded"}},
	{name: "abort", chunks: []string{
		`{"type":"start","messageId":"M"}`, `{"type":"start-step"}`, `{"type":"reasoning-start","id":"0"}`, `{"type":"text-start","id":"0"}`, `{"type":"text-delta","id":"0","delta":"I wa"}`,
		`{"type":"tool-input-start","toolCallId":"c1","toolName":"look"}`, `{"type":"tool-input-start","toolCallId":"c0","toolName":"look"}`, `{"type":"abort","reason":"stop"}`,
	}, outcome: Outcome{Status: Cancelled}},
	{name: "unknown", chunks: []string{
		`{"type":"start","messageId":"M"}`, `{"type":"data-weather","id":"d","data":{"t":1.0}}`, `{"type":"file","url":"data:,a","mediaType":"text/plain"}`,
		`{"type":"future-chunk","x":[null]}`, `{"type":"finish"}`,
	}},
	{name: "client_tool", chunks: []string{
		`{"type":"start","messageId":"M"}`, `{"type":"start-step"}`, `{"type":"tool-input-available","toolCallId":"c1","toolName":"where","input":{}}`, `{"type":"finish-step"}`, `{"type":"finish"}`,
	}, outcome: Outcome{Requests: []hitl.Request{{ID: "c1", Kind: hitl.KindClientTool, Call: &hitl.ToolCall{ID: "c1", Name: "where", Executor: hitl.ExecutorBrowser}}}}},
	{name: "nothing", outcome: Outcome{Status: Failed, Code: "E1", Message: "no answer"}},
}

// events translates a conversation, each event on a line of its own.
func (c conversation) events(t *testing.T) []byte {
	t.Helper()
	tr := NewToAGUI(Run{ThreadID: "T", RunID: "R2", First: "R1", Answers: c.answers})
	if len(c.before) > 0 {
		if err := tr.Prime(chunks(t, c.before...)); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	write := func(events [][]byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range events {
			out.Write(append(e, '\n'))
		}
	}
	for _, f := range chunks(t, c.chunks...) {
		write(tr.Next(f))
	}
	write(tr.Finish(c.outcome))
	return out.Bytes()
}

// verify holds the events to the order that AG-UI demands.
func verify(t *testing.T, events []byte) {
	t.Helper()
	v := agui.Verifier{ThreadID: "T"}
	for line := range bytes.Lines(events) {
		f, warnings, err := agui.ParseFrame(bytes.TrimSuffix(line, []byte("\n")))
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %v", line, warnings, err)
		}
		if err := v.Next(f); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
	}
	if !v.Ended() {
		t.Error("the stream has no end")
	}
}

func TestGoldenConversations(t *testing.T) {
	for _, c := range conversations {
		t.Run(c.name, func(t *testing.T) {
			got := c.events(t)
			verify(t, got)
			if !bytes.Equal(got, c.events(t)) {
				t.Error("the second translation differs")
			}
			file := filepath.Join("testdata", c.name+".txt")
			if *update {
				if err := os.WriteFile(file, got, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("(-want +got; go test -update writes it)\n%s", diff)
			}
		})
	}
}

// Wherever a run is stopped, what was said so far can be ended in order.
func TestEveryPrefixCanBeEnded(t *testing.T) {
	for _, c := range conversations {
		for n := range len(c.chunks) + 1 {
			for _, status := range []Status{Success, Cancelled, Failed} {
				part := c
				part.chunks, part.outcome = c.chunks[:n], Outcome{Status: status}
				verify(t, part.events(t))
			}
		}
	}
}

func TestMalformedChunkIsReported(t *testing.T) {
	bad := aisdk.Frame{Type: aisdk.TypeStart}
	bad.Raw = []byte(`{`)
	if _, err := NewToAGUI(Run{}).Next(bad); err == nil {
		t.Error("no error")
	}
	if err := NewToAGUI(Run{}).Prime([]aisdk.Frame{bad}); err == nil {
		t.Error("no error")
	}
}

func BenchmarkTextDelta(b *testing.B) {
	tr := NewToAGUI(Run{ThreadID: "T", RunID: "R", First: "R"})
	in := chunks(b, `{"type":"text-start","id":"txt-0"}`, `{"type":"text-delta","id":"txt-0","delta":" and some more words"}`)
	if _, err := tr.Next(in[0]); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(in[1].Raw)))
	for b.Loop() {
		if _, err := tr.Next(in[1]); err != nil {
			b.Fatal(err)
		}
	}
}
