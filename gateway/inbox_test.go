package gateway

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
)

type inboxView struct {
	Type      string                          `json:"type"`
	Requests  []struct{ ID, ThreadID string } `json:"requests"`
	Request   struct{ ID, ThreadID, Agent string }
	ThreadID  string `json:"threadId"`
	RequestID string `json:"requestId"`
	Actor     string `json:"actor"`
}

func (r *rig) inbox() (next func() inboxView) {
	r.t.Helper()
	conn, _, err := websocket.Dial(r.t.Context(), strings.Replace(r.web.URL, "http", "ws", 1)+"/v1/inbox/ws", nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = conn.CloseNow() })
	return func() (v inboxView) {
		r.t.Helper()
		_, raw, err := conn.Read(r.t.Context())
		if err != nil {
			r.t.Fatal(err)
		}
		if err := json.Unmarshal(raw, &v, json.MatchCaseInsensitiveNames(true)); err != nil {
			r.t.Fatalf("%s: %v", raw, err)
		}
		return v
	}
}

func TestTheInboxFollowsAllThreads(t *testing.T) {
	r := newRig(t)
	r.dial("demo").do(input("t", "r1", "email"))
	next := r.inbox()
	first := next()
	if first.Type != "snapshot" || len(first.Requests) != 1 || first.Requests[0].ThreadID != "t" {
		t.Fatalf("it begins with %+v", first)
	}
	r.dial("demo-aisdk").do(input("other", "r1", "delete"))
	raised := next()
	if raised.Type != "raised" || raised.Request.ThreadID != "other" || raised.Request.Agent != "demo-aisdk" {
		t.Fatalf("then comes %+v", raised)
	}
	status, body := r.get("/v1/inbox")
	var list struct {
		Requests []struct {
			ID   string `json:"id"`
			Kind string `json:"kind"`
		} `json:"requests"`
	}
	if err := json.Unmarshal([]byte(body), &list); err != nil || status != http.StatusOK || len(list.Requests) != 2 || list.Requests[1].ID != raised.Request.ID {
		t.Fatalf("%d %s, %v", status, body, err)
	}
	r.answerOne("other", raised.Request.ID, `{"decision":{"approved":false}}`)
	settled := next()
	if settled.Type != "settled" || settled.ThreadID != "other" || settled.RequestID != raised.Request.ID || settled.Actor != "anonymous" {
		t.Fatalf("then comes %+v", settled)
	}
	if err := r.hub.Cancel(t.Context(), "t", "ada"); err != nil {
		t.Fatal(err)
	}
	if gone := next(); gone.Type != "settled" || gone.ThreadID != "t" || gone.Actor != "ada" {
		t.Errorf("a thread that is cancelled gives %+v", gone)
	}
	if _, body = r.get("/v1/inbox"); body != "{\"requests\":[]}\n" {
		t.Errorf("in the end there is %s", body)
	}
}

func TestTheInboxSocketEndsWithTheServer(t *testing.T) {
	r := newRig(t)
	conn, _, err := websocket.Dial(t.Context(), strings.Replace(r.web.URL, "http", "ws", 1)+"/v1/inbox/ws", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.CloseNow() }()
	if _, _, err := conn.Read(t.Context()); err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(10*time.Millisecond, r.server.end)
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusGoingAway {
		t.Errorf("it ends with %v", err)
	}
}
