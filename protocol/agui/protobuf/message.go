package protobuf

// A kind is the form of a field: what it is in JSON and in bytes.
type kind uint8

const (
	text    kind = iota // a string; the empty one is not written, and read from nothing
	optText             // a string, written whenever it is there
	integer             // a whole number, written whenever it is there
	flag                // true or false, written whenever it is there
	value               // google.protobuf.Value: any JSON
	object              // google.protobuf.Struct: any JSON object
	one                 // a message
	many                // a list of messages
	optMany             // the same, absent when it is empty
	texts               // a list of strings
	op                  // the name of a JSON Patch operation, as a number
	outcome             // the type of the object "outcome"
)

// A field is one field of a message. Fields stand in the order in which they are
// written, which is that of their numbers.
type field struct {
	num  uint8
	name string // of the member in JSON
	kind kind
	sub  *message // one, many, optMany
	in   string   // the type of outcome whose object holds the member; "": no outcome
}

func str(num uint8, name string) field      { return field{num: num, name: name, kind: text} }
func opt(num uint8, name string) field      { return field{num: num, name: name, kind: optText} }
func whole(num uint8, name string) field    { return field{num: num, name: name, kind: integer} }
func yesNo(num uint8, name string) field    { return field{num: num, name: name, kind: flag} }
func anything(num uint8, name string) field { return field{num: num, name: name, kind: value} }
func members(num uint8, name string) field  { return field{num: num, name: name, kind: object} }

func msg(num uint8, name string, m *message) field {
	return field{num: num, name: name, kind: one, sub: m}
}

func list(num uint8, name string, m *message) field {
	return field{num: num, name: name, kind: many, sub: m}
}

func optList(num uint8, name string, m *message) field {
	return field{num: num, name: name, kind: optMany, sub: m}
}

func (f field) of(outcomeType string) field { f.in = outcomeType; return f }

// A message describes what is an object in JSON.
type message struct {
	fields []field
	// Several fields carry the member "content", each one form of it.
	content bool
	// The object's member "type" picks the only field that is written, by its name.
	union bool
	// Members that exist in JSON but are no fields: constants, and what a union or an
	// outcome reads. The others are unknown.
	silent string
}

// arm returns the field of a union that the given type picks, or nil.
func (m *message) arm(name string) *field {
	for i := range m.fields {
		if m.fields[i].name == name {
			return &m.fields[i]
		}
	}
	return nil
}

var (
	dataSource = &message{silent: "type", fields: []field{str(1, "value"), str(2, "mimeType")}}
	urlSource  = &message{silent: "type", fields: []field{str(1, "value"), opt(2, "mimeType")}}
	fileSource = &message{silent: "type", fields: []field{str(1, "value"), opt(2, "provider"), opt(3, "mimeType")}}
	source     = &message{union: true, fields: []field{msg(1, "data", dataSource), msg(2, "url", urlSource), msg(3, "file", fileSource)}}

	textPart  = &message{silent: "type", fields: []field{str(1, "text"), opt(2, "id"), anything(3, "metadata")}}
	mediaPart = &message{silent: "type", fields: []field{msg(1, "source", source), anything(2, "metadata"), opt(3, "id")}}
	part      = &message{union: true, fields: []field{
		msg(1, "text", textPart), msg(2, "image", mediaPart), msg(3, "audio", mediaPart), msg(4, "video", mediaPart), msg(5, "document", mediaPart),
	}}

	function = &message{fields: []field{str(1, "name"), str(2, "arguments")}}
	toolCall = &message{fields: []field{
		str(1, "id"), str(2, "type"), msg(3, "function", function), members(4, "metadata"), opt(5, "encryptedValue"),
	}}
	chatMessage = &message{content: true, fields: []field{
		str(1, "id"), str(2, "role"), opt(contentText, "content"), opt(4, "name"),
		optList(5, "toolCalls", toolCall), opt(6, "toolCallId"), opt(7, "error"),
		list(contentParts, "content", part), members(9, "metadata"), opt(10, "subagentRunId"),
		opt(11, "encryptedValue"), opt(12, "activityType"), members(contentMap, "content"),
	}}

	tool = &message{fields: []field{
		str(1, "name"), str(2, "description"), anything(3, "parameters"), members(4, "metadata"),
	}}
	contextItem = &message{fields: []field{str(1, "description"), str(2, "value")}}
	resumeEntry = &message{fields: []field{
		str(1, "interruptId"), str(2, "status"), anything(3, "payload"), members(4, "metadata"),
	}}
	runInput = &message{fields: []field{
		str(1, "threadId"), str(2, "runId"), opt(3, "parentRunId"), anything(4, "state"),
		list(5, "messages", chatMessage), list(6, "tools", tool), list(7, "context", contextItem),
		anything(8, "forwardedProps"), list(9, "resume", resumeEntry), opt(10, "protocolVersion"),
	}}

	interrupt = &message{fields: []field{
		str(1, "id"), str(2, "reason"), opt(3, "message"), opt(4, "toolCallId"),
		anything(5, "responseSchema"), opt(6, "expiresAt"), anything(7, "metadata"), opt(8, "subagentRunId"),
	}}
	usage = &message{fields: []field{
		opt(1, "provider"), opt(2, "model"), whole(3, "inputTokens"), whole(4, "outputTokens"),
		whole(5, "totalTokens"), whole(6, "reasoningTokens"), whole(7, "cachedInputTokens"),
		whole(8, "cacheWriteInputTokens"),
	}}
	operation = &message{fields: []field{{num: 1, name: "op", kind: op}, str(2, "path"), opt(3, "from"), anything(4, "value")}}
)

// The fields of a message that carry its content, by its form. Which one a role uses
// is part of the protocol: parts for user and tool, a map for activity.
const (
	contentText  = 3
	contentParts = 8
	contentMap   = 13
)

// operations are the names of the JSON Patch operations, in the order of their numbers.
var operations = [...]string{"add", "remove", "replace", "move", "copy", "test"}
