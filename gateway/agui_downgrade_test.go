package gateway

import (
	"context"
	"os"
	"strings"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"github.com/agui-bridge/agui-bridge/internal/sse"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// player is an agent that plays a file of events, whatever it is asked. It keeps the
// inputs it is given.
func player(t *testing.T, path string, inputs *[]string) stub {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	return stub{name: "player", protocol: session.AGUI, run: func(_ context.Context, call session.Call, yield func(session.Output, error) bool) {
		*inputs = append(*inputs, string(call.Input))
		for i, line := range lines {
			out := session.Output{Frame: []byte(line)}
			if i == len(lines)-1 {
				out.End = &session.End{Status: session.Success, Spoken: true}
			}
			if !yield(out, nil) {
				return
			}
		}
	}}
}

const downgrades = "../protocol/agui/testdata/downgrade/"

func playerRig(t *testing.T) (r *rig, logs *observer.ObservedLogs, inputs *[]string) {
	t.Helper()
	core, logs := observer.New(zap.WarnLevel)
	inputs = &[]string{}
	r = newRig(t, func(h *session.Options, o *Options) {
		h.Agents = append(h.Agents, player(t, downgrades+"every-event.in.jsonl", inputs))
		o.Logger = zap.New(core)
	})
	return r, logs, inputs
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(raw)), "\n")
}

func undeclared(thread, run string) string {
	return `{"threadId":"` + thread + `","runId":"` + run + `","messages":[{"id":"u","role":"user","content":"hello"}]}`
}

// streamed returns the events of a stream as they are written.
func (r *rig) streamed(agent, body string) (events []string) {
	r.t.Helper()
	_, answer := r.post(agent, body)
	for data, err := range sse.Read(strings.NewReader(answer), 0) {
		if err != nil {
			r.t.Fatal(err)
		}
		events = append(events, string(data))
	}
	return events
}

func sameLines(t *testing.T, what string, got, want []string) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d events, want %d", what, len(got), len(want))
	}
	for i := range min(len(got), len(want)) {
		if got[i] != want[i] {
			t.Errorf("%s: event %d is %s, want %s", what, i, got[i], want[i])
		}
	}
}

func TestClientsWithoutAVersionGetWhatTheyCanRead(t *testing.T) {
	r, _, _ := playerRig(t)
	want := lines(t, downgrades+"every-event.out.jsonl")
	sameLines(t, "over HTTP", r.streamed("player", undeclared("t", "r")), want)
	sameLines(t, "the same input again", r.streamed("player", undeclared("t", "r")), want)
	c := r.dial("player")
	c.send(undeclared("t", "r"))
	for i, line := range want {
		if got := string(c.next().Raw); got != enforced(t, line) {
			t.Errorf("over a socket: event %d is %s, want %s", i, got, line)
		}
	}
}

// enforced is a line as the test client shows it.
func enforced(t *testing.T, line string) string {
	t.Helper()
	return string(parse(t, []byte(line)).Raw)
}

func TestClientsWithAVersionGetWhatTheAgentSent(t *testing.T) {
	r, logs, _ := playerRig(t)
	want := lines(t, downgrades+"every-event.in.jsonl")
	for _, version := range []string{"1.0", "1.1", "1.7", "2.0", "draft"} {
		body := strings.Replace(undeclared("t-"+version, "r"), "{", `{"protocolVersion":"`+version+`",`, 1)
		sameLines(t, version, r.streamed("player", body), want)
	}
	if n := logs.FilterMessageSnippet("something is lost").Len(); n != 0 {
		t.Errorf("%d losses logged", n)
	}
}

func TestVersionsThatDifferAreServedAndLogged(t *testing.T) {
	for _, tc := range []struct {
		version string
		code    agui.WarningCode
	}{
		{"1.0", ""}, {"1.1", ""}, {"1.2", agui.NewerVersion}, {"1.10", agui.NewerVersion},
		{"2.0", agui.ForeignVersion}, {"draft", agui.UnreadableVersion}, {"", agui.UnreadableVersion}, {"0.0.59", agui.UnreadableVersion},
	} {
		t.Run(tc.version, func(t *testing.T) {
			r, logs, _ := playerRig(t)
			got := r.streamed("demo", strings.Replace(undeclared("t", "r"), "{", `{"protocolVersion":"`+tc.version+`",`, 1))
			if len(got) == 0 || !strings.Contains(got[len(got)-1], "RUN_FINISHED") {
				t.Errorf("not served: %v", got)
			}
			var codes []string
			for _, e := range logs.FilterMessageSnippet("not all of this version").All() {
				codes = append(codes, e.ContextMap()["code"].(string))
			}
			if strings.Join(codes, ",") != string(tc.code) {
				t.Errorf("logged %v, want %q", codes, tc.code)
			}
		})
	}
}

func TestEachKindOfLossIsLoggedOnceARun(t *testing.T) {
	r, logs, _ := playerRig(t)
	r.streamed("player", undeclared("t", "r"))
	seen := map[string]int{}
	for _, e := range logs.FilterMessageSnippet("something is lost").All() {
		seen[e.ContextMap()["code"].(string)]++
		if e.ContextMap()["run"] != "r" || e.ContextMap()["thread"] != "t" {
			t.Errorf("not said of which run: %v", e.ContextMap())
		}
	}
	for _, code := range []agui.WarningCode{agui.LostSubagent, agui.LostContent, agui.LostOutcome, agui.LostStep} {
		if seen[string(code)] != 1 {
			t.Errorf("%s logged %d times", code, seen[string(code)])
		}
	}
}

func TestACancelledRunEndsPlainlyForClientsWithoutAVersion(t *testing.T) {
	eachDemo(t, func(t *testing.T, agent string) {
		r := newRig(t)
		c := r.dial(agent)
		c.send(strings.Replace(undeclared("t", "r"), "hello", "slow 200", 1))
		before := c.until(agui.TypeTextMessageContent)
		c.send(`{"type":"cancel","threadId":"t"}`)
		frames := c.rest(before...)
		if got, want := string(frames[len(frames)-1].Raw), `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
}

func TestARetiredInputReachesTheAgentAsOneOfToday(t *testing.T) {
	r, logs, inputs := playerRig(t)
	const part = `{"type":"binary","mimeType":"image/png","data":"QQ=="}`
	r.streamed("player", `{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":[`+part+`]}]}`)
	want := `{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":[{"type":"image","source":{"type":"data","value":"QQ==","mimeType":"image/png"}}]}]}`
	if len(*inputs) != 1 || (*inputs)[0] != want {
		t.Errorf("the agent got %v, want %s", *inputs, want)
	}
	if logs.FilterMessageSnippet("not all of this version").Len() != 1 {
		t.Errorf("logged %v", logs.All())
	}
}
