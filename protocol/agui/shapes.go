package agui

import "github.com/agui-bridge/agui-bridge/internal/shape"

// The shapes here and in shapes_*.go restate the protocol's JSON Schema, definition by
// definition; a test holds every one of them to it.

type members = []shape.Member

func req(name string, s *shape.Shape) shape.Member {
	return shape.Member{Name: name, Shape: s, Required: true}
}

func opt(name string, s *shape.Shape) shape.Member { return shape.Member{Name: name, Shape: s} }

// object describes a closed object.
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

// union describes objects that the member tag tells apart; each variant has it as a
// constant of its own.
func union(tag string, variants map[string]*shape.Shape) *shape.Shape {
	return &shape.Shape{Type: shape.Union, Tag: tag, Variants: variants}
}

// optional describes members of one shape that may all be absent.
func optional(s *shape.Shape, names ...string) members {
	m := make(members, len(names))
	for i, name := range names {
		m[i] = opt(name, s)
	}
	return m
}

var (
	aString   = &shape.Shape{Type: shape.String}
	aBool     = &shape.Shape{Type: shape.Bool}
	anyValue  = &shape.Shape{Type: shape.Any}
	notNull   = &shape.Shape{Type: shape.NotNull}
	anObject  = &shape.Shape{Type: shape.Object}
	aPointer  = &shape.Shape{Type: shape.Pointer}
	timestamp = &shape.Shape{Type: shape.Integer, Min: -shape.SafeInteger, Max: shape.SafeInteger}
	count     = &shape.Shape{Type: shape.Integer, Min: 0, Max: shape.SafeInteger}

	textRole      = words("developer", "system", "assistant", "user")
	encryptedKind = words("tool-call", "message")
	resumeStatus  = words("resolved", "cancelled")

	attributable = members{opt("subagentRunId", aString)}
	encrypted    = optional(aString, "encryptedValue", "encryptedValueType")
	metadata     = members{opt("metadata", anObject)}
)

var (
	interrupt = object(members{
		req("id", aString), req("reason", aString), opt("message", aString), opt("toolCallId", aString),
		opt("responseSchema", anObject), opt("expiresAt", aString),
	}, metadata, attributable)
	resumeEntry = object(members{
		req("interruptId", aString), req("status", resumeStatus), opt("payload", notNull),
	}, metadata)

	successOutcome   = object(members{req("type", constant("success")), opt("pendingToolCallIds", list(aString))})
	interruptOutcome = object(members{
		req("type", constant("interrupt")), req("interrupts", &shape.Shape{Type: shape.Array, MinItems: 1, Item: interrupt}),
	})
	cancelledOutcome = object(members{req("type", constant("cancelled"))})
	outcome          = union("type", map[string]*shape.Shape{
		"success": successOutcome, "interrupt": interruptOutcome, "cancelled": cancelledOutcome,
	})

	subagentSuccess   = object(members{req("type", constant("success"))})
	subagentSuspended = object(members{req("type", constant("suspended")), opt("interruptIds", list(aString))})
	subagentOutcome   = union("type", map[string]*shape.Shape{"success": subagentSuccess, "suspended": subagentSuspended})

	usage = object(optional(aString, "provider", "model"), optional(count, "inputTokens", "outputTokens",
		"totalTokens", "reasoningTokens", "cachedInputTokens", "cacheWriteInputTokens"))

	tool     = object(members{req("name", aString), req("description", aString), opt("parameters", notNull)}, metadata)
	context  = object(members{req("description", aString), req("value", aString)})
	runInput = object(members{
		req("threadId", aString), req("runId", aString), opt("protocolVersion", aString), opt("parentRunId", aString),
		opt("state", notNull), req("messages", list(message)), opt("tools", list(tool)), opt("context", list(context)),
		opt("forwardedProps", notNull), opt("resume", list(resumeEntry)),
	})
)

// The operations of a JSON Patch are open objects: RFC 6902, section 4, has members an
// operation does not define ignored.
var (
	addOperation     = operation("add", req("value", anyValue))
	replaceOperation = operation("replace", req("value", anyValue))
	testOperation    = operation("test", req("value", anyValue))
	removeOperation  = operation("remove")
	moveOperation    = operation("move", req("from", aPointer))
	copyOperation    = operation("copy", req("from", aPointer))
	patchOperation   = union("op", map[string]*shape.Shape{
		"add": addOperation, "replace": replaceOperation, "test": testOperation,
		"remove": removeOperation, "move": moveOperation, "copy": copyOperation,
	})
	patch = list(patchOperation)
)

func operation(op string, m ...shape.Member) *shape.Shape {
	return &shape.Shape{Type: shape.Struct, Open: true, Members: append(members{req("op", constant(op)), req("path", aPointer)}, m...)}
}
