package aisdk

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Chunk is the typed view of a Frame. The set is closed: a type this version does
// not know is an UnknownChunk.
type Chunk interface {
	// Type returns which chunk this is.
	Type() ChunkType
	head() *Head
}

// Head holds the members every chunk may carry.
type Head struct {
	Kind  ChunkType      `json:"type"`
	Extra jsontext.Value `json:",embed"` // members this version does not know
}

// Type returns which chunk this is.
func (h *Head) Type() ChunkType { return h.Kind }

func (h *Head) head() *Head { return h }

// An UnknownChunk carries a chunk of a type this version does not know.
type UnknownChunk struct{ Frame Frame }

// Type returns the type as it was sent.
func (u *UnknownChunk) Type() ChunkType { return u.Frame.Type }

func (u *UnknownChunk) head() *Head { return &Head{Kind: u.Frame.Type} }

// decoders holds one line for each chunk type with a view of its own.
var decoders = map[ChunkType]func(jsontext.Value) (Chunk, error){
	TypeStart:                decode[Start],
	TypeFinish:               decode[Finish],
	TypeAbort:                decode[Abort],
	TypeError:                decode[Error],
	TypeMessageMetadata:      decode[MessageMetadata],
	TypeStartStep:            decode[StartStep],
	TypeFinishStep:           decode[FinishStep],
	TypeResetStep:            decode[ResetStep],
	TypeTextStart:            decode[TextStart],
	TypeTextDelta:            decode[TextDelta],
	TypeTextEnd:              decode[TextEnd],
	TypeReasoningStart:       decode[ReasoningStart],
	TypeReasoningDelta:       decode[ReasoningDelta],
	TypeReasoningEnd:         decode[ReasoningEnd],
	TypeToolInputStart:       decode[ToolInputStart],
	TypeToolInputDelta:       decode[ToolInputDelta],
	TypeToolInputAvailable:   decode[ToolInputAvailable],
	TypeToolInputError:       decode[ToolInputError],
	TypeToolApprovalRequest:  decode[ToolApprovalRequest],
	TypeToolApprovalResponse: decode[ToolApprovalResponse],
	TypeToolOutputAvailable:  decode[ToolOutputAvailable],
	TypeToolOutputError:      decode[ToolOutputError],
	TypeToolOutputDenied:     decode[ToolOutputDenied],
	TypeSourceURL:            decode[SourceURL],
	TypeSourceDocument:       decode[SourceDocument],
	TypeFile:                 decode[File],
	TypeReasoningFile:        decode[ReasoningFile],
	TypeCustom:               decode[Custom],
	TypeSteeringMessage:      decode[SteeringMessage],
}

func decode[T any, P interface {
	*T
	Chunk
}](raw jsontext.Value) (Chunk, error) {
	c := P(new(T))
	if err := json.Unmarshal(raw, c); err != nil {
		return nil, err
	}
	return c, nil
}

// Chunk decodes the frame into its typed view. Members this version does not know
// are kept in Head.Extra. The error matches ErrMalformed.
func (f Frame) Chunk() (Chunk, error) {
	dec, known := decoders[f.Type]
	if _, data := f.Type.IsData(); data {
		dec, known = decode[Data], true
	}
	if !known {
		return &UnknownChunk{Frame: f}, nil
	}
	c, err := dec(f.Raw)
	if err != nil {
		return nil, fmt.Errorf("%w: decode %s: %w", ErrMalformed, f.Type, err)
	}
	return c, nil
}

// Encode writes the chunk as one line of JSON and holds it to the rules of what both
// majors accept: no optional member is null, every required one is there, provider
// metadata has two levels, and no name is one that a chat's JSON parser forbids. Which
// profile knows the chunk is not asked; see Profile.Encode. A required value that is nil
// is written as null. The error matches ErrMalformed.
func Encode(c Chunk) (Frame, error) {
	if u, ok := c.(*UnknownChunk); ok {
		return u.Frame, checkNames(u.Frame.Type, u.Frame.Raw)
	}
	if c.Type() == "" {
		return Frame{}, fmt.Errorf("%w: encode %T: the chunk has no type", ErrMalformed, c)
	}
	raw, err := json.Marshal(c)
	if err != nil {
		return Frame{}, fmt.Errorf("%w: encode %s: %w", ErrMalformed, c.Type(), err)
	}
	f, _, err := ParseFrame(raw)
	if err != nil {
		return Frame{}, err
	}
	return f, checkNames(f.Type, f.Raw)
}
