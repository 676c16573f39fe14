package aisdk

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// CheckMessage reports whether software of this profile takes the message, which is
// JSON, into a conversation (validateUIMessages). Histories hold messages that it would
// not take; refuse none for it that is only history. The error matches ErrMalformed and
// names the place.
func (p Profile) CheckMessage(raw []byte) error {
	if err := p.checkMessage(raw); err != nil {
		return fmt.Errorf("%w: message: %w", ErrMalformed, err)
	}
	return nil
}

// Check is Profile.CheckMessage for a message at hand.
func (m *Message) Check(p Profile) error {
	raw, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("%w: message: %w", ErrMalformed, err)
	}
	return p.CheckMessage(raw)
}

func (p Profile) checkMessage(raw []byte) error {
	spans := make([]shape.Span, len(messageShape.Members))
	if err := strictly(raw, messageShape, spans); err != nil {
		return err
	}
	member := func(name string) jsontext.Value {
		s := spans[messageShape.Index(name)]
		return raw[s.Start:s.End]
	}
	n := 0
	for part, err := range shape.Elements(member("parts")) {
		if err != nil {
			return err
		}
		if err := p.checkPart(part); err != nil {
			return below(err, "/parts/"+strconv.Itoa(n))
		}
		n++
	}
	if n == 0 && shape.Unquote(member("role")) != string(RoleAssistant) {
		return &shape.Violation{Path: "/parts", Want: "at least one part", Got: "none"}
	}
	return nil
}

// below moves a violation into the place where the value it is about stands.
func below(err error, place string) error {
	if v, ok := err.(*shape.Violation); ok { //nolint:errorlint // made here, and never wrapped
		v.Path = place + v.Path
	}
	return err
}

func (p Profile) checkPart(raw jsontext.Value) error {
	tag, _, err := shape.Parse(raw, taggedShape)
	if err != nil {
		return err
	}
	part := Part{Type: tag.Text("type")}
	rules := partRulesOf[p]
	if part.IsTool() {
		return rules.checkTool(raw, &part, tag)
	}
	s := rules.of(part.Type)
	if s == nil {
		return &shape.Violation{Path: "/type", Want: "a part type of " + p.String(), Got: part.Type}
	}
	return strictly(raw, s, nil)
}

func (r *partRules) checkTool(raw jsontext.Value, part *Part, tag shape.Record) error {
	rule, known := r.tools[PartState(tag.Text("state"))]
	if !known {
		return &shape.Violation{Path: "/state", Want: "a state of a tool part", Got: "another"}
	}
	if err := strictly(raw, rule.shape, nil); err != nil {
		return err
	}
	if part.Type == dynamicTool {
		record, _, err := shape.Parse(raw, dynamicShape)
		if err != nil {
			return err
		}
		if string(record.Member("dynamic")) == "true" {
			return &shape.Violation{Path: "/dynamic", Want: "false, or nothing", Got: "true"}
		}
	}
	for m, err := range shape.Fields(raw) {
		if err != nil {
			return err
		}
		for _, name := range rule.absent {
			if shape.Unquote(m.Name) == name {
				return &shape.Violation{Path: "/" + name, Want: "nothing in this state", Got: "a value"}
			}
		}
	}
	return below(r.checkApproval(tag.Member("approval"), rule.approval), "/approval")
}

func (r *partRules) checkApproval(raw jsontext.Value, v verdict) error {
	if raw == nil {
		if v == noApproval || v == granted {
			return nil
		}
		return &shape.Violation{Want: "an approval in this state", Got: "nothing"}
	}
	if v == noApproval {
		return &shape.Violation{Want: "nothing in this state", Got: "an approval"}
	}
	record, _, err := shape.Parse(raw, r.approval)
	if err != nil {
		return err
	}
	approved := string(record.Member("approved"))
	right := map[verdict]bool{
		undecided: approved == "", decided: approved != "", granted: approved == "true", denied: approved == "false",
	}
	if !right[v] {
		return &shape.Violation{Path: "/approved", Want: "the decision that goes with the state", Got: "another"}
	}
	if v == undecided && record.Member("reason") != nil {
		return &shape.Violation{Path: "/reason", Want: "nothing in this state", Got: "a value"}
	}
	return nil
}
