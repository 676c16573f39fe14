package gateway

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

func (c *client) attach(thread, run string, after int) attachedFrame {
	c.t.Helper()
	raw := fmt.Sprintf(`{"type":"attach","threadId":%q}`, thread)
	if run != "" {
		raw = fmt.Sprintf(`{"type":"attach","threadId":%q,"runId":%q,"after":%d}`, thread, run, after)
	}
	c.send(raw)
	return c.attached()
}

func (c *client) raw() []byte {
	c.t.Helper()
	ctx, cancel := soon()
	defer cancel()
	_, raw, err := c.conn.Read(ctx)
	if err != nil {
		c.t.Fatal("read:", err)
	}
	return raw
}

// tail reads to the end of a run whose begin may not have been shown.
func (c *client) tail() (frames []agui.Frame) {
	c.t.Helper()
	for {
		f := c.next()
		if frames = append(frames, f); f.Type == agui.TypeRunError || f.Type == agui.TypeRunFinished {
			return frames
		}
	}
}

func (c *client) attached() (a attachedFrame) {
	c.t.Helper()
	if err := json.Unmarshal(c.raw(), &a); err != nil {
		c.t.Fatal(err)
	}
	return a
}

// A client that comes back says how many events of the run it has, and gets the rest:
// none twice, and none is missing.
func TestAttachFromAnyPlace(t *testing.T) {
	bothAgents(t, func(t *testing.T, agent string) {
		r := newRig(t)
		all := r.dial(agent).do(input("t", "r1", "email"))
		for after := range len(all) + 1 {
			c := r.dial(agent)
			if diff := cmp.Diff(attachedFrame{"attached", "t", "r1", after, false}, c.attach("t", "r1", after)); diff != "" {
				t.Fatalf("(-want +got)\n%s", diff)
			}
			if after == len(all) {
				continue // there is nothing left, and the socket is of use
			}
			same(t, fmt.Sprintf("after %d", after), c.tail(), all[after:])
			same(t, "the socket is of use", c.do(input("t", "r1", "email")), all)
		}
	})
}

func TestAttachToALiveRun(t *testing.T) {
	r := newRig(t)
	first := r.dial("demo")
	first.send(input("t", "r1", "slow 5"))
	begun := first.until(agui.TypeTextMessageContent)
	c := r.dial("demo")
	if a := c.attach("t", "r1", 1); !a.Live {
		t.Errorf("attached %+v", a)
	}
	whole := append(begun, first.tail()...)
	same(t, "what is left of it", c.tail(), whole[1:])
}

func TestAttachToNothing(t *testing.T) {
	r := newRig(t)
	c := r.dial("demo")
	for _, raw := range []string{
		`{"type":"attach","threadId":"nobody"}`,
		`{"type":"attach","threadId":"nobody","runId":"r"}`,
	} {
		c.send(raw)
		if got := string(c.raw()); got != `{"type":"unknown-thread","threadId":"nobody"}` {
			t.Errorf("%s gets %s", raw, got)
		}
	}
	c.do(input("t", "r1", "hello"))
	c.send(`{"type":"attach","threadId":"t","runId":"other"}`)
	if got := string(c.raw()); got != `{"type":"unknown-thread","threadId":"t"}` {
		t.Errorf("an unknown run gets %s", got)
	}
	for _, raw := range []string{
		`{"type":"attach"}`, `{"type":"attach","threadId":5}`, `{"type":"attach","threadId":"t","runId":5}`,
		`{"type":"attach","threadId":"t","after":-1}`, `{"type":"attach","threadId":"t","after":1.5}`, `{"type":"detach"}`, `{"type":"future"}`,
	} {
		c.send(raw)
		c.refused(session.CodeInvalidInput)
	}
}

// holds is what a client holds after the given frames.
func holds(t *testing.T, frames ...agui.Frame) string {
	t.Helper()
	p, c := agui.NewPipeline(agui.PipelineOptions{}), agui.NewConversation(agui.RunInput{})
	for _, f := range frames {
		delivered, _, err := p.Next(f.Raw)
		if err != nil {
			t.Fatalf("%s: %v", f.Raw, err)
		}
		for _, f := range delivered {
			if _, err := c.Apply(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	return heldText(t, c)
}

// A tab that opens a thread is told how it stands, and then sees what others do on it.
func TestFollowAThread(t *testing.T) {
	bothAgents(t, func(t *testing.T, agent string) {
		r := newRig(t)
		r.dial(agent).do(input("t", "r1", "email"))
		tab := r.dial(agent)
		if diff := cmp.Diff(attachedFrame{"attached", "t", "r1", 0, false}, tab.attach("t", "", 0)); diff != "" {
			t.Fatalf("(-want +got)\n%s", diff)
		}
		restated := tab.rest()
		conformant(t, restated)
		if outcomeType(t, restated) != agui.OutcomeInterrupt {
			t.Fatalf("it ends with %s", restated[len(restated)-1].Raw)
		}
		id := r.asked()[0]
		r.answerOne("t", id, `{"decision":{"approved":true}}`)
		resumed := tab.rest()
		conformant(t, resumed)
		if !strings.Contains(said(resumed), "I sent the email") {
			t.Errorf("the tab saw %q", said(resumed))
		}
		// What the tab starts itself comes once.
		own := tab.do(input("t", "r5", "hello"))
		if len(own) == 0 || own[0].Text("runId") != "r5" {
			t.Errorf("its own run is %v", own)
		}
		other := r.dial(agent).do(strings.Replace(input("t", "r6", "hello again"), `"messages"`, `"forwardedProps":{"key":"secret"},"messages"`, 1))
		theirs := tab.rest()
		if asked := string(theirs[0].Member("input")); !strings.Contains(asked, `"content":"hello again"`) || strings.Contains(asked, "secret") {
			t.Errorf("the run of somebody else was asked for by %s", asked)
		}
		same(t, "the next run of somebody else", theirs[1:], other[1:])

		late := r.dial(agent)
		late.attach("t", "", 0)
		now := late.rest()
		if outcomeType(t, now) != agui.OutcomeSuccess || !strings.Contains(holds(t, now...), "hello again") {
			t.Errorf("a late tab holds %s", holds(t, now...))
		}
		tab.send(`{"type":"detach","threadId":"t"}`)
		tab.send(`{"type":"attach","threadId":"nobody"}`)
		tab.raw() // the detach has been read
		r.dial(agent).do(input("t", "r7", "quiet"))
		if got := tab.do(input("t", "r8", "hello")); got[0].Text("runId") != "r8" {
			t.Errorf("after the detach it saw %s", got[0].Raw)
		}
	})
}

func TestFollowALiveThread(t *testing.T) {
	r := newRig(t)
	first := r.dial("demo")
	first.do(input("t", "r1", "hello"))
	first.send(input("t", "r2", "slow 5"))
	begun := first.until(agui.TypeTextMessageContent)
	tab := r.dial("demo")
	if diff := cmp.Diff(attachedFrame{"attached", "t", "r2", 0, true}, tab.attach("t", "", 0)); diff != "" {
		t.Fatalf("(-want +got)\n%s", diff)
	}
	if restated := tab.rest(); restated[0].Text("runId") != "r1" {
		t.Errorf("restated %s", restated[0].Raw)
	}
	whole := append(begun, first.tail()...)
	live := tab.rest()
	if asked := string(live[0].Member("input")); !strings.Contains(asked, `"content":"slow 5"`) {
		t.Errorf("the live run was asked for by %s", asked)
	}
	same(t, "the live run from its first event", live[1:], whole[1:])
}

func TestTooManyFollowedThreads(t *testing.T) {
	r := newRig(t)
	c := r.dial("demo")
	for i := range maxFollowed + 1 {
		thread := fmt.Sprintf("t%d", i)
		r.stream("demo", input(thread, "r1", "hello"))
		c.send(fmt.Sprintf(`{"type":"attach","threadId":%q}`, thread))
		if i < maxFollowed {
			c.attached()
			c.rest()
		}
	}
	c.closed(1008)
}
