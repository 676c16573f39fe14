package agui

import "github.com/agui-bridge/agui-bridge/internal/shape"

// eventShapes holds one shape for each event type; a type without one is unknown.
var eventShapes = makeEventShapes()

func makeEventShapes() map[EventType]*shape.Shape {
	shapes := map[EventType]*shape.Shape{}
	add := func(t EventType, parts ...members) {
		head := members{req("type", constant(string(t)))}
		base := members{opt("timestamp", timestamp), opt("rawEvent", notNull), opt("metadata", anObject)}
		shapes[t] = object(append(append([]members{head}, parts...), base)...)
	}
	messageID, callID, delta := req("messageId", aString), req("toolCallId", aString), req("delta", aString)

	add(TypeTextMessageStart, members{messageID, opt("role", textRole), opt("name", aString)}, attributable)
	add(TypeTextMessageContent, members{messageID, delta}, attributable)
	add(TypeTextMessageEnd, members{messageID}, attributable)
	add(TypeTextMessageChunk, members{opt("messageId", aString), opt("role", textRole), opt("delta", aString), opt("name", aString)}, attributable)

	add(TypeToolCallStart, members{callID, req("toolCallName", aString), opt("parentMessageId", aString)}, attributable)
	add(TypeToolCallArgs, members{callID, delta}, attributable)
	add(TypeToolCallEnd, members{callID}, attributable)
	add(TypeToolCallChunk, optional(aString, "toolCallId", "toolCallName", "parentMessageId", "delta"), attributable)
	add(TypeToolCallResult, members{messageID, callID, req("content", content), opt("role", constant("tool"))}, attributable)

	add(TypeStateSnapshot, members{req("snapshot", anyValue)}, attributable)
	add(TypeStateDelta, members{req("delta", patch)}, attributable)
	add(TypeMessagesSnapshot, members{req("messages", list(message))})

	activityType := req("activityType", aString)
	add(TypeActivitySnapshot, members{messageID, activityType, req("content", anObject), opt("replace", aBool)}, attributable)
	add(TypeActivityDelta, members{messageID, activityType, req("patch", patch)}, attributable)

	add(TypeRaw, members{req("event", anyValue), opt("source", aString)}, attributable)
	add(TypeCustom, members{req("name", aString), req("value", anyValue)}, attributable)

	run := members{req("threadId", aString), req("runId", aString)}
	add(TypeRunStarted, run, members{opt("protocolVersion", aString), opt("parentRunId", aString), opt("input", runInput)})
	add(TypeRunFinished, run, members{opt("result", notNull), opt("outcome", outcome), opt("usage", list(usage))})
	add(TypeRunError, members{req("message", aString), opt("code", aString), opt("usage", list(usage))})
	add(TypeStepStarted, members{req("stepName", aString)}, attributable)
	add(TypeStepFinished, members{req("stepName", aString)}, attributable)

	add(TypeReasoningStart, members{messageID}, attributable)
	add(TypeReasoningMessageStart, members{messageID, req("role", constant("reasoning"))}, attributable)
	add(TypeReasoningMessageContent, members{messageID, delta}, attributable)
	add(TypeReasoningMessageEnd, members{messageID}, attributable)
	add(TypeReasoningMessageChunk, optional(aString, "messageId", "delta"), attributable)
	add(TypeReasoningEnd, members{messageID}, attributable)
	add(TypeReasoningEncryptedValue, members{
		req("subtype", encryptedKind), req("entityId", aString), req("encryptedValue", aString), opt("encryptedValueType", aString),
	}, attributable)

	subagent := members{req("subagentRunId", aString)}
	add(TypeSubagentStarted, subagent, members{req("name", aString)},
		optional(aString, "description", "parentSubagentRunId", "parentToolCallId", "parentMessageId"))
	add(TypeSubagentFinished, subagent, members{opt("result", notNull), opt("outcome", subagentOutcome)})
	add(TypeSubagentError, subagent, members{req("message", aString), opt("code", aString)})
	return shapes
}
