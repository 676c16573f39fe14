package gateway

import (
	"testing"

	"github.com/coder/websocket"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

func stopsWhatNobodyReads(_ *session.Options, o *Options) { o.CancelOnDisconnect = true }

// What waits for its turn belongs to those who wait for it: it goes with the last of them,
// and with none of them unless the bridge is told so.
func TestAHeldInputGoesWithTheLastWhoWaitsForIt(t *testing.T) {
	tests := []struct {
		name    string
		setup   []setup
		waiting int // sockets that wait for it, of which one leaves
		runs    bool
	}{
		{"nobody else waits", []setup{stopsWhatNobodyReads}, 1, false},
		{"another waits", []setup{stopsWhatNobodyReads}, 2, true},
		{"nobody else waits, and runs go on by themselves", nil, 1, true},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			r := newRig(t, tc.setup...)
			first := r.dial("demo")
			first.send(input("t", "r1", "slow 4"))
			first.until(agui.TypeRunStarted)
			clients := make([]*client, tc.waiting)
			for i := range clients {
				clients[i] = r.dial("demo")
				clients[i].send(input("t", "r2", "hello"))
				clients[i].send(`{"type":"cancel","threadId":"nothing"}`)
				clients[i].next() // frames are taken in order: the input was
			}
			if err := clients[0].conn.Close(websocket.StatusNormalClosure, ""); err != nil {
				t.Fatal(err)
			}
			if !tc.runs {
				r.await("t", "nothing held", func(v viewOfThread) bool { return v.Queued == 0 })
			}
			first.until(agui.TypeRunFinished)
			r.await("t", "rest", func(v viewOfThread) bool { return v.Phase == session.Idle && v.Queued == 0 })
			feed, err := r.hub.Attach(t.Context(), "t", "r2")
			if err != nil {
				t.Fatal(err)
			}
			want := session.Cancelled
			if tc.runs {
				want = session.Success
			}
			if end := feed.End(); end == nil || end.Status != want {
				t.Errorf("the held run ended as %+v, want %s", end, want)
			}
			for _, c := range clients[1:] {
				if got := said(c.until(agui.TypeRunFinished)); got != "Hello! How can I help you?" {
					t.Errorf("the other was told %q", got)
				}
			}
		})
	}
}
