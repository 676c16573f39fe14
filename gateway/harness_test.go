package gateway

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/internal/schema"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/upstream/builtin"
)

// A rig is a server with a real hub behind it.
type rig struct {
	t      testing.TB
	hub    *session.Hub
	server *Server
	web    *httptest.Server
}

// A setup changes what a rig is made of.
type setup func(*session.Options, *Options)

func newRig(t testing.TB, changes ...setup) *rig {
	t.Helper()
	log := store.NewMemory()
	hubOptions := session.Options{Log: log, Check: schema.New().Check, Compose: Compose, Agents: []session.Agent{demo(t, "demo"), demo(t, "demo-aisdk")}}
	var options Options
	for _, change := range changes {
		change(&hubOptions, &options)
	}
	r := &rig{t: t, hub: session.NewHub(hubOptions)}
	options.Hub = r.hub
	r.server = NewServer(options)
	r.web = httptest.NewServer(r.server)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		if err := errors.Join(r.server.Close(ctx), r.hub.Close(ctx), log.Close()); err != nil {
			t.Error("close:", err)
		}
		http.DefaultClient.CloseIdleConnections()
		r.web.Close()
	})
	return r
}

func demo(t testing.TB, name string) session.Agent {
	t.Helper()
	a, err := builtin.New(name, name)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// A stub is an agent made of a function.
type stub struct {
	name     string
	protocol session.Protocol
	run      func(context.Context, session.Call, func(session.Output, error) bool)
}

func (s stub) Name() string               { return s.name }
func (s stub) Protocol() session.Protocol { return s.protocol }

func (s stub) Run(ctx context.Context, call session.Call) iter.Seq2[session.Output, error] {
	return func(yield func(session.Output, error) bool) { s.run(ctx, call, yield) }
}

func (r *rig) path(agent string) string { return r.web.URL + "/v1/agents/" + agent + "/agui" }

// get asks for a path and returns status and body.
func (r *rig) get(path string) (status int, body string) {
	r.t.Helper()
	resp, err := http.Get(r.web.URL + path)
	return r.answer(resp, err)
}

func (r *rig) answer(resp *http.Response, err error) (status int, body string) {
	r.t.Helper()
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode, string(raw)
}

// post sends an input over HTTP.
func (r *rig) post(agent, body string) (status int, answer string) {
	r.t.Helper()
	resp, err := http.Post(r.path(agent), "application/json", strings.NewReader(body))
	return r.answer(resp, err)
}

type viewOfThread struct {
	Phase   session.Phase `json:"phase"`
	Queued  int           `json:"queued"`
	Pending []struct {
		ID string `json:"id"`
	} `json:"pending"`
}

func (r *rig) view(thread string) (v viewOfThread) {
	r.t.Helper()
	status, body := r.get("/v1/threads/" + thread)
	if status == http.StatusNotFound {
		return v
	}
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		r.t.Fatalf("thread view %s: %v", body, err)
	}
	return v
}

// await waits until the thread looks as it should.
func (r *rig) await(thread, what string, ok func(viewOfThread) bool) {
	r.t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if ok(r.view(thread)) {
			return
		}
	}
	r.t.Fatalf("thread %s never was %s: %+v", thread, what, r.view(thread))
}

// A client is one socket of a front end.
type client struct {
	t    testing.TB
	conn *websocket.Conn
}

func (r *rig) dial(agent string) *client {
	r.t.Helper()
	c, _, err := r.tryDial(agent, nil)
	if err != nil {
		r.t.Fatal("dial:", err)
	}
	return c
}

// tryDial returns the response as well, its body read.
func (r *rig) tryDial(agent string, o *websocket.DialOptions) (*client, *refusedUpgrade, error) {
	r.t.Helper()
	ctx, cancel := soon()
	defer cancel()
	conn, resp, err := websocket.Dial(ctx, strings.Replace(r.path(agent), "http", "ws", 1), o)
	if err != nil {
		refused := &refusedUpgrade{}
		if resp != nil {
			refused.status = resp.StatusCode
			raw, _ := io.ReadAll(resp.Body)
			refused.body = string(raw)
		}
		return nil, refused, err
	}
	conn.SetReadLimit(-1)
	r.t.Cleanup(func() { _ = conn.CloseNow() })
	return &client{t: r.t, conn: conn}, nil, nil
}

type refusedUpgrade struct {
	status int
	body   string
}

func soon() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 15*time.Second)
}

func (c *client) send(raw string) { c.sendKind(websocket.MessageText, raw) }

func (c *client) sendKind(kind websocket.MessageType, raw string) {
	c.t.Helper()
	ctx, cancel := soon()
	defer cancel()
	if err := c.conn.Write(ctx, kind, []byte(raw)); err != nil {
		c.t.Fatal("write:", err)
	}
}

func (c *client) next() agui.Frame {
	c.t.Helper()
	ctx, cancel := soon()
	defer cancel()
	kind, raw, err := c.conn.Read(ctx)
	if err != nil {
		c.t.Fatal("read:", err)
	}
	if kind != websocket.MessageText {
		c.t.Fatal("a frame is not text")
	}
	return parse(c.t, raw)
}

func parse(t testing.TB, raw []byte) agui.Frame {
	t.Helper()
	f, _, err := agui.ParseFrame(raw)
	if err != nil {
		t.Fatalf("frame %s: %v", raw, err)
	}
	return f
}

// until reads on to the first frame of a type.
func (c *client) until(t agui.EventType) []agui.Frame {
	c.t.Helper()
	var frames []agui.Frame
	for {
		f := c.next()
		frames = append(frames, f)
		if f.Type == t {
			return frames
		}
		if f.Type == agui.TypeRunError || f.Type == agui.TypeRunFinished {
			c.t.Fatalf("the run ended without %s: %s", t, f.Raw)
		}
	}
}

// rest reads to the terminal event and holds the whole run, with what was read
// before, to the protocol.
func (c *client) rest(before ...agui.Frame) []agui.Frame {
	c.t.Helper()
	frames := before
	for {
		f := c.next()
		frames = append(frames, f)
		if f.Type == agui.TypeRunError || f.Type == agui.TypeRunFinished {
			verify(c.t, frames)
			return frames
		}
	}
}

func verify(t testing.TB, frames []agui.Frame) {
	t.Helper()
	var v agui.Verifier
	for _, f := range frames {
		if err := v.Next(f); err != nil {
			t.Fatalf("%s: %v", f.Raw, err)
		}
	}
	if !v.Ended() {
		t.Fatal("the run has no terminal event")
	}
}

// refused reads the next frame, which has to be a refusal, and returns its message.
func (c *client) refused(code session.Code) string {
	c.t.Helper()
	f := c.next()
	if f.Type != agui.TypeRunError || f.Text("code") != string(code) {
		c.t.Fatalf("got %s, want RUN_ERROR with code %s", f.Raw, code)
	}
	return f.Text("message")
}

// closed reads to the end of the connection.
func (c *client) closed(code websocket.StatusCode) {
	c.t.Helper()
	ctx, cancel := soon()
	defer cancel()
	for {
		if _, _, err := c.conn.Read(ctx); err != nil {
			if got := websocket.CloseStatus(err); got != code {
				c.t.Fatalf("closed with %d (%v), want %d", got, err, code)
			}
			return
		}
	}
}

func (c *client) do(raw string) []agui.Frame {
	c.t.Helper()
	c.send(raw)
	return c.rest()
}

func input(thread, run, text string) string {
	return fmt.Sprintf(`{"protocolVersion":"1.1","threadId":%q,"runId":%q,"messages":[{"id":"u-%s","role":"user","content":%q}]}`, thread, run, run, text)
}

func resume(thread, run string, entries ...string) string {
	return fmt.Sprintf(`{"protocolVersion":"1.1","threadId":%q,"runId":%q,"messages":[],"resume":[%s]}`, thread, run, strings.Join(entries, ","))
}

// decide answers the n-th approval that a run of a demo agent asks.
func decide(run string, n int, payload string) string {
	return fmt.Sprintf(`{"interruptId":"approve-call-%s-%d","status":"resolved","payload":%s}`, run, n, payload)
}

// outcome is the type of a run's outcome.
func outcomeType(t testing.TB, frames []agui.Frame) agui.OutcomeType {
	t.Helper()
	e, err := frames[len(frames)-1].Event()
	if err != nil {
		t.Fatal(err)
	}
	finished, ok := e.(*agui.RunFinished)
	if !ok || finished.Outcome == nil {
		t.Fatalf("no outcome in %s", frames[len(frames)-1].Raw)
	}
	return finished.Outcome.Type
}

// said joins the deltas of all messages of a run.
func said(frames []agui.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		if f.Type == agui.TypeTextMessageContent {
			b.WriteString(f.Text("delta"))
		}
	}
	return b.String()
}

func result(t testing.TB, frames []agui.Frame) string {
	t.Helper()
	for _, f := range frames {
		if f.Type == agui.TypeToolCallResult {
			return string(f.Raw)
		}
	}
	t.Fatal("no tool result")
	return ""
}
