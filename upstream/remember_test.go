package upstream

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/internal/schema"
	"github.com/agui-bridge/agui-bridge/session"
)

// What an AG-UI agent says of a call that it asks for.
const (
	sendStart = `{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"send"}`
	sendEnd   = `{"type":"TOOL_CALL_END","toolCallId":"c"}`
	sendDone  = `{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":"sent"}`
)

func startedAs(run string) string {
	return fmt.Sprintf(`{"type":"RUN_STARTED","threadId":"t","runId":%q}`, run)
}

func finishedAs(run, outcome string) string {
	return fmt.Sprintf(`{"type":"RUN_FINISHED","threadId":"t","runId":%q,"outcome":%s}`, run, outcome)
}

func interrupt(extra string) string {
	return `{"type":"interrupt","interrupts":[{"id":"q","reason":"tool_call","toolCallId":"c"` + extra + `}]}`
}

// An agent that asks for what is remembered is answered at once; its readers see one run.
func TestWhatIsRememberedIsNotAsked(t *testing.T) {
	const ok = `{"type":"success"}`
	strict := `,"responseSchema":{"type":"object","properties":{"approved":{"type":"boolean"},"pin":{"type":"string"}},"required":["approved","pin"]}`
	plainSchema := `,"responseSchema":{"type":"object","properties":{"approved":{"type":"boolean"}},"required":["approved"]}`
	for _, tc := range []struct {
		rule       string
		remembered string
		extra      string // of the interrupt
		posts      int
		offered    bool
	}{
		{"the tool", "send", "", 2, true},
		{"with a schema that wants yes or no", "send", plainSchema, 2, true},
		{"with a schema that wants more", "send", strict, 1, false},
		{"another tool", "delete", "", 1, true},
		{"what has run out", "send", `,"expiresAt":"2020-01-01T00:00:00Z"`, 1, true},
		{"nothing", "", "", 1, true},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			var bodies []string
			a := newAgent(t, "agui", Options{Check: schema.New().Check}, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				bodies = append(bodies, string(body))
				if len(bodies) == 1 {
					events(w, startedAs("r"), sendStart, sendEnd, finishedAs("r", interrupt(tc.extra)))
					return
				}
				events(w, startedAs("r+1"), sendDone, finishedAs("r+1", ok))
			})
			c := call()
			c.Origin = session.Asking{Input: c.Input, Protocol: c.Protocol}
			if tc.remembered != "" {
				c.Remembered = map[string]string{tc.remembered: "ada"}
			}
			var frames []string
			var settled []session.Settled
			var end *session.End
			for out, err := range a.Run(t.Context(), c) {
				if err != nil {
					t.Fatal(err)
				}
				if out.Frame != nil {
					frames = append(frames, string(out.Frame))
				}
				settled = append(settled, out.Settled...)
				end = out.End
			}
			if len(bodies) != tc.posts || end == nil {
				t.Fatalf("%d posts, ended %+v", len(bodies), end)
			}
			if tc.posts == 1 {
				if end.Status != session.Interrupted || len(settled) > 0 || end.Requests[0].Answers.Remember != tc.offered {
					t.Errorf("ended %+v, settled %+v", end, settled)
				}
				return
			}
			want := []string{startedAs("r"), sendStart, sendEnd, sendDone, finishedAs("r", ok)}
			if diff := cmp.Diff(want, frames); diff != "" {
				t.Error(diff)
			}
			if len(settled) != 1 || settled[0].Request.ID != "q" || !settled[0].Response.Decision.Approved || end.Status != session.Success {
				t.Errorf("ended %+v, settled %+v", end, settled)
			}
			for _, has := range []string{`"runId":"r+1"`, `"resume":[{"interruptId":"q","status":"resolved","payload":{"approved":true}}]`, `"toolCalls":[{"id":"c"`} {
				if !strings.Contains(bodies[1], has) {
					t.Errorf("the agent was posted %s, want in it %s", bodies[1], has)
				}
			}
		})
	}
}

// A run that goes on by itself and then stops to ask ends in one interrupt, of the run
// that its readers know.
func TestAfterWhatIsRememberedAPersonIsAsked(t *testing.T) {
	posts := 0
	a := newAgent(t, "agui", Options{}, func(w http.ResponseWriter, _ *http.Request) {
		if posts++; posts == 1 {
			events(w, startedAs("r"), sendStart, sendEnd, finishedAs("r", interrupt("")))
			return
		}
		events(w, startedAs("own"), sendDone, `{"type":"TOOL_CALL_START","toolCallId":"d","toolCallName":"delete"}`, `{"type":"TOOL_CALL_END","toolCallId":"d"}`,
			finishedAs("own", `{"type":"interrupt","interrupts":[{"id":"p","reason":"tool_call","toolCallId":"d"}]}`))
	})
	c := call()
	c.Origin = session.Asking{Input: c.Input, Protocol: c.Protocol}
	c.Remembered = map[string]string{"send": "ada"}
	got := listen(t.Context(), a, c, nil)
	if got.err != nil || got.end.Status != session.Interrupted || len(got.end.Requests) != 1 || got.end.Requests[0].ID != "p" {
		t.Fatalf("%v, %+v", got.err, got.end)
	}
	if last := got.frames[len(got.frames)-1]; !strings.Contains(last, `"runId":"r"`) || strings.Count(strings.Join(got.frames, ""), "RUN_STARTED") != 1 {
		t.Errorf("readers see %q", got.frames)
	}
}

// An agent that never ends does not do so unseen.
func TestOnlySoMuchIsAnsweredByItself(t *testing.T) {
	posts := 0
	a := newAgent(t, "agui", Options{}, func(w http.ResponseWriter, _ *http.Request) {
		posts++
		run := fmt.Sprint("own", posts)
		events(w, startedAs(run), strings.ReplaceAll(sendStart, `"c"`, fmt.Sprintf(`"c%d"`, posts)), strings.ReplaceAll(sendEnd, `"c"`, fmt.Sprintf(`"c%d"`, posts)),
			finishedAs(run, strings.ReplaceAll(strings.ReplaceAll(interrupt(""), `"c"`, fmt.Sprintf(`"c%d"`, posts)), `"q"`, fmt.Sprintf(`"q%d"`, posts))))
	})
	c := call()
	c.Origin = session.Asking{Input: c.Input, Protocol: c.Protocol}
	c.Remembered = map[string]string{"send": "ada"}
	got := listen(t.Context(), a, c, nil)
	if got.err != nil || got.end.Status != session.Interrupted || posts != maxRemembered+1 {
		t.Errorf("%v, %+v after %d posts", got.err, got.end, posts)
	}
}

// A chat is told of a decision that was remembered, and is asked nothing.
func TestAChatIsToldWhatWasRemembered(t *testing.T) {
	const (
		start   = `{"type":"start","messageId":"m"}`
		asks    = `{"type":"tool-input-available","toolCallId":"c","toolName":"send","input":{}}`
		may     = `{"type":"tool-approval-request","approvalId":"q","toolCallId":"c"}`
		stepped = `{"type":"finish-step"}`
		output  = `{"type":"tool-output-available","toolCallId":"c","output":"sent"}`
	)
	var bodies []string
	a := newAgent(t, "aisdk", Options{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		bodies = append(bodies, string(body))
		if len(bodies) == 1 {
			events(w, start, asks, may, stepped, `{"type":"finish","messageMetadata":{"n":1}}`, "[DONE]")
			return
		}
		events(w, `{"type":"start","messageId":"m","messageMetadata":{"k":2}}`, output, finish, "[DONE]")
	})
	c := call()
	c.Origin = session.Asking{Input: c.Input, Protocol: c.Protocol}
	c.Remembered = map[string]string{"send": "ada"}
	got := listen(t.Context(), a, c, nil)
	want := []string{
		start, asks, strings.TrimSuffix(may, "}") + `,"isAutomatic":true}`, `{"type":"tool-approval-response","approvalId":"q","approved":true}`, stepped,
		`{"type":"message-metadata","messageMetadata":{"n":1}}`, `{"type":"message-metadata","messageMetadata":{"k":2}}`, output, finish,
	}
	if diff := cmp.Diff(want, got.frames); diff != "" || got.err != nil || got.end.Status != session.Success {
		t.Errorf("%v, %+v, %s", got.err, got.end, diff)
	}
	if len(bodies) != 2 || !strings.Contains(bodies[1], `"state":"approval-responded"`) || !strings.Contains(bodies[1], `"approved":true`) {
		t.Errorf("the agent was posted %q", bodies)
	}
	// Where it is not remembered, the chat is asked as ever.
	bodies = nil
	c.Remembered = map[string]string{"delete": "ada"}
	got = listen(t.Context(), a, c, nil)
	if diff := cmp.Diff([]string{start, asks, may, stepped, `{"type":"finish","messageMetadata":{"n":1}}`}, got.frames); diff != "" || got.end.Status != session.Interrupted || len(got.end.Requests) != 1 {
		t.Errorf("%+v, %s", got.end, diff)
	}
}
