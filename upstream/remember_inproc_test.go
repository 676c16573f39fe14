package upstream

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/schema"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/upstream/inproc"
)

// A function in Go gets what a person once said, without asking again.
func TestAFunctionIsAnsweredByWhatIsRemembered(t *testing.T) {
	sent := make(chan hitl.ToolDecision, 10)
	agent := inproc.New("planner", func(ctx context.Context, run *inproc.Run) error {
		for range 2 {
			d, err := run.Decide(ctx, run.Propose(inproc.Proposal{Name: "send"}).ID)
			if err != nil {
				return err
			}
			sent <- d
		}
		return nil
	}, inproc.Options{})
	check := schema.New().Check
	hub := session.NewHub(session.Options{Log: store.NewMemory(), Agents: []session.Agent{Remembering(agent, check)}, Check: check})
	defer func() {
		if err := errors.Join(hub.Close(context.Background()), agent.Close(context.Background())); err != nil {
			t.Error(err)
		}
	}()
	submit := func(run, more string, answers ...session.Answer) *session.End {
		t.Helper()
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
		defer cancel()
		a, err := hub.Submit(ctx, "t", session.Submission{
			RunID: run, Agent: "planner", Protocol: session.AGUI, Resume: len(answers) > 0, Answers: answers,
			Input: fmt.Appendf(nil, `{"threadId":"t","runId":%q,"messages":[{"id":"u","role":"user","content":"go"}]%s}`, run, more),
		}, "ada")
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range a.Feed.Batches(ctx, 0) {
			if err != nil {
				t.Fatal(err)
			}
		}
		return a.Feed.End()
	}
	end := submit("r1", "")
	if end.Status != session.Interrupted || len(end.Requests) != 1 || !end.Requests[0].Answers.Remember {
		t.Fatalf("it ends as %+v", end)
	}
	q := end.Requests[0]
	end = submit("r2", fmt.Sprintf(`,"resume":[{"interruptId":%q,"status":"resolved","payload":{"approved":true,"remember":true}}]`, q.ID), session.Answer{
		RequestID: q.ID, Read: func(hitl.Request) (hitl.Response, error) {
			return hitl.Response{Decision: &hitl.ToolDecision{Approved: true, Remember: true}}, nil
		},
	})
	if end.Status != session.Success || len(sent) != 2 {
		t.Fatalf("it ends as %+v, after %d decisions", end, len(sent))
	}
	if end = submit("r3", ""); end.Status != session.Success || len(sent) != 4 {
		t.Errorf("the next turn ends as %+v, after %d decisions", end, len(sent))
	}
	s, err := hub.Thread(t.Context(), "t")
	if err != nil || len(s.Settled) != 4 || s.Settled[0].Automatic || !s.Settled[3].Automatic {
		t.Errorf("%v, journal %+v", err, s.Settled)
	}
}
