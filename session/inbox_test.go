package session

import (
	"fmt"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func askingOn(id string) State {
	return State{Phase: Awaiting, Run: Run{ID: "r", Agent: "a"}, Pending: []hitl.Request{{ID: id, RaisedInRun: "r"}}}
}

func TestAReaderOfTheInboxThatFallsBehindGetsASnapshot(t *testing.T) {
	i := newInbox()
	_, at, _ := i.after(-1)
	i.follow("t", askingOn("q"), nil)
	if changes, _, _ := i.after(at); len(changes) != 1 || changes[0].Raised == nil {
		t.Fatalf("one change behind: %+v", changes)
	}
	for n := range recentChanges {
		i.follow(fmt.Sprintf("t%d", n), askingOn("q"), nil)
	}
	changes, next, _ := i.after(at)
	if len(changes) != 1 || len(changes[0].Snapshot) != recentChanges+1 {
		t.Fatalf("far behind: %d changes, %d requests", len(changes), len(changes[0].Snapshot))
	}
	if changes, _, _ = i.after(next); len(changes) != 0 {
		t.Errorf("after the snapshot: %+v", changes)
	}
}

func TestTheInboxTellsWhatWasSettled(t *testing.T) {
	i := newInbox()
	i.follow("t", askingOn("q"), nil)
	_, at, wake := i.after(-1)
	done := Settled{Request: hitl.Request{ID: "q"}}
	i.follow("t", State{}, []Settled{{Request: hitl.Request{ID: "older"}}, done})
	select {
	case <-wake:
	default:
		t.Error("nobody is woken")
	}
	changes, _, _ := i.after(at)
	if len(changes) != 1 || changes[0].Settled == nil || changes[0].Settled.Settled.Request.ID != "q" || len(i.Open()) != 0 {
		t.Errorf("changes %+v, open %v", changes, i.Open())
	}
	i.follow("t", State{}, []Settled{done}) // the log is read again
	if more, _, _ := i.after(at + 1); len(more) != 0 {
		t.Errorf("it is told twice: %+v", more)
	}
}
