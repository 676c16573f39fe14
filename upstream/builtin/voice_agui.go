package builtin

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// aguiVoice speaks AG-UI 1.1.
type aguiVoice struct {
	thread, run string
	out         *outlet
	verify      agui.Verifier      // knows what is open
	held        *agui.Conversation // knows what a client holds
	count       int
	parent      string // the message that holds the calls of this moment
	calls       int
}

func newAGUIVoice(call session.Call, out *outlet) voice {
	in, _, err := agui.ParseRunInput(call.Input)
	if err != nil {
		out.frame(nil, err)
	}
	return &aguiVoice{thread: call.ThreadID, run: call.RunID, out: out, held: agui.NewConversation(in)}
}

func (v *aguiVoice) emit(e agui.Event) {
	if v.out.stopped() {
		return
	}
	f, err := agui.Encode(e)
	if err == nil {
		err = v.verify.Next(f)
	}
	if err == nil {
		_, err = v.held.Apply(f)
	}
	v.out.frame(f.Raw, err)
}

func (v *aguiVoice) newID(kind string) string {
	v.count++
	return kind + "-" + v.run + "-" + strconv.Itoa(v.count)
}

func (v *aguiVoice) newCallID() string {
	v.calls++
	return "call-" + v.run + "-" + strconv.Itoa(v.calls)
}

func head(t agui.EventType) agui.Base { return agui.Base{Kind: t} }

func (v *aguiVoice) start() {
	v.emit(&agui.RunStarted{Base: head(agui.TypeRunStarted), ThreadID: v.thread, RunID: v.run, ProtocolVersion: agui.Set(agui.PlainVersion)})
}

func (v *aguiVoice) open() string {
	id := v.newID("msg")
	v.parent = id
	v.emit(&agui.TextMessageStart{Base: head(agui.TypeTextMessageStart), MessageID: id, Role: agui.RoleAssistant})
	return id
}

func (v *aguiVoice) say(id, piece string) {
	v.emit(&agui.TextMessageContent{Base: head(agui.TypeTextMessageContent), MessageID: id, Delta: piece})
}

func (v *aguiVoice) text(pieces ...string) {
	id := v.open()
	for _, p := range pieces {
		v.say(id, p)
	}
	v.emit(&agui.TextMessageEnd{Base: head(agui.TypeTextMessageEnd), MessageID: id})
}

func (v *aguiVoice) half(piece string) { v.say(v.open(), piece) }

func (v *aguiVoice) stream(next func() (string, bool)) {
	id := v.open()
	for piece, more := next(); more && !v.out.stopped(); piece, more = next() {
		v.say(id, piece)
	}
	v.emit(&agui.TextMessageEnd{Base: head(agui.TypeTextMessageEnd), MessageID: id})
}

func (v *aguiVoice) reasoning(pieces ...string) {
	id := v.newID("reasoning")
	v.emit(&agui.ReasoningStart{Base: head(agui.TypeReasoningStart), MessageID: id})
	v.emit(&agui.ReasoningMessageStart{Base: head(agui.TypeReasoningMessageStart), MessageID: id, Role: agui.RoleReasoning})
	for _, p := range pieces {
		v.emit(&agui.ReasoningMessageContent{Base: head(agui.TypeReasoningMessageContent), MessageID: id, Delta: p})
	}
	v.emit(&agui.ReasoningMessageEnd{Base: head(agui.TypeReasoningMessageEnd), MessageID: id})
	v.emit(&agui.ReasoningEnd{Base: head(agui.TypeReasoningEnd), MessageID: id})
}

func (v *aguiVoice) call(id, name string, args jsontext.Value) {
	v.emit(&agui.ToolCallStart{Base: head(agui.TypeToolCallStart), ToolCallID: id, ToolCallName: name, ParentMessageID: agui.NotEmpty(v.parent)})
	v.emit(&agui.ToolCallArgs{Base: head(agui.TypeToolCallArgs), ToolCallID: id, Delta: string(args)})
	v.emit(&agui.ToolCallEnd{Base: head(agui.TypeToolCallEnd), ToolCallID: id})
}

func (v *aguiVoice) result(callID string, output jsontext.Value) {
	v.toolMessage(callID, string(output))
}

func (v *aguiVoice) failed(callID, text string) { v.toolMessage(callID, "Error: "+text) }

func (v *aguiVoice) denied(callID, reason string) { v.toolMessage(callID, deniedText(reason)) }

func deniedText(reason string) string {
	if reason == "" {
		return "The user denied this tool call; it did not run."
	}
	return "The user denied this tool call; it did not run. Reason: " + reason
}

func (v *aguiVoice) toolMessage(callID, text string) {
	content, err := jsontext.AppendQuote(nil, text)
	if err != nil {
		v.out.frame(nil, err)
		return
	}
	v.emit(&agui.ToolCallResult{
		Base: head(agui.TypeToolCallResult), MessageID: v.newID("result"), ToolCallID: callID, Content: content, Role: agui.RoleTool,
	})
}

func (v *aguiVoice) state(snapshot jsontext.Value) {
	v.emit(&agui.StateSnapshot{Base: head(agui.TypeStateSnapshot), Snapshot: snapshot})
}

func (v *aguiVoice) stateDelta(patch jsontext.Value) {
	v.emit(&agui.StateDelta{Base: head(agui.TypeStateDelta), Delta: patch})
}

func (v *aguiVoice) canEdit() bool   { return true }
func (v *aguiVoice) asksInput() bool { return true }

func (v *aguiVoice) closing(end session.End) ([][]byte, error) {
	if end.Status == session.Cancelled {
		frames, err := v.verify.Cancel(v.thread, v.run)
		return raws(frames), err
	}
	var events []agui.Event
	var last agui.Event
	switch end.Status {
	case session.Interrupted: // whoever resumes the run finds all of it in these
		events = append(events,
			&agui.StateSnapshot{Base: head(agui.TypeStateSnapshot), Snapshot: v.held.State()},
			&agui.MessagesSnapshot{Base: head(agui.TypeMessagesSnapshot), Messages: v.held.Messages()})
		fallthrough
	default:
		last = &agui.RunFinished{Base: head(agui.TypeRunFinished), ThreadID: v.thread, RunID: v.run, Outcome: outcome(end)}
	case session.Failed:
		last = &agui.RunError{Base: head(agui.TypeRunError), Message: end.Failure.Message, Code: agui.NotEmpty(string(end.Failure.Code))}
	}
	var frames []agui.Frame
	for _, e := range append(events, last) {
		f, err := agui.Encode(e)
		if err != nil {
			return nil, err
		}
		frames = append(frames, f)
	}
	return raws(frames), nil
}

func outcome(end session.End) *agui.Outcome {
	if end.Status != session.Interrupted {
		o := &agui.Outcome{Type: agui.OutcomeSuccess}
		for _, q := range end.Requests {
			o.PendingToolCallIDs = append(o.PendingToolCallIDs, q.Call.ID)
		}
		return o
	}
	o := &agui.Outcome{Type: agui.OutcomeInterrupt}
	for _, q := range end.Requests {
		o.Interrupts = append(o.Interrupts, agui.InterruptFor(q))
	}
	return o
}

func raws(frames []agui.Frame) [][]byte {
	out := make([][]byte, len(frames))
	for i, f := range frames {
		out[i] = f.Raw
	}
	return out
}
