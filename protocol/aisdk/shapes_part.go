package aisdk

import (
	"strings"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// What the two majors make sure of in a message that a chat holds (validateUIMessages).
// Members that are not described are nobody's business.

var messageShape = open(
	req("id", aString), req("role", words(string(RoleSystem), string(RoleUser), string(RoleAssistant))), opt("metadata", anyValue),
	req("parts", list(anyValue)),
)

// taggedShape finds out what is to be checked.
var taggedShape = open(req("type", aString), opt("state", anyValue), opt("approval", anyValue))

// A verdict is what an approval has to say of the decision in one state of its call.
type verdict uint8

const (
	noApproval verdict = iota // there is no approval
	undecided                 // nobody has decided
	decided
	granted // there may be none, too
	denied
)

// A toolRule says what a tool part of one state holds.
type toolRule struct {
	shape    *shape.Shape
	absent   []string
	approval verdict
}

// partRules holds what a profile checks, by the type of the part and, of tool parts, by
// their state.
type partRules struct {
	parts    map[string]*shape.Shape
	tools    map[PartState]toolRule
	approval *shape.Shape
}

var partRulesOf = [...]*partRules{0: makePartRules(V7), V6: makePartRules(V6), V7: makePartRules(V7)}

var dataPart = open(req("data", anyValue), opt("id", aString))

// of returns the shape of a part that is no tool call, or nil.
func (r *partRules) of(kind string) *shape.Shape {
	if strings.HasPrefix(kind, dataPrefix) {
		return dataPart
	}
	return r.parts[kind]
}

func makePartRules(p Profile) *partRules {
	metadata, state, title := opt("providerMetadata", twoLevels), opt("state", words(string(StateStreaming), string(StateDone))), opt("title", aString)
	media, url, filename := req("mediaType", aString), req("url", aString), opt("filename", aString)
	text, file := members{req("text", aString), state, metadata}, members{media, url, filename, metadata}
	approval := members{
		req("id", aString), opt("approved", aBool), opt("reason", aString), opt("signature", aString),
		opt("descriptor", anyValue), opt("inputSchemaInput", anyValue),
	}
	if p == V7 {
		text = append(text, opt("citations", citations))
		file = append(file, opt("providerReference", stringMap))
		approval = append(approval, opt("requestReason", aString), opt("isAutomatic", aBool))
	}
	r := &partRules{approval: open(approval...), tools: makeToolRules(p), parts: map[string]*shape.Shape{
		PartText:           open(text...),
		PartReasoning:      open(req("text", aString), opt("id", aString), state, metadata),
		PartFile:           open(file...),
		PartSourceURL:      open(req("sourceId", aString), url, title, metadata),
		PartSourceDocument: open(req("sourceId", aString), media, req("title", aString), filename, metadata),
		PartStepStart:      open(),
	}}
	if p == V7 {
		r.parts[PartReasoningFile] = open(media, url, metadata)
		r.parts[PartCustom] = open(req("kind", aString), metadata)
		r.parts[PartSteeringMessage] = open(req("id", aString), req("parts", steeringParts))
	}
	return r
}

func makeToolRules(p Profile) map[PartState]toolRule {
	common := members{
		req("toolCallId", aString), opt("toolMetadata", anObject), opt("providerExecuted", aBool), opt("callProviderMetadata", twoLevels),
	}
	if p == V7 {
		common = append(common, opt("title", aString))
	}
	rule := func(v verdict, absent []string, m ...shape.Member) toolRule {
		return toolRule{shape: open(append(common[:len(common):len(common)], m...)...), absent: absent, approval: v}
	}
	input, result := req("input", anyValue), opt("resultProviderMetadata", twoLevels)
	waiting := []string{"output", "errorText"}
	return map[PartState]toolRule{
		StateInputStreaming:    rule(noApproval, waiting, opt("rawInput", aString), opt("inputEncoding", encoding)),
		StateInputAvailable:    rule(noApproval, waiting, input),
		StateApprovalRequested: rule(undecided, waiting, input),
		StateApprovalResponded: rule(decided, waiting, input),
		StateOutputAvailable:   rule(granted, []string{"errorText"}, input, req("output", anyValue), opt("preliminary", aBool), result),
		StateOutputError:       rule(granted, []string{"output"}, req("errorText", aString), result),
		StateOutputDenied:      rule(denied, waiting, input),
	}
}

// dynamicShape is what a dynamic-tool part has beside the members of its state.
var dynamicShape = open(req("toolName", aString), opt("dynamic", aBool))
