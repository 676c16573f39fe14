package agui

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Before interrupts had a place in the protocol, agents asked by a CUSTOM event named
// on_interrupt and were answered in forwardedProps.command.resume. The Boundary turns
// the question into an interrupt of today; the functions here turn answers from one form
// into the other.

// IsRetiredInterrupt reports whether the interrupt of this id was asked by a CUSTOM
// event on_interrupt.
func IsRetiredInterrupt(id string) bool {
	_, tail, found := cutLast(id, "#"+onInterrupt+"-")
	return found && digits(tail)
}

func cutLast(text, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(text, sep); i >= 0 {
		return text[:i], text[i+len(sep):], true
	}
	return text, "", false
}

// RetiredAnswer returns what the input raw answers in forwardedProps.command.resume, or
// nil if it answers nothing there, or answers in the form of today as well.
func RetiredAnswer(raw []byte) jsontext.Value {
	in, err := readObject(raw)
	if err != nil || in.get("resume") != nil {
		return nil
	}
	answer := valueOf(in, "forwardedProps", "command", "resume")
	if answer.Kind() == 'n' {
		return nil
	}
	return answer
}

func valueOf(o *rawObject, path ...string) jsontext.Value {
	v := jsontext.Value(o.bytes())
	for _, name := range path {
		inner, err := readObject(v)
		if err != nil {
			return nil
		}
		v = inner.get(name)
	}
	return v
}

// AnswerRetired returns the input raw as an agent reads it that has asked by on_interrupt:
// without the resume of today, and with the payload in forwardedProps.command.resume. An
// answer without a payload is {}, which no agent takes for a yes. The error matches
// ErrMalformed.
func AnswerRetired(raw []byte, payload jsontext.Value) ([]byte, error) {
	in, err := readObject(raw)
	if err != nil {
		return nil, malformed("RunAgentInput", err)
	}
	in.drop("resume")
	if len(payload) == 0 {
		payload = jsontext.Value("{}")
	}
	in.set("forwardedProps", withMember(in.get("forwardedProps"), "command",
		withMember(valueOf(in, "forwardedProps", "command"), "resume", payload)))
	return in.bytes(), nil
}

// withMember sets a member of the object raw; anything else gives way to an object.
func withMember(raw jsontext.Value, name string, v jsontext.Value) jsontext.Value {
	o, err := readObject(raw)
	if err != nil {
		o = &rawObject{}
	}
	o.set(name, v)
	return o.bytes()
}
