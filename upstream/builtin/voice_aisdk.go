package builtin

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// aisdkVoice speaks the UI message stream in the vocabulary that ai 6 and ai 7 share.
type aisdkVoice struct {
	asked  session.Call
	out    *outlet
	count  int
	calls  int
	inStep bool
	used   bool   // the step made a call that has its result: what follows is a new step
	open   string // the text part that is open
}

func newAISDKVoice(call session.Call, out *outlet) voice { return &aisdkVoice{asked: call, out: out} }

func (v *aisdkVoice) emit(c aisdk.Chunk) {
	if v.out.stopped() {
		return
	}
	f, err := aisdk.Encode(c)
	v.out.frame(f.Raw, err)
}

func top(t aisdk.ChunkType) aisdk.Head { return aisdk.Head{Kind: t} }

func (v *aisdkVoice) newID(kind string) string {
	v.count++
	return kind + "-" + v.asked.RunID + "-" + strconv.Itoa(v.count)
}

func (v *aisdkVoice) newCallID() string {
	v.calls++
	return "call-" + v.asked.RunID + "-" + strconv.Itoa(v.calls)
}

// start names the message of the turn: a run that resumes goes on with the same one.
func (v *aisdkVoice) start() {
	v.emit(&aisdk.Start{Head: top(aisdk.TypeStart), MessageID: aisdk.Set("msg-" + v.asked.First)})
}

func (v *aisdkVoice) step() {
	if v.used {
		v.finishStep()
	}
	if !v.inStep {
		v.inStep = true
		v.emit(&aisdk.StartStep{Head: top(aisdk.TypeStartStep)})
	}
}

func (v *aisdkVoice) finishStep() {
	if v.inStep {
		v.emit(&aisdk.FinishStep{Head: top(aisdk.TypeFinishStep)})
	}
	v.inStep, v.used = false, false
}

func (v *aisdkVoice) begin() string {
	v.step()
	v.open = v.newID("text")
	v.emit(&aisdk.TextStart{Head: top(aisdk.TypeTextStart), ID: v.open})
	return v.open
}

func (v *aisdkVoice) say(id, piece string) {
	v.emit(&aisdk.TextDelta{Head: top(aisdk.TypeTextDelta), ID: id, Delta: piece})
}

func (v *aisdkVoice) finishText(id string) {
	v.emit(&aisdk.TextEnd{Head: top(aisdk.TypeTextEnd), ID: id})
	v.open = ""
}

func (v *aisdkVoice) text(pieces ...string) {
	id := v.begin()
	for _, p := range pieces {
		v.say(id, p)
	}
	v.finishText(id)
}

func (v *aisdkVoice) half(piece string) { v.say(v.begin(), piece) }

func (v *aisdkVoice) stream(next func() (string, bool)) {
	id := v.begin()
	for piece, more := next(); more && !v.out.stopped(); piece, more = next() {
		v.say(id, piece)
	}
	v.finishText(id)
}

func (v *aisdkVoice) reasoning(pieces ...string) {
	v.step()
	id := v.newID("reasoning")
	v.emit(&aisdk.ReasoningStart{Head: top(aisdk.TypeReasoningStart), ID: id})
	for _, p := range pieces {
		v.emit(&aisdk.ReasoningDelta{Head: top(aisdk.TypeReasoningDelta), ID: id, Delta: p})
	}
	v.emit(&aisdk.ReasoningEnd{Head: top(aisdk.TypeReasoningEnd), ID: id})
}

func (v *aisdkVoice) call(id, name string, args jsontext.Value) {
	v.step()
	v.emit(&aisdk.ToolInputStart{Head: top(aisdk.TypeToolInputStart), ToolCallID: id, ToolName: name})
	v.emit(&aisdk.ToolInputDelta{Head: top(aisdk.TypeToolInputDelta), ToolCallID: id, InputTextDelta: string(args)})
	v.emit(&aisdk.ToolInputAvailable{Head: top(aisdk.TypeToolInputAvailable), ToolCallID: id, ToolName: name, Input: args})
}

func (v *aisdkVoice) result(callID string, output jsontext.Value) {
	v.emit(&aisdk.ToolOutputAvailable{Head: top(aisdk.TypeToolOutputAvailable), ToolCallID: callID, Output: output})
	v.used = v.inStep
}

func (v *aisdkVoice) failed(callID, text string) {
	v.emit(&aisdk.ToolOutputError{Head: top(aisdk.TypeToolOutputError), ToolCallID: callID, ErrorText: text})
	v.used = v.inStep
}

func (v *aisdkVoice) denied(callID, _ string) {
	v.emit(&aisdk.ToolOutputDenied{Head: top(aisdk.TypeToolOutputDenied), ToolCallID: callID})
	v.used = v.inStep
}

func (v *aisdkVoice) state(snapshot jsontext.Value) {
	v.step()
	v.emit(&aisdk.Data{Head: top("data-state"), ID: aisdk.Set("state"), Data: snapshot})
}

func (v *aisdkVoice) stateDelta(patch jsontext.Value) {
	v.step()
	v.emit(&aisdk.Data{Head: top("data-state-delta"), Data: patch})
}

func (v *aisdkVoice) canEdit() bool   { return false }
func (v *aisdkVoice) asksInput() bool { return false }

// closing ends the run. The order within a step matters: an approval is asked before
// its step ends.
func (v *aisdkVoice) closing(end session.End) ([][]byte, error) {
	var chunks []aisdk.Chunk
	switch end.Status {
	case session.Failed:
		chunks = append(chunks, &aisdk.Error{Head: top(aisdk.TypeError), ErrorText: end.Failure.Message})
	case session.Cancelled:
		chunks = append(chunks, &aisdk.Abort{Head: top(aisdk.TypeAbort)})
	default:
		chunks = v.ending(end)
	}
	out := make([][]byte, len(chunks))
	for i, c := range chunks {
		f, err := aisdk.Encode(c)
		if err != nil {
			return nil, err
		}
		out[i] = f.Raw
	}
	return out, nil
}

func (v *aisdkVoice) ending(end session.End) []aisdk.Chunk {
	reason := aisdk.FinishStop
	var chunks []aisdk.Chunk
	for _, q := range end.Requests {
		reason = aisdk.FinishToolCalls
		if q.Kind == hitl.KindApproval {
			chunks = append(chunks, &aisdk.ToolApprovalRequest{Head: top(aisdk.TypeToolApprovalRequest), ApprovalID: q.ID, ToolCallID: q.Call.ID})
			continue
		}
		if q.Render != nil {
			chunks = append(chunks, renderPart(q))
		}
	}
	if v.inStep {
		chunks = append(chunks, &aisdk.FinishStep{Head: top(aisdk.TypeFinishStep)})
	}
	return append(chunks, &aisdk.Finish{Head: top(aisdk.TypeFinish), FinishReason: reason})
}
