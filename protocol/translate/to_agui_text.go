package translate

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// split parts what a chunk says beside the event into what AG-UI had said of it and what
// is the AI SDK's own.
func split(n note) (tag, own note, tagged bool) {
	tag, rest, tagged := parted(n.take("providerMetadata"), aguiKey)
	n.set("providerMetadata", rest)
	return tag, n, tagged
}

func textOf(tag note, name string) agui.Text {
	if v := tag.get(name); v.Kind() == '"' {
		return agui.Set(unquoted(v))
	}
	return agui.Text{}
}

func subagent(tag note) agui.Attributable {
	return agui.Attributable{SubagentRunID: textOf(tag, "subagentRunId")}
}

// encrypted gives a message or call of a history back its opaque value.
func (t *ToAGUI) encrypted(what, id string, tag note) {
	if v := textOf(tag, "encryptedValue"); v.Present() {
		t.emit(&agui.ReasoningEncryptedValue{
			Base: base(agui.TypeReasoningEncryptedValue), Subtype: what, EntityID: id, EncryptedValue: v.String(),
			EncryptedValueType: textOf(tag, "encryptedValueType"),
		})
	}
}

// isOpen reports whether an AG-UI message is open: then the id cannot be opened again.
func isOpen(parts map[string]*openText, id string) bool {
	for _, p := range parts {
		if p.id == id {
			return true
		}
	}
	return false
}

func (t *ToAGUI) textStart(f aisdk.Frame, id string) {
	t.textEnd(id, note{}) // an id that is used again opens another part
	tag, own, tagged := split(members(f, "id"))
	said := textOf(tag, "messageId")
	messageID := said.String()
	if !said.Present() || isOpen(t.text, messageID) {
		if t.hasText || t.hasUse {
			t.current = "" // one text per message, and none after its calls: order is kept
		}
		messageID = t.message()
	} else {
		t.current, t.hasUse = messageID, false
	}
	t.hasText = true
	t.text[id] = &openText{id: messageID, quoted: quoted(messageID), note: own}
	t.order = append(t.order, openPart{id: id})
	t.emit(&agui.TextMessageStart{
		Base: t.annotated(agui.TypeTextMessageStart, own, tag, tagged), MessageID: messageID, Role: agui.RoleAssistant,
		Name: textOf(tag, "name"), Attributable: subagent(tag),
	})
	t.encrypted("message", messageID, tag)
}

// textEnd closes a text. Its metadata repeats what was said before: of the metadata of a
// message the last word on a key counts, whole.
func (t *ToAGUI) textEnd(id string, more note) {
	p, open := t.text[id]
	if !open {
		return
	}
	t.close(openPart{id: id})
	delete(t.text, id)
	t.emit(&agui.TextMessageEnd{Base: t.closing(agui.TypeTextMessageEnd, p, more), MessageID: p.id})
}

func (t *ToAGUI) closing(kind agui.EventType, p *openText, more note) agui.Base {
	tag, own, _ := split(more)
	if own.empty() {
		return agui.Base{Kind: kind, Metadata: tag.get("now")}
	}
	all := note{}
	all.all(p.note)
	all.all(own)
	return agui.Base{Kind: kind, Metadata: under(aisdkKey, all, tag.get("now"))}
}

func (t *ToAGUI) reasoningStart(f aisdk.Frame, id string) {
	t.reasoningEnd(id, note{})
	tag, own, tagged := split(members(f, "id"))
	said := textOf(tag, "messageId")
	messageID := said.String()
	if !said.Present() || isOpen(t.reasoning, messageID) {
		messageID = t.base + "#r" + strconv.Itoa(t.reasons)
		t.reasons++
	}
	t.current = "" // what comes after it is a message of its own: order is kept
	if id != messageID && !t.unnamed[id] {
		own.set("id", quoted(id)) // the part of a chat holds it
	}
	t.reasoning[id] = &openText{id: messageID, quoted: quoted(messageID), note: own}
	t.order = append(t.order, openPart{id: id, reasoning: true})
	who := subagent(tag)
	t.emit(&agui.ReasoningStart{Base: base(agui.TypeReasoningStart), MessageID: messageID, Attributable: who})
	t.emit(&agui.ReasoningMessageStart{
		Base: t.annotated(agui.TypeReasoningMessageStart, own, tag, tagged), MessageID: messageID, Role: agui.RoleReasoning, Attributable: who,
	})
	t.encrypted("message", messageID, tag)
}

func (t *ToAGUI) reasoningEnd(id string, more note) {
	p, open := t.reasoning[id]
	if !open {
		return
	}
	t.close(openPart{id: id, reasoning: true})
	delete(t.reasoning, id)
	t.emit(&agui.ReasoningMessageEnd{Base: t.closing(agui.TypeReasoningMessageEnd, p, more), MessageID: p.id})
	t.emit(&agui.ReasoningEnd{Base: base(agui.TypeReasoningEnd), MessageID: p.id})
}

func (t *ToAGUI) close(p openPart) {
	for i, open := range t.order {
		if open == p {
			t.order = append(t.order[:i], t.order[i+1:]...)
			return
		}
	}
}

// closeParts closes what the run leaves open.
func (t *ToAGUI) closeParts() {
	for len(t.order) > 0 {
		if p := t.order[0]; p.reasoning {
			t.reasoningEnd(p.id, note{})
		} else {
			t.textEnd(p.id, note{})
		}
	}
}

// delta forwards a fragment as it is quoted already: this is what runs once a token.
func (t *ToAGUI) delta(open map[string]*openText, head string, f aisdk.Frame) {
	p, ok := lookup(open, f, "id")
	if !ok {
		return
	}
	metadata := f.Member("providerMetadata")
	if metadata == nil {
		if !t.priming {
			t.out = append(t.out, event(head, p.quoted, f.Member("delta"), nil))
		}
		return
	}
	tag, own, _ := split(note{names: []string{"providerMetadata"}, values: []jsontext.Value{outright(metadata)}})
	p.note.all(own)
	all := own
	if !own.empty() {
		all = p.note
	}
	if !t.priming {
		t.out = append(t.out, event(head, p.quoted, f.Member("delta"), under(aisdkKey, all, tag.get("now"))))
	}
}

// event builds {"type":…,"<id>":id,"delta":delta} from parts that are JSON already.
func event(head string, id, delta, metadata jsontext.Value) []byte {
	const middle, last = `,"delta":`, `,"metadata":`
	out := make([]byte, 0, len(head)+len(id)+len(middle)+len(delta)+1)
	out = append(out, head...)
	out = append(out, id...)
	out = append(out, middle...)
	out = append(out, delta...)
	if metadata != nil {
		out = append(out, last...)
		out = append(out, metadata...)
	}
	return append(out, '}')
}
