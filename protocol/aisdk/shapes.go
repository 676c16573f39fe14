package aisdk

import "github.com/agui-bridge/agui-bridge/internal/shape"

// Chunks are loose: since ai 6.0.231 and 7.0.32 a client keeps members it does not
// know. So every shape is open, and only what is known is checked.

type members = []shape.Member

func req(name string, s *shape.Shape) shape.Member {
	return shape.Member{Name: name, Shape: s, Required: true}
}

func opt(name string, s *shape.Shape) shape.Member { return shape.Member{Name: name, Shape: s} }

func open(m ...shape.Member) *shape.Shape {
	return &shape.Shape{Type: shape.Struct, Open: true, Members: m}
}

func closed(m ...shape.Member) *shape.Shape { return &shape.Shape{Type: shape.Struct, Members: m} }

func word(w string) *shape.Shape { return &shape.Shape{Type: shape.Const, Words: []string{w}} }

func words(w ...string) *shape.Shape { return &shape.Shape{Type: shape.String, Words: w} }

func list(item *shape.Shape) *shape.Shape { return &shape.Shape{Type: shape.Array, Item: item} }

var (
	aString   = &shape.Shape{Type: shape.String}
	aBool     = &shape.Shape{Type: shape.Bool}
	anyValue  = &shape.Shape{Type: shape.Any}
	anObject  = &shape.Shape{Type: shape.Object}
	anIndex   = &shape.Shape{Type: shape.Integer, Max: shape.SafeInteger}
	encoding  = words(string(EncodingJSON), string(EncodingText))
	stringMap = &shape.Shape{Type: shape.Map, Item: aString}
	// twoLevels is provider metadata: an object for each provider, with any members.
	twoLevels = &shape.Shape{Type: shape.Map, Item: anObject}

	reasonsOf6 = []string{
		string(FinishStop), string(FinishLength), string(FinishContentFilter), string(FinishToolCalls), string(FinishError), string(FinishOther),
	}
	reasonsOf7 = append(reasonsOf6[:len(reasonsOf6):len(reasonsOf6)], string(FinishInterrupted))
)

// citations is the shape of what a text rests on. A chat keeps only what is described.
var citations = list(closed(
	req("source", &shape.Shape{Type: shape.Union, Tag: "sourceType", Variants: map[string]*shape.Shape{
		"url": closed(req("type", word("source")), req("sourceType", aString), req("id", aString), req("url", aString), opt("title", aString), opt("providerMetadata", twoLevels)),
		"document": closed(req("type", word("source")), req("sourceType", aString), req("id", aString), req("mediaType", aString), req("title", aString),
			opt("filename", aString), opt("providerMetadata", twoLevels)),
	}}),
	opt("startIndex", anIndex), opt("endIndex", anIndex), opt("citedText", aString),
))

// steeringParts is the shape of what a user said into a run.
var steeringParts = list(&shape.Shape{Type: shape.Union, Tag: "type", Variants: map[string]*shape.Shape{
	"text": open(req("type", aString), req("text", aString), opt("providerMetadata", twoLevels)),
	"file": open(req("type", aString), req("mediaType", aString), req("url", aString), opt("filename", aString),
		opt("providerReference", stringMap), opt("providerMetadata", twoLevels)),
}})

// chunkShapes holds one shape for each chunk type of either major; a type without one
// is unknown. Nothing that ai 6 knows has another form in ai 7.
var chunkShapes = makeChunkShapes(V7)

// dataShape is the shape of every data-<name> chunk.
var dataShape = open(req("type", aString), req("data", anyValue), opt("id", aString), opt("transient", aBool))

// unknownChunk is what is checked of a chunk whose type is not known.
var unknownChunk = open(req("type", aString))

// makeChunkShapes returns the shapes of the chunks that a profile knows.
func makeChunkShapes(p Profile) map[ChunkType]*shape.Shape {
	shapes := map[ChunkType]*shape.Shape{}
	add := func(t ChunkType, m ...shape.Member) {
		shapes[t] = open(append(members{req("type", word(string(t)))}, m...)...)
	}
	id, delta, callID := req("id", aString), req("delta", aString), req("toolCallId", aString)
	toolName, metadata := req("toolName", aString), opt("providerMetadata", twoLevels)
	input, errorText := req("input", anyValue), req("errorText", aString)
	executed, dynamic, toolMetadata := opt("providerExecuted", aBool), opt("dynamic", aBool), opt("toolMetadata", anObject)
	title := opt("title", aString)
	request := members{
		req("approvalId", aString), callID, opt("signature", aString), opt("approvalDescriptor", anyValue), opt("inputSchemaInput", anyValue),
	}
	end := members{id, metadata}
	reasons := reasonsOf6

	if p == V7 {
		end = append(end, opt("citations", citations))
		request = append(request, opt("reason", aString), opt("isAutomatic", aBool))
		reasons = reasonsOf7
		add(TypeResetStep)
		add(TypeToolApprovalResponse, req("approvalId", aString), req("approved", aBool), opt("reason", aString), executed, metadata)
		add(TypeReasoningFile, req("url", aString), req("mediaType", aString), metadata)
		add(TypeCustom, req("kind", aString), metadata)
		add(TypeSteeringMessage, id, req("parts", steeringParts))
	}

	add(TypeStart, opt("messageId", aString), opt("messageMetadata", anyValue))
	add(TypeFinish, opt("finishReason", words(reasons...)), opt("messageMetadata", anyValue))
	add(TypeAbort, opt("reason", aString))
	add(TypeError, errorText)
	add(TypeMessageMetadata, req("messageMetadata", anyValue))
	add(TypeStartStep)
	add(TypeFinishStep)

	add(TypeTextStart, id, metadata)
	add(TypeTextDelta, id, delta, metadata)
	add(TypeTextEnd, end...)
	add(TypeReasoningStart, id, metadata)
	add(TypeReasoningDelta, id, delta, metadata)
	add(TypeReasoningEnd, id, metadata)

	add(TypeToolInputStart, callID, toolName, opt("inputEncoding", encoding), executed, metadata, toolMetadata, dynamic, title)
	add(TypeToolInputDelta, callID, req("inputTextDelta", aString))
	add(TypeToolInputAvailable, callID, toolName, input, executed, metadata, toolMetadata, dynamic, title)
	add(TypeToolInputError, callID, toolName, input, errorText, executed, metadata, toolMetadata, dynamic, title)
	add(TypeToolApprovalRequest, request...)
	add(TypeToolOutputAvailable, callID, req("output", anyValue), executed, metadata, toolMetadata, dynamic, opt("preliminary", aBool))
	add(TypeToolOutputError, callID, errorText, executed, metadata, toolMetadata, dynamic)
	add(TypeToolOutputDenied, callID)

	add(TypeSourceURL, req("sourceId", aString), req("url", aString), title, metadata)
	add(TypeSourceDocument, req("sourceId", aString), req("mediaType", aString), req("title", aString), opt("filename", aString), metadata)
	add(TypeFile, req("url", aString), req("mediaType", aString), metadata)
	return shapes
}
