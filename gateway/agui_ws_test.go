package gateway

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

var demos = []string{"demo", "demo-aisdk"}

// eachDemo runs a test with each demo agent.
func eachDemo(t *testing.T, test func(*testing.T, string)) {
	for _, agent := range demos {
		t.Run(agent, func(t *testing.T) { test(t, agent) })
	}
}

func TestSocketHello(t *testing.T) {
	eachDemo(t, func(t *testing.T, agent string) {
		c := newRig(t).dial(agent)
		for _, run := range []string{"r1", "r2"} { // the socket stays open after a run
			frames := c.do(input("t", run, "hello"))
			if got := said(frames); got != "Hello! How can I help you?" {
				t.Errorf("said %q", got)
			}
			if got := frames[0].Text("runId"); got != run {
				t.Errorf("run id %q, want %q", got, run)
			}
		}
	})
}

func TestSocketApproval(t *testing.T) {
	for _, test := range []struct {
		name, agent, payload, result, said string
	}{
		{"approved", "demo", `{"approved":true}`, "ada@example.com", "I sent the email to ada@example.com."},
		{"approved", "demo-aisdk", `{"approved":true}`, "ada@example.com", "I sent the email to ada@example.com."},
		{
			"edited", "demo", `{"approved":true,"editedArgs":{"to":"grace@example.com","subject":"S","body":"B"}}`,
			"grace@example.com", "I sent the email to grace@example.com.",
		},
		{"denied", "demo", `{"approved":false,"reason":"not today"}`, "not today", "Your reason: not today"},
		{"denied", "demo-aisdk", `{"approved":false,"reason":"not today"}`, "not today", "Your reason: not today"},
		{"denied without a reason", "demo", `{"approved":false}`, "denied", "You denied send_email"},
	} {
		t.Run(test.name+" at "+test.agent, func(t *testing.T) {
			r := newRig(t)
			c := r.dial(test.agent)
			if got := outcomeType(t, c.do(input("t", "r1", "email"))); got != agui.OutcomeInterrupt {
				t.Fatalf("outcome %s, want an interrupt", got)
			}
			if v := r.view("t"); v.Phase != session.Awaiting || len(v.Pending) != 1 {
				t.Fatalf("thread is %+v, want one pending request", v)
			}
			frames := c.do(resume("t", "r2", decide("r1", 1, test.payload)))
			if got := outcomeType(t, frames); got != agui.OutcomeSuccess {
				t.Errorf("outcome %s, want success", got)
			}
			if got := result(t, frames); !strings.Contains(got, test.result) {
				t.Errorf("result %s, want %s in it", got, test.result)
			}
			if got := said(frames); !strings.Contains(got, test.said) {
				t.Errorf("said %q, want %q in it", got, test.said)
			}
		})
	}
}

func TestSocketCloseCodes(t *testing.T) {
	for _, test := range []struct {
		name string
		kind websocket.MessageType
		raw  string
		code websocket.StatusCode
	}{
		{"not JSON", websocket.MessageText, "hello", websocket.StatusInvalidFramePayloadData},
		{"empty", websocket.MessageText, "", websocket.StatusInvalidFramePayloadData},
		{"array", websocket.MessageText, "[]", websocket.StatusInvalidFramePayloadData},
		{"text", websocket.MessageText, `"hello"`, websocket.StatusInvalidFramePayloadData},
		{"two objects", websocket.MessageText, "{}{}", websocket.StatusInvalidFramePayloadData},
		{"a name twice", websocket.MessageText, `{"a":1,"a":2}`, websocket.StatusInvalidFramePayloadData},
		{"bad UTF-8", websocket.MessageText, "{\"a\":\"\xff\"}", websocket.StatusInvalidFramePayloadData},
		{"binary", websocket.MessageBinary, input("t", "r", "hello"), websocket.StatusUnsupportedData},
		{"too large", websocket.MessageText, input("t", "r", strings.Repeat("x", 2000)), websocket.StatusMessageTooBig},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newRig(t, func(_ *session.Options, o *Options) { o.MaxMessageBytes = 1000 }).dial("demo")
			c.sendKind(test.kind, test.raw)
			c.closed(test.code)
		})
	}
}

func TestSocketRefusesInput(t *testing.T) {
	for _, test := range []struct{ name, raw, names string }{
		{"thread id is a number", `{"threadId":5,"runId":"r","messages":[]}`, "/threadId"},
		{"no run id", `{"threadId":"t","messages":[]}`, "/runId"},
		{"empty run id", `{"threadId":"t","runId":"","messages":[]}`, "/runId"},
		{"message without content", `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user"}]}`, "/messages/0/content"},
		{"resume without a status", `{"threadId":"t","runId":"r","messages":[],"resume":[{"interruptId":"i"}]}`, "/resume/0/status"},
		{"null state", `{"threadId":"t","runId":"r","messages":[],"state":null}`, "/state"},
		{"unknown control frame", `{"type":"dance","threadId":"t"}`, "/type"},
		{"control frame of no type", `{"type":5}`, "/type"},
		{"cancel of nothing", `{"type":"cancel"}`, "/threadId"},
		{"cancel of a number", `{"type":"cancel","threadId":1}`, "/threadId"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := newRig(t).dial("demo")
			c.send(test.raw)
			if message := c.refused(session.CodeInvalidInput); !strings.Contains(message, test.names) {
				t.Errorf("message %q does not name %s", message, test.names)
			}
			if got := said(c.do(input("t2", "r2", "hello"))); got == "" {
				t.Error("the socket cannot be used afterwards")
			}
		})
	}
}

func TestSocketUpgradeRefused(t *testing.T) {
	header := func(origin string) *websocket.DialOptions {
		return &websocket.DialOptions{HTTPHeader: http.Header{"Origin": {origin}}}
	}
	r := newRig(t, func(_ *session.Options, o *Options) {
		o.AllowedOrigins = []string{"https://app.example.com"}
		o.MaxConnections = 2
	})
	for _, test := range []struct {
		name, agent string
		options     *websocket.DialOptions
		status      int
		code        session.Code
	}{
		{"unknown agent", "nobody", nil, http.StatusNotFound, session.CodeUnknownAgent},
		{"origin of another page", "demo", header("https://evil.example.com"), http.StatusForbidden, codeForbidden},
		{"another port", "demo", header("https://app.example.com:444"), http.StatusForbidden, codeForbidden},
		{"no origin at all", "demo", header("null"), http.StatusForbidden, codeForbidden},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, refused, err := r.tryDial(test.agent, test.options)
			if err == nil || refused.status != test.status || !strings.Contains(refused.body, fmt.Sprintf(`"code":%q`, test.code)) {
				t.Errorf("got %v, %+v, want %d %s", err, refused, test.status, test.code)
			}
		})
	}
	for _, origin := range []string{"https://app.example.com", r.web.URL} {
		if _, _, err := r.tryDial("demo", header(origin)); err != nil {
			t.Errorf("origin %s: %v", origin, err)
		}
	}
	_, refused, err := r.tryDial("demo", nil) // two are open
	if err == nil || refused.status != http.StatusServiceUnavailable || !strings.Contains(refused.body, string(codeTooManyConnections)) {
		t.Errorf("third connection: %v, %+v", err, refused)
	}
}

func TestSocketSubprotocol(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		offered []string
		want    string
	}{
		{nil, ""}, {[]string{"ag-ui.v1"}, "ag-ui.v1"}, {[]string{"ag-ui.v9"}, ""}, {[]string{"ag-ui.v9", "ag-ui.v1"}, "ag-ui.v1"},
	} {
		c, _, err := r.tryDial("demo", &websocket.DialOptions{Subprotocols: test.offered})
		if err != nil {
			t.Fatal(err)
		}
		if got := c.conn.Subprotocol(); got != test.want {
			t.Errorf("offered %v: got %q, want %q", test.offered, got, test.want)
		}
	}
}

func TestSocketCancel(t *testing.T) {
	eachDemo(t, func(t *testing.T, agent string) {
		c := newRig(t).dial(agent)
		c.send(input("t", "r1", "slow 100"))
		before := c.until(agui.TypeTextMessageContent)
		c.send(`{"type":"cancel","threadId":"t"}`)
		if got := outcomeType(t, c.rest(before...)); got != agui.OutcomeCancelled {
			t.Errorf("outcome %s, want cancelled", got)
		}
		if got := said(c.do(input("t", "r2", "hello"))); got == "" {
			t.Error("the thread cannot be used afterwards")
		}
	})
}

func TestSocketCancelUnknownThread(t *testing.T) {
	c := newRig(t).dial("demo")
	c.send(`{"type":"cancel","threadId":"a \"thread\""}`)
	if got, want := string(c.next().Raw), `{"type":"unknown-thread","threadId":"a \"thread\""}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestSocketRepeatedInput(t *testing.T) {
	eachDemo(t, func(t *testing.T, agent string) {
		r := newRig(t)
		raw := input("t", "r1", "slow 4")
		first := r.dial(agent)
		first.send(raw)
		before := first.until(agui.TypeTextMessageContent)
		live := r.dial(agent)
		live.send(raw)
		want := first.rest(before...)
		same(t, "attached while it runs", live.rest(), want)
		same(t, "attached afterwards", live.do(raw), want)
		// The order of members is no part of the content; another text is.
		same(t, "in another order", live.do(`{"messages":[{"role":"user","content":"slow 4","id":"u-r1"}],"runId":"r1","threadId":"t","protocolVersion":"1.1"}`), want)
		live.send(input("t", "r1", "hello"))
		live.refused(session.CodeInvalidInput)
	})
}

func same(t *testing.T, what string, got, want []agui.Frame) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%s: %d frames, want %d", what, len(got), len(want))
	}
	for i := range want {
		if !bytes.Equal(got[i].Raw, want[i].Raw) {
			t.Errorf("%s: frame %d is %s, want %s", what, i, got[i].Raw, want[i].Raw)
		}
	}
}

func TestSocketRepeatedResume(t *testing.T) {
	eachDemo(t, func(t *testing.T, agent string) {
		c := newRig(t).dial(agent)
		c.do(input("t", "r1", "email"))
		yes := decide("r1", 1, `{"approved":true}`)
		want := c.do(resume("t", "r2", yes))
		same(t, "same run id", c.do(resume("t", "r2", yes)), want)
		same(t, "another run id", c.do(resume("t", "r3", yes)), want)
	})
}

func TestSocketResumeRefused(t *testing.T) {
	yes := `{"approved":true}`
	for _, test := range []struct {
		name, agent, asks string
		before            []string // resumes that succeed
		raw               string
		code              session.Code
	}{
		{"one of three", "demo", "parallel", nil, resume("t", "r2", decide("r1", 1, yes)), session.CodeResumeIncomplete},
		{"no boolean", "demo", "email", nil, resume("t", "r2", decide("r1", 1, `{"approved":"yes"}`)), session.CodeResumeInvalid},
		{"no object", "demo", "email", nil, resume("t", "r2", decide("r1", 1, `true`)), session.CodeResumeInvalid},
		{"edits that are no object", "demo", "email", nil, resume("t", "r2", decide("r1", 1, `{"approved":true,"editedArgs":[]}`)), session.CodeResumeInvalid},
		{"edits misspelled", "demo", "email", nil, resume("t", "r2", decide("r1", 1, `{"approved":true,"edited_args":{}}`)), session.CodeResumeInvalid},
		{"answered twice at once", "demo", "email", nil, resume("t", "r2", decide("r1", 1, yes), decide("r1", 1, yes)), session.CodeResumeInvalid},
		{"a status nobody knows", "demo", "email", nil, resume("t", "r2", `{"interruptId":"approve-call-r1-1","status":"maybe","payload":{"approved":true}}`), session.CodeResumeIncomplete},
		{"no payload", "demo", "email", nil, resume("t", "r2", `{"interruptId":"approve-call-r1-1","status":"resolved"}`), session.CodeResumeInvalid},
		{
			"a form out of range", "demo", "book", nil,
			resume("t", "r2", `{"interruptId":"book-call-r1-1","status":"resolved","payload":{"guests":11,"date":"2027-01-01","email":"a@b.example","seating":"bar"}}`),
			session.CodeResumeInvalid,
		},
		{
			"edits for an agent that takes none", "demo-aisdk", "email", nil,
			resume("t", "r2", decide("r1", 1, `{"approved":true,"editedArgs":{"to":"x"}}`)), session.CodeEditsNotSupported,
		},
		{
			"settled otherwise", "demo", "email", []string{resume("t", "r2", decide("r1", 1, yes))},
			resume("t", "r3", decide("r1", 1, `{"approved":false}`)), session.CodeAlreadySettled,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := newRig(t)
			c := r.dial(test.agent)
			c.do(input("t", "r1", test.asks))
			for _, raw := range test.before {
				c.do(raw)
			}
			was := r.view("t")
			c.send(test.raw)
			c.refused(test.code)
			if is := r.view("t"); is.Phase != was.Phase || len(is.Pending) != len(was.Pending) {
				t.Errorf("a refused answer changed the thread from %+v to %+v", was, is)
			}
			if got := said(c.do(input("t2", "r9", "hello"))); got == "" {
				t.Error("the socket cannot be used afterwards")
			}
		})
	}
}

func TestSocketWrongAgentAnswers(t *testing.T) {
	r := newRig(t)
	r.dial("demo").do(input("t", "r1", "email"))
	c := r.dial("demo-aisdk")
	c.send(resume("t", "r2", decide("r1", 1, `{"approved":true}`)))
	c.refused(session.CodeInvalidInput)
}

func TestSocketPendingRejected(t *testing.T) {
	c := newRig(t, func(o *session.Options, _ *Options) { o.Limits.RejectPending = true }).dial("demo")
	c.do(input("t", "r1", "email"))
	c.send(input("t", "r2", "hello"))
	c.refused(session.CodeInterruptsPending)
}

func TestSocketFailures(t *testing.T) {
	eachDemo(t, func(t *testing.T, agent string) {
		c := newRig(t).dial(agent)
		for script, code := range map[string]string{"fail": "", "drop": "upstream_truncated"} {
			frames := c.do(input("t", "r-"+script, script))
			last := frames[len(frames)-1]
			if last.Type != agui.TypeRunError || last.Text("code") != code || last.Text("message") == "" {
				t.Errorf("%s ends with %s, want RUN_ERROR with code %q", script, last.Raw, code)
			}
		}
	})
}

func TestSocketsShareABusyThread(t *testing.T) {
	r := newRig(t)
	first, second := r.dial("demo"), r.dial("demo-aisdk")
	first.send(input("t", "r1", "slow 5"))
	before := first.until(agui.TypeTextMessageContent)
	second.send(input("t", "r2", "hello"))
	r.await("t", "running with one input held", func(v viewOfThread) bool { return v.Phase == session.Running && v.Queued == 1 })
	started := second.next()
	if started.Text("runId") != "r2" {
		t.Errorf("the second run starts with %s", started.Raw)
	}
	state, err := r.hub.Thread(t.Context(), "t")
	if err != nil || !state.Runs["r1"].Ended {
		t.Errorf("the second run began before the first had ended (%v)", err)
	}
	if said(first.rest(before...)) == "" || said(second.rest(started)) == "" {
		t.Error("a run said nothing")
	}
}

func TestSocketTooManyWaiting(t *testing.T) {
	r := newRig(t)
	c := r.dial("demo")
	c.send(input("t", "r0", "slow 100"))
	c.until(agui.TypeRunStarted)
	for i := range maxWaiting + 1 {
		c.send(input("t", fmt.Sprint("r", i+1), "hello"))
	}
	c.closed(websocket.StatusPolicyViolation)
	if v := r.view("t"); v.Phase != session.Running {
		t.Errorf("thread is %s, want running: what a socket does ends no run", v.Phase)
	}
}

func TestSocketLeavesMidRun(t *testing.T) {
	r := newRig(t)
	c := r.dial("demo")
	raw := input("t", "r1", "slow 4")
	c.send(raw)
	c.until(agui.TypeTextMessageContent)
	_ = c.conn.CloseNow()
	r.await("t", "idle", func(v viewOfThread) bool { return v.Phase == session.Idle })
	frames := r.dial("demo").do(raw)
	if got := outcomeType(t, frames); got != agui.OutcomeSuccess || said(frames) != "word1 word2 word3 word4 " {
		t.Errorf("the run ended %s and said %q", got, said(frames))
	}
}

func TestSocketGoingAway(t *testing.T) {
	r := newRig(t)
	idle, busy := r.dial("demo"), r.dial("demo")
	busy.send(input("t", "r1", "slow 100"))
	busy.until(agui.TypeTextMessageContent)
	done := make(chan error, 1)
	go func() {
		ctx, cancel := soon()
		defer cancel()
		done <- r.server.Close(ctx)
	}()
	idle.closed(websocket.StatusGoingAway)
	busy.closed(websocket.StatusGoingAway)
	if err := <-done; err != nil {
		t.Error(err)
	}
	if v := r.view("t"); v.Phase != session.Running {
		t.Errorf("thread is %s, want running", v.Phase)
	}
	if _, refused, err := r.tryDial("demo", nil); err == nil || refused.status != http.StatusServiceUnavailable {
		t.Errorf("a closed server accepts connections: %v", err)
	}
}

func TestSocketPings(t *testing.T) {
	r := newRig(t, func(_ *session.Options, o *Options) { o.KeepAlive = 20 * time.Millisecond })
	pings := make(chan struct{}, 100)
	c, _, err := r.tryDial("demo", &websocket.DialOptions{OnPingReceived: func(context.Context, []byte) bool {
		select {
		case pings <- struct{}{}:
		default:
		}
		return true
	}})
	if err != nil {
		t.Fatal(err)
	}
	c.do(input("t", "r1", "slow 4"))
	if len(pings) < 2 {
		t.Errorf("%d pings in 300 ms, want more", len(pings))
	}
}
