package gateway

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// still stops the hub's clock, so that views can be compared.
func still(h *session.Options, _ *Options) {
	h.Clock = func() time.Time { return time.Date(2027, 1, 2, 3, 4, 5, 0, time.UTC) }
}

func (r *rig) golden(what, path string, status int, want string) {
	r.t.Helper()
	got, body := r.get(path)
	if got != status || body != want+"\n" {
		r.t.Errorf("%s: status %d\n got %s\nwant %s", what, got, strings.TrimSpace(body), want)
	}
}

func TestThreadViews(t *testing.T) {
	r := newRig(t, still)
	r.golden("unknown", "/v1/threads/t", http.StatusNotFound, `{"error":{"code":"unknown_thread","message":"unknown thread: \"t\""}}`)

	c := r.dial("demo")
	c.do(input("t", "r0", "hello"))
	r.golden("idle", "/v1/threads/t", http.StatusOK, `{"threadId":"t","agent":"demo","phase":"idle","pending":[],"queued":0,"journal":[]}`)

	c.do(input("t", "r1", "email"))
	r.golden("awaiting", "/v1/threads/t", http.StatusOK, `{"threadId":"t","agent":"demo","phase":"awaiting","pending":[{"id":"approve-call-r1-1","kind":"approval","threadId":"t","agent":"demo","runId":"r1",`+
		`"toolCall":{"id":"call-r1-1","name":"send_email","args":{"to":"ada@example.com","subject":"Hello","body":"How are you?"},"executor":"agent"},"message":"Send this email?",`+
		`"schema":{"properties":{"approved":{"type":"boolean","description":"Whether the tool may run."},"reason":{"type":"string","description":"Why, in the person's own words."},`+
		`"editedArgs":{"type":"object","description":"Arguments that replace all of the proposed ones."}},"type":"object","required":["approved"]},`+
		`"answers":{"reason":true,"editedArgs":true,"remember":false},"raisedAt":"2027-01-02T03:04:05Z"}],"queued":0,"journal":[]}`)

	const journal = `{"requestId":"approve-call-r1-1","response":{"decision":{"approved":true,"reason":"fine","editedArgs":{"to":"x","subject":"y","body":"z"}}},"actor":"anonymous","at":"2027-01-02T03:04:05Z"}`
	c.do(resume("t", "r2", decide("r1", 1, `{"approved":true,"reason":"fine","editedArgs":{"to":"x","subject":"y","body":"z"}}`)))
	r.golden("answered", "/v1/threads/t", http.StatusOK, `{"threadId":"t","agent":"demo","phase":"idle","pending":[],"queued":0,"journal":[`+journal+`]}`)

	c.send(input("t", "r3", "slow 100"))
	c.until(agui.TypeRunStarted)
	r.dial("demo").send(input("t", "r4", "hello"))
	r.await("t", "running with one held", func(v viewOfThread) bool { return v.Queued == 1 })
	r.golden("running", "/v1/threads/t", http.StatusOK, `{"threadId":"t","agent":"demo","phase":"running","run":{"runId":"r3","startedAt":"2027-01-02T03:04:05Z"},"pending":[],"queued":1,"journal":[`+journal+`]}`)
}

func TestThreadViewOfInput(t *testing.T) {
	r := newRig(t, still)
	c := r.dial("demo")
	c.do(input("t", "r1", "book"))
	r.golden("awaiting", "/v1/threads/t", http.StatusOK, `{"threadId":"t","agent":"demo","phase":"awaiting","pending":[{"id":"book-call-r1-1","kind":"input","threadId":"t","agent":"demo","runId":"r1","message":"Please complete your booking.",`+
		`"schema":{"properties":{"guests":{"type":"integer","maximum":10,"minimum":1,"title":"Guests"},"date":{"type":"string","format":"date","title":"Date"},`+
		`"email":{"type":"string","format":"email","title":"Email"},"seating":{"type":"string","enum":["window","garden","bar"],"title":"Seating"}},`+
		`"type":"object","required":["guests","date","email","seating"]},"answers":{"reason":false,"editedArgs":false,"remember":false},"raisedAt":"2027-01-02T03:04:05Z"}],"queued":0,"journal":[]}`)
	c.do(resume("t", "r2", `{"interruptId":"book-call-r1-1","status":"cancelled"}`))
	r.golden("given up", "/v1/threads/t", http.StatusOK, `{"threadId":"t","agent":"demo","phase":"idle","pending":[],"queued":0,"journal":[{"requestId":"book-call-r1-1","response":{"input":{"action":"cancel"}},"actor":"anonymous","at":"2027-01-02T03:04:05Z"}]}`)
}

func TestThreadViewOfAISDK(t *testing.T) {
	r := newRig(t, still)
	c := r.dial("demo-aisdk")
	c.do(input("t", "r1", "email"))
	r.golden("awaiting", "/v1/threads/t", http.StatusOK, `{"threadId":"t","agent":"demo-aisdk","phase":"awaiting","pending":[{"id":"approve-call-r1-1","kind":"approval","threadId":"t","agent":"demo-aisdk","runId":"r1",`+
		`"toolCall":{"id":"call-r1-1","name":"send_email","args":{"to":"ada@example.com","subject":"Hello","body":"How are you?"},"executor":"agent"},"message":"Send this email?",`+
		`"schema":{"properties":{"approved":{"type":"boolean","description":"Whether the tool may run."},"reason":{"type":"string","description":"Why, in the person's own words."}},`+
		`"type":"object","required":["approved"]},"answers":{"reason":true,"editedArgs":false,"remember":false},"raisedAt":"2027-01-02T03:04:05Z"}],"queued":0,"journal":[]}`)
}

func TestCancelThread(t *testing.T) {
	r := newRig(t, still)
	status, body := r.answer(http.Post(r.web.URL+"/v1/threads/t/cancel", "", http.NoBody))
	if status != http.StatusNotFound {
		t.Errorf("unknown thread: status %d", status)
	}
	refusalBody(t, body, session.CodeUnknownThread)

	c := r.dial("demo")
	c.do(input("t", "r1", "email"))
	status, body = r.answer(http.Post(r.web.URL+"/v1/threads/t/cancel", "", http.NoBody))
	want := `{"threadId":"t","agent":"demo","phase":"idle","pending":[],"queued":0,"journal":[{"requestId":"approve-call-r1-1","response":{"input":{"action":"cancel"}},"actor":"anonymous","at":"2027-01-02T03:04:05Z"}]}` + "\n"
	if status != http.StatusOK || body != want {
		t.Errorf("cancelled: status %d\n got %s\nwant %s", status, body, want)
	}
	c.send(input("t", "r2", "slow 100"))
	before := c.until(agui.TypeTextMessageContent)
	if status, body = r.answer(http.Post(r.web.URL+"/v1/threads/t/cancel", "", http.NoBody)); status != http.StatusOK {
		t.Errorf("running: %d %s", status, body)
	}
	if got := outcomeType(t, c.rest(before...)); got != agui.OutcomeCancelled {
		t.Errorf("outcome %s", got)
	}
}

func TestOtherViews(t *testing.T) {
	r := newRig(t, func(_ *session.Options, o *Options) { o.Version = "v1" })
	r.golden("agents", "/v1/agents", http.StatusOK,
		`{"agents":[{"name":"demo","protocol":"agui","status":"configured"},{"name":"demo-aisdk","protocol":"aisdk","status":"configured"}]}`)
	status, body := r.get("/healthz")
	if status != http.StatusOK || !strings.Contains(body, `"status":"ok"`) || !strings.Contains(body, `"version":"v1"`) {
		t.Errorf("health: %d %s", status, body)
	}
	r.golden("nothing", "/nothing", http.StatusNotFound, `{"error":{"code":"not_found","message":"there is nothing at GET /nothing"}}`)
}
