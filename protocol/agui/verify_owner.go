package agui

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// Whatever is streamed belongs to one owner: the subagent named by the event that opened
// it, or the agent itself. An event that goes on with it may leave the owner out, but
// not name another one.

// sameOwner checks the owner that f names against the one that is known.
func sameOwner(f Frame, known *tracked, what, id string) error {
	said := ownerOf(f)
	if known == nil || !said.subagent || said == known.owner {
		return nil
	}
	return broken(f, WrongOwner, what+" "+id+" belongs to "+known.owner.String()+", not to "+said.String())
}

// startCall opens a tool call, which belongs to the owner of the message that holds it.
func (v *Verifier) startCall(f Frame) error {
	id, who := f.Text("toolCallId"), ownerOf(f)
	if parent := v.text[f.Text("parentMessageId")]; parent != nil && f.Member("parentMessageId") != nil {
		if err := sameOwner(f, parent, "message", f.Text("parentMessageId")); err != nil {
			return err
		}
		if known := v.calls[id]; known != nil && !known.open && !who.subagent && known.owner != parent.owner {
			return broken(f, WrongOwner, "tool call "+id+" belongs to "+known.owner.String()+", its message to "+parent.owner.String())
		}
		if !who.subagent {
			who = parent.owner
		}
	}
	return v.open(&v.calls, f, "toolCallId", "tool call", who)
}

// openReasoning opens a reasoning span or message. The two are namespaces of their own,
// but the same id in both has one owner.
func (v *Verifier) openReasoning(s, other *items, f Frame, what string) error {
	id, who := f.Text("messageId"), ownerOf(f)
	if twin := (*other)[id]; twin != nil && (*s)[id] == nil {
		if err := sameOwner(f, twin, what, id); err != nil {
			return err
		}
		who = twin.owner
	}
	return v.open(s, f, "messageId", what, who)
}

// encrypted checks whose message or call an encrypted value is for. One that nobody has
// named is no violation.
func (v *Verifier) encrypted(f Frame) error {
	id := f.Text("entityId")
	if f.Is("subtype", "tool-call") {
		return sameOwner(f, v.calls[id], "tool call", id)
	}
	known := v.text[id]
	if known == nil {
		known = v.reasoning[id]
	}
	if known == nil {
		known = v.spans[id]
	}
	return sameOwner(f, known, "message", id)
}

// snapshotActivity writes down the owner of an activity: the first snapshot's, or that
// of one that replaces it.
func (v *Verifier) snapshotActivity(f Frame) error {
	id := f.Text("messageId")
	if v.activity[id] != nil && string(f.Member("replace")) == "false" {
		return nil
	}
	return v.claim(&v.activity, f, id, ownerOf(f))
}

// history takes over the owners of the messages that RUN_STARTED repeats.
func (v *Verifier) history(f Frame) error {
	input := f.Member("input")
	if input == nil {
		return nil
	}
	var in struct {
		Messages jsontext.Value `json:"messages"`
		Extra    jsontext.Value `json:",embed"`
	}
	if err := json.Unmarshal(input, &in); err != nil {
		return err
	}
	return v.messages(f, in.Messages, false)
}

// messages takes over the owners of messages. Those of a snapshot replace what was
// known, those of history do not.
func (v *Verifier) messages(f Frame, raw jsontext.Value, replace bool) error {
	for m, err := range shape.Elements(raw) {
		if err != nil {
			return err
		}
		var message Message
		if err := json.Unmarshal(m, &message); err != nil {
			return err
		}
		who := owner{id: message.SubagentRunID.String(), subagent: message.SubagentRunID.Present()}
		if err := v.seed(v.kindOf(message.Role), f, message.ID, who, replace); err != nil {
			return err
		}
		for _, call := range message.ToolCalls {
			if err := v.seed(&v.calls, f, call.ID, who, replace); err != nil {
				return err
			}
		}
	}
	return nil
}

func (v *Verifier) kindOf(r Role) *items {
	switch r {
	case RoleReasoning:
		return &v.reasoning
	case RoleActivity:
		return &v.activity
	}
	return &v.text
}

func (v *Verifier) seed(s *items, f Frame, id string, who owner, replace bool) error {
	if (*s)[id] != nil && !replace {
		return nil
	}
	if span := v.spans[id]; s == &v.reasoning && span != nil {
		span.owner = who
	}
	return v.claim(s, f, id, who)
}
