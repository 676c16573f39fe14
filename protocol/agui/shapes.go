package agui

import "github.com/agui-bridge/agui-bridge/internal/shape"

// The shapes below restate the protocol's JSON Schema, definition by definition.

type members = []shape.Member

func req(name string, s *shape.Shape) shape.Member {
	return shape.Member{Name: name, Shape: s, Required: true}
}

func opt(name string, s *shape.Shape) shape.Member { return shape.Member{Name: name, Shape: s} }

func object(parts ...members) *shape.Shape {
	s := &shape.Shape{Type: shape.Struct}
	for _, p := range parts {
		s.Members = append(s.Members, p...)
	}
	return s
}

func list(item *shape.Shape) *shape.Shape { return &shape.Shape{Type: shape.Array, Item: item} }

func constant(word string) *shape.Shape {
	return &shape.Shape{Type: shape.Const, Words: []string{word}}
}

func words(known ...string) *shape.Shape { return &shape.Shape{Type: shape.String, Words: known} }

func union(tag string, variants map[string]*shape.Shape) *shape.Shape {
	return &shape.Shape{Type: shape.Union, Tag: tag, Variants: variants}
}

var (
	aString  = &shape.Shape{Type: shape.String}
	aBool    = &shape.Shape{Type: shape.Bool}
	anyValue = &shape.Shape{Type: shape.Any}
	notNull  = &shape.Shape{Type: shape.NotNull}
	anObject = &shape.Shape{Type: shape.Object}
	integer  = &shape.Shape{Type: shape.Integer, Min: -shape.SafeInteger, Max: shape.SafeInteger}
	count    = &shape.Shape{Type: shape.Integer, Min: 0, Max: shape.SafeInteger}

	textRole = words("developer", "system", "assistant", "user")

	attributable = members{opt("subagentRunId", aString)}
	encrypted    = members{opt("encryptedValue", aString), opt("encryptedValueType", aString)}
	metadata     = members{opt("metadata", anObject)}

	contentParts = contentPartsShape()
	content      = &shape.Shape{Type: shape.StringOrArray, Item: contentParts}
	toolCall     = object(members{
		req("id", aString), req("type", constant("function")),
		req("function", object(members{req("name", aString), req("arguments", aString)})),
	}, encrypted, metadata)
	message = messageShape()

	interrupt = object(members{
		req("id", aString), req("reason", aString), opt("message", aString), opt("toolCallId", aString),
		opt("responseSchema", anObject), opt("expiresAt", aString),
	}, metadata, attributable)
	resumeEntry = object(members{
		req("interruptId", aString), req("status", words("resolved", "cancelled")), opt("payload", notNull),
	}, metadata)
	outcome = union("type", map[string]*shape.Shape{
		"success":   object(members{req("type", aString), opt("pendingToolCallIds", list(aString))}),
		"interrupt": object(members{req("type", aString), req("interrupts", &shape.Shape{Type: shape.Array, MinItems: 1, Item: interrupt})}),
		"cancelled": object(members{req("type", aString)}),
	})
	subagentOutcome = union("type", map[string]*shape.Shape{
		"success":   object(members{req("type", aString)}),
		"suspended": object(members{req("type", aString), opt("interruptIds", list(aString))}),
	})
	usage = list(object(members{
		opt("provider", aString), opt("model", aString), opt("inputTokens", count), opt("outputTokens", count),
		opt("totalTokens", count), opt("reasoningTokens", count), opt("cachedInputTokens", count), opt("cacheWriteInputTokens", count),
	}))
	runInput = object(members{
		req("threadId", aString), req("runId", aString), opt("protocolVersion", aString), opt("parentRunId", aString),
		opt("state", notNull), req("messages", list(message)),
		opt("tools", list(object(members{req("name", aString), req("description", aString), opt("parameters", notNull)}, metadata))),
		opt("context", list(object(members{req("description", aString), req("value", aString)}))),
		opt("forwardedProps", notNull), opt("resume", list(resumeEntry)),
	})
)

func contentPartsShape() *shape.Shape {
	source := union("type", map[string]*shape.Shape{
		"data": object(members{req("type", aString), req("value", aString), req("mimeType", aString)}),
		"url":  object(members{req("type", aString), req("value", aString), opt("mimeType", aString)}),
		"file": object(members{req("type", aString), req("value", aString), opt("provider", aString), opt("mimeType", aString)}),
	})
	variants := map[string]*shape.Shape{
		"text": object(members{req("type", aString), opt("id", aString), req("text", aString), opt("metadata", notNull)}),
	}
	for _, media := range []string{"image", "audio", "video", "document"} {
		variants[media] = object(members{req("type", aString), opt("id", aString), req("source", source), opt("metadata", notNull)})
	}
	// The retired form of a media part, still sent by 0.x peers.
	variants["binary"] = &shape.Shape{Type: shape.Struct, Open: true, Members: members{req("type", aString), opt("mimeType", aString)}}
	return union("type", variants)
}

func messageShape() *shape.Shape {
	base := members{req("id", aString), req("role", aString)}
	named := members{opt("name", aString)}
	text := members{req("content", aString)}
	return union("role", map[string]*shape.Shape{
		"developer": object(base, named, text, encrypted, metadata, attributable),
		"system":    object(base, named, text, encrypted, metadata, attributable),
		"assistant": object(base, named, members{opt("content", aString), opt("toolCalls", list(toolCall))}, encrypted, metadata, attributable),
		"user":      object(base, named, members{req("content", content)}, encrypted, metadata, attributable),
		"tool":      object(base, members{req("content", content), req("toolCallId", aString), opt("error", aString)}, encrypted, metadata, attributable),
		"activity":  object(base, members{req("activityType", aString), req("content", anObject)}, metadata, attributable),
		"reasoning": object(base, text, encrypted, metadata, attributable),
	})
}

// patch accepts a JSON Patch: operations are open objects, told apart by op.
func patch() *shape.Shape {
	operation := func(m ...shape.Member) *shape.Shape {
		return &shape.Shape{Type: shape.Struct, Open: true, Members: append(members{req("op", aString), req("path", aString)}, m...)}
	}
	value, from := req("value", anyValue), req("from", aString)
	return list(union("op", map[string]*shape.Shape{
		"add": operation(value), "replace": operation(value), "test": operation(value),
		"remove": operation(), "move": operation(from), "copy": operation(from),
	}))
}

// eventShapes holds one shape for each event type; a type without one is unknown.
var eventShapes = makeEventShapes()

func makeEventShapes() map[EventType]*shape.Shape {
	shapes := map[EventType]*shape.Shape{}
	add := func(t EventType, parts ...members) {
		head := members{
			req("type", constant(string(t))), opt("timestamp", integer), opt("rawEvent", notNull), opt("metadata", anObject),
		}
		shapes[t] = object(append([]members{head}, parts...)...)
	}
	messageID, callID, delta := req("messageId", aString), req("toolCallId", aString), req("delta", aString)

	add(TypeTextMessageStart, members{messageID, opt("role", textRole), opt("name", aString)}, attributable)
	add(TypeTextMessageContent, members{messageID, delta}, attributable)
	add(TypeTextMessageEnd, members{messageID}, attributable)
	add(TypeTextMessageChunk, members{opt("messageId", aString), opt("role", textRole), opt("delta", aString), opt("name", aString)}, attributable)

	add(TypeToolCallStart, members{callID, req("toolCallName", aString), opt("parentMessageId", aString)}, attributable)
	add(TypeToolCallArgs, members{callID, delta}, attributable)
	add(TypeToolCallEnd, members{callID}, attributable)
	add(TypeToolCallChunk, members{opt("toolCallId", aString), opt("toolCallName", aString), opt("parentMessageId", aString), opt("delta", aString)}, attributable)
	add(TypeToolCallResult, members{messageID, callID, req("content", content), opt("role", constant("tool"))}, attributable)

	add(TypeStateSnapshot, members{req("snapshot", anyValue)}, attributable)
	add(TypeStateDelta, members{req("delta", patch())}, attributable)
	add(TypeMessagesSnapshot, members{req("messages", list(message))})

	activityType := req("activityType", aString)
	add(TypeActivitySnapshot, members{messageID, activityType, req("content", anObject), opt("replace", aBool)}, attributable)
	add(TypeActivityDelta, members{messageID, activityType, req("patch", patch())}, attributable)

	add(TypeRaw, members{req("event", anyValue), opt("source", aString)}, attributable)
	add(TypeCustom, members{req("name", aString), req("value", anyValue)}, attributable)

	run := members{req("threadId", aString), req("runId", aString)}
	add(TypeRunStarted, run, members{opt("protocolVersion", aString), opt("parentRunId", aString), opt("input", runInput)})
	add(TypeRunFinished, run, members{opt("result", notNull), opt("outcome", outcome), opt("usage", usage)})
	add(TypeRunError, members{req("message", aString), opt("code", aString), opt("usage", usage)})
	add(TypeStepStarted, members{req("stepName", aString)}, attributable)
	add(TypeStepFinished, members{req("stepName", aString)}, attributable)

	add(TypeReasoningStart, members{messageID}, attributable)
	add(TypeReasoningMessageStart, members{messageID, req("role", constant("reasoning"))}, attributable)
	add(TypeReasoningMessageContent, members{messageID, delta}, attributable)
	add(TypeReasoningMessageEnd, members{messageID}, attributable)
	add(TypeReasoningMessageChunk, members{opt("messageId", aString), opt("delta", aString)}, attributable)
	add(TypeReasoningEnd, members{messageID}, attributable)
	add(TypeReasoningEncryptedValue, members{
		req("subtype", words("tool-call", "message")), req("entityId", aString), req("encryptedValue", aString), opt("encryptedValueType", aString),
	}, attributable)

	subagent := members{req("subagentRunId", aString)}
	add(TypeSubagentStarted, subagent, members{req("name", aString), opt("parentSubagentRunId", aString), opt("parentToolCallId", aString), opt("parentMessageId", aString)})
	add(TypeSubagentFinished, subagent, members{opt("result", notNull), opt("outcome", subagentOutcome)})
	add(TypeSubagentError, subagent, members{req("message", aString), opt("code", aString)})
	return shapes
}
