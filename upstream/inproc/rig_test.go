package inproc

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/schema"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/store"
)

// A rig is a hub with one agent, on a clock of its own.
type rig struct {
	t     *testing.T
	agent *Agent
	hub   *session.Hub
	log   store.Log
}

// bubble runs a test in which waiting takes no time, and closes what it made.
func bubble(t *testing.T, fn Func, o Options, test func(r *rig)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, fn, o)
		defer r.close()
		test(r)
	})
}

func newRig(t *testing.T, fn Func, o Options) *rig {
	t.Helper()
	r := &rig{t: t, log: store.NewMemory()}
	r.open(fn, o)
	return r
}

func (r *rig) open(fn Func, o Options) {
	r.agent = New("planner", fn, o)
	r.hub = session.NewHub(session.Options{Log: r.log, Agents: []session.Agent{r.agent}, Check: schema.New().Check})
}

func (r *rig) close() {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := errors.Join(r.hub.Close(ctx), r.agent.Close(ctx)); err != nil {
		r.t.Error("close:", err)
	}
}

// restart loses all that is in memory but the log.
func (r *rig) restart(fn Func, o Options) {
	r.t.Helper()
	r.close()
	r.open(fn, o)
}

// submit gives an input to the thread "t".
func (r *rig) submit(run, more string) *session.Feed {
	r.t.Helper()
	feed, err := r.try(run, more)
	if err != nil {
		r.t.Fatalf("submit %s: %v", run, err)
	}
	return feed
}

func (r *rig) try(run, more string) (*session.Feed, error) {
	r.t.Helper()
	in, _, err := agui.ParseRunInput(fmt.Appendf(nil, `{"threadId":"t","runId":%q,%s}`, run, more))
	if err != nil {
		r.t.Fatal(err)
	}
	sub := session.Submission{RunID: run, Agent: "planner", Protocol: session.AGUI, Input: in.Raw, Resume: len(in.Resume) > 0}
	for _, e := range in.Resume {
		sub.Answers = append(sub.Answers, session.Answer{RequestID: e.InterruptID, Read: e.Response})
	}
	admitted, err := r.hub.Submit(r.t.Context(), "t", sub, "ada")
	return admitted.Feed, err
}

// A heard run is what a front end got of one.
type heard struct {
	t      *testing.T
	frames []agui.Frame
	end    *session.End
}

// begin starts a turn and reads its run to the end.
func (r *rig) begin(run string) heard {
	r.t.Helper()
	return r.read(r.submit(run, `"messages":[{"id":"u1","role":"user","content":"go"}]`))
}

// answer resumes with payloads, in the order of what is pending; "" gives up.
func (r *rig) answer(run string, payloads ...string) heard {
	r.t.Helper()
	return r.read(r.submit(run, `"messages":[],"resume":[`+strings.Join(r.entries(payloads), ",")+`]`))
}

func (r *rig) entries(payloads []string) (entries []string) {
	r.t.Helper()
	state, err := r.hub.Thread(r.t.Context(), "t")
	if err != nil || len(state.Pending) != len(payloads) {
		r.t.Fatalf("%d requests are pending, %d answers: %v", len(state.Pending), len(payloads), err)
	}
	for i, q := range state.Pending {
		if payloads[i] == "" {
			entries = append(entries, fmt.Sprintf(`{"interruptId":%q,"status":"cancelled"}`, q.ID))
			continue
		}
		entries = append(entries, fmt.Sprintf(`{"interruptId":%q,"status":"resolved","payload":%s}`, q.ID, payloads[i]))
	}
	return entries
}

// read reads a run to its end and holds it to the protocol.
func (r *rig) read(feed *session.Feed) heard {
	r.t.Helper()
	h := heard{t: r.t}
	var v agui.Verifier
	for batch, err := range feed.Batches(r.t.Context(), 0) {
		if err != nil {
			r.t.Fatal(err)
		}
		for _, raw := range batch {
			f, warnings, err := agui.ParseFrame(raw)
			if err != nil || len(warnings) > 0 {
				r.t.Fatalf("%s: %v, %v", raw, err, warnings)
			}
			if err := v.Next(f); err != nil {
				r.t.Fatalf("%s: %v", raw, err)
			}
			h.frames = append(h.frames, f)
		}
	}
	if h.end = feed.End(); h.end.Spoken != v.Ended() {
		r.t.Fatalf("spoken is %v, and the frames' end is %v", h.end.Spoken, v.Ended())
	}
	return h
}

// is fails the test unless the run ended so.
func (h heard) is(want session.Status) heard {
	h.t.Helper()
	if h.end.Status != want {
		h.t.Fatalf("the run ended %s (%v), want %s", h.end.Status, h.end.Failure, want)
	}
	return h
}

// failed fails the test unless the run failed with that code.
func (h heard) failed(code session.Code) {
	h.t.Helper()
	h.is(session.Failed)
	if h.end.Failure.Code != code {
		h.t.Fatalf("the run failed with %v, want code %q", h.end.Failure, code)
	}
}

// said joins what the run said.
func (h heard) said() string {
	var b strings.Builder
	for _, f := range h.frames {
		if f.Type == agui.TypeTextMessageContent {
			b.WriteString(f.Text("delta"))
		}
	}
	return b.String()
}

// says fails the test unless the run said so, and no more.
func (h heard) says(want string) {
	h.t.Helper()
	if got := h.said(); got != want {
		h.t.Fatalf("the run said %q, want %q", got, want)
	}
}

func (h heard) has(kind agui.EventType) (n int) {
	for _, f := range h.frames {
		if f.Type == kind {
			n++
		}
	}
	return n
}

// mail proposes a call, asks, and says what came of it.
func mail(ctx context.Context, run *Run) error {
	call := run.ToolCall("send", map[string]string{"to": "ada"})
	d, err := run.Decide(ctx, call.ID)
	run.Text(spell(d.Approved, d.Reason, string(d.EditedArgs), err))
	return err
}

func spell(approved bool, reason, edits string, err error) string {
	return fmt.Sprintf("approved=%v reason=%q edits=%s err=%v", approved, reason, edits, err)
}

func jsonOf(text string) jsontext.Value { return jsontext.Value(text) }
