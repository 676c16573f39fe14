package agui

import "github.com/agui-bridge/agui-bridge/internal/shape"

var (
	dataSource = object(members{req("type", constant("data")), req("value", aString), req("mimeType", aString)})
	urlSource  = object(members{req("type", constant("url")), req("value", aString), opt("mimeType", aString)})
	fileSource = object(members{req("type", constant("file")), req("value", aString), opt("provider", aString), opt("mimeType", aString)})
	partSource = union("type", map[string]*shape.Shape{"data": dataSource, "url": urlSource, "file": fileSource})

	textPart = object(members{req("type", constant("text")), opt("id", aString), req("text", aString), opt("metadata", notNull)})

	contentPart = union("type", map[string]*shape.Shape{
		"text": textPart, "image": mediaPart("image"), "audio": mediaPart("audio"),
		"video": mediaPart("video"), "document": mediaPart("document"),
	})
	content = &shape.Shape{Type: shape.StringOrArray, Item: contentPart}
)

func mediaPart(kind string) *shape.Shape {
	return object(members{req("type", constant(kind)), opt("id", aString), req("source", partSource), opt("metadata", notNull)})
}

var (
	functionCall = object(members{req("name", aString), req("arguments", aString)})
	toolCall     = object(members{req("id", aString), req("type", constant("function")), req("function", functionCall)}, encrypted, metadata)

	message = union("role", map[string]*shape.Shape{
		"developer": messageOf("developer", named, members{req("content", aString)}, encrypted),
		"system":    messageOf("system", named, members{req("content", aString)}, encrypted),
		"assistant": messageOf("assistant", named, members{opt("content", aString), opt("toolCalls", list(toolCall))}, encrypted),
		"user":      messageOf("user", named, members{req("content", content)}, encrypted),
		"tool":      messageOf("tool", members{req("content", content), req("toolCallId", aString), opt("error", aString)}, encrypted),
		"activity":  messageOf("activity", members{req("activityType", aString), req("content", anObject)}),
		"reasoning": messageOf("reasoning", members{req("content", aString)}, encrypted),
	})
	named = members{opt("name", aString)}
)

func messageOf(role string, parts ...members) *shape.Shape {
	head := members{req("id", aString), req("role", constant(role))}
	return object(append(append([]members{head}, parts...), metadata, attributable)...)
}
