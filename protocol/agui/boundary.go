package agui

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A Boundary translates shapes that the protocol has retired, and agents in the field
// still send, into those of today (AG-UI 1.1, basic/processing: the compatibility
// boundary). It follows one stream; the zero value is ready.
//
//	THINKING_*                                   REASONING_*, with derived ids
//	content parts of type binary                 image, audio, video or document parts
//	CUSTOM on_interrupt and a RUN_FINISHED
//	without an outcome                           RUN_FINISHED with the interrupt outcome
//	parentMessageId, outcome, result, rawEvent
//	and optional members of an input as null     absent
//
// An event of today's shape passes as it came, byte for byte.
type Boundary struct {
	runID    string
	count    int    // spans and messages named so far
	span     string // the open THINKING span, "" for none
	message  string // the open THINKING message
	asked    []jsontext.Value
	warnings []Warning
}

// The retired event types.
const (
	thinkingStart          EventType = "THINKING_START"
	thinkingEnd            EventType = "THINKING_END"
	thinkingMessageStart   EventType = "THINKING_TEXT_MESSAGE_START"
	thinkingMessageContent EventType = "THINKING_TEXT_MESSAGE_CONTENT"
	thinkingMessageEnd     EventType = "THINKING_TEXT_MESSAGE_END"
)

// concerned reports whether events of this type must be shown to the boundary also when
// they have today's shape.
func (b *Boundary) concerned(t EventType) bool {
	return t == TypeCustom || t == TypeRunStarted || t == TypeRunFinished
}

// Next translates one event. It returns raw itself when nothing was retired. The error
// matches ErrMalformed: the bytes are no JSON object with a type.
func (b *Boundary) Next(raw []byte) ([]byte, []Warning, error) {
	b.warnings = nil
	t, _, err := eventType(raw)
	if err != nil {
		return nil, nil, malformed("event", err)
	}
	o, err := readObject(raw)
	if err != nil {
		return nil, nil, malformed("event", err)
	}
	b.dropNull(o, "rawEvent", "")
	if rename, known := b.thinking(t, o); known {
		o.set("type", quote(string(rename)))
	} else if err := b.translate(t, o); err != nil {
		return nil, nil, malformed(string(t), err)
	}
	if !o.changed {
		return raw, nil, nil
	}
	return o.bytes(), b.warnings, nil
}

func (b *Boundary) warn(path, detail string) {
	b.warnings = append(b.warnings, Warning{Code: RetiredShape, Path: path, Detail: detail})
}

func (b *Boundary) dropNull(o *rawObject, name, at string) {
	if string(o.get(name)) == "null" {
		o.drop(name)
		b.warn(at+"/"+name, "null stood for an absent member")
	}
}

func (b *Boundary) translate(t EventType, o *rawObject) error {
	switch t {
	case TypeToolCallStart, TypeToolCallChunk:
		b.dropNull(o, "parentMessageId", "")
	case TypeSubagentFinished:
		b.dropNull(o, "result", "")
	case TypeCustom:
		if shape.Unquote(o.get("name")) == "on_interrupt" && o.get("value") != nil {
			b.asked = append(b.asked, o.get("value"))
		}
	case TypeRunFinished:
		b.dropNull(o, "result", "")
		b.dropNull(o, "outcome", "")
		b.interrupt(o)
	case TypeMessagesSnapshot:
		return b.upgradeMessages(o, "")
	case TypeRunStarted:
		*b = Boundary{runID: shape.Unquote(o.get("runId")), warnings: b.warnings}
		return b.upgradeEcho(o)
	}
	return nil
}

// thinking translates the retired reasoning events. Their ids were never sent; they are
// derived from the run's. An event that goes on with nothing gets an id that nothing
// opened, so that the verifier refuses it.
func (b *Boundary) thinking(t EventType, o *rawObject) (EventType, bool) {
	rename := map[EventType]EventType{
		thinkingStart: TypeReasoningStart, thinkingEnd: TypeReasoningEnd, thinkingMessageStart: TypeReasoningMessageStart,
		thinkingMessageContent: TypeReasoningMessageContent, thinkingMessageEnd: TypeReasoningMessageEnd,
	}[t]
	if rename == "" {
		return "", false
	}
	b.warn("/type", string(t)+" is "+string(rename)+" today")
	switch t {
	case thinkingStart:
		b.span = b.derived("thinking")
		if o.get("title") != nil {
			o.drop("title")
			b.warn("/title", "a reasoning span has no title; it is lost")
		}
	case thinkingMessageStart:
		b.message = b.derived("thinking")
		o.set("role", jsontext.Value(`"reasoning"`))
	}
	id := b.message
	if t == thinkingStart || t == thinkingEnd {
		id = b.span
	}
	if id == "" {
		id = b.runID + "#thinking-0"
	}
	o.set("messageId", quote(id))
	switch t {
	case thinkingEnd:
		b.span = ""
	case thinkingMessageEnd:
		b.message = ""
	}
	return rename, true
}

func (b *Boundary) derived(what string) string {
	b.count++
	return b.runID + "#" + what + "-" + strconv.Itoa(b.count)
}

// onInterrupt marks the ids of interrupts that were asked by CUSTOM on_interrupt.
const onInterrupt = "on_interrupt"

// knownOutcome reports whether enforcement leaves something of an outcome, or finds fault
// with it.
func knownOutcome(v jsontext.Value) bool {
	if v == nil {
		return false
	}
	tag, err := shape.StringMember(v, "type")
	return err != nil || outcome.Variants[tag] != nil
}

// interrupt gives RUN_FINISHED the outcome that a retired CUSTOM on_interrupt meant, if
// the agent gives none itself.
func (b *Boundary) interrupt(o *rawObject) {
	asked := b.asked
	b.asked = nil
	if len(asked) == 0 || knownOutcome(o.get("outcome")) {
		return
	}
	interrupts := []byte(`{"type":"interrupt","interrupts":[`)
	for i, value := range asked {
		if i > 0 {
			interrupts = append(interrupts, ',')
		}
		interrupts = append(interrupts, `{"id":`...)
		interrupts = append(interrupts, quote(b.runID+"#"+onInterrupt+"-"+strconv.Itoa(i+1))...)
		interrupts = append(interrupts, `,"reason":"`+onInterrupt+`"`...)
		if value.Kind() == '"' {
			interrupts = member(interrupts, "message", value)
		}
		interrupts = append(interrupts, `,"metadata":{"`+onInterrupt+`":`...)
		interrupts = append(append(interrupts, value...), "}}"...)
	}
	o.set("outcome", append(interrupts, "]}"...))
	b.warn("/outcome", "asked by CUSTOM on_interrupt; today RUN_FINISHED says so")
}
