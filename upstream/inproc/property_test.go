package inproc

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/session"
)

// A wish is one call of a strand: when it is asked about, and what a person will say.
type wish struct {
	after  time.Duration
	say    string // approve, edit, deny, cancel
	result string // what the function took it for
}

// TestEveryCallGetsItsOwnAnswer: whatever goroutines ask whenever, in as many runs as it
// takes, each call is decided as a person decided that call, and no other.
func TestEveryCallGetsItsOwnAnswer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		wishes := map[string]*wish{}
		strands := make([][]string, rapid.IntRange(1, 5).Draw(rt, "strands"))
		for i := range strands {
			for j := range rapid.IntRange(1, 3).Draw(rt, "calls") {
				id := fmt.Sprintf("c%d.%d", i, j)
				strands[i] = append(strands[i], id)
				wishes[id] = &wish{
					after: time.Duration(rapid.IntRange(0, 60).Draw(rt, "after")) * time.Millisecond,
					say:   rapid.SampledFrom([]string{"approve", "edit", "deny", "cancel"}).Draw(rt, "say"),
				}
			}
		}
		thinking := time.Duration(rapid.IntRange(0, 100).Draw(rt, "thinking")) * time.Millisecond
		bubble(t, func(ctx context.Context, run *Run) error {
			var all sync.WaitGroup
			for _, ids := range strands {
				all.Go(func() { strand(ctx, run, ids, wishes) })
			}
			all.Wait()
			return nil
		}, Options{}, func(r *rig) { r.play(wishes, thinking) })
		for id, w := range wishes {
			want := map[string]string{
				"approve": spell(true, "", "", nil), "deny": spell(false, id, "", nil),
				"edit": spell(true, "", `{"for":"`+id+`"}`, nil), "cancel": spell(false, "", "", ErrGivenUp),
			}[w.say]
			if w.result != want {
				rt.Errorf("%s: %s, and the function took it for %s", id, w.say, w.result)
			}
		}
	})
}

// play answers as is wished until the turn is over.
func (r *rig) play(wishes map[string]*wish, thinking time.Duration) {
	r.t.Helper()
	h := r.begin("r0")
	for n := 1; h.end.Status == session.Interrupted; n++ {
		var payloads []string
		for _, q := range h.end.Requests {
			payloads = append(payloads, map[string]string{
				"approve": `{"approved":true}`, "deny": `{"approved":false,"reason":"` + q.Call.ID + `"}`,
				"edit": `{"approved":true,"editedArgs":{"for":"` + q.Call.ID + `"}}`, "cancel": "",
			}[wishes[q.Call.ID].say])
		}
		time.Sleep(thinking)
		h = r.answer(fmt.Sprint("r", n), payloads...)
	}
	h.is(session.Success)
}

func strand(ctx context.Context, run *Run, ids []string, wishes map[string]*wish) {
	m := run.Message()
	defer m.Close()
	for _, id := range ids {
		w := wishes[id]
		call := run.Propose(Proposal{ID: id, Name: "send", Args: map[string]string{"for": "nobody"}})
		time.Sleep(w.after)
		m.Write(id)
		d, err := run.Decide(ctx, call.ID)
		w.result = spell(d.Approved, d.Reason, string(d.EditedArgs), err)
	}
}
