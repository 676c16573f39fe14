package agui

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// An Expander turns chunk events into the start, content and end events they stand for
// (AG-UI 1.1, basic/patterns/streaming). It is fed frames that ParseFrame accepted. The
// zero value is ready. What it makes has no timestamp: it is not the event that was sent
// (basic/processing).
//
// A chunk that leaves out its id goes on with what is open in its lane; there is a lane
// for each subagent and one for the agent itself. What ends the stream of a lane:
//
//	a chunk of another id or kind in the lane          that lane
//	a message, tool, step, state, custom or reasoning event   the lane it belongs to
//	SUBAGENT_FINISHED, SUBAGENT_ERROR                  that subagent's lane
//	RUN_STARTED, RUN_FINISHED, RUN_ERROR, MESSAGES_SNAPSHOT   every lane
//	RAW, ACTIVITY_*, REASONING_ENCRYPTED_VALUE, SUBAGENT_STARTED   none
type Expander struct {
	lanes []lane // in the order in which they opened
	out   []Frame
}

// A lane is what one producer has open by chunks.
type lane struct {
	owner owner
	kind  *chunkKind
	id    jsontext.Value   // as it is quoted
	said  []jsontext.Value // what the first chunk said, by the kind's openers
}

// An owner is the subagent something belongs to, or the agent itself.
type owner struct {
	id       string
	subagent bool
}

func ownerOf(f Frame) owner {
	if f.Member("subagentRunId") == nil {
		return owner{}
	}
	return owner{id: f.Text("subagentRunId"), subagent: true}
}

// tag attributes an event to the owner.
func (o owner) tag() Attributable {
	return Attributable{SubagentRunID: Text{text: o.id, present: o.subagent}}
}

// String names the owner in messages.
func (o owner) String() string {
	if !o.subagent {
		return "the agent itself"
	}
	return "subagent " + o.id
}

// A chunkKind says what the chunks of one kind stand for.
type chunkKind struct {
	what                string
	start, content, end EventType
	id                  string   // the member that names what is streamed
	required            string   // a member the first chunk must have beside it, "" for none
	openers             []string // members of the first chunk; a later one may only repeat them
	fixed               string   // members of the start event that no chunk has
	absent              string   // what the first opener is when it is absent, quoted
}

var chunkKinds = map[EventType]*chunkKind{
	TypeTextMessageChunk: {
		what: "message", start: TypeTextMessageStart, content: TypeTextMessageContent, end: TypeTextMessageEnd,
		id: "messageId", openers: []string{"role", "name"}, absent: `"assistant"`,
	},
	TypeToolCallChunk: {
		what: "tool call", start: TypeToolCallStart, content: TypeToolCallArgs, end: TypeToolCallEnd,
		id: "toolCallId", required: "toolCallName", openers: []string{"toolCallName", "parentMessageId"},
	},
	TypeReasoningMessageChunk: {
		what: "reasoning message", start: TypeReasoningMessageStart, content: TypeReasoningMessageContent, end: TypeReasoningMessageEnd,
		id: "messageId", fixed: `,"role":"reasoning"`,
	},
}

// closing says which lanes an event ends.
type closing uint8

const (
	closesNone closing = iota
	closesOwn
	closesAll
)

var closes = map[EventType]closing{
	TypeTextMessageStart: closesOwn, TypeTextMessageContent: closesOwn, TypeTextMessageEnd: closesOwn,
	TypeToolCallStart: closesOwn, TypeToolCallArgs: closesOwn, TypeToolCallEnd: closesOwn, TypeToolCallResult: closesOwn,
	TypeStateSnapshot: closesOwn, TypeStateDelta: closesOwn, TypeCustom: closesOwn,
	TypeStepStarted: closesOwn, TypeStepFinished: closesOwn,
	TypeReasoningStart: closesOwn, TypeReasoningMessageStart: closesOwn, TypeReasoningMessageContent: closesOwn,
	TypeReasoningMessageEnd: closesOwn, TypeReasoningEnd: closesOwn,
	TypeSubagentFinished: closesOwn, TypeSubagentError: closesOwn,
	TypeRunStarted: closesAll, TypeRunFinished: closesAll, TypeRunError: closesAll, TypeMessagesSnapshot: closesAll,
}

// Next returns the frames that f stands for, f itself if it is no chunk. The slice is
// good until the next call. The error matches ErrSequence.
func (e *Expander) Next(f Frame) ([]Frame, error) {
	e.out = e.out[:0]
	if f.kind == nil || f.kind.chunk == nil {
		if len(e.lanes) > 0 {
			e.end(f)
		}
		e.out = append(e.out, f)
		return e.out, nil
	}
	err := e.chunk(f, f.kind.chunk)
	return e.out, err
}

// opened reports whether a chunk has opened what the given end event would close. Such
// things end by themselves.
func (e *Expander) opened(end EventType, id string) bool {
	return slices.ContainsFunc(e.lanes, func(l lane) bool { return l.kind.end == end && shape.Unquote(l.id) == id })
}

func (e *Expander) end(f Frame) {
	if f.kind == nil {
		return
	}
	switch f.kind.closes {
	case closesAll:
		for len(e.lanes) > 0 {
			e.close(0)
		}
	case closesOwn:
		e.close(e.laneOf(ownerOf(f)))
	}
}

// close ends the stream of the lane at i, if there is one.
func (e *Expander) close(i int) {
	if i < 0 {
		return
	}
	l := e.lanes[i]
	e.lanes = slices.Delete(e.lanes, i, i+1)
	raw := opening(l.kind.end, l.kind.id, l.id)
	e.emit(l.kind.end, append(attributed(raw, l.owner), '}'))
}

func (e *Expander) laneOf(o owner) int {
	return slices.IndexFunc(e.lanes, func(l lane) bool { return l.owner == o })
}

func (e *Expander) chunk(f Frame, kind *chunkKind) error {
	id := f.Member(kind.id)
	who, err := e.resolve(f, kind, id)
	if err != nil {
		return err
	}
	i := e.laneOf(who)
	if i >= 0 && e.lanes[i].kind == kind && (id == nil || sameText(id, e.lanes[i].id)) {
		if err := e.lanes[i].agrees(f); err != nil {
			return err
		}
		e.content(f, e.lanes[i], false)
		return nil
	}
	e.close(i)
	if id == nil {
		return broken(f, IncompleteChunk, "the first chunk needs "+kind.id)
	}
	if kind.required != "" && f.Member(kind.required) == nil {
		return broken(f, IncompleteChunk, "the first chunk needs "+kind.required)
	}
	l := lane{owner: who, kind: kind, id: id, said: make([]jsontext.Value, len(kind.openers))}
	for n, name := range kind.openers {
		l.said[n] = f.Member(name)
	}
	if len(l.said) > 0 && l.said[0] == nil && kind.absent != "" {
		l.said[0] = jsontext.Value(kind.absent)
	}
	e.lanes = append(e.lanes, l)
	e.start(f, l)
	e.content(f, l, true)
	return nil
}

// resolve finds out whose lane a chunk belongs to: where its id is open, else where it
// says, else the agent's own, else the only one that it can continue.
func (e *Expander) resolve(f Frame, kind *chunkKind, id jsontext.Value) (owner, error) {
	tag := ownerOf(f)
	if id != nil {
		for _, l := range e.lanes {
			if l.kind != kind || !sameText(id, l.id) {
				continue
			}
			if tag.subagent && tag != l.owner {
				return owner{}, broken(f, WrongOwner, kind.what+" "+shape.Unquote(id)+" belongs to "+l.owner.String()+", not to "+tag.String())
			}
			return l.owner, nil
		}
		return tag, nil
	}
	if tag.subagent {
		return tag, nil
	}
	var candidates []owner
	for _, l := range e.lanes {
		if l.kind != kind {
			continue
		}
		if !l.owner.subagent {
			return owner{}, nil
		}
		candidates = append(candidates, l.owner)
	}
	switch len(candidates) {
	case 0:
		return owner{}, nil
	case 1:
		return candidates[0], nil
	}
	return owner{}, broken(f, AmbiguousChunk, "a chunk without "+kind.id+" and subagentRunId could belong to more than one open "+kind.what)
}

// agrees checks that a later chunk repeats only what the first one said.
func (l lane) agrees(f Frame) error {
	for n, name := range l.kind.openers {
		now := f.Member(name)
		if now == nil {
			continue
		}
		if l.said[n] == nil || !sameText(now, l.said[n]) {
			return broken(f, ConflictingChunk, name+" of "+l.kind.what+" "+shape.Unquote(l.id)+" is not what the first chunk said")
		}
	}
	return nil
}

// start says the start event; the provider's own event stays with the content.
func (e *Expander) start(f Frame, l lane) {
	raw := append(opening(l.kind.start, l.kind.id, l.id), l.kind.fixed...)
	for n, name := range l.kind.openers {
		raw = member(raw, name, l.said[n])
	}
	raw = attributed(raw, l.owner)
	raw = member(raw, "metadata", f.Member("metadata"))
	e.emit(l.kind.start, append(raw, '}'))
}

// content says what the chunk adds. A chunk that adds nothing to read says nothing,
// unless it has something to carry that no start event has carried.
func (e *Expander) content(f Frame, l lane, started bool) {
	delta := f.Member("delta")
	if delta == nil {
		if f.Member("rawEvent") == nil && (started || f.Member("metadata") == nil) {
			return
		}
		delta = jsontext.Value(`""`)
	}
	raw := opening(l.kind.content, l.kind.id, l.id)
	raw = member(raw, "delta", delta)
	raw = attributed(raw, l.owner)
	for _, name := range []string{"rawEvent", "metadata"} {
		raw = member(raw, name, f.Member(name))
	}
	e.emit(l.kind.content, append(raw, '}'))
}

// emit adds a frame made of checked parts; parsing it finds where its members lie.
func (e *Expander) emit(t EventType, raw []byte) {
	kind := eventKinds[string(t)]
	record, _, err := shape.Parse(raw, kind.shape)
	if err != nil {
		panic("agui: an expanded chunk is no " + string(t) + ": " + err.Error()) // its parts were checked
	}
	e.out = append(e.out, Frame{Type: t, Record: record, kind: kind})
}

func opening(t EventType, id string, value jsontext.Value) []byte {
	raw := make([]byte, 0, 128+len(value))
	raw = append(append(append(raw, `{"type":"`...), t...), '"')
	return member(raw, id, value)
}

// member appends a member whose name needs no escapes, if it has a value.
func member(raw []byte, name string, value jsontext.Value) []byte {
	if value == nil {
		return raw
	}
	raw = append(append(append(raw, `,"`...), name...), `":`...)
	return append(raw, value...)
}

func attributed(raw []byte, o owner) []byte {
	if !o.subagent {
		return raw
	}
	return member(raw, "subagentRunId", quote(o.id))
}

// quote writes text as a JSON string; the text was read from one.
func quote(text string) jsontext.Value {
	quoted, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		panic("agui: text that was valid is not: " + err.Error())
	}
	return quoted
}

// sameText reports whether two quoted strings mean the same text.
func sameText(a, b jsontext.Value) bool {
	return bytes.Equal(a, b) || shape.Unquote(a) == shape.Unquote(b)
}
