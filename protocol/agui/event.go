package agui

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// An Event is the typed view of a Frame. The set is closed: a type this version
// does not know is an UnknownEvent.
type Event interface {
	// Type returns which event this is.
	Type() EventType
	base() *Base
}

// Base holds the members every event may carry (AG-UI 1.1, BaseEvent).
type Base struct {
	Kind      EventType      `json:"type"`
	Timestamp jsontext.Value `json:"timestamp,omitzero"` // a whole number, milliseconds since 1970 by custom
	RawEvent  jsontext.Value `json:"rawEvent,omitzero"`  // the provider's own event, never null
	Metadata  jsontext.Value `json:"metadata,omitzero"`  // an object, open by key
	Extra     jsontext.Value `json:",embed"`             // members this version does not know
}

// Type returns which event this is.
func (b *Base) Type() EventType { return b.Kind }

func (b *Base) base() *Base { return b }

// Attributable is embedded by what can belong to a subagent's work.
type Attributable struct {
	SubagentRunID Text `json:"subagentRunId,omitzero"`
}

// An UnknownEvent carries an event of a type this version does not know.
type UnknownEvent struct{ Frame Frame }

// Type returns the type as it was sent.
func (u *UnknownEvent) Type() EventType { return u.Frame.Type }

func (u *UnknownEvent) base() *Base { return &Base{Kind: u.Frame.Type} }

// decoders holds one line for each event type.
var decoders = map[EventType]func(jsontext.Value) (Event, error){
	TypeTextMessageStart:        decode[TextMessageStart],
	TypeTextMessageContent:      decode[TextMessageContent],
	TypeTextMessageEnd:          decode[TextMessageEnd],
	TypeTextMessageChunk:        decode[TextMessageChunk],
	TypeToolCallStart:           decode[ToolCallStart],
	TypeToolCallArgs:            decode[ToolCallArgs],
	TypeToolCallEnd:             decode[ToolCallEnd],
	TypeToolCallChunk:           decode[ToolCallChunk],
	TypeToolCallResult:          decode[ToolCallResult],
	TypeStateSnapshot:           decode[StateSnapshot],
	TypeStateDelta:              decode[StateDelta],
	TypeMessagesSnapshot:        decode[MessagesSnapshot],
	TypeActivitySnapshot:        decode[ActivitySnapshot],
	TypeActivityDelta:           decode[ActivityDelta],
	TypeRaw:                     decode[Raw],
	TypeCustom:                  decode[Custom],
	TypeRunStarted:              decode[RunStarted],
	TypeRunFinished:             decode[RunFinished],
	TypeRunError:                decode[RunError],
	TypeStepStarted:             decode[StepStarted],
	TypeStepFinished:            decode[StepFinished],
	TypeReasoningStart:          decode[ReasoningStart],
	TypeReasoningMessageStart:   decode[ReasoningMessageStart],
	TypeReasoningMessageContent: decode[ReasoningMessageContent],
	TypeReasoningMessageEnd:     decode[ReasoningMessageEnd],
	TypeReasoningMessageChunk:   decode[ReasoningMessageChunk],
	TypeReasoningEnd:            decode[ReasoningEnd],
	TypeReasoningEncryptedValue: decode[ReasoningEncryptedValue],
	TypeSubagentStarted:         decode[SubagentStarted],
	TypeSubagentFinished:        decode[SubagentFinished],
	TypeSubagentError:           decode[SubagentError],
}

func decode[T any, P interface {
	*T
	Event
}](raw jsontext.Value) (Event, error) {
	e := P(new(T))
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, err
	}
	return e, nil
}

// Event decodes the frame into its typed view. Members this version does not know
// are kept in Base.Extra. The error matches ErrMalformed.
func (f Frame) Event() (Event, error) {
	dec, known := decoders[f.Type]
	if !known {
		return &UnknownEvent{Frame: f}, nil
	}
	e, err := dec(f.Raw)
	if err != nil {
		return nil, fmt.Errorf("%w: decode %s: %w", ErrMalformed, f.Type, err)
	}
	return e, nil
}

// Encode writes the event as one line of JSON, with all that is in it, and checks it.
// The error matches ErrMalformed.
func Encode(e Event) (Frame, error) {
	if u, ok := e.(*UnknownEvent); ok {
		return u.Frame, nil
	}
	if e.Type() == "" {
		return Frame{}, fmt.Errorf("%w: encode %T: the event has no type", ErrMalformed, e)
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return Frame{}, fmt.Errorf("%w: encode %s: %w", ErrMalformed, e.Type(), err)
	}
	kind := eventKinds[string(e.Type())]
	if kind == nil {
		return Frame{}, fmt.Errorf("%w: encode %T: unknown event type %s", ErrMalformed, e, e.Type())
	}
	record, _, err := shape.Parse(raw, kind.shape)
	if err != nil {
		return Frame{}, fmt.Errorf("%w: encode %s: %w", ErrMalformed, e.Type(), err)
	}
	return Frame{Type: kind.name, Record: record, kind: kind}, nil
}

// Decode reads one event into its typed view with everything in it, as middleware sees
// it: members this version does not know are kept in Base.Extra, and unknown words stay.
// Where something unknown stands in the way of the typed view, it is taken out. The
// warnings and the error are those of ParseFrame.
func Decode(raw []byte) (Event, []Warning, error) {
	f, warnings, err := ParseFrame(raw)
	if err != nil {
		return nil, nil, err
	}
	whole := f
	whole.Raw = raw
	if e, err := whole.Event(); err == nil {
		return e, warnings, nil
	}
	if f.Raw == nil {
		return nil, warnings, fmt.Errorf("%w: %s: nothing of it is known", ErrMalformed, f.Type)
	}
	e, err := f.Event()
	return e, warnings, err
}
