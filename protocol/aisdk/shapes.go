package aisdk

import "github.com/agui-bridge/agui-bridge/internal/shape"

// Chunks are loose: since ai 6.0.231 and 7.0.32 a client keeps members it does not
// know. So every shape is open, and only what is known is checked.

type members = []shape.Member

func req(name string, s *shape.Shape) shape.Member {
	return shape.Member{Name: name, Shape: s, Required: true}
}

func opt(name string, s *shape.Shape) shape.Member { return shape.Member{Name: name, Shape: s} }

var (
	aString  = &shape.Shape{Type: shape.String}
	aBool    = &shape.Shape{Type: shape.Bool}
	anyValue = &shape.Shape{Type: shape.Any}
	anObject = &shape.Shape{Type: shape.Object}
	anArray  = &shape.Shape{Type: shape.Array, Item: anyValue}
	encoding = &shape.Shape{Type: shape.String, Words: []string{"json", "text"}}
	reasons  = &shape.Shape{Type: shape.String, Words: []string{"stop", "length", "content-filter", "tool-calls", "error", "other", "interrupted"}}
)

// chunkShapes holds one shape for each chunk type; a type without one is unknown.
var chunkShapes = makeChunkShapes()

// dataShape is the shape of every data-<name> chunk.
var dataShape = &shape.Shape{Type: shape.Struct, Open: true, Members: members{
	req("type", aString), req("data", anyValue), opt("id", aString), opt("transient", aBool),
}}

// unknownChunk is what is checked of a chunk whose type is not known.
var unknownChunk = &shape.Shape{Type: shape.Struct, Open: true, Members: members{req("type", aString)}}

func makeChunkShapes() map[ChunkType]*shape.Shape {
	shapes := map[ChunkType]*shape.Shape{}
	add := func(t ChunkType, m ...shape.Member) {
		head := req("type", &shape.Shape{Type: shape.Const, Words: []string{string(t)}})
		shapes[t] = &shape.Shape{Type: shape.Struct, Open: true, Members: append(members{head}, m...)}
	}
	id, delta, callID := req("id", aString), req("delta", aString), req("toolCallId", aString)
	toolName, metadata := req("toolName", aString), opt("providerMetadata", anObject)
	input, errorText := req("input", anyValue), req("errorText", aString)
	executed, dynamic, toolMetadata := opt("providerExecuted", aBool), opt("dynamic", aBool), opt("toolMetadata", anObject)
	title := opt("title", aString)

	add(TypeStart, opt("messageId", aString), opt("messageMetadata", anyValue))
	add(TypeFinish, opt("finishReason", reasons), opt("messageMetadata", anyValue))
	add(TypeAbort, opt("reason", aString))
	add(TypeError, errorText)
	add(TypeMessageMetadata, req("messageMetadata", anyValue))
	add(TypeStartStep)
	add(TypeFinishStep)
	add(TypeResetStep)

	add(TypeTextStart, id, metadata)
	add(TypeTextDelta, id, delta, metadata)
	add(TypeTextEnd, id, metadata, opt("citations", anArray))
	add(TypeReasoningStart, id, metadata)
	add(TypeReasoningDelta, id, delta, metadata)
	add(TypeReasoningEnd, id, metadata)

	add(TypeToolInputStart, callID, toolName, opt("inputEncoding", encoding), executed, metadata, toolMetadata, dynamic, title)
	add(TypeToolInputDelta, callID, req("inputTextDelta", aString))
	add(TypeToolInputAvailable, callID, toolName, input, executed, metadata, toolMetadata, dynamic, title)
	add(TypeToolInputError, callID, toolName, input, errorText, executed, metadata, toolMetadata, dynamic, title)
	add(TypeToolApprovalRequest, req("approvalId", aString), callID, opt("signature", aString), opt("approvalDescriptor", anyValue),
		opt("inputSchemaInput", anyValue), opt("reason", aString), opt("isAutomatic", aBool))
	add(TypeToolApprovalResponse, req("approvalId", aString), req("approved", aBool), opt("reason", aString), executed, metadata)
	add(TypeToolOutputAvailable, callID, req("output", anyValue), executed, metadata, toolMetadata, dynamic, opt("preliminary", aBool))
	add(TypeToolOutputError, callID, errorText, executed, metadata, toolMetadata, dynamic)
	add(TypeToolOutputDenied, callID)

	add(TypeSourceURL, req("sourceId", aString), req("url", aString), title, metadata)
	add(TypeSourceDocument, req("sourceId", aString), req("mediaType", aString), req("title", aString), opt("filename", aString), metadata)
	add(TypeFile, req("url", aString), req("mediaType", aString), metadata)
	add(TypeReasoningFile, req("url", aString), req("mediaType", aString), metadata)
	add(TypeCustom, req("kind", aString), metadata)
	return shapes
}
