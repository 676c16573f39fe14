package gateway

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// A held input must not hold up the answer it waits for.
func TestAnswerPassesAHeldInputOnTheSameSocket(t *testing.T) {
	r := newRig(t)
	c := r.dial("demo")
	c.send(input("t", "r1", "email"))
	c.until(agui.TypeRunFinished)
	c.send(input("t", "r2", "hello"))
	c.send(input("t", "r2b", "and you"))
	r.await("t", "two held inputs", func(v viewOfThread) bool { return v.Queued == 2 })
	c.send(resume("t", "r3", decide("r1", 1, `{"approved":true}`)))
	resumed, held, last := c.until(agui.TypeRunFinished), c.until(agui.TypeRunFinished), c.until(agui.TypeRunFinished)
	if got := said(resumed); got != "I sent the email to ada@example.com." {
		t.Errorf("first comes the resumed run, got %q", got)
	}
	if got := said(held); got != "Hello! How can I help you?" {
		t.Errorf("then the held input runs, got %q", got)
	}
	if got := said(last); got != "You said: and you" {
		t.Errorf("then the one held after it, got %q", got)
	}
}

// A refusal that comes while a run is streamed is said after it, never inside it.
func TestRefusalWaitsForTheRunThatIsStreamed(t *testing.T) {
	r := newRig(t)
	c := r.dial("demo")
	c.send(input("t", "r1", "slow 3"))
	first := c.next()
	c.send(`{"threadId":"t","runId":"r2","messages":5}`)
	verify(t, c.rest(first))
	c.refused("invalid_input")
}

// A handler ends when its client does, also if a ping is answered at that moment: no
// further ping is scheduled, for the handler would wait for it.
func TestNoPingIsScheduledForAHandlerThatEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	c := &connection{ctx: ctx, server: newRig(t).server}
	c.keepAlive()
	if c.ping != nil {
		c.ping.Stop()
		t.Error("a ping is scheduled")
	}
}

// A stream whose run the server leaves behind ends with a failure, never just so.
func TestAStreamThatTheServerEndsIsAFailure(t *testing.T) {
	r := newRig(t)
	resp, err := http.Post(r.path("demo"), "application/json", strings.NewReader(input("t", "r", "slow 100")))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	ctx, cancel := soon()
	defer cancel()
	if err := r.server.Close(ctx); err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(resp.Body)
	events := strings.Split(strings.TrimSpace(string(raw)), "\n\n")
	if last := events[len(events)-1]; err != nil || !strings.Contains(last, `"RUN_ERROR"`) || !strings.Contains(last, `"run_lost"`) {
		t.Errorf("the last event is %s (%v)", last, err)
	}
}
