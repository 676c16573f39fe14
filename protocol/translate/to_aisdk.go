package translate

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// ToAISDK reads the events of one run of an AG-UI agent and writes AI SDK chunks, in
// the vocabulary that ai 6 and ai 7 share. Give it the frames of the runs this one
// continues by Prime, then the run's own frames by Next, and its end by Finish. Frames
// must have passed an agui.Pipeline; chunk events may be among them.
//
//	AG-UI event                              AI SDK chunk
//	RUN_STARTED                              start; a run that resumes goes on with the same message
//	TEXT_MESSAGE_START, _CONTENT, _END       text-start, text-delta, text-end, in a step
//	REASONING_MESSAGE_START, _CONTENT, _END  reasoning-start, -delta, -end, in a step
//	TOOL_CALL_START, _ARGS, _END             tool-input-start, -delta, -available
//	TOOL_CALL_RESULT                         tool-output-available, -error or -denied
//	an interrupt of an approval              tool-approval-request, in the step of its call
//	an interrupt that asks for input         a client tool request_input with a data-render part
//	RUN_FINISHED, RUN_ERROR                  finish, abort, error
//	everything else                          data-ag-ui with the event
type ToAISDK struct {
	run      Run
	expand   agui.Expander
	started  bool
	priming  bool
	inStep   bool
	answered bool // the last thing in the step is a result: what follows is a new step
	settled  bool // a result of an earlier run was said, and no step after it yet
	calls    map[string]*aguiCall
	out      [][]byte
	err      error
}

type aguiCall struct {
	name string
	args []byte
}

// NewToAISDK makes a translator for one run.
func NewToAISDK(run Run) *ToAISDK {
	return &ToAISDK{run: run, calls: map[string]*aguiCall{}}
}

// Prime reads the frames of the runs that this run continues, without saying them again.
func (t *ToAISDK) Prime(frames []agui.Frame) error {
	t.priming = true
	for _, f := range frames {
		if _, err := t.Next(f); err != nil {
			return err
		}
	}
	*t = ToAISDK{run: t.run, calls: t.calls}
	return nil
}

// Next translates one frame. It returns chunks, each one line of JSON. The error
// matches agui.ErrMalformed, agui.ErrSequence or aisdk.ErrMalformed.
func (t *ToAISDK) Next(f agui.Frame) ([][]byte, error) {
	t.out = nil
	t.start()
	frames, err := t.expand.Next(f)
	if err != nil {
		return nil, err
	}
	for _, f := range frames {
		t.next(f)
	}
	return t.out, t.err
}

func (t *ToAISDK) next(f agui.Frame) {
	switch f.Type {
	case agui.TypeTextMessageContent:
		t.delta(`{"type":"text-delta","id":`, f, "messageId", `,"delta":`)
	case agui.TypeReasoningMessageContent:
		t.delta(`{"type":"reasoning-delta","id":`, f, "messageId", `,"delta":`)
	case agui.TypeToolCallArgs:
		if call, ok := shape.Lookup(t.calls, f.Record, "toolCallId"); ok {
			call.args = append(call.args, f.Text("delta")...)
		}
		t.delta(`{"type":"tool-input-delta","toolCallId":`, f, "toolCallId", `,"inputTextDelta":`)
	default:
		t.event(f)
	}
}

func (t *ToAISDK) emit(c aisdk.Chunk) {
	if t.priming || t.err != nil {
		return
	}
	f, err := aisdk.Encode(c)
	if err != nil {
		t.err = err
		return
	}
	t.out = append(t.out, f.Raw)
}

func head(t aisdk.ChunkType) aisdk.Head { return aisdk.Head{Kind: t} }

func (t *ToAISDK) start() {
	if !t.started {
		t.started = true
		t.emit(&aisdk.Start{Head: head(aisdk.TypeStart), MessageID: aisdk.Set(t.run.messageID())})
	}
}

// delta forwards a fragment as it is quoted already: this is what runs once a token.
func (t *ToAISDK) delta(front string, f agui.Frame, id, middle string) {
	if t.priming {
		return
	}
	out := make([]byte, 0, len(front)+len(f.Raw))
	out = append(out, front...)
	out = append(out, f.Member(id)...)
	out = append(out, middle...)
	out = append(out, f.Member("delta")...)
	t.out = append(t.out, append(out, '}'))
}

func (t *ToAISDK) event(f agui.Frame) {
	e, err := f.Event()
	if err != nil {
		t.err = err
		return
	}
	switch e := e.(type) {
	case *agui.RunStarted, *agui.RunFinished, *agui.RunError: // said by start and Finish
	case *agui.ReasoningStart, *agui.ReasoningEnd: // the messages inside say it all
	case *agui.TextMessageStart:
		t.step()
		t.emit(&aisdk.TextStart{Head: head(aisdk.TypeTextStart), ID: e.MessageID})
	case *agui.TextMessageEnd:
		t.emit(&aisdk.TextEnd{Head: head(aisdk.TypeTextEnd), ID: e.MessageID})
	case *agui.ReasoningMessageStart:
		t.step()
		t.emit(&aisdk.ReasoningStart{Head: head(aisdk.TypeReasoningStart), ID: e.MessageID})
	case *agui.ReasoningMessageEnd:
		t.emit(&aisdk.ReasoningEnd{Head: head(aisdk.TypeReasoningEnd), ID: e.MessageID})
	case *agui.ToolCallStart:
		t.step()
		t.calls[e.ToolCallID] = &aguiCall{name: e.ToolCallName}
		t.emit(&aisdk.ToolInputStart{Head: head(aisdk.TypeToolInputStart), ToolCallID: e.ToolCallID, ToolName: e.ToolCallName})
	case *agui.ToolCallEnd:
		t.callEnd(e.ToolCallID)
	case *agui.ToolCallResult:
		t.result(e)
	default:
		t.step()
		t.emit(&aisdk.Data{Head: head("data-ag-ui"), Data: f.Raw})
	}
}

// step opens a step where none is open, and a new one after results: a chat takes a
// step whose calls are all settled for one that it has to answer.
func (t *ToAISDK) step() {
	if t.answered {
		t.finishStep()
	}
	if !t.inStep {
		t.inStep, t.settled = true, false
		t.emit(&aisdk.StartStep{Head: head(aisdk.TypeStartStep)})
	}
}

func (t *ToAISDK) finishStep() {
	if t.inStep {
		t.emit(&aisdk.FinishStep{Head: head(aisdk.TypeFinishStep)})
	}
	t.inStep, t.answered = false, false
}

func (t *ToAISDK) callEnd(id string) {
	call := t.calls[id]
	if call == nil {
		return
	}
	t.emit(&aisdk.ToolInputAvailable{
		Head: head(aisdk.TypeToolInputAvailable), ToolCallID: id, ToolName: call.name,
		Input: callInput(agui.ToolCall{Function: agui.FunctionCall{Name: call.name, Arguments: string(call.args)}}),
	})
}

// result settles a call. One of an earlier run is settled before any step is opened.
func (t *ToAISDK) result(e *agui.ToolCallResult) {
	if t.inStep {
		t.answered = true
	} else {
		t.settled = true
	}
	text := agui.Message{Content: e.Content}.Text()
	note := readToolResult(e.Metadata)
	if t.denial(e.ToolCallID) {
		note.State = aisdk.StateOutputDenied
	}
	switch note.State {
	case aisdk.StateOutputDenied:
		t.emit(&aisdk.ToolOutputDenied{Head: head(aisdk.TypeToolOutputDenied), ToolCallID: e.ToolCallID})
	case aisdk.StateOutputError:
		t.emit(&aisdk.ToolOutputError{Head: head(aisdk.TypeToolOutputError), ToolCallID: e.ToolCallID, ErrorText: text})
	default:
		output := quoted(text)
		if v := jsontext.Value(text); note.JSON && v.IsValid() || isData(text) {
			output = v
		}
		t.emit(&aisdk.ToolOutputAvailable{Head: head(aisdk.TypeToolOutputAvailable), ToolCallID: e.ToolCallID, Output: output})
	}
}

// denial reports whether the run goes on with a denial of the call.
func (t *ToAISDK) denial(callID string) bool {
	for _, a := range t.run.Answers {
		if a.Request.Call != nil && a.Request.Call.ID == callID {
			return a.Response.Cancelled() || a.Response.Decision != nil && !a.Response.Decision.Approved
		}
	}
	return false
}

// Finish says how the run ended.
func (t *ToAISDK) Finish(o Outcome) ([][]byte, error) {
	t.out = nil
	switch o.Status {
	case Failed:
		t.emit(&aisdk.Error{Head: head(aisdk.TypeError), ErrorText: o.Message})
		return t.out, t.err
	case Cancelled:
		// The step is made visible, or a chat that sends by itself would send for ever.
		t.start()
		t.step()
		t.emit(&aisdk.MessageMetadata{Head: head(aisdk.TypeMessageMetadata), MessageMetadata: jsontext.Value(`{}`)})
		t.emit(&aisdk.Abort{Head: head(aisdk.TypeAbort)})
		return t.out, t.err
	}
	t.start()
	reason := aisdk.FinishStop
	for _, q := range o.Requests {
		reason = aisdk.FinishToolCalls
		t.ask(q)
	}
	t.ending(reason)
	return t.out, t.err
}

// ending closes the step and the message. After results that nothing followed, an
// empty step is opened and made visible by metadata, so that no chat posts again.
func (t *ToAISDK) ending(reason aisdk.FinishReason) {
	finish := &aisdk.Finish{Head: head(aisdk.TypeFinish), FinishReason: reason}
	if t.answered || t.settled {
		t.step()
		finish.MessageMetadata = jsontext.Value(`{}`)
	}
	t.finishStep()
	t.emit(finish)
}

// ask says one request in the step of its call.
func (t *ToAISDK) ask(q hitl.Request) {
	switch {
	case q.Kind == hitl.KindApproval && q.Call != nil:
		t.emit(&aisdk.ToolApprovalRequest{Head: head(aisdk.TypeToolApprovalRequest), ApprovalID: q.ID, ToolCallID: q.Call.ID})
	case q.Kind == hitl.KindInput && q.Call != nil && t.calls[q.Call.ID] != nil: // the call itself asks
		t.hint(q.Call.ID, renderKind(q))
	case q.Kind == hitl.KindInput && q.Input != nil:
		t.askInput(q)
	}
}

// renderKind names the widget that shows a request for input.
func renderKind(q hitl.Request) string {
	switch {
	case q.Render != nil && q.Render.Kind != "":
		return q.Render.Kind
	case q.Call != nil && q.Call.Name == hitl.AskUserTool:
		return "question"
	}
	return "elicitation"
}

// hint says how a call is shown.
func (t *ToAISDK) hint(callID, kind string) {
	data, err := json.Marshal(map[string]any{"toolCallId": callID, "render": map[string]string{"kind": kind}}, json.Deterministic(true))
	if err != nil {
		t.err = err
		return
	}
	t.step()
	t.emit(&aisdk.Data{Head: head("data-render"), ID: aisdk.Set("render-" + callID), Data: data})
}

// isData reports whether the text of a result is an object or an array, written as short as
// can be: then it is one that was made into text, and goes on as what it is.
func isData(text string) bool {
	if len(text) < 2 || text[0] != '{' && text[0] != '[' {
		return false
	}
	v := jsontext.Value(text)
	if !v.IsValid() {
		return false
	}
	short := v.Clone()
	return short.Compact() == nil && string(short) == text
}

// requestInput is the client tool by which a chat is asked for input.
const requestInput = "request_input"

func (t *ToAISDK) askInput(q hitl.Request) {
	input := struct {
		Message string         `json:"message"`
		Schema  jsontext.Value `json:"requestedSchema,omitzero"`
	}{q.Input.Message, q.Input.Schema}
	inputJSON, err := json.Marshal(input)
	if err != nil {
		t.err = err
		return
	}
	t.step()
	t.emit(&aisdk.ToolInputAvailable{Head: head(aisdk.TypeToolInputAvailable), ToolCallID: q.ID, ToolName: requestInput, Input: inputJSON})
	t.hint(q.ID, renderKind(q))
}
