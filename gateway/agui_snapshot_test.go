package gateway

import (
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// Whoever resumes a run finds what it needs in the snapshots before its interrupt, and
// they say nothing else than what was streamed.
func TestAnInterruptComesAfterSnapshots(t *testing.T) {
	for _, agent := range []string{"demo", "demo-aisdk"} {
		t.Run(agent, func(t *testing.T) {
			c := newRig(t).dial(agent)
			raw := input("t", "r1", "email")
			frames := c.do(raw)
			n := len(frames) - 3
			if n < 0 || frames[n].Type != agui.TypeStateSnapshot || frames[n+1].Type != agui.TypeMessagesSnapshot || frames[n+2].Type != agui.TypeRunFinished {
				t.Fatalf("the run ends with %v", frames[max(n, 0):])
			}
			in, _, err := agui.ParseRunInput([]byte(raw))
			if err != nil {
				t.Fatal(err)
			}
			held := agui.NewConversation(in)
			for _, f := range frames[:n] {
				if _, err := held.Apply(f); err != nil {
					t.Fatal(err)
				}
			}
			before := heldText(t, held)
			if len(held.Messages()) < 2 || len(held.Messages()[1].ToolCalls) != 1 {
				t.Errorf("the run left %s", before)
			}
			for _, f := range frames[n:] {
				if _, err := held.Apply(f); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(before, heldText(t, held)); diff != "" {
				t.Errorf("the snapshots changed something (-streamed +snapshots)\n%s", diff)
			}
		})
	}
}

func heldText(t *testing.T, c *agui.Conversation) string {
	t.Helper()
	text, err := json.Marshal(c.Messages())
	if err != nil {
		t.Fatal(err)
	}
	return string(text) + string(c.State())
}
