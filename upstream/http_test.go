package upstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// The streams below are those of run r on thread t.
const (
	runInput = `{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"hi"}]}`

	runStarted  = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}`
	runFinished = `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`
	textStart   = `{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`
	textContent = `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"half a sen"}`
	textEnd     = `{"type":"TEXT_MESSAGE_END","messageId":"m"}`

	partStart = `{"type":"text-start","id":"1"}`
	partDelta = `{"type":"text-delta","id":"1","delta":"half a sen"}`
	partEnd   = `{"type":"text-end","id":"1"}`
	begin     = `{"type":"start","messageId":"m"}`
	finish    = `{"type":"finish"}`
)

var kinds = []string{"agui", "aisdk"}

// half is what an agent of a kind says before it breaks off in a message.
var half = map[string][]string{"agui": {runStarted, textStart, textContent}, "aisdk": {begin, partStart, partDelta}}

// newAgent makes an agent behind a server that answers every request with the handler.
func newAgent(t *testing.T, kind string, o Options, handler http.HandlerFunc) session.Agent {
	t.Helper()
	web := httptest.NewServer(handler)
	o.Client = NewClient()
	t.Cleanup(func() {
		o.Client.CloseIdleConnections()
		web.Close()
	})
	a, err := New(Spec{Name: "far", Scheme: kind + "+http", Target: web.URL + "/run", Headers: http.Header{"X-Key": {"k"}}}, o)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func events(w http.ResponseWriter, data ...string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, d := range data {
		fmt.Fprintf(w, "data: %s\n\n", d)
	}
	w.(http.Flusher).Flush()
}

// says makes a handler that answers with events and ends.
func says(data ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) { events(w, data...) }
}

func call() session.Call {
	return session.Call{ThreadID: "t", RunID: "r", First: "r", Protocol: session.AGUI, Input: []byte(runInput)}
}

// A tale is all that an agent said in one run.
type tale struct {
	frames []string
	end    *session.End
	err    error
}

func listen(ctx context.Context, a session.Agent, c session.Call, heard func(n int)) (got tale) {
	for out, err := range a.Run(ctx, c) {
		if err != nil {
			got.err = err
			return got
		}
		if out.Frame != nil {
			got.frames = append(got.frames, string(out.Frame))
		}
		got.end = out.End
		if heard != nil {
			heard(len(got.frames))
		}
	}
	return got
}

func (g tale) failed(t *testing.T, code session.Code, words ...string) {
	t.Helper()
	var f *session.Failure
	if !errors.As(g.err, &f) || f.Code != code || g.end != nil {
		t.Fatalf("got %v and end %+v, want a failure with code %s", g.err, g.end, code)
	}
	for _, word := range words {
		if !strings.Contains(f.Message, word) {
			t.Errorf("message %q has no %q", f.Message, word)
		}
	}
}

func TestWhatTheDeclaredVersionDoesNotHaveIsTakenOut(t *testing.T) {
	a := newAgent(t, "agui", Options{}, func(w http.ResponseWriter, _ *http.Request) {
		events(w,
			`{"threadId":"t", "runId":"r","type":"RUN_STARTED", "extra":[1.0, 1e2]}`,
			`{"type":"SOMETHING_NEW","x":null}`,
			`{"type":"REASONING_ENCRYPTED_VALUE","subtype":"new","entityId":"m","encryptedValue":"x"}`,
			`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"paused"}}`)
	})
	got := listen(t.Context(), a, call(), nil)
	if got.err != nil || got.end == nil || got.end.Status != session.Success {
		t.Fatalf("got %v, %+v", got.err, got.end)
	}
	want := []string{`{"threadId":"t","runId":"r","type":"RUN_STARTED"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}`}
	if diff := cmp.Diff(want, got.frames); diff != "" {
		t.Errorf("frames (-want +got):\n%s", diff)
	}
}

// Chunks are passed on as they came; what they stand for decides what is asked.
func TestChunksOfAnAgent(t *testing.T) {
	sent := []string{
		runStarted,
		`{"type":"TOOL_CALL_CHUNK","toolCallId":"c","toolCallName":"send","delta":"{\"to\":"}`,
		`{"type":"TOOL_CALL_CHUNK","delta":"1}"}`,
		`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"tool_call","toolCallId":"c"}]}}`,
	}
	a := newAgent(t, "agui", Options{}, func(w http.ResponseWriter, _ *http.Request) { events(w, sent...) })
	got := listen(t.Context(), a, call(), nil)
	if got.err != nil || got.end == nil || got.end.Status != session.Interrupted {
		t.Fatalf("got %v, %+v", got.err, got.end)
	}
	if diff := cmp.Diff(sent, got.frames); diff != "" {
		t.Errorf("frames (-sent +got):\n%s", diff)
	}
	if c := got.end.Requests[0].Call; c == nil || c.Name != "send" || string(c.Args) != `{"to":1}` {
		t.Errorf("the request is about %+v", c)
	}
}

func TestPassedByteForByte(t *testing.T) {
	// Unusual spacing, order and numbers stay as they are; so do unknown events and
	// members of an agent that says it speaks a newer version than the bridge.
	sent := []string{
		`{"threadId":"t", "runId":"r","protocolVersion":"1.99","type":"RUN_STARTED", "extra":[1.0, 1e2]}`,
		`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
		`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"\u00e9\u2028 é"}`,
		`{"type":"SOMETHING_NEW","x":null}`,
		textEnd,
		`{ "type" : "RUN_FINISHED","threadId":"t","runId":"r" }`,
	}
	var body []byte
	var header http.Header
	a := newAgent(t, "agui", Options{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		header = r.Header
		events(w, sent...)
	})
	got := listen(t.Context(), a, call(), nil)
	if got.err != nil || got.end == nil || got.end.Status != session.Success || !got.end.Spoken {
		t.Fatalf("got %v, %+v", got.err, got.end)
	}
	if diff := cmp.Diff(sent, got.frames); diff != "" {
		t.Errorf("frames (-sent +got):\n%s", diff)
	}
	if string(body) != runInput {
		t.Errorf("the agent was posted %s, want %s", body, runInput)
	}
	for name, want := range map[string]string{"Content-Type": "application/json", "Accept": "text/event-stream", "X-Key": "k"} {
		if header.Get(name) != want {
			t.Errorf("header %s is %q, want %q", name, header.Get(name), want)
		}
	}
}

func TestEnds(t *testing.T) {
	interrupt := `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"tool_call","toolCallId":"c"}]}}`
	for _, test := range []struct {
		name, kind string
		sent       []string
		status     session.Status
		frames     int
		requests   []hitl.RequestKind
		failure    string
	}{
		{"success", "agui", []string{runStarted, runFinished}, session.Success, 2, nil, ""},
		{"what follows the end is not heard", "agui", []string{runStarted, runFinished, "rubbish"}, session.Success, 2, nil, ""},
		{"cancelled", "agui", []string{runStarted, `{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"cancelled"}}`}, session.Cancelled, 2, nil, ""},
		{"failed", "agui", []string{runStarted, textStart, `{"type":"RUN_ERROR","message":"no","code":"x"}`}, session.Failed, 3, nil, "x: no"},
		{"failed at once", "agui", []string{`{"type":"RUN_ERROR","message":"no"}`}, session.Failed, 1, nil, "no"},
		{"interrupted", "agui", []string{runStarted, interrupt}, session.Interrupted, 2, []hitl.RequestKind{hitl.KindApproval}, ""},

		{"success", "aisdk", []string{begin, partStart, partDelta, partEnd, finish, aisdk.Done}, session.Success, 5, nil, ""},
		{"without [DONE]", "aisdk", []string{begin, finish}, session.Success, 2, nil, ""},
		{"what follows [DONE] is not heard", "aisdk", []string{begin, finish, aisdk.Done, "rubbish"}, session.Success, 2, nil, ""},
		{"aborted", "aisdk", []string{begin, `{"type":"abort"}`, aisdk.Done}, session.Cancelled, 2, nil, ""},
		{"failed", "aisdk", []string{begin, `{"type":"error","errorText":"no"}`, aisdk.Done}, session.Failed, 2, nil, "no"},
		{"interrupted", "aisdk", []string{
			begin, `{"type":"tool-input-available","toolCallId":"c","toolName":"send","input":{}}`,
			`{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}`, finish, aisdk.Done,
		}, session.Interrupted, 4, []hitl.RequestKind{hitl.KindApproval}, ""},
		{"left to the browser", "aisdk", []string{
			begin, `{"type":"tool-input-available","toolCallId":"c","toolName":"where","input":{}}`, finish, aisdk.Done,
		}, session.Success, 3, []hitl.RequestKind{hitl.KindClientTool}, ""},
	} {
		t.Run(test.kind+" "+test.name, func(t *testing.T) {
			got := listen(t.Context(), newAgent(t, test.kind, Options{}, says(test.sent...)), call(), nil)
			if got.err != nil || got.end == nil || got.end.Status != test.status || !got.end.Spoken || len(got.frames) != test.frames {
				t.Fatalf("got %v, %+v and %d frames; want %s and %d", got.err, got.end, len(got.frames), test.status, test.frames)
			}
			var asked []hitl.RequestKind
			for _, q := range got.end.Requests {
				asked = append(asked, q.Kind)
			}
			if diff := cmp.Diff(test.requests, asked); diff != "" {
				t.Errorf("requests (-want +got):\n%s", diff)
			}
			failure := ""
			if got.end.Failure != nil {
				failure = got.end.Failure.Error()
			}
			if failure != test.failure {
				t.Errorf("failure %q, want %q", failure, test.failure)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	for _, kind := range kinds {
		web := httptest.NewServer(http.NotFoundHandler())
		web.Close() // nobody listens there any more
		a, err := New(Spec{Name: "far", Scheme: kind + "+http", Target: web.URL}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := listen(t.Context(), a, call(), nil)
		got.failed(t, CodeUnreachable, `"far"`)
		if address := strings.TrimPrefix(web.URL, "http://"); strings.Contains(got.err.Error(), address) {
			t.Errorf("the failure tells the address: %v", got.err)
		}
	}
}

func TestFailures(t *testing.T) {
	follow := 0
	for _, test := range []struct {
		name    string
		kinds   []string
		handler func(kind string) http.HandlerFunc
		code    session.Code
		words   string
	}{
		{"status 500", kinds, func(string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "secret", http.StatusInternalServerError) }
		}, CodeStatus, "500"},
		{"redirect", kinds, func(string) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/run" {
					follow++
				}
				http.Redirect(w, r, "/elsewhere", http.StatusFound)
			}
		}, CodeStatus, "302"},
		{"no content", kinds, func(string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }
		}, CodeStatus, "204"},
		{"HTML", kinds, func(string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html><body>Please log in</body></html>") }
		}, CodeMalformed, "text/html"},
		{"nothing", kinds, func(string) http.HandlerFunc { return says() }, CodeTruncated, ""},
		{"clean end in a message", kinds, func(kind string) http.HandlerFunc { return says(half[kind]...) }, CodeTruncated, ""},
		{"closed in a message", kinds, func(kind string) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) {
				events(w, half[kind]...)
				fmt.Fprint(w, `data: {"type":`)
				panic(http.ErrAbortHandler)
			}
		}, CodeTruncated, ""},
		{"not JSON", kinds, func(string) http.HandlerFunc { return says("rubbish") }, CodeMalformed, "JSON"},
		{"array", kinds, func(string) http.HandlerFunc { return says("[]") }, CodeMalformed, ""},
		{"too large", kinds, func(kind string) http.HandlerFunc {
			return says(half[kind][0], strings.Repeat("x", 2000))
		}, CodeMalformed, "1000 bytes"},

		{"wrong member", kinds[:1], func(string) http.HandlerFunc {
			return says(runStarted, `{"type":"TEXT_MESSAGE_START","messageId":7}`)
		}, CodeMalformed, "/messageId"},
		{"content without a start", kinds[:1], func(string) http.HandlerFunc { return says(runStarted, textContent) }, CodeMalformed, "message m is not open"},
		{"finished with an open message", kinds[:1], func(string) http.HandlerFunc {
			return says(runStarted, textStart, runFinished)
		}, CodeMalformed, "message m is still open"},
		{"no start", kinds[:1], func(string) http.HandlerFunc { return says(textStart) }, CodeMalformed, "opens with RUN_STARTED"},
		{"another run", kinds[:1], func(string) http.HandlerFunc {
			return says(runStarted, `{"type":"RUN_FINISHED","threadId":"t","runId":"other"}`)
		}, CodeMalformed, "runId must be that of RUN_STARTED"},
		{"another thread", kinds[:1], func(string) http.HandlerFunc {
			return says(`{"type":"RUN_STARTED","threadId":"other","runId":"r"}`)
		}, CodeMalformed, "threadId must be the input's"},

		{"wrong member", kinds[1:], func(string) http.HandlerFunc { return says(begin, `{"type":"text-delta","id":"1"}`) }, CodeMalformed, "/delta"},
		{"delta without a start", kinds[1:], func(string) http.HandlerFunc { return says(begin, partDelta) }, CodeMalformed, "part 1 is not open"},
		{"result of no call", kinds[1:], func(string) http.HandlerFunc {
			return says(begin, `{"type":"tool-output-available","toolCallId":"c","output":1}`)
		}, CodeMalformed, "c"},
		{"[DONE] in a message of AG-UI", kinds[:1], func(string) http.HandlerFunc { return says(runStarted, aisdk.Done) }, CodeMalformed, ""},
	} {
		for _, kind := range test.kinds {
			t.Run(kind+" "+test.name, func(t *testing.T) {
				a := newAgent(t, kind, Options{MaxMessage: 1000}, test.handler(kind))
				got := listen(t.Context(), a, call(), nil)
				got.failed(t, test.code, `"far"`, test.words)
				if strings.Contains(got.err.Error(), "secret") {
					t.Errorf("the failure repeats what the agent said: %v", got.err)
				}
			})
		}
	}
	if follow > 0 {
		t.Error("a redirect was followed")
	}
}

// lingers says something and then keeps the connection open until the client is gone.
func lingers(data ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then does the server notice a client that goes
		events(w, data...)
		<-r.Context().Done()
	}
}

func TestIdle(t *testing.T) {
	for _, kind := range kinds {
		for name, handler := range map[string]http.HandlerFunc{
			"in a message": lingers(half[kind]...),
			"at once": func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				<-r.Context().Done()
			},
		} {
			t.Run(kind+" "+name, func(t *testing.T) {
				got := listen(t.Context(), newAgent(t, kind, Options{IdleTimeout: 50 * time.Millisecond}, handler), call(), nil)
				got.failed(t, CodeTruncated, "silent for 50ms")
			})
		}
	}
}

func TestCommentsKeepAwake(t *testing.T) {
	a := newAgent(t, "agui", Options{IdleTimeout: 200 * time.Millisecond}, func(w http.ResponseWriter, _ *http.Request) {
		events(w, runStarted)
		for range 10 {
			time.Sleep(40 * time.Millisecond)
			fmt.Fprint(w, ": still here\n\n")
			w.(http.Flusher).Flush()
		}
		events(w, runFinished)
	})
	if got := listen(t.Context(), a, call(), nil); got.err != nil || got.end == nil {
		t.Errorf("got %v, %+v", got.err, got.end)
	}
}

// stopAfter runs an agent that lingers, and ends its context after n frames.
func stopAfter(t *testing.T, kind string, n int, cause error) tale {
	t.Helper()
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	a := newAgent(t, kind, Options{}, lingers(half[kind][:n]...))
	if n == 0 {
		time.AfterFunc(20*time.Millisecond, func() { cancel(cause) })
	}
	return listen(ctx, a, call(), func(heard int) {
		if heard == n {
			cancel(cause)
		}
	})
}

func TestCancelled(t *testing.T) {
	for n := range 4 {
		t.Run(fmt.Sprintf("agui after %d", n), func(t *testing.T) {
			got := stopAfter(t, "agui", n, session.ErrCancelled)
			if got.err != nil || got.end == nil || got.end.Status != session.Cancelled || !got.end.Spoken {
				t.Fatalf("got %v, %+v, want the cancelled end", got.err, got.end)
			}
			v := agui.Verifier{ThreadID: "t"}
			for _, raw := range got.frames {
				f, _, err := agui.ParseFrame([]byte(raw))
				if err != nil {
					t.Fatal(err)
				}
				if err := v.Next(f); err != nil {
					t.Fatal(err)
				}
			}
			if last := got.frames[len(got.frames)-1]; !v.Ended() || !strings.Contains(last, `"cancelled"`) {
				t.Errorf("the last frame is %s", last)
			}
		})
		t.Run(fmt.Sprintf("aisdk after %d", n), func(t *testing.T) {
			got := stopAfter(t, "aisdk", n, session.ErrCancelled)
			if got.err != nil || got.end == nil || got.end.Status != session.Cancelled || !got.end.Spoken {
				t.Fatalf("got %v, %+v, want the cancelled end", got.err, got.end)
			}
			if last := got.frames[len(got.frames)-1]; last != `{"type":"abort"}` {
				t.Errorf("the last frame is %s", last)
			}
		})
	}
}

func TestShutdown(t *testing.T) {
	for _, kind := range kinds {
		for n := range 4 {
			t.Run(fmt.Sprintf("%s after %d", kind, n), func(t *testing.T) {
				stopAfter(t, kind, n, session.ErrShutdown).failed(t, session.CodeRunLost)
			})
		}
	}
}

// The agent is posted the conversation as a chat would hold it, with the approval answered.
func TestResumeBody(t *testing.T) {
	turn := []string{
		`{"type":"start","messageId":"m"}`, `{"type":"start-step"}`,
		`{"type":"text-start","id":"1"}`, `{"type":"text-delta","id":"1","delta":"May I?"}`, `{"type":"text-end","id":"1"}`,
		`{"type":"tool-input-available","toolCallId":"c","toolName":"send","input":{"to":"ada"}}`,
		`{"type":"tool-approval-request","approvalId":"a","toolCallId":"c"}`,
		`{"type":"finish-step"}`, `{"type":"finish"}`,
	}
	q := hitl.Request{ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "c", Name: "send", Args: []byte(`{"to":"ada"}`)}}
	cancel := hitl.Cancel()
	for _, test := range []struct {
		name     string
		response hitl.Response
		approval string
	}{
		{"approved", hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}, `{"id":"a","approved":true}`},
		{"approved with a reason", hitl.Response{Decision: &hitl.ToolDecision{Approved: true, Reason: "fine"}}, `{"id":"a","approved":true,"reason":"fine"}`},
		{"denied", hitl.Response{Decision: &hitl.ToolDecision{Reason: "no"}}, `{"id":"a","approved":false,"reason":"no"}`},
		{"given up", hitl.Response{Input: &cancel}, `{"id":"a","approved":false,"reason":"The request was cancelled; nothing was decided."}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			var body []byte
			a := newAgent(t, "aisdk", Options{}, func(w http.ResponseWriter, r *http.Request) {
				body, _ = io.ReadAll(r.Body)
				events(w, `{"type":"start","messageId":"m"}`, `{"type":"tool-output-available","toolCallId":"c","output":"sent"}`, finish, aisdk.Done)
			})
			c := call()
			c.Input = []byte(`{"threadId":"t","runId":"r2","messages":[{"id":"u","role":"user","content":"hi"},{"id":"m","role":"assistant","content":"forged"}]}`)
			c.Origin = session.Asking{Protocol: session.AGUI, Input: []byte(`{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"hi"}]}`)}
			c.RunID, c.Settled = "r2", []session.Settled{{Request: q, Response: test.response, Agent: "far"}}
			for _, chunk := range turn {
				c.Turn = append(c.Turn, []byte(chunk))
			}
			if got := listen(t.Context(), a, c, nil); got.err != nil || got.end == nil || got.end.Status != session.Success {
				t.Fatalf("got %v, %+v", got.err, got.end)
			}
			want := `{"id":"t","messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"hi"}]},` +
				`{"id":"m","role":"assistant","parts":[{"type":"step-start"},{"type":"text","text":"May I?","state":"done"},` +
				`{"type":"tool-send","toolCallId":"c","state":"approval-responded","input":{"to":"ada"},"approval":` + test.approval + `}]}],` +
				`"trigger":"submit-message","messageId":"m"}`
			if string(body) != want {
				t.Errorf("the agent was posted\n%s, want\n%s", body, want)
			}
		})
	}
}

func TestOtherProtocolRefused(t *testing.T) {
	for _, kind := range kinds {
		asked := false
		a := newAgent(t, kind, Options{}, func(http.ResponseWriter, *http.Request) { asked = true })
		c := call()
		c.Protocol = session.AISDK
		if got := listen(t.Context(), a, c, nil); got.err == nil || asked {
			t.Errorf("%s: an input it cannot read was sent on (%v)", kind, got.err)
		}
	}
}

func TestReaderLeaves(t *testing.T) {
	for _, kind := range kinds {
		gone := make(chan struct{})
		a := newAgent(t, kind, Options{}, func(w http.ResponseWriter, r *http.Request) {
			lingers(half[kind]...)(w, r)
			close(gone)
		})
		for range a.Run(t.Context(), call()) {
			break
		}
		select {
		case <-gone:
		case <-time.After(5 * time.Second):
			t.Errorf("%s: the request goes on", kind)
		}
	}
}

// Frames are handed on; what comes later must not change them.
func TestFramesAreTheirOwn(t *testing.T) {
	sent := append([]string{runStarted, textStart}, strings.Split(strings.Repeat(textContent+"\n", 500), "\n")[:500]...)
	a := newAgent(t, "agui", Options{}, says(append(sent, textEnd, runFinished)...))
	var kept, copies [][]byte
	for out, err := range a.Run(t.Context(), call()) {
		if err != nil {
			t.Fatal(err)
		}
		kept, copies = append(kept, out.Frame), append(copies, bytes.Clone(out.Frame))
	}
	if diff := cmp.Diff(copies, kept); diff != "" {
		t.Error(diff)
	}
}
