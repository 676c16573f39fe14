package hitl

import "github.com/go-json-experiment/json/jsontext"

// Same reports whether a and b are the same answer, so that the second of the two is a
// repetition and not a contradiction. Who answered and when does not matter, nor how
// the JSON in it is written, see [Canonical]. Left out are also what has no effect: the
// edits and the wish to remember of a denial, the content of a refusal.
//
// Of two decisions, what their payloads hold beside the decision has to be the same
// too: an agent may ask for more than yes or no. Other payloads are not compared; their
// substance is the content or the output.
//
// Same is an equivalence: reflexive, symmetric and transitive.
func Same(a, b Response) bool { return a.key() == b.key() }

// An answerKey holds what makes an answer the one it is.
type answerKey struct {
	decided, approved, remember bool
	reason, edits, surplus      string

	action  InputAction
	content string

	ran                 bool
	output, outputError string
}

func (r Response) key() answerKey {
	var k answerKey
	if d := r.Decision; d != nil {
		k.decided, k.approved, k.reason = true, d.Approved, d.Reason
		if d.Approved {
			k.remember, k.edits = d.Remember, identity(d.EditedArgs)
		}
		k.surplus = surplus(r.Payload)
	}
	if in := r.Input; in != nil {
		k.action = "?" + in.Action // never equal to no input at all
		if in.Action == ActionAccept {
			k.content = identity(in.Content)
		}
	}
	if t := r.ToolOutput; t != nil {
		k.ran, k.output, k.outputError = true, identity(t.Output), t.Error
	}
	return k
}

// identity is the canonical text of v. What has none is equal to the same bytes only.
func identity(v jsontext.Value) string {
	if len(v) == 0 {
		return ""
	}
	text, err := Canonical(v)
	if err != nil {
		return "?" + string(v)
	}
	return text
}

// surplus is what a decision's payload says beside the decision.
func surplus(payload jsontext.Value) string {
	if len(payload) == 0 {
		return ""
	}
	var r reader
	m := r.object("", payload)
	if m == nil {
		return identity(payload)
	}
	for _, name := range []string{"approved", "reason", "editedArgs", "remember"} {
		delete(m, name)
	}
	if len(m) == 0 {
		return ""
	}
	return identity(encode(m))
}
