package gateway

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/sse"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// stream posts an input and reads the run that answers it.
func (r *rig) stream(agent, body string) []agui.Frame {
	r.t.Helper()
	status, answer := r.post(agent, body)
	if status != http.StatusOK {
		r.t.Fatalf("status %d: %s", status, answer)
	}
	return framesOf(r.t, answer)
}

func framesOf(t testing.TB, stream string) (frames []agui.Frame) {
	t.Helper()
	for data, err := range sse.Read(strings.NewReader(stream), 0) {
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, parse(t, data))
	}
	verify(t, frames)
	return frames
}

// refusals holds an error body to a code, and returns it.
func refusalBody(t *testing.T, body string, code session.Code) errorBody {
	t.Helper()
	var e errorBody
	if err := json.Unmarshal([]byte(body), &e, json.RejectUnknownMembers(true)); err != nil {
		t.Fatalf("body %s: %v", body, err)
	}
	if e.Error.Code != code || e.Error.Message == "" {
		t.Errorf("body %s, want code %s and a message", body, code)
	}
	return e
}

func TestStreamApproval(t *testing.T) {
	eachDemo(t, func(t *testing.T, agent string) {
		r := newRig(t)
		if got := outcomeType(t, r.stream(agent, input("t", "r1", "email"))); got != agui.OutcomeInterrupt {
			t.Fatalf("outcome %s", got)
		}
		frames := r.stream(agent, resume("t", "r2", decide("r1", 1, `{"approved":true}`)))
		if got := said(frames); !strings.Contains(got, "I sent the email") {
			t.Errorf("said %q", got)
		}
		c := r.dial(agent) // both bindings show the same run
		same(t, "over a socket", c.do(resume("t", "r2", decide("r1", 1, `{"approved":true}`))), frames)
	})
}

func TestStreamHeaders(t *testing.T) {
	r := newRig(t)
	resp, err := http.Post(r.path("demo"), "application/json; charset=utf-8", strings.NewReader(input("t", "r1", "hello")))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"Content-Type": "text/event-stream", "Cache-Control": "no-cache, no-transform", "X-Accel-Buffering": "no",
	} {
		if got := resp.Header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestStreamRefusals(t *testing.T) {
	yes := `{"approved":true}`
	for _, test := range []struct {
		name, agent string
		before      []string
		raw         string
		status      int
		code        session.Code
		path        string // of the first issue
	}{
		{"unknown agent", "nobody", nil, input("t", "r", "x"), http.StatusNotFound, session.CodeUnknownAgent, ""},
		{"not JSON", "demo", nil, "hello", http.StatusBadRequest, session.CodeInvalidInput, ""},
		{"array", "demo", nil, "[]", http.StatusBadRequest, session.CodeInvalidInput, ""},
		{"nothing", "demo", nil, "", http.StatusBadRequest, session.CodeInvalidInput, ""},
		{"wrong member", "demo", nil, `{"threadId":5,"runId":"r","messages":[]}`, http.StatusBadRequest, session.CodeInvalidInput, "/threadId"},
		{"too large", "demo", nil, input("t", "r", strings.Repeat("x", 2000)), http.StatusRequestEntityTooLarge, session.CodeInvalidInput, ""},
		{"run id used again", "demo", []string{input("t", "r1", "hello")}, input("t", "r1", "email"), http.StatusConflict, session.CodeInvalidInput, ""},
		{
			"answered at another agent", "demo-aisdk", []string{input("t", "r1", "email")},
			resume("t", "r2", decide("r1", 1, yes)), http.StatusConflict, session.CodeInvalidInput, "",
		},
		{"incomplete", "demo", []string{input("t", "r1", "parallel")}, resume("t", "r2", decide("r1", 2, yes)), http.StatusConflict, session.CodeResumeIncomplete, ""},
		{
			"invalid payload", "demo", []string{input("t", "r1", "email")},
			resume("t", "r2", decide("r1", 1, `{"approved":1}`)), http.StatusUnprocessableEntity, session.CodeResumeInvalid, "/approved",
		},
		{
			"settled", "demo", []string{input("t", "r1", "email"), resume("t", "r2", decide("r1", 1, yes))},
			resume("t", "r3", decide("r1", 1, `{"approved":false}`)), http.StatusConflict, session.CodeAlreadySettled, "",
		},
		{"interrupts pending", "demo", []string{input("t", "r1", "email")}, input("t", "r2", "hello"), http.StatusConflict, session.CodeInterruptsPending, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t, func(h *session.Options, o *Options) {
				h.Limits.RejectPending = true
				o.MaxMessageBytes = 1000
			})
			for _, raw := range test.before {
				r.stream("demo", raw)
			}
			status, body := r.post(test.agent, test.raw)
			if status != test.status {
				t.Errorf("status %d, want %d", status, test.status)
			}
			e := refusalBody(t, body, test.code)
			if test.path != "" && (len(e.Error.Issues) == 0 || e.Error.Issues[0].Path != test.path) {
				t.Errorf("issues %v, want one at %s", e.Error.Issues, test.path)
			}
		})
	}
}

func TestStreamEditsRefused(t *testing.T) {
	r := newRig(t)
	r.stream("demo-aisdk", input("t", "r1", "email"))
	status, body := r.post("demo-aisdk", resume("t", "r2", decide("r1", 1, `{"approved":true,"editedArgs":{"to":"x"}}`)))
	if status != http.StatusUnprocessableEntity {
		t.Errorf("status %d", status)
	}
	refusalBody(t, body, session.CodeEditsNotSupported)
}

func TestStreamExpired(t *testing.T) {
	asks := stub{name: "late", protocol: session.AISDK, run: func(_ context.Context, _ session.Call, yield func(session.Output, error) bool) {
		q := hitl.Request{
			ID: "q", Kind: hitl.KindApproval, ExpiresAt: time.Now().Add(-time.Second),
			Call: &hitl.ToolCall{ID: "c", Name: "tool", Executor: hitl.ExecutorAgent},
		}
		yield(session.Output{End: &session.End{Status: session.Interrupted, Requests: []hitl.Request{q}}}, nil)
	}}
	r := newRig(t, func(h *session.Options, _ *Options) { h.Agents = append(h.Agents, asks) })
	r.stream("late", input("t", "r1", "anything"))
	status, body := r.post("late", resume("t", "r2", `{"interruptId":"q","status":"resolved","payload":{"approved":true}}`))
	if status != http.StatusGone {
		t.Errorf("status %d", status)
	}
	refusalBody(t, body, session.CodeResumeExpired)
	if status, body = r.post("late", resume("t", "r2", `{"interruptId":"q","status":"cancelled"}`)); status != http.StatusOK {
		t.Errorf("an expired request cannot be cancelled: %d %s", status, body)
	}
}

func TestStreamQueueFull(t *testing.T) {
	r := newRig(t, func(h *session.Options, _ *Options) { h.Limits.Queue = 1 })
	c := r.dial("demo")
	c.send(input("t", "r1", "slow 100"))
	c.until(agui.TypeRunStarted)
	r.dial("demo").send(input("t", "r2", "hello"))
	r.await("t", "full", func(v viewOfThread) bool { return v.Queued == 1 })
	status, body := r.post("demo", input("t", "r3", "hello"))
	if status != http.StatusTooManyRequests {
		t.Errorf("status %d", status)
	}
	refusalBody(t, body, session.CodeQueueFull)
}

func TestStreamContentType(t *testing.T) {
	r := newRig(t)
	for _, kind := range []string{"", "text/plain", "application/x-www-form-urlencoded", "application/jsonp", "application/json;;"} {
		req, err := http.NewRequest(http.MethodPost, r.path("demo"), strings.NewReader(input("t", "r", "hello")))
		if err != nil {
			t.Fatal(err)
		}
		if kind != "" {
			req.Header.Set("Content-Type", kind)
		}
		status, body := r.answer(http.DefaultClient.Do(req))
		if status != http.StatusUnsupportedMediaType {
			t.Errorf("content type %q: status %d", kind, status)
		}
		refusalBody(t, body, session.CodeInvalidInput)
	}
}

func TestStreamTooManyConnections(t *testing.T) {
	r := newRig(t, func(_ *session.Options, o *Options) { o.MaxConnections = 1 })
	c := r.dial("demo")
	status, body := r.post("demo", input("t", "r", "hello"))
	if status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
	refusalBody(t, body, codeTooManyConnections)
	_ = c.conn.CloseNow()
	for range 500 { // the place is free once the server has noticed
		if status, _ = r.post("demo", input("t", "r", "hello")); status == http.StatusOK {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Errorf("status %d after the connection was closed", status)
}

func TestStreamHubClosed(t *testing.T) {
	r := newRig(t)
	if err := r.hub.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	status, body := r.post("demo", input("t", "r", "hello"))
	if status != http.StatusServiceUnavailable {
		t.Errorf("status %d", status)
	}
	refusalBody(t, body, session.CodeInternal)
}

func TestStreamKeepAlive(t *testing.T) {
	eachDemo(t, func(t *testing.T, agent string) {
		r := newRig(t, func(_ *session.Options, o *Options) { o.KeepAlive = 20 * time.Millisecond })
		status, body := r.post(agent, input("t", "r1", "slow 3"))
		if status != http.StatusOK || strings.Count(body, ": keep-alive\n\n") < 2 {
			t.Errorf("status %d and no comments in %s", status, body)
		}
		if got := said(framesOf(t, body)); got != "word1 word2 word3 " {
			t.Errorf("said %q", got)
		}
	})
}

func TestStreamLeavesMidRun(t *testing.T) {
	r := newRig(t)
	raw := input("t", "r1", "slow 4")
	resp, err := http.Post(r.path("demo"), "application/json", strings.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(resp.Body, make([]byte, 20)); err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	r.await("t", "idle", func(v viewOfThread) bool { return v.Phase == session.Idle })
	if got := said(r.stream("demo", raw)); got != "word1 word2 word3 word4 " {
		t.Errorf("said %q", got)
	}
}

func TestStreamEndsWithTheServer(t *testing.T) {
	r := newRig(t)
	resp, err := http.Post(r.path("demo"), "application/json", strings.NewReader(input("t", "r1", "slow 100")))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ctx, cancel := soon()
	defer cancel()
	if err := r.server.Close(ctx); err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || bytes.Contains(body, []byte("RUN_FINISHED")) {
		t.Errorf("the stream ended with %v: %s", err, body)
	}
	if v := r.view("t"); v.Phase != session.Running {
		t.Errorf("thread is %s, want running", v.Phase)
	}
}

func TestOrigins(t *testing.T) {
	r := newRig(t, func(_ *session.Options, o *Options) { o.AllowedOrigins = []string{"https://app.example.com"} })
	for _, test := range []struct {
		method, origin string
		status         int
	}{
		{http.MethodGet, "", http.StatusOK},
		{http.MethodGet, "https://app.example.com", http.StatusOK},
		{http.MethodGet, r.web.URL, http.StatusOK},
		{http.MethodGet, "https://evil.example.com", http.StatusForbidden},
		{http.MethodGet, "https://app.example.com.evil.example", http.StatusForbidden},
		{http.MethodOptions, "https://app.example.com", http.StatusNoContent},
		{http.MethodOptions, "https://evil.example.com", http.StatusForbidden},
	} {
		req, err := http.NewRequest(test.method, r.web.URL+"/v1/agents", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if test.origin != "" {
			req.Header.Set("Origin", test.origin)
			req.Header.Set("Access-Control-Request-Headers", "content-type,x-tenant")
		}
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != test.status {
			t.Errorf("%s from %q: status %d, want %d", test.method, test.origin, resp.StatusCode, test.status)
		}
		allowed := ""
		if test.status < http.StatusBadRequest {
			allowed = test.origin
		}
		if got := resp.Header.Get("Access-Control-Allow-Origin"); got != allowed {
			t.Errorf("%s from %q: allowed origin %q, want %q", test.method, test.origin, got, allowed)
		}
		headers := ""
		if test.status == http.StatusNoContent {
			headers = "content-type,x-tenant"
		}
		if got := resp.Header.Get("Access-Control-Allow-Headers"); got != headers {
			t.Errorf("%s from %q: allowed headers %q, want %q", test.method, test.origin, got, headers)
		}
	}
}
