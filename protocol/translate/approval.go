package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// An askedApproval is what the chunks have said of one request for approval.
type askedApproval struct {
	id, call string         // the call as the agent names it
	chunk    jsontext.Value // the request
	said     bool           // the reader has been told
	reason   string         // of the decision
	decided  bool
}

func (t *ToAGUI) approval(match func(*askedApproval) bool) *askedApproval {
	for i := len(t.approvals) - 1; i >= 0; i-- {
		if match(t.approvals[i]) {
			return t.approvals[i]
		}
	}
	return nil
}

// request keeps a request for approval: what is still open when the run stops is an
// interrupt. One that the agent's own rules decide asks nobody.
func (t *ToAGUI) request(f aisdk.Frame, c *aisdk.ToolApprovalRequest) {
	t.tellOf(c.ToolCallID)
	a := &askedApproval{id: c.ApprovalID, call: c.ToolCallID, chunk: f.Raw}
	t.approvals = append(t.approvals, a)
	if c.IsAutomatic.True() {
		t.tell(a)
	}
}

// tell says a request that will be no interrupt.
func (t *ToAGUI) tell(a *askedApproval) {
	if !a.said {
		a.said = true
		t.custom(string(aisdk.TypeToolApprovalRequest), t.renamed(a.chunk, a.call))
	}
}

// tellOf says what was asked about a call before something else happens to it.
func (t *ToAGUI) tellOf(callID string) {
	if a := t.approval(func(a *askedApproval) bool { return a.call == callID }); a != nil {
		t.tell(a)
	}
}

// respond passes on a decision that was taken elsewhere.
func (t *ToAGUI) respond(f aisdk.Frame, c *aisdk.ToolApprovalResponse) {
	if a := t.approval(func(a *askedApproval) bool { return a.id == c.ApprovalID }); a != nil {
		t.tell(a)
		a.reason, a.decided = c.Reason.String(), true
	}
	t.custom(string(f.Type), f.Raw)
}

// unasked says the requests that are not among those the run stops for.
func (t *ToAGUI) unasked(o Outcome) {
	asked := map[string]bool{}
	if o.Status == Interrupted {
		for _, q := range o.Requests {
			asked[q.Own().ID] = true
		}
	}
	for _, a := range t.approvals {
		if !asked[a.id] {
			t.tell(a)
		}
	}
}

// interrupt is how an AG-UI client is asked. What the chunk said beside the ids goes with
// it, so that it comes back to a chat.
func (t *ToAGUI) interrupt(q hitl.Request) agui.Interrupt {
	i := agui.InterruptFor(q)
	if i.ToolCallID.Present() {
		i.ToolCallID = agui.Set(t.ids.Given(i.ToolCallID.String()))
	}
	a := t.approval(func(a *askedApproval) bool { return q.Named(a.id) })
	if a == nil {
		return i
	}
	said := readNote(outright(a.chunk))
	for _, name := range []string{"type", "approvalId", "toolCallId"} {
		said.take(name)
	}
	var m note
	m.all(readNote(i.Metadata))
	m.set(aisdkKey, said.object())
	i.Metadata = m.object()
	return i
}
