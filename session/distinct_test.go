package session

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

// forgets is an agent that asks under the same ids in every run.
func forgets(calls chan<- Call, rename func([]byte, map[string]string) ([]byte, error), ids ...string) script {
	return func(ctx context.Context, c Call, yield func(Output, error) bool) {
		calls <- c
		end := End{Status: Interrupted, Spoken: true, Rename: rename}
		for _, id := range ids {
			end.Requests = append(end.Requests, approvalOf(id))
		}
		saying(end)(ctx, c, yield)
	}
}

// A request that was settled is never open again: what an agent asks under its id is
// another request, whose answer reaches the agent under the id it gave.
func TestASettledRequestIsNeverOpenAgain(t *testing.T) {
	calls := make(chan Call, 10)
	h := openHub(t, store.NewMemory(), forgets(calls, func(frame []byte, names map[string]string) ([]byte, error) {
		for from, to := range names {
			frame = bytes.ReplaceAll(frame, []byte("last"), []byte(from+" is "+to))
		}
		return frame, nil
	}, "q"))
	readAll(t, submitTo(t, h, "t", "r1"))
	resume := func(run, id, payload string) (*Feed, error) {
		a, err := h.Submit(t.Context(), "t", Submission{
			RunID: run, Agent: "a", Protocol: AGUI, Input: []byte(`{"run":"` + run + `"}`), Resume: true, Answers: []Answer{says(id, payload)},
		}, "ada")
		return a.Feed, err
	}
	for i, id := range []string{"q", "q@2", "q@3"} {
		feed, err := resume("go-"+id, id, `{"approved":true}`)
		if err != nil {
			t.Fatal(err)
		}
		frames, next := readAll(t, feed), numbered("q", i+2)
		if want := "q is " + next; frames[len(frames)-1] != want || feed.End().Requests[0].ID != next {
			t.Errorf("%s asks %+v, and says %q", feed.RunID, feed.End().Requests, frames)
		}
	}
	// An old answer, from somebody who has not seen that it is settled, joins its run.
	late, err := resume("late", "q", `{"approved":true}`)
	if err != nil || late.RunID != "go-q" {
		t.Errorf("an old answer: %v", err)
	}
	if _, err := resume("later", "q", `{"approved":false}`); !errors.Is(err, hitl.ErrAlreadySettled) {
		t.Errorf("another answer to the old request: %v", err)
	}
	if err := h.Answer(t.Context(), "t", says("q@2", `{"approved":false}`), "bob"); !errors.Is(err, hitl.ErrAlreadySettled) {
		t.Errorf("the same by itself: %v", err)
	}
	s, err := h.Thread(t.Context(), "t")
	if err != nil || len(s.Pending) != 1 || s.Pending[0].ID != "q@4" || s.Pending[0].Token != "q" || s.Pending[0].Own().ID != "q" {
		t.Errorf("%v, open %+v", err, s.Pending)
	}
	if len(calls) != 4 {
		t.Errorf("the agent was called %d times", len(calls))
	}
	<-calls
	for c := range 3 {
		if got := (<-calls).Settled; len(got) != 1 || got[0].Request.Own().ID != "q" {
			t.Errorf("call %d was told %+v", c, got)
		}
	}
}

func TestNamesDoNotCollide(t *testing.T) {
	var s State
	for _, id := range []string{"q", "q@2", "p"} {
		s.Settled = append(s.Settled, Settled{Request: hitl.Request{ID: id}})
	}
	requests, names := s.distinct([]hitl.Request{{ID: "q"}, {ID: "q@3"}, {ID: "n"}, {ID: "q@2"}})
	var ids []string
	for _, q := range requests {
		ids = append(ids, q.ID)
	}
	if want := []string{"q@4", "q@3", "n", "q@2@2"}; !slices.Equal(ids, want) || len(names) != 2 {
		t.Errorf("%v, %v", ids, names)
	}
	if again, more := s.distinct(requests); len(more) > 0 || again[0].Token != "q" {
		t.Errorf("a second time %v", more)
	}
}

// What cannot be told apart is not asked.
func TestARunFailsIfItsRequestsCannotBeRenamed(t *testing.T) {
	calls := make(chan Call, 10)
	h := openHub(t, store.NewMemory(), forgets(calls, func([]byte, map[string]string) ([]byte, error) { return nil, errors.New("no") }, "q"))
	readAll(t, submitTo(t, h, "t", "r1"))
	a := resumeOn(t, h, "r2", says("q", `{"approved":true}`))
	readAll(t, a)
	if s, err := h.Thread(t.Context(), "t"); err != nil || a.End().Status != Failed || s.phase() != Idle {
		t.Errorf("%v, %+v, %s", err, a.End(), s.phase())
	}
}
