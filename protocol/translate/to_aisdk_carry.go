package translate

import (
	"slices"
	"strings"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// carriers are the chunks that travel whole, as CUSTOM events.
var carriers = map[aisdk.ChunkType]bool{
	aisdk.TypeMessageMetadata: true, aisdk.TypeResetStep: true,
	aisdk.TypeSourceURL: true, aisdk.TypeSourceDocument: true, aisdk.TypeFile: true,
	aisdk.TypeReasoningFile: true, aisdk.TypeCustom: true, aisdk.TypeSteeringMessage: true,
	aisdk.TypeToolOutputAvailable: true, aisdk.TypeToolApprovalRequest: true, aisdk.TypeToolApprovalResponse: true,
}

// carried says the chunk that a CUSTOM event carries, and reports whether it could. A
// chunk that no chat would take, or not now, is an event like any other.
func (t *ToAISDK) carried(e *agui.Custom) bool {
	name, ok := strings.CutPrefix(e.Name, customPrefix)
	if !ok {
		return false
	}
	f, _, err := aisdk.ParseFrame(e.Value)
	if err != nil || string(f.Type) != name || aisdk.V7.Check(f) != nil {
		return false
	}
	_, data := f.Type.IsData()
	if !data && !carriers[f.Type] {
		return false
	}
	raw := f.Raw
	switch f.Type {
	case aisdk.TypeToolOutputAvailable, aisdk.TypeToolApprovalRequest:
		c := t.calls[f.Text("toolCallId")]
		if c == nil {
			return false
		}
		if id := f.Text("approvalId"); id != "" {
			t.asked[id] = true
		}
		n := readNote(raw)
		n.set("toolCallId", c.given)
		raw = n.object()
	case aisdk.TypeToolApprovalResponse:
		if !t.asked[f.Text("approvalId")] {
			return false
		}
	case aisdk.TypeResetStep:
		t.reset(raw)
		return true
	}
	t.step()
	t.pass(raw)
	return true
}

// reset takes back what the step has said, its calls too.
func (t *ToAISDK) reset(raw []byte) {
	t.closeTexts()
	t.pass(raw)
	if t.run.profile() == aisdk.V6 {
		return
	}
	for id, c := range t.calls {
		if slices.Contains(t.ofStep, c) {
			delete(t.calls, id)
		}
	}
	t.ofStep = nil
}
