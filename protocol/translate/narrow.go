package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// A Narrow gives the chunks of an AI SDK agent to a chat of a profile that may know less.
// What the chat knows is passed on as it came, byte for byte. Otherwise, for a chat of
// ai 6:
//
//	a chunk it does not know             data-<chunk type> with the chunk as its data
//	finishReason "interrupted"           "other", after a step that keeps the chat from posting
//	text-end: citations                  without them, and data-text-end with the whole chunk
//	tool-approval-request: reason        without it, and data-tool-approval-request with the whole chunk
//	an automatic approval                data-tool-approval-request and -response only; nobody is asked
//	tool-output-denied after one         tool-output-error with the reason: there is no approval to deny
//	reset-step                           data-reset-step, and a new step; what was said stays
//
// A chunk that neither major knows is data-<chunk type> for both. The zero value is not
// ready; use NewNarrow.
type Narrow struct {
	profile   aisdk.Profile
	texts     []openChunk
	automatic map[string]string // approvals that nobody is asked: approval id → call id
	refused   map[string]string // and calls they denied → why
	inStep    bool
}

type openChunk struct {
	end aisdk.ChunkType
	id  string
}

// NewNarrow makes a Narrow for a chat of the profile.
func NewNarrow(p aisdk.Profile) *Narrow {
	return &Narrow{profile: p, automatic: map[string]string{}, refused: map[string]string{}}
}

// Next returns what the chat is told for the next chunk. The error matches
// aisdk.ErrMalformed.
func (n *Narrow) Next(f aisdk.Frame) ([][]byte, error) {
	switch f.Type { // what comes once a token is the same in both
	case aisdk.TypeTextDelta, aisdk.TypeReasoningDelta, aisdk.TypeToolInputDelta:
		return [][]byte{f.Raw}, nil
	}
	if n.profile == aisdk.V7 {
		if n.profile.Has(f.Type) {
			return [][]byte{f.Raw}, nil
		}
		return [][]byte{asData(f)}, nil
	}
	return n.narrow(f)
}

func (n *Narrow) narrow(f aisdk.Frame) ([][]byte, error) {
	c, err := f.Chunk()
	if err != nil {
		return nil, err
	}
	n.follow(c)
	switch c := c.(type) {
	case *aisdk.Finish:
		if c.FinishReason == aisdk.FinishInterrupted {
			return n.interrupted(f), nil
		}
	case *aisdk.TextEnd:
		if len(c.Citations) > 0 {
			return [][]byte{without(f, "citations"), asData(f)}, nil
		}
	case *aisdk.ToolApprovalRequest:
		switch {
		case c.IsAutomatic.True():
			n.automatic[c.ApprovalID] = c.ToolCallID
			return [][]byte{asData(f)}, nil
		case c.Reason.Present() || c.IsAutomatic != aisdk.Unset:
			return [][]byte{without(f, "reason", "isAutomatic"), asData(f)}, nil
		}
	case *aisdk.ToolApprovalResponse:
		if call, ok := n.automatic[c.ApprovalID]; ok && !c.Approved {
			n.refused[call] = c.Reason.String()
		}
	case *aisdk.ToolOutputDenied:
		if why, ok := n.refused[c.ToolCallID]; ok {
			return [][]byte{refusal(c.ToolCallID, why)}, nil
		}
	case *aisdk.ResetStep:
		return n.reset(f), nil
	}
	if !aisdk.V6.Has(f.Type) {
		return [][]byte{asData(f)}, nil
	}
	return [][]byte{f.Raw}, nil
}

// follow keeps what is open.
func (n *Narrow) follow(c aisdk.Chunk) {
	switch c := c.(type) {
	case *aisdk.StartStep:
		n.inStep = true
	case *aisdk.FinishStep:
		n.inStep, n.texts = false, nil
	case *aisdk.TextStart:
		n.texts = append(n.texts, openChunk{aisdk.TypeTextEnd, c.ID})
	case *aisdk.ReasoningStart:
		n.texts = append(n.texts, openChunk{aisdk.TypeReasoningEnd, c.ID})
	case *aisdk.TextEnd:
		n.close(openChunk{aisdk.TypeTextEnd, c.ID})
	case *aisdk.ReasoningEnd:
		n.close(openChunk{aisdk.TypeReasoningEnd, c.ID})
	}
}

func (n *Narrow) close(c openChunk) {
	for i, open := range n.texts {
		if open == c {
			n.texts = append(n.texts[:i], n.texts[i+1:]...)
			return
		}
	}
}

// reset begins another step for what is said anew.
func (n *Narrow) reset(f aisdk.Frame) [][]byte {
	var out [][]byte
	for _, open := range n.texts {
		end := note{}
		end.set("type", quoted(string(open.end)))
		end.set("id", quoted(open.id))
		out = append(out, end.object())
	}
	n.texts = nil
	out = append(out, asData(f))
	if n.inStep {
		out = append(out, []byte(`{"type":"finish-step"}`), []byte(`{"type":"start-step"}`))
	}
	return out
}

// interrupted ends a run that was cut off. A chat of ai 7 never posts after that; one of
// ai 6 is shown a step that has nothing to answer.
func (n *Narrow) interrupted(f aisdk.Frame) [][]byte {
	finish := readNote(f.Raw)
	finish.set("finishReason", quoted(string(aisdk.FinishOther)))
	if m := finish.get("messageMetadata"); m == nil || m.Kind() == 'n' {
		finish.set("messageMetadata", jsontext.Value("{}"))
	}
	return [][]byte{asData(f), []byte(`{"type":"start-step"}`), []byte(`{"type":"finish-step"}`), finish.object()}
}

// asData is the chunk as application data.
func asData(f aisdk.Frame) []byte {
	n := note{}
	n.set("type", quoted("data-"+string(f.Type)))
	n.set("data", f.Raw)
	return n.object()
}

func without(f aisdk.Frame, names ...string) []byte {
	n := readNote(f.Raw)
	for _, name := range names {
		n.take(name)
	}
	return n.object()
}

func refusal(callID, why string) []byte {
	if why == "" {
		why = "The call was denied."
	}
	n := note{}
	n.set("type", quoted(string(aisdk.TypeToolOutputError)))
	n.set("toolCallId", quoted(callID))
	n.set("errorText", quoted(why))
	return n.object()
}
