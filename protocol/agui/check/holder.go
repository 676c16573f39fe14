package check

import (
	"bytes"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// DefaultMaxHeld is how much of what a consumer holds is followed unless it is told
// otherwise, in bytes.
const DefaultMaxHeld = 32 << 20

// A holder follows what a consumer holds, for what there would be to warn about. Text
// and arguments are left out: they are most of a stream, and nothing is ever warned
// about in them.
type holder struct {
	max   int
	known *agui.Conversation // nil once it has become too large
	input bool               // what the run began with is known
	begun bool

	lostState    bool // until the next STATE_SNAPSHOT
	lostMessages bool // until the next MESSAGES_SNAPSHOT

	messages int // bytes, roughly, of what a MESSAGES_SNAPSHOT replaces
	rest     int // and of what it leaves
}

func (h *holder) reset(o Options) {
	*h = holder{max: o.MaxHeld, input: o.Input != nil}
	if h.max <= 0 {
		h.max = DefaultMaxHeld
	}
	var in agui.RunInput
	if o.Input != nil {
		in = *o.Input
	}
	h.known = agui.NewConversation(in)
}

// lost says that an event of this type was left out; "" is one whose type is not known.
func (h *holder) lost(t agui.EventType) {
	switch t {
	case agui.TypeTextMessageContent, agui.TypeToolCallArgs, agui.TypeReasoningMessageContent, agui.TypeReasoningEncryptedValue,
		agui.TypeStepStarted, agui.TypeStepFinished, agui.TypeRaw, agui.TypeCustom, agui.TypeRunFinished, agui.TypeRunError:
	case agui.TypeStateSnapshot, agui.TypeStateDelta:
		h.lostState = true
	case "", agui.TypeRunStarted:
		h.lostState, h.lostMessages = true, true
	default:
		h.lostMessages = true
	}
}

// apply takes in a delivered frame and returns what a consumer would warn about.
func (h *holder) apply(f agui.Frame) []agui.Warning {
	if h.known == nil {
		return nil
	}
	switch f.Type {
	case agui.TypeRunStarted:
		h.begin(f)
	case agui.TypeStateSnapshot:
		h.lostState = false
	case agui.TypeMessagesSnapshot:
		h.lostMessages = false
	}
	warnings, err := h.known.Apply(light(f))
	if err != nil {
		warnings = append(warnings, agui.Warning{Code: malformedValue, Detail: err.Error()})
	}
	kept := warnings[:0]
	for _, w := range warnings {
		if h.trusted(f, w) {
			kept = append(kept, h.hinted(w))
		}
	}
	if h.grow(f); h.messages+h.rest+len(h.known.State()) > h.max {
		h.known = nil
		kept = append(kept, agui.Warning{Code: notFollowed, Detail: "a consumer would hold too much to follow it further"})
	}
	return kept
}

// begin takes over the input that the first run repeats.
func (h *holder) begin(f agui.Frame) {
	if h.begun {
		return
	}
	h.begun = true
	raw := f.Member("input")
	if h.input || raw == nil {
		return
	}
	if in, ok := looseInput(raw); ok {
		h.known, h.input = agui.NewConversation(in), true
	}
}

// looseInput reads an input of which parts may be missing.
func looseInput(raw []byte) (agui.RunInput, bool) {
	var in agui.RunInput
	err := json.Unmarshal(raw, &in)
	return in, err == nil
}

// trusted reports whether a warning may be believed after events were left out.
func (h *holder) trusted(f agui.Frame, w agui.Warning) bool {
	switch w.Code {
	case agui.PatchFailed:
		return f.Type == agui.TypeStateDelta && !h.lostState || f.Type == agui.TypeActivityDelta && !h.lostMessages
	case agui.UnknownEntity, agui.EntityClash:
		return !h.lostMessages
	}
	return true
}

// hinted says that a warning may come from what is not known.
func (h *holder) hinted(w agui.Warning) agui.Warning {
	if !h.input && (w.Code == agui.PatchFailed || w.Code == agui.UnknownEntity) {
		w.Detail += " (the run's input is not known; it is taken for empty)"
	}
	return w
}

// light returns the frame without what a consumer only accumulates.
func light(f agui.Frame) agui.Frame {
	member := "messageId"
	switch f.Type {
	case agui.TypeTextMessageContent, agui.TypeReasoningMessageContent:
	case agui.TypeToolCallArgs:
		member = "toolCallId"
	default:
		return f
	}
	raw := []byte(`{"type":"` + string(f.Type) + `","` + member + `":`)
	raw = append(append(raw, f.Member(member)...), `,"delta":""}`...)
	if short, _, err := agui.ParseFrame(raw); err == nil {
		return short
	}
	return f
}

// grow adds up what a frame makes a consumer hold.
func (h *holder) grow(f agui.Frame) {
	const each = 300 // bytes of a message or call beside what it says
	switch f.Type {
	case agui.TypeRunStarted:
		h.messages += len(f.Member("input"))
	case agui.TypeTextMessageStart, agui.TypeToolCallStart, agui.TypeToolCallResult:
		h.messages += len(f.Raw) + each
	case agui.TypeTextMessageEnd, agui.TypeToolCallEnd, agui.TypeReasoningMessageEnd:
		h.messages += len(f.Member("metadata"))
	case agui.TypeMessagesSnapshot:
		h.messages = len(f.Raw)
	case agui.TypeActivitySnapshot, agui.TypeReasoningMessageStart, agui.TypeReasoningEncryptedValue:
		h.rest += len(f.Raw) + each
	case agui.TypeActivityDelta:
		h.rest += len(f.Raw)
		if bytes.Contains(f.Raw, []byte(`copy`)) || bytes.IndexByte(f.Raw, '\\') >= 0 {
			h.rest += len(h.content(f.Text("messageId"))) // a copy adds what the patch does not show
		}
	}
}

func (h *holder) content(id string) jsontext.Value {
	for _, m := range h.known.Messages() {
		if m.ID == id {
			return m.Content
		}
	}
	return nil
}
