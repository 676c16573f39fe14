package protobuf

import "github.com/agui-bridge/agui-bridge/protocol/agui"

// An event is how one type of event is written: its number in the envelope, its number
// in the enumeration of types, which differs, and its fields after the common ones.
type event struct {
	arm      uint8
	number   uint8
	message  *message
	homeless string // a member of the protocol that has no field
}

// Every event has its common members in a message of its own, in this field.
const commonField = 1

// The common members. Their first field is the number of the type.
var common = &message{fields: []field{
	whole(2, "timestamp"), anything(3, "rawEvent"), members(4, "metadata"),
}}

const (
	resultText  = 5 // the fields that carry the content of a tool's result
	resultParts = 7
)

func fields(f ...field) *message { return &message{fields: f} }

func subagent(num uint8) field  { return opt(num, "subagentRunId") }
func messageID(num uint8) field { return str(num, "messageId") }
func callID(num uint8) field    { return str(num, "toolCallId") }
func delta(num uint8) field     { return str(num, "delta") }

var events = map[agui.EventType]*event{
	agui.TypeTextMessageStart:   {arm: 1, number: 0, message: fields(messageID(2), opt(3, "role"), opt(4, "name"), subagent(5))},
	agui.TypeTextMessageContent: {arm: 2, number: 1, message: fields(messageID(2), delta(3), subagent(4))},
	agui.TypeTextMessageEnd:     {arm: 3, number: 2, message: fields(messageID(2), subagent(3))},
	agui.TypeTextMessageChunk: {arm: 17, number: 19, message: fields(
		opt(2, "messageId"), opt(3, "role"), opt(4, "delta"), opt(5, "name"), subagent(6))},

	agui.TypeToolCallStart: {arm: 4, number: 3, message: fields(
		callID(2), str(3, "toolCallName"), opt(4, "parentMessageId"), subagent(5))},
	agui.TypeToolCallArgs: {arm: 5, number: 4, message: fields(callID(2), delta(3), subagent(4))},
	agui.TypeToolCallEnd:  {arm: 6, number: 5, message: fields(callID(2), subagent(3))},
	agui.TypeToolCallChunk: {arm: 18, number: 20, message: fields(
		opt(2, "toolCallId"), opt(3, "toolCallName"), opt(4, "parentMessageId"), opt(5, "delta"), subagent(6))},
	agui.TypeToolCallResult: {arm: 22, number: 21, message: &message{content: true, fields: []field{
		subagent(2), messageID(3), callID(4), opt(resultText, "content"), opt(6, "role"), list(resultParts, "content", part)}}},

	agui.TypeStateSnapshot:    {arm: 7, number: 6, message: fields(anything(2, "snapshot"), subagent(3))},
	agui.TypeStateDelta:       {arm: 8, number: 7, message: fields(list(2, "delta", operation), subagent(3))},
	agui.TypeMessagesSnapshot: {arm: 9, number: 8, message: fields(list(2, "messages", chatMessage))},
	agui.TypeActivitySnapshot: {arm: 23, number: 22, message: fields(
		subagent(2), messageID(3), str(4, "activityType"), members(5, "content"), yesNo(6, "replace"))},
	agui.TypeActivityDelta: {arm: 24, number: 23, message: fields(
		subagent(2), messageID(3), str(4, "activityType"), list(5, "patch", operation))},
	agui.TypeRaw:    {arm: 10, number: 9, message: fields(anything(2, "event"), opt(3, "source"), subagent(4))},
	agui.TypeCustom: {arm: 11, number: 10, message: fields(str(2, "name"), anything(3, "value"), subagent(4))},

	agui.TypeRunStarted: {arm: 12, number: 11, message: fields(
		str(2, "threadId"), str(3, "runId"), opt(4, "parentRunId"),
		msg(5, "input", runInput), opt(6, "protocolVersion"))},
	agui.TypeRunFinished: {arm: 13, number: 12, message: fields(
		str(2, "threadId"), str(3, "runId"), anything(4, "result"),
		field{num: 5, name: "outcome", kind: outcome}, list(6, "interrupts", interrupt).of("interrupt"), optList(7, "usage", usage),
		field{num: 8, name: "pendingToolCallIds", kind: texts}.of("success"))},
	agui.TypeRunError: {arm: 14, number: 13, message: fields(
		opt(2, "code"), str(3, "message"), optList(4, "usage", usage))},
	agui.TypeStepStarted:  {arm: 15, number: 14, message: fields(str(2, "stepName"), subagent(3))},
	agui.TypeStepFinished: {arm: 16, number: 15, message: fields(str(2, "stepName"), subagent(3))},

	agui.TypeReasoningStart:          {arm: 25, number: 24, message: fields(subagent(2), messageID(3))},
	agui.TypeReasoningMessageStart:   {arm: 26, number: 25, message: fields(subagent(2), messageID(3), str(4, "role"))},
	agui.TypeReasoningMessageContent: {arm: 27, number: 26, message: fields(subagent(2), messageID(3), delta(4))},
	agui.TypeReasoningMessageEnd:     {arm: 28, number: 27, message: fields(subagent(2), messageID(3))},
	agui.TypeReasoningMessageChunk: {arm: 29, number: 28, message: fields(
		subagent(2), opt(3, "messageId"), opt(4, "delta"))},
	agui.TypeReasoningEnd: {arm: 30, number: 29, message: fields(subagent(2), messageID(3))},
	agui.TypeReasoningEncryptedValue: {arm: 31, number: 30, homeless: "encryptedValueType", message: fields(
		subagent(2), str(3, "subtype"), str(4, "entityId"), str(5, "encryptedValue"))},

	agui.TypeSubagentStarted: {arm: 19, number: 16, message: fields(
		str(2, "subagentRunId"), str(3, "name"), opt(4, "description"),
		opt(5, "parentSubagentRunId"), opt(6, "parentToolCallId"), opt(7, "parentMessageId"))},
	agui.TypeSubagentFinished: {arm: 20, number: 17, message: fields(str(2, "subagentRunId"), anything(3, "result"),
		field{num: 4, name: "outcome", kind: outcome}, field{num: 5, name: "interruptIds", kind: texts}.of("suspended"))},
	agui.TypeSubagentError: {arm: 21, number: 18, message: fields(
		str(2, "subagentRunId"), str(3, "message"), opt(4, "code"))},
}

// arms holds the type of every number in the envelope, from 1 on.
var arms = func() (list [32]agui.EventType) {
	for t, e := range events {
		list[e.arm] = t
	}
	return list
}()
