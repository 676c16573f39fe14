package hitl

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A ToolDecision is the answer to "may this tool run?". The zero value is a denial.
type ToolDecision struct {
	Approved   bool           `json:"approved"`
	Reason     string         `json:"reason,omitzero"`     // for the agent, wherever its protocol has a place
	EditedArgs jsontext.Value `json:"editedArgs,omitzero"` // a JSON object that replaces all arguments; of no effect in a denial
	Remember   bool           `json:"remember,omitzero"`   // approve this tool for the rest of the thread; for the bridge alone
}

// Edits reports whether the decision lets the call run with other arguments than the
// proposed ones.
func (d ToolDecision) Edits() bool { return d.Approved && len(d.EditedArgs) > 0 }

// Payload writes the decision the way [ParseDecision] reads it, with those members
// only that the asking agent can take. Remember is never among them.
func (d ToolDecision) Payload(takes ApprovalAnswers) jsontext.Value {
	out := ToolDecision{Approved: d.Approved}
	if takes.Reason {
		out.Reason = d.Reason
	}
	if takes.EditedArgs && d.Edits() {
		out.EditedArgs = d.EditedArgs
	}
	payload, err := json.Marshal(out)
	if err != nil { // a reason that is no UTF-8, or edits that are no JSON
		return jsontext.Value(`{"approved":false}`)
	}
	return payload
}

// ParseDecision reads {"approved": bool, "reason"?: string, "editedArgs"?: object,
// "remember"?: bool}. An optional member may be null, members that are not known are
// passed over. Whatever else is wrong gives the zero decision, which is a denial, and
// an [*AnswerError] of the rule [ErrInvalidPayload] with every fault found: an answer
// is an approval because it says so in every word, or it is none.
//
// Edits under a name that only resembles editedArgs, such as edited_args, make an
// approval invalid too: what a person changed never runs unchanged.
func ParseDecision(payload jsontext.Value) (ToolDecision, error) {
	d, issues := readDecision(payload)
	if len(issues) > 0 {
		return ToolDecision{}, &AnswerError{Rule: ErrInvalidPayload, Issues: issues}
	}
	return d, nil
}

// readDecision returns what can be read, which counts only if there are no issues.
func readDecision(payload jsontext.Value) (ToolDecision, []Issue) {
	var r reader
	var d ToolDecision
	m := r.object("", payload)
	if m == nil {
		return d, r.issues
	}
	d.Approved = r.boolean(m, "", "approved", required)
	d.Reason = r.text(m, "", "reason", optional)
	d.EditedArgs = r.objectMember(m, "", "editedArgs")
	d.Remember = r.boolean(m, "", "remember", optional)
	if d.Approved {
		r.refuseLookalikes(m, "editedArgs")
	}
	return d, r.issues
}

// refuseLookalikes reports members that carry something under another spelling of name.
func (r *reader) refuseLookalikes(m members, name string) {
	for _, other := range m.names() {
		if other != name && fold(other) == fold(name) && m[other].Kind() != jsontext.KindNull {
			r.add(pointer("", other), "expected the spelling "+name+"; edits under another name are not taken")
		}
	}
}

// fold makes names equal that differ only in case, underscores and hyphens.
func fold(name string) string {
	return strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
}
