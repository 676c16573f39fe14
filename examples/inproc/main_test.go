package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A stage is the example at work, with an outbox in place of a mail server.
type stage struct {
	t   *testing.T
	web *httptest.Server

	mu   sync.Mutex
	sent []email
}

func newStage(t *testing.T) *stage {
	t.Helper()
	s := &stage{t: t}
	b := newBridge(planner{send: func(mail email) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.sent = append(s.sent, mail)
		return nil
	}})
	s.web = httptest.NewServer(b.front)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := b.close(ctx); err != nil {
			t.Error("close:", err)
		}
		http.DefaultClient.CloseIdleConnections()
		s.web.Close()
	})
	return s
}

// outbox is what was sent, as text.
func (s *stage) outbox() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprint(s.sent)
}

// A tab is one socket of a front end.
type tab struct {
	t    *testing.T
	conn *websocket.Conn
}

func (s *stage) tab() tab {
	s.t.Helper()
	conn, _, err := websocket.Dial(s.t.Context(), strings.Replace(s.web.URL, "http", "ws", 1)+"/v1/agents/planner/agui", nil)
	if err != nil {
		s.t.Fatal(err)
	}
	conn.SetReadLimit(-1)
	s.t.Cleanup(func() { _ = conn.CloseNow() })
	return tab{s.t, conn}
}

func (c tab) send(raw string) {
	c.t.Helper()
	if err := c.conn.Write(c.t.Context(), websocket.MessageText, []byte(raw)); err != nil {
		c.t.Fatal(err)
	}
}

// until reads on to the first frame that has the text, or to the end of the run. The
// frames come in order, or the test fails.
func (c tab) until(v *agui.Verifier, text string) (all string) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), 10*time.Second)
	defer cancel()
	for {
		_, raw, err := c.conn.Read(ctx)
		if err != nil {
			c.t.Fatalf("read: %v; before: %s", err, all)
		}
		f, _, err := agui.ParseFrame(raw)
		if err != nil {
			c.t.Fatal(err)
		}
		if err := v.Next(f); err != nil {
			c.t.Fatalf("%s: %v", raw, err)
		}
		all += string(raw) + "\n"
		if v.Ended() || text != "" && strings.Contains(string(raw), text) {
			return all
		}
	}
}

func (c tab) do(raw string) string {
	c.t.Helper()
	c.send(raw)
	return c.until(&agui.Verifier{}, "")
}

const turn = `{"protocolVersion":"1.1","threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"write to Ada"}]}`

func resume(run, id, payload string) string {
	return fmt.Sprintf(`{"protocolVersion":"1.1","threadId":"t1","runId":%q,"messages":[],"resume":[{"interruptId":%q,"status":"resolved","payload":%s}]}`, run, id, payload)
}

func want(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(text, p) {
			t.Fatalf("no %q in\n%s", p, text)
		}
	}
}

// TestExample goes the whole way: approval with edited arguments, question, cancel, with
// two tabs that repeat each other and a connection that breaks.
func TestExample(t *testing.T) {
	s := newStage(t)
	a, b := s.tab(), s.tab()
	const edited = `{"approved":true,"editedArgs":{"to":"grace@example.com","subject":"Dinner?"}}`

	want(t, a.do(turn), `approve-r1-3`, `"editedArgs"`)
	want(t, b.do(turn), `approve-r1-3`)
	if got := s.outbox(); got != "[]" {
		t.Fatal("sent before anybody allowed it:", got)
	}

	want(t, a.do(resume("r2", "approve-r1-3", `{"approved":"yes"}`)), "resume_invalid_payload")
	a.send(resume("r2", "approve-r1-3", edited))
	_ = a.conn.CloseNow() // the tab is gone; the run is not
	want(t, b.do(resume("r2", "approve-r1-3", edited)), `\"to\":\"grace@example.com\"`, `ask-r2-6`)
	want(t, s.tab().do(resume("r2", "approve-r1-3", edited)), `ask-r2-6`)
	want(t, b.do(resume("r9", "approve-r1-3", `{"approved":false}`)), "already_settled")

	var v agui.Verifier
	b.send(resume("r3", "ask-r2-6", `{"Reminder":"in an hour"}`))
	want(t, b.until(&v, "Waiting for a reply"), `Reminder: [in an hour]`)
	other := s.tab()
	other.send(resume("r3", "ask-r2-6", `{"Reminder":"in an hour"}`))
	var v2 agui.Verifier
	other.until(&v2, "Waiting for a reply")
	resp, err := http.Post(s.web.URL+"/v1/threads/t1/cancel", "application/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	_ = resp.Body.Close()
	want(t, b.until(&v, ""), `"type":"cancelled"`)
	want(t, other.until(&v2, ""), `"type":"cancelled"`)

	if got := s.outbox(); got != "[{grace@example.com Dinner?}]" {
		t.Error("sent:", got)
	}
}

// TestExampleDenied: the reason reaches the agent, and nothing is sent.
func TestExampleDenied(t *testing.T) {
	s := newStage(t)
	c := s.tab()
	c.do(turn)
	for _, run := range []string{"r2", "r2", "r3"} {
		want(t, c.do(resume(run, "approve-r1-3", `{"approved":false,"reason":"not today"}`)),
			"Reason: not today", "I did not send it.", `"type":"success"`)
	}
	if got := s.outbox(); got != "[]" {
		t.Error("sent:", got)
	}
}

// TestExampleArgumentsThatAreNone are not run, least of all the unedited ones.
func TestExampleArgumentsThatAreNone(t *testing.T) {
	s := newStage(t)
	c := s.tab()
	c.do(turn)
	want(t, c.do(resume("r2", "approve-r1-3", `{"approved":true,"editedArgs":{"to":7}}`)), "nothing was sent", `"type":"success"`)
	if got := s.outbox(); got != "[]" {
		t.Error("sent:", got)
	}
}

// TestServe starts and stops the program.
func TestServe(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := serve(ctx, "127.0.0.1:0"); err != nil {
		t.Error(err)
	}
}
