package translate

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// A chatText is a text or reasoning message as a chat has it.
type chatText struct {
	start, end aisdk.ChunkType
	chunk      jsontext.Value // the id of its part, as JSON
	open       bool
	own, tag   note
}

// provider is the provider metadata of the part: the agent's own, and what AG-UI says.
func (t *ToAISDK) provider(own jsontext.Value, tag note) jsontext.Value {
	if t.born {
		return own
	}
	n := readNote(own)
	n.set(aguiKey, tag.object())
	return n.object()
}

func attributed(tag *note, a agui.Attributable) {
	if a.SubagentRunID.Present() {
		tag.set("subagentRunId", quoted(a.SubagentRunID.String()))
	}
}

func (t *ToAISDK) textStart(f agui.Frame, e *agui.TextMessageStart) {
	if t.foreign[e.MessageID] || e.Role != "" && e.Role != agui.RoleAssistant {
		t.foreign[e.MessageID] = true // what somebody else says is not the assistant's answer
		delete(t.text, e.MessageID)
		t.data(f)
		return
	}
	p := &chatText{start: aisdk.TypeTextStart, end: aisdk.TypeTextEnd, chunk: quoted(e.MessageID)}
	var metadata jsontext.Value
	p.own, metadata = t.heard(e.Metadata)
	p.tag.set("messageId", quoted(e.MessageID))
	if e.Name.Present() {
		p.tag.set("name", quoted(e.Name.String()))
	}
	attributed(&p.tag, e.Attributable)
	p.tag.set("metadata", metadata)
	t.text[e.MessageID] = p
	t.step()
	t.openText(p)
}

func (t *ToAISDK) reasoningStart(e *agui.ReasoningMessageStart) {
	p := &chatText{start: aisdk.TypeReasoningStart, end: aisdk.TypeReasoningEnd, chunk: quoted(e.MessageID)}
	var metadata jsontext.Value
	p.own, metadata = t.heard(e.Metadata)
	if id := p.own.take("id"); id.Kind() == '"' {
		p.chunk = id
	}
	p.tag.set("messageId", quoted(e.MessageID))
	attributed(&p.tag, e.Attributable)
	p.tag.set("metadata", metadata)
	t.reasoning[e.MessageID] = p
	t.step()
	t.openText(p)
}

func (t *ToAISDK) openText(p *chatText) {
	n := note{}
	n.set("id", p.chunk)
	n.all(p.own)
	n.set("providerMetadata", t.provider(p.own.get("providerMetadata"), p.tag))
	p.open = true
	t.order = append(t.order, p)
	t.say(p.start, n)
}

// textEnd closes a text. One that a step has closed already is opened again only if there
// is something to say of it.
func (t *ToAISDK) textEnd(p *chatText, metadata jsontext.Value) {
	if p == nil {
		return
	}
	own, rest := t.heard(metadata)
	own.take("id")
	if !p.open {
		if own.empty() && rest == nil {
			return
		}
		t.openText(p)
	}
	n := note{}
	n.set("id", p.chunk)
	n.all(own)
	if rest != nil {
		n.set("providerMetadata", t.provider(own.get("providerMetadata"), noteNow(&p.tag, rest)))
	}
	t.closeText(p)
	t.say(p.end, n)
}

func (t *ToAISDK) closeText(p *chatText) {
	p.open = false
	t.order = slices.DeleteFunc(t.order, func(q *chatText) bool { return q == p })
}

// closeTexts closes what is open; what is still said of it opens it again.
func (t *ToAISDK) closeTexts() {
	for len(t.order) > 0 {
		p := t.order[0]
		t.closeText(p)
		n := note{}
		n.set("id", p.chunk)
		t.say(p.end, n)
	}
}

// delta forwards a fragment as it is quoted already: this is what runs once a token.
func (t *ToAISDK) delta(texts map[string]*chatText, front string, f agui.Frame) {
	p := lookupText(texts, f)
	if p == nil {
		if t.foreign[f.Text("messageId")] {
			t.data(f)
		}
		return
	}
	if !p.open {
		t.step()
		t.openText(p)
	}
	if metadata := f.Member("metadata"); metadata != nil {
		t.annotatedDelta(p, f, metadata)
		return
	}
	if t.priming {
		return
	}
	t.shown = true
	t.out = append(t.out, fragment(front, p.chunk, `,"delta":`, f.Member("delta")))
}

// annotatedDelta says a fragment that brings metadata of its message.
func (t *ToAISDK) annotatedDelta(p *chatText, f agui.Frame, metadata jsontext.Value) {
	own, rest := t.heard(metadata)
	kind := aisdk.TypeTextDelta
	if p.start == aisdk.TypeReasoningStart {
		kind = aisdk.TypeReasoningDelta
	}
	n := note{}
	n.set("id", p.chunk)
	n.set("delta", f.Member("delta"))
	n.set("providerMetadata", t.provider(own.get("providerMetadata"), noteNow(&p.tag, rest)))
	t.say(kind, n)
}

// noteNow adds metadata to what was said of an item before: a chat keeps the last word
// only. What is new is marked, since the way back must not say the rest again.
func noteNow(tag *note, metadata jsontext.Value) note {
	if metadata == nil {
		return *tag
	}
	tag.set("metadata", merged(tag.get("metadata"), metadata))
	now := note{}
	now.all(*tag)
	now.set("now", metadata)
	return now
}

// fragment builds {"type":…,"<id>":id,"<delta>":delta} from parts that are JSON already.
func fragment(front string, id jsontext.Value, middle string, delta jsontext.Value) []byte {
	out := make([]byte, 0, len(front)+len(id)+len(middle)+len(delta)+1)
	out = append(out, front...)
	out = append(out, id...)
	out = append(out, middle...)
	out = append(out, delta...)
	return append(out, '}')
}
