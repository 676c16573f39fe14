package session

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

// A run is read without those before and after it, with all of its turn, also when its
// input waited for long, and by a process that has read the thread from its log.
func TestARunIsReadWithoutAllOthers(t *testing.T) {
	log := counted{Log: store.NewMemory(), mu: new(sync.Mutex), read: map[string]int{}}
	agent := script(func(ctx context.Context, c Call, yield func(Output, error) bool) {
		if c.RunID == "asks" {
			saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}}, "asked")(ctx, c, yield)
			return
		}
		saying(End{Status: Success, Spoken: true}, c.RunID)(ctx, c, yield)
	})
	first := openHub(t, log, agent)
	for n := range 30 {
		readAll(t, submitTo(t, first, "t", fmt.Sprint("before", n)))
	}
	readAll(t, submitTo(t, first, "t", "asks"))
	held := submitTo(t, first, "t", "held")
	admitted := resumeOn(t, first, "goes on", says("q", `{"approved":true}`))
	readAll(t, admitted)
	readAll(t, held)
	for n := range 30 {
		readAll(t, submitTo(t, first, "t", fmt.Sprint("after", n)))
	}
	second := openHub(t, log, agent)
	if _, err := second.Thread(t.Context(), "t"); err != nil {
		t.Fatal(err)
	}
	for _, h := range []*Hub{first, second} {
		for run, want := range map[string][]string{
			"before0": {"before0", "last"}, "asks": {"asked", "last"}, "goes on": {"goes on", "last"}, "held": {"held", "last"}, "after29": {"after29", "last"},
		} {
			log.mu.Lock()
			log.read["t"] = 0
			log.mu.Unlock()
			f, err := h.Attach(t.Context(), "t", run)
			if err != nil {
				t.Fatal(err)
			}
			if got := readAll(t, f); !slices.Equal(got, want) || f.End() == nil {
				t.Errorf("%s is %q, %+v", run, got, f.End())
			}
			if input := string(f.Past().Input); run != "goes on" && input != `{"run":"`+run+`"}` || len(f.Past().Turn) != map[string]int{"goes on": 1}[run] {
				t.Errorf("%s was asked for by %s, after %+v", run, input, f.Past().Turn)
			}
			log.mu.Lock()
			if n := log.read["t"]; n > 20 {
				t.Errorf("%s: %d entries are read", run, n)
			}
			log.mu.Unlock()
		}
	}
}
