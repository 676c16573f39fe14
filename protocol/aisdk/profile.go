package aisdk

import (
	"fmt"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A Profile is the vocabulary of one major of the AI SDK. Nothing on the wire says
// which one a chat has, and a chunk it does not know ends the answer, so that a profile
// is chosen, not found out. The zero Profile names no major: chunks of both are known,
// and the stricter rule of order holds.
//
//	                                   v6                    v7
//	reset-step, custom, reasoning-file,
//	steering-message                   fatal                 known
//	tool-approval-response             fatal                 known
//	finishReason "interrupted"         fatal                 known
//	text-end: citations                passed over           kept in the part
//	tool-approval-request: reason,
//	isAutomatic                        passed over           kept in the approval
//	tool-input-error of a static tool  the input is rawInput the input is input
//	finish-step                        closes text           closes nothing
type Profile uint8

// The profiles.
const (
	V6 Profile = iota + 1 // ai 6
	V7                    // ai 7
)

// ParseProfile returns the profile of the given name, v6 or v7.
func ParseProfile(name string) (Profile, bool) {
	for _, p := range [...]Profile{V6, V7} {
		if name == p.String() {
			return p, true
		}
	}
	return 0, false
}

// String returns the name of the profile.
func (p Profile) String() string {
	switch p {
	case V6:
		return "v6"
	case V7:
		return "v7"
	}
	return "v6 or v7"
}

// profileShapes holds what each profile knows.
var profileShapes = [...]map[ChunkType]*shape.Shape{0: chunkShapes, V6: makeChunkShapes(V6), V7: chunkShapes}

func (p Profile) shape(t ChunkType) *shape.Shape {
	if s := profileShapes[p][t]; s != nil {
		return s
	}
	if _, data := t.IsData(); data {
		return dataShape
	}
	return nil
}

// Has reports whether a chat of this profile knows chunks of the type. Application data
// is known under every name.
func (p Profile) Has(t ChunkType) bool { return p.shape(t) != nil }

// HasMember reports whether a chat of this profile looks at the member of such chunks.
func (p Profile) HasMember(t ChunkType, member string) bool {
	s := p.shape(t)
	return s != nil && s.Index(member) >= 0
}

// HasFinish reports whether the reason is one that a chat of this profile accepts.
func (p Profile) HasFinish(reason FinishReason) bool {
	return reason != FinishInterrupted || p != V6
}

// Check reports whether a chat of this profile takes the chunk, by itself. Unlike
// ParseFrame it refuses types, words and variants that the profile does not know. The
// error matches ErrMalformed and names the place.
func (p Profile) Check(f Frame) error {
	s := p.shape(f.Type)
	if s == nil {
		v := &shape.Violation{Path: "/type", Want: "a chunk type of " + p.String(), Got: string(f.Type)}
		return fmt.Errorf("%w: %w", ErrMalformed, v)
	}
	if err := strictly(f.Raw, s, nil); err != nil {
		return fmt.Errorf("%w: %s: %w", ErrMalformed, f.Type, err)
	}
	return checkNames(f.Type, f.Raw)
}

// Encode is Encode for a chat of this profile: it refuses also what the profile lacks.
func (p Profile) Encode(c Chunk) (Frame, error) {
	f, err := Encode(c)
	if err != nil {
		return Frame{}, err
	}
	if err := p.Check(f); err != nil {
		return Frame{}, err
	}
	return f, nil
}

// strictly is shape.Check for a peer that refuses unknown words and variants. Unknown
// members stay what they are: no fault.
func strictly(raw []byte, s *shape.Shape, spans []shape.Span) error {
	warnings, err := shape.Check(raw, s, spans)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		if w.Code == shape.UnknownValue {
			return &shape.Violation{Path: w.Path, Want: "a known value", Got: w.Detail}
		}
	}
	return nil
}
