package gateway

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/upstream"
)

// A run with all that can be open at once.
var aguiRun = []string{
	`{"type":"RUN_STARTED","threadId":"t","runId":"r1","protocolVersion":"1.1"}`,
	`{"type":"STEP_STARTED","stepName":"plan"}`,
	`{"type":"SUBAGENT_STARTED","subagentRunId":"s","name":"helper"}`,
	`{"type":"STEP_STARTED","stepName":"plan","subagentRunId":"s"}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"mc","delta":"half "}`,
	`{"type":"TEXT_MESSAGE_CHUNK","messageId":"sc","delta":"other","subagentRunId":"s"}`,
	`{"type":"REASONING_START","messageId":"r"}`,
	`{"type":"REASONING_MESSAGE_START","messageId":"r","role":"reasoning"}`,
	`{"type":"REASONING_MESSAGE_CONTENT","messageId":"r","delta":"hm"}`,
	`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
	`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"whole"}`,
	`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"m"}`,
	`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":"{}"}`,
	`{"type":"TOOL_CALL_END","toolCallId":"c"}`,
	`{"type":"TEXT_MESSAGE_END","messageId":"m"}`,
	`{"type":"REASONING_MESSAGE_END","messageId":"r"}`,
	`{"type":"REASONING_END","messageId":"r"}`,
	`{"type":"STEP_FINISHED","stepName":"plan","subagentRunId":"s"}`,
	`{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`,
	`{"type":"STEP_FINISHED","stepName":"plan"}`,
	`{"type":"RUN_FINISHED","threadId":"t","runId":"r1","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"tool_call","toolCallId":"c"}]}}`,
}

var aisdkRun = []string{
	`{"type":"start","messageId":"m"}`, `{"type":"start-step"}`,
	`{"type":"reasoning-start","id":"0"}`, `{"type":"reasoning-delta","id":"0","delta":"hm"}`,
	`{"type":"text-start","id":"1"}`, `{"type":"text-delta","id":"1","delta":"whole"}`,
	`{"type":"tool-input-start","toolCallId":"c","toolName":"f"}`, `{"type":"tool-input-delta","toolCallId":"c","inputTextDelta":"{}"}`,
	`{"type":"tool-input-available","toolCallId":"c","toolName":"f","input":{}}`,
	`{"type":"reasoning-end","id":"0"}`, `{"type":"text-end","id":"1"}`,
	`{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}`,
	`{"type":"finish-step"}`, `{"type":"finish"}`, `[DONE]`,
}

// spoil returns what may become of a stream, by what was done to it.
func spoil(run []string) map[string][]string {
	spoilt := map[string][]string{"nothing": run, "no event": nil}
	for i := range run {
		spoilt[fmt.Sprintf("%d: cut before", i)] = run[:i]
		spoilt[fmt.Sprintf("%d: left out", i)] = slices.Concat(run[:i], run[i+1:])
		spoilt[fmt.Sprintf("%d: twice", i)] = slices.Concat(run[:i+1], run[i:])
		spoilt[fmt.Sprintf("%d: no JSON", i)] = slices.Concat(run[:i], []string{"{"}, run[i:])
		spoilt[fmt.Sprintf("%d: unknown before", i)] = slices.Concat(run[:i], []string{`{"type":"later","x":1}`}, run[i:])
		spoilt[fmt.Sprintf("%d: an error before", i)] = slices.Concat(run[:i], []string{`{"type":"RUN_ERROR","message":"no"}`}, run[i:])
		spoilt[fmt.Sprintf("%d: a wrong value", i)] = slices.Concat(run[:i], []string{strings.Replace(run[i], `":"`, `":5,"x":"`, 1)}, run[i+1:])
	}
	return spoilt
}

// Whatever an agent sends, what a front end gets is a stream that every consumer takes:
// it ends with one terminal event, and its run failed unless the agent's was whole.
func TestWhatTheBridgeSendsIsConformant(t *testing.T) {
	for _, agent := range []struct {
		scheme string
		run    []string
	}{{"agui", aguiRun}, {"aisdk", aisdkRun}} {
		for what, lines := range spoil(agent.run) {
			t.Run(agent.scheme+" "+what, func(t *testing.T) {
				web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "text/event-stream")
					for _, line := range lines {
						fmt.Fprintf(w, "data: %s\n\n", line)
					}
				}))
				defer web.Close()
				specs, err := upstream.ParseSpecs("far=" + agent.scheme + "+" + web.URL)
				if err != nil {
					t.Fatal(err)
				}
				far, err := upstream.New(specs[0], upstream.Options{})
				if err != nil {
					t.Fatal(err)
				}
				r := newRig(t, func(h *session.Options, _ *Options) { h.Agents = append(h.Agents, far) })
				frames := r.dial("far").do(input("t", "r1", "go"))
				conformant(t, frames)
				over := r.stream("far", input("t", "r1", "go"))
				same(t, "over HTTP", over, frames)
			})
		}
	}
}

func conformant(t *testing.T, frames []agui.Frame) {
	t.Helper()
	p := agui.NewPipeline(agui.PipelineOptions{ThreadID: "t"})
	terminal := 0
	for _, f := range frames {
		if _, warnings, err := p.Next(f.Raw); err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v %v", f.Raw, err, warnings)
		}
		if p.Ended() {
			terminal++
		}
	}
	if err := p.End(); err != nil || terminal != 1 {
		t.Fatalf("%d terminal events, %v: %v", terminal, err, frames)
	}
}
