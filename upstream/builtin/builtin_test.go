package builtin

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// A tale is all that an agent said in one run.
type tale struct {
	frames [][]byte
	end    *session.End
	err    error
}

func tell(ctx context.Context, t *testing.T, agent string, c session.Call, heard func(n int)) (got tale) {
	t.Helper()
	a, err := New("configured", agent)
	if err != nil {
		t.Fatal(err)
	}
	for out, err := range a.Run(ctx, c) {
		if err != nil {
			got.err = err
			return got
		}
		if got.end != nil {
			t.Fatal("something comes after the end")
		}
		if out.Frame != nil {
			got.frames = append(got.frames, out.Frame)
		}
		got.end = out.End
		if heard != nil {
			heard(len(got.frames))
		}
	}
	return got
}

func call(run, text string) session.Call {
	input := fmt.Sprintf(`{"threadId":"t","runId":%q,"messages":[{"id":"u","role":"user","content":%q}]}`, run, text)
	return session.Call{ThreadID: "t", RunID: run, First: run, Protocol: session.AGUI, Input: []byte(input)}
}

// check holds a run to its protocol. before holds the frames it continues.
func check(t *testing.T, agent string, got tale, before [][]byte) {
	t.Helper()
	if got.err != nil || got.end == nil || !got.end.Spoken {
		t.Fatalf("got %v and %+v, want an end that was spoken", got.err, got.end)
	}
	if agent == "demo" {
		checkAGUI(t, got.frames)
		return
	}
	r := reduce(t, append(slices.Clone(before), got.frames...))
	if !r.Ended() {
		t.Error("no terminal chunk")
	}
	var asked []string
	for _, q := range got.end.Requests {
		asked = append(asked, q.ID)
	}
	var held []string
	for _, q := range r.Message().Requests() {
		held = append(held, q.ID)
	}
	if diff := cmp.Diff(asked, held); diff != "" {
		t.Errorf("the message asks for something else than the end says (-end +message):\n%s", diff)
	}
}

func checkAGUI(t *testing.T, frames [][]byte) {
	t.Helper()
	v := agui.Verifier{ThreadID: "t"}
	for _, raw := range frames {
		f, warnings, err := agui.ParseFrame(raw)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %v", raw, err, warnings)
		}
		if err := v.Next(f); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	}
	if !v.Ended() {
		t.Error("no terminal event")
	}
}

func reduce(t *testing.T, frames [][]byte) *aisdk.Reducer {
	t.Helper()
	var r aisdk.Reducer
	for _, raw := range frames {
		f, warnings, err := aisdk.ParseFrame(raw)
		if err != nil || len(warnings) > 0 {
			t.Fatalf("%s: %v, %v", raw, err, warnings)
		}
		if err := r.Apply(f); err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
	}
	return &r
}

func has(frames [][]byte, words string) bool {
	return slices.ContainsFunc(frames, func(f []byte) bool { return strings.Contains(string(f), words) })
}

// approvals, input and calls stand for what a script asks.
var (
	approvals = func(n int) []hitl.RequestKind { return slices.Repeat([]hitl.RequestKind{hitl.KindApproval}, n) }
	input     = []hitl.RequestKind{hitl.KindInput}
	calls     = []hitl.RequestKind{hitl.KindClientTool}
)

func TestScripts(t *testing.T) {
	for _, test := range []struct {
		said      string
		status    session.Status
		asks, sdk []hitl.RequestKind // of demo and of demo-aisdk

		words string
	}{
		{said: "hello", status: session.Success, words: "How can "},
		{said: "  HELLO  there", status: session.Success, words: "How can "},
		{said: "email", status: session.Interrupted, asks: approvals(1), sdk: approvals(1), words: "send_email"},
		{said: "delete", status: session.Interrupted, asks: approvals(1), sdk: approvals(1), words: "delete_database"},
		{said: "parallel", status: session.Interrupted, asks: approvals(3), sdk: approvals(3), words: "grace@example.com"},
		{said: "book", status: session.Interrupted, asks: input, sdk: input, words: "seating"},
		{said: "ask", status: session.Interrupted, asks: input, sdk: input, words: "ask_user_question"},
		{said: "locate", status: session.Success, asks: calls, sdk: calls, words: "get_location"},
		{said: "think", status: session.Success, words: "So I think."},
		{said: "state", status: session.Success, words: "/steps/-"},
		{said: "stream 50", status: session.Success, words: "word50 "},
		{said: "stream nonsense", status: session.Success, words: "word10 "},
		{said: "slow 2", status: session.Success, words: "word2 "},
		{said: "fail", status: session.Failed, words: "as it was told to"},
		{said: "something else", status: session.Success, words: "something else"},
		{said: "hellos", status: session.Success, words: "You said: "},
		{said: "", status: session.Success, words: "You said: "},
	} {
		for _, agent := range Names() {
			t.Run(agent+" "+test.said, func(t *testing.T) {
				got := tell(t.Context(), t, agent, call("r", test.said), nil)
				check(t, agent, got, nil)
				status, asks := test.status, test.asks
				if agent == "demo-aisdk" {
					asks = test.sdk
				}
				if got.end.Status != status {
					t.Errorf("status %s, want %s", got.end.Status, status)
				}
				var kinds []hitl.RequestKind
				for _, q := range got.end.Requests {
					kinds = append(kinds, q.Kind)
				}
				if diff := cmp.Diff(asks, kinds); diff != "" {
					t.Errorf("requests (-want +got):\n%s", diff)
				}
				if !has(got.frames, test.words) {
					t.Errorf("no frame has %q", test.words)
				}
			})
		}
	}
}

// What can be carried back differs: an AI SDK agent takes no edits.
func TestApprovalAnswers(t *testing.T) {
	for agent, want := range map[string]hitl.ApprovalAnswers{
		"demo": {Reason: true, EditedArgs: true}, "demo-aisdk": {Reason: true},
	} {
		if got := tell(t.Context(), t, agent, call("r", "email"), nil).end.Requests[0].Answers; got != want {
			t.Errorf("%s: %+v, want %+v", agent, got, want)
		}
	}
}

func TestResume(t *testing.T) {
	yes, no, cancel := hitl.ToolDecision{Approved: true}, hitl.ToolDecision{Reason: "too risky"}, hitl.Cancel()
	edited := hitl.ToolDecision{Approved: true, EditedArgs: []byte(`{"to":"grace@example.com","subject":"S","body":"B"}`)}
	broken := hitl.ToolDecision{Approved: true, EditedArgs: []byte(`{"to":"grace@example.com","bcc":"all@example.com"}`)}
	accept, decline := hitl.Accept([]byte(`{"guests":2}`)), hitl.Decline()
	both, demo := Names(), Names()[:1]
	answers := hitl.Accept(jsontext.Value(`{"Colour":"Red","Toppings":["Basil"]}`))
	for _, test := range []struct {
		name, said string
		agents     []string
		response   hitl.Response
		words      string
	}{
		{"approved", "email", both, hitl.Response{Decision: &yes}, "I sent the email to ada@example.com."},
		{"approved", "delete", both, hitl.Response{Decision: &yes}, "Done: delete_database."},
		{"approved", "parallel", both, hitl.Response{Decision: &yes}, "I sent the email to grace@example.com. Done: delete_database."},
		{"denied", "email", both, hitl.Response{Decision: &no}, "Your reason: too risky"},
		{"denied", "parallel", both, hitl.Response{Decision: &no}, "You denied delete_database"},
		{"given up", "email", both, hitl.Response{Input: &cancel}, "You gave the request up"},
		{"edited", "email", demo, hitl.Response{Decision: &edited}, "I sent the email to grace@example.com."},
		{"edited into no email", "email", demo, hitl.Response{Decision: &broken}, "could not be sent"},
		{"accepted", "book", demo, hitl.Response{Input: &accept}, "Your booking is confirmed"},
		{"declined", "book", demo, hitl.Response{Input: &decline}, "You declined"},
		{"given up", "book", demo, hitl.Response{Input: &cancel}, "You gave the request up"},
		{"accepted", "ask", demo, hitl.Response{Input: &answers}, `Thank you. You answered: {\"Colour\":[\"Red\"],\"Toppings\":[\"Basil\"]}`},
		{"declined", "ask", demo, hitl.Response{Input: &decline}, "You declined"},
	} {
		for _, agent := range test.agents {
			t.Run(agent+" "+test.said+" "+test.name, func(t *testing.T) {
				stopped := tell(t.Context(), t, agent, call("r", test.said), nil)
				c := call("r2", "")
				c.First, c.Turn = "r", stopped.frames
				for _, q := range stopped.end.Requests {
					c.Settled = append(c.Settled, session.Settled{Request: q, Response: test.response})
				}
				got := tell(t.Context(), t, agent, c, nil)
				check(t, agent, got, stopped.frames)
				if got.end.Status != session.Success || !has(got.frames, test.words) {
					t.Errorf("status %s, and no frame may have %q: %s", got.end.Status, test.words, got.frames)
				}
			})
		}
	}
}

// The result of a client tool comes with the next input.
func TestClientToolResult(t *testing.T) {
	for _, agent := range Names() {
		for result, want := range map[string]string{`"content":"Vienna"`: "Vienna", `"content":"","error":"denied"`: "denied"} {
			c := call("r2", "")
			c.Input = []byte(`{"threadId":"t","runId":"r2","messages":[{"id":"u","role":"user","content":"locate"},` +
				`{"id":"m","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"get_location","arguments":"{}"}}]},` +
				`{"id":"x","role":"tool","toolCallId":"c",` + result + `}]}`)
			got := tell(t.Context(), t, agent, c, nil)
			check(t, agent, got, nil)
			if !has(got.frames, want) {
				t.Errorf("%s: no frame has %s", agent, want)
			}
		}
	}
}

func TestDrop(t *testing.T) {
	for _, agent := range Names() {
		got := tell(t.Context(), t, agent, call("r", "drop"), nil)
		var f *session.Failure
		if !errors.As(got.err, &f) || f.Code != "upstream_truncated" || got.end != nil || !has(got.frames, "not fin") {
			t.Errorf("%s: %v, %+v", agent, got.err, got.end)
		}
	}
}

func TestStopped(t *testing.T) {
	for _, agent := range Names() {
		for n := 1; n <= 5; n++ {
			t.Run(fmt.Sprintf("%s after %d", agent, n), func(t *testing.T) {
				stop := func(cause error) tale {
					ctx, cancel := context.WithCancelCause(t.Context())
					defer cancel(nil)
					return tell(ctx, t, agent, call("r", "slow 100"), func(heard int) {
						if heard == n {
							cancel(cause)
						}
					})
				}
				got := stop(session.ErrCancelled)
				if got.err != nil || got.end == nil || got.end.Status != session.Cancelled || !got.end.Spoken {
					t.Fatalf("cancelled: %v, %+v", got.err, got.end)
				}
				check(t, agent, got, nil)
				var f *session.Failure
				if got := stop(session.ErrShutdown); !errors.As(got.err, &f) || f.Code != session.CodeRunLost || got.end != nil {
					t.Errorf("shut down: %v, %+v", got.err, got.end)
				}
			})
		}
	}
}

// A reader that leaves ends the script at once.
func TestReaderLeaves(t *testing.T) {
	begun := time.Now()
	for _, agent := range Names() {
		a, err := New("configured", agent)
		if err != nil {
			t.Fatal(err)
		}
		for range a.Run(t.Context(), call("r", "slow 100")) {
			break
		}
	}
	if took := time.Since(begun); took > 2*time.Second {
		t.Errorf("leaving took %s", took)
	}
}

// The same call gives the same frames, so that a replay can be compared.
func TestScriptsAreDeterministic(t *testing.T) {
	for _, agent := range Names() {
		for word := range scripts {
			one, two := tell(t.Context(), t, agent, call("r", word+" 2"), nil), tell(t.Context(), t, agent, call("r", word+" 2"), nil)
			if diff := cmp.Diff(one.frames, two.frames); diff != "" {
				t.Errorf("%s %s:\n%s", agent, word, diff)
			}
		}
	}
}

func TestNames(t *testing.T) {
	for _, name := range Names() {
		a, err := New("mine", name)
		if err != nil || a.Name() != "mine" || !Has(name) {
			t.Errorf("%s: %v, %v", name, a, err)
		}
	}
	if _, err := New("mine", "other"); err == nil || Has("other") {
		t.Error("an agent that is not there was made")
	}
	c := call("r", "hello")
	c.Protocol = session.AISDK
	if got := tell(t.Context(), t, "demo", c, nil); got.err == nil {
		t.Error("an input of another protocol was read")
	}
}
