package gateway

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/agui/protobuf"
	"github.com/agui-bridge/agui-bridge/session"
)

// postBinary sends an input and asks for the binary form.
func (r *rig) postBinary(agent, accept, body string) (resp *http.Response, raw []byte) {
	r.t.Helper()
	req, err := http.NewRequest(http.MethodPost, r.path(agent), strings.NewReader(body))
	if err != nil {
		r.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", accept)
	if resp, err = http.DefaultClient.Do(req); err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	if raw, err = io.ReadAll(resp.Body); err != nil {
		r.t.Fatal(err)
	}
	return resp, raw
}

func binaryFrames(t *testing.T, body []byte) (frames []agui.Frame) {
	t.Helper()
	for raw, err := range protobuf.Frames(bytes.NewReader(body), protobuf.MaxFrame) {
		if err != nil {
			t.Fatalf("%q: %v", body, err)
		}
		frames = append(frames, decoded(t, raw))
	}
	return frames
}

func decoded(t testing.TB, raw []byte) agui.Frame {
	t.Helper()
	event, err := protobuf.Decode(raw)
	if err != nil {
		t.Fatalf("%x: %v", raw, err)
	}
	return parse(t, event)
}

// teller is an agent that says the given events, and then that its run is over.
func teller(events ...string) stub {
	return stub{name: "teller", protocol: session.AGUI, run: func(_ context.Context, call session.Call, yield func(session.Output, error) bool) {
		ids := fmt.Sprintf(`"threadId":%q,"runId":%q`, call.ThreadID, call.RunID)
		all := slices.Concat([]string{`{"type":"RUN_STARTED",` + ids + `}`}, events, []string{`{"type":"RUN_FINISHED",` + ids + `}`})
		for i, e := range all {
			out := session.Output{Frame: []byte(e)}
			if i == len(all)-1 {
				out.End = &session.End{Status: session.Success, Spoken: true}
			}
			if !yield(out, nil) {
				return
			}
		}
	}}
}

func withAgent(a session.Agent) setup {
	return func(o *session.Options, _ *Options) { o.Agents = append(o.Agents, a) }
}

func types(frames []agui.Frame) (list []agui.EventType) {
	for _, f := range frames {
		list = append(list, f.Type)
	}
	return list
}

func TestHTTPGivesTheBinaryFormWhenAsked(t *testing.T) {
	for _, agent := range []string{"demo", "demo-aisdk"} {
		t.Run(agent, func(t *testing.T) {
			r := newRig(t)
			body := input("t", "r", "hello")
			resp, raw := r.postBinary(agent, protobuf.MediaType+", text/event-stream;q=0.5", body)
			if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || got != protobuf.MediaType {
				t.Fatalf("status %d, content type %q", resp.StatusCode, got)
			}
			frames := binaryFrames(t, raw)
			verify(t, frames)

			// The same input joins the same run.
			resp, sse := r.postBinary(agent, "text/event-stream", body)
			if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
				t.Errorf("content type %q", got)
			}
			if resp.Header.Get("Vary") != "Accept" {
				t.Error("the response does not say what it varies by")
			}
			for i, f := range dataFrames(t, string(sse)) {
				event, err := protobuf.Append(nil, f)
				if err != nil {
					t.Fatal(err)
				}
				if want := decoded(t, event); string(want.Raw) != string(frames[i].Raw) {
					t.Errorf("event %d\n got %s\nwant %s", i, frames[i].Raw, want.Raw)
				}
			}
		})
	}
}

// dataFrames reads the events of an SSE body.
func dataFrames(t *testing.T, body string) (frames []agui.Frame) {
	t.Helper()
	for line := range strings.Lines(body) {
		if data, ok := strings.CutPrefix(line, "data: "); ok {
			frames = append(frames, parse(t, []byte(data)))
		}
	}
	return frames
}

func TestARefusalOverHTTPIsNoStreamInEitherForm(t *testing.T) {
	resp, raw := newRig(t).postBinary("nobody", protobuf.MediaType, input("t", "r", "hello"))
	if got := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusNotFound || got != "application/json" {
		t.Errorf("status %d, content type %q: %s", resp.StatusCode, got, raw)
	}
}

func TestABinaryBodyHasNoComments(t *testing.T) {
	quiet := stub{name: "quiet", protocol: session.AGUI, run: func(ctx context.Context, call session.Call, yield func(session.Output, error) bool) {
		select {
		case <-time.After(200 * time.Millisecond):
		case <-ctx.Done():
		}
		teller().run(ctx, call, yield)
	}}
	r := newRig(t, withAgent(quiet), func(_ *session.Options, o *Options) { o.KeepAlive = 20 * time.Millisecond })
	_, raw := r.postBinary("quiet", protobuf.MediaType, input("t", "r", "hello"))
	if got := types(binaryFrames(t, raw)); !slices.Equal(got, []agui.EventType{agui.TypeRunStarted, agui.TypeRunFinished}) {
		t.Errorf("got %v", got)
	}
}

// dialForm offers subprotocols and says which one was agreed on.
func (r *rig) dialForm(agent string, offers ...string) (c *client, agreed string) {
	r.t.Helper()
	c, _, err := r.tryDial(agent, &websocket.DialOptions{Subprotocols: offers})
	if err != nil {
		r.t.Fatal(err)
	}
	return c, c.conn.Subprotocol()
}

func TestTheOrderOfTheClientDecidesTheSubprotocol(t *testing.T) {
	r := newRig(t)
	for _, tc := range []struct{ offers, want string }{
		{"", ""},
		{"ag-ui.v1", "ag-ui.v1"},
		{"ag-ui.v1.proto", "ag-ui.v1.proto"},
		{"ag-ui.v1 ag-ui.v1.proto", "ag-ui.v1"},
		{"ag-ui.v1.proto ag-ui.v1", "ag-ui.v1.proto"},
		{"other ag-ui.v1.proto", "ag-ui.v1.proto"},
		{"ag-ui.v2.proto", ""},
	} {
		if _, got := r.dialForm("demo", strings.Fields(tc.offers)...); got != tc.want {
			t.Errorf("%q: agreed on %q", tc.offers, got)
		}
	}
}

// binaryRest reads binary frames to the end of a run.
func (c *client) binaryRest() (frames []agui.Frame) {
	c.t.Helper()
	ctx, cancel := soon()
	defer cancel()
	for {
		kind, raw, err := c.conn.Read(ctx)
		if err != nil {
			c.t.Fatal(err)
		}
		if kind != websocket.MessageBinary {
			c.t.Fatalf("a frame is text: %s", raw)
		}
		f := decoded(c.t, raw)
		frames = append(frames, f)
		if f.Type == agui.TypeRunError || f.Type == agui.TypeRunFinished {
			return frames
		}
	}
}

func TestABinarySocket(t *testing.T) {
	r := newRig(t)
	c, _ := r.dialForm("demo", "ag-ui.v1.proto")
	c.send(input("t", "r1", "email"))
	frames := c.binaryRest()
	verify(t, frames)
	if outcomeType(t, frames) != agui.OutcomeInterrupt {
		t.Fatalf("got %s", frames[len(frames)-1].Raw)
	}
	c.send(resume("t", "r2", decide("r1", 1, `{"approved":true}`)))
	if frames = c.binaryRest(); !strings.Contains(said(frames), "I sent the email") {
		t.Errorf("got %q", said(frames))
	}

	// A refusal is an event. What is no event stays text.
	c.send(`{"threadId":"t"}`)
	frames = c.binaryRest()
	if f := frames[0]; len(frames) != 1 || f.Text("code") != string(session.CodeInvalidInput) {
		t.Errorf("got %s", f.Raw)
	}
	c.send(`{"type":"cancel","threadId":"nobody"}`)
	ctx, cancel := soon()
	defer cancel()
	if kind, raw, err := c.conn.Read(ctx); err != nil || kind != websocket.MessageText || !strings.Contains(string(raw), "unknown-thread") {
		t.Errorf("got %v %s, %v", kind, raw, err)
	}

	// Inputs are text in any case.
	c.sendKind(websocket.MessageBinary, input("t", "r3", "hello"))
	c.closed(websocket.StatusUnsupportedData)
}

const (
	unknownEvent = `{"type":"WEATHER_CHANGED","to":"rain"}`
	hugeNumber   = `{"type":"CUSTOM","name":"n","value":{"a":1e999}}`
	custom       = `{"type":"CUSTOM","name":"n","value":9007199254740993}`
)

func TestAnUnknownEventIsLeftOutOfABinaryStream(t *testing.T) {
	want := []agui.EventType{agui.TypeRunStarted, agui.TypeCustom, agui.TypeRunFinished}
	r := newRig(t, withAgent(teller(unknownEvent, custom)))
	_, raw := r.postBinary("teller", protobuf.MediaType, input("t", "r", "hello"))
	if got := types(binaryFrames(t, raw)); !slices.Equal(got, want) {
		t.Errorf("over HTTP: %v", got)
	}
	c, _ := r.dialForm("teller", "ag-ui.v1.proto")
	c.send(input("t", "r", "hello"))
	if got := types(c.binaryRest()); !slices.Equal(got, want) {
		t.Errorf("over WebSocket: %v", got)
	}
}

func TestAnEventWithoutABinaryFormEndsTheStreamWithAnError(t *testing.T) {
	r := newRig(t, withAgent(teller(hugeNumber, custom)))
	check := func(frames []agui.Frame) {
		t.Helper()
		last := frames[len(frames)-1]
		if got := types(frames); !slices.Equal(got, []agui.EventType{agui.TypeRunStarted, agui.TypeRunError}) {
			t.Fatalf("got %v", got)
		}
		if last.Text("code") != string(session.CodeInternal) || !strings.Contains(last.Text("message"), "CUSTOM: /value/a: the number 1e999") {
			t.Errorf("got %s", last.Raw)
		}
	}
	_, raw := r.postBinary("teller", protobuf.MediaType, input("t", "r", "hello"))
	check(binaryFrames(t, raw))

	c, _ := r.dialForm("teller", "ag-ui.v1.proto")
	c.send(input("t", "r", "hello"))
	check(c.binaryRest())
	// The socket goes on with the next input, and the run was no failure.
	c.send(input("t", "r2", "hello"))
	check(c.binaryRest())
	if _, sse := r.postBinary("teller", "text/event-stream", input("t", "r", "hello")); !strings.Contains(string(sse), "1e999") || !strings.Contains(string(sse), "RUN_FINISHED") {
		t.Errorf("over SSE: %s", sse)
	}
}
