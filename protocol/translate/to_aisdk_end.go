package translate

import (
	"slices"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// Finish says how the run ended. A chat posts by itself when the last step it shows has
// calls and all of them are settled, so that the last step is never such a one unless it
// asks (ai: lastAssistantMessageIsCompleteWithToolCalls, …WithApprovalResponses).
func (t *ToAISDK) Finish(o Outcome) ([][]byte, error) {
	t.out = nil
	t.start(agui.Frame{})
	switch o.Status {
	case Failed:
		t.fail(o)
	case Cancelled:
		t.cancel()
	default:
		said := t.farewell()
		t.askAll(o.Requests)
		t.ending(said, len(o.Requests) > 0)
	}
	return t.out, t.err
}

// fail ends in an error, after which no chat posts by itself.
func (t *ToAISDK) fail(o Outcome) {
	t.closeTexts()
	if e := t.failed; e != nil && (e.Code.Present() || e.Usage != nil || e.Metadata != nil || e.RawEvent != nil) {
		t.say(dataEvent, eventNote(t.last))
	}
	n := note{}
	n.set("errorText", quoted(o.Message))
	t.say(aisdk.TypeError, n)
}

// cancel settles what will not go on, and shows a step of its own: abort means nothing to
// a chat, which would post again.
func (t *ToAISDK) cancel() {
	said := t.farewell()
	if !t.born {
		t.giveUp()
	}
	if !t.born || t.posts() {
		t.finishStep()
		t.startStep()
		n := note{}
		n.set("messageMetadata", jsontext.Value(`{}`))
		t.say(aisdk.TypeMessageMetadata, n)
	}
	t.closeTexts()
	n := note{}
	n.set("reason", said.get("reason"))
	t.say(aisdk.TypeAbort, n)
}

// giveUp settles the calls that nobody will answer.
func (t *ToAISDK) giveUp() {
	t.sayDenials()
	for _, c := range t.ofStep {
		if c.settled {
			continue
		}
		c.settled, c.open = true, false
		tag, n := note{}, note{}
		tag.set("unsaid", jsontext.Value("true"))
		n.set("toolCallId", c.given)
		n.set("errorText", quoted("The run was cancelled."))
		n.set("providerMetadata", t.provider(nil, tag))
		t.say(aisdk.TypeToolOutputError, n)
	}
}

// farewell passes on what RUN_FINISHED says beside its outcome, and returns what the
// chunks had said if there were any.
func (t *ToAISDK) farewell() note {
	if t.ended == nil {
		return note{}
	}
	own, rest := t.heard(t.ended.Metadata)
	if t.ended.Result != nil || t.ended.Usage != nil || t.ended.RawEvent != nil || rest != nil {
		t.data(t.last)
	}
	return own
}

// posts reports whether a chat could take what it shows last for something to answer.
func (t *ToAISDK) posts() bool {
	if !t.stepped {
		return t.continuing || t.stepSettled()
	}
	return t.stepSettled()
}

// ending closes the step and the message. After results that nothing followed, an empty
// step is opened and made visible by metadata, so that no chat posts again.
func (t *ToAISDK) ending(said note, asks bool) {
	t.sayDenials()
	if !asks && t.posts() {
		t.finishStep()
		t.startStep()
	}
	unseen := t.stepped && !t.shown && t.danger
	t.finishStep()
	t.closeTexts()
	n := note{}
	reason := aisdk.FinishStop
	if asks {
		reason = aisdk.FinishToolCalls
	}
	if !t.born || t.ended == nil {
		n.set("finishReason", quoted(string(reason)))
	}
	n.all(said)
	if metadata := n.get("messageMetadata"); unseen && (metadata == nil || metadata.Kind() == 'n') {
		n.set("messageMetadata", jsontext.Value(`{}`))
	}
	t.say(aisdk.TypeFinish, n)
}

// askAll says what the run stops for, in one step. Where the step has other calls that
// keep a chat from answering, or that it would never answer with, the calls that are
// asked about are said again in a step of their own.
func (t *ToAISDK) askAll(requests []hitl.Request) {
	if len(requests) == 0 {
		return
	}
	if !t.inStep && !t.born {
		t.sayDenials()
		t.startStep()
	}
	asked := map[*chatCall]bool{}
	approvals := false
	for _, q := range requests {
		approvals = approvals || q.Kind == hitl.KindApproval
		if q.Call != nil && t.calls[q.Call.ID] != nil && ownCall(q) {
			asked[t.calls[q.Call.ID]] = true
		}
	}
	if !t.born && t.inTheWay(asked, approvals) {
		t.finishStep()
		t.startStep()
	}
	for _, q := range requests {
		t.ask(q)
	}
}

// inTheWay reports whether a call of the step keeps the answers from being sent.
func (t *ToAISDK) inTheWay(asked map[*chatCall]bool, approvals bool) bool {
	return slices.ContainsFunc(t.ofStep, func(c *chatCall) bool {
		if asked[c] || !approvals && c.executed() {
			return false
		}
		return !c.settled || c.denied
	})
}

// ownCall reports whether the call of a request is what a chat answers; an input that an
// agent asks for in the middle of a call is asked beside it, unless both have one id.
func ownCall(q hitl.Request) bool {
	return q.Kind != hitl.KindInput || q.Call.Name == hitl.AskUserTool || q.Call.ID == q.Own().ID
}

// ask says one request in the step of its call.
func (t *ToAISDK) ask(q hitl.Request) {
	switch {
	case q.Call != nil && ownCall(q):
		c := t.place(q.Call)
		switch {
		case q.Kind == hitl.KindApproval:
			t.askApproval(q, c)
		case q.Kind == hitl.KindInput && q.Input != nil && q.Call.Name != hitl.AskUserTool:
			hint := renderHint(q)
			hint.set("input", inputOf(q))
			t.sayHint(q, c.given, hint)
		}
	case q.Kind == hitl.KindInput && q.Input != nil:
		t.askInput(q)
	}
}

// place makes sure that the call has a part in this step.
func (t *ToAISDK) place(call *hitl.ToolCall) *chatCall {
	c := t.calls[call.ID]
	switch {
	case c == nil:
		c = t.proposed(call)
		t.restate(c)
	case !slices.Contains(t.ofStep, c):
		if c.input == nil {
			c.input = argsInput(string(c.args))
		}
		c.settled = false
		t.restate(c)
	}
	return c
}

// askApproval asks for approval. A chat of ai 7 shows the agent's question; what else the
// agent said of it goes as the descriptor.
func (t *ToAISDK) askApproval(q hitl.Request, c *chatCall) {
	n := note{}
	n.set("approvalId", quoted(q.ID))
	n.set("toolCallId", c.given)
	if q.Input != nil {
		if said, _, has := parted(q.Input.Metadata, aisdkKey); has {
			n.all(said)
			t.say(aisdk.TypeToolApprovalRequest, n)
			return
		}
		n.text("reason", q.Input.Message)
	}
	descriptor := note{}
	descriptor.set("responseSchema", q.Schema)
	descriptor.text("expiresAt", moment(q))
	if q.Input != nil {
		descriptor.set("metadata", q.Input.Metadata)
	}
	n.set("approvalDescriptor", under(aguiKey, descriptor, nil))
	t.say(aisdk.TypeToolApprovalRequest, n)
}

// moment is when a request runs out, "" if it never does.
func moment(q hitl.Request) string {
	at := q.ExpiresAt
	if at.IsZero() && q.Input != nil {
		at = q.Input.ExpiresAt
	}
	if at.IsZero() {
		return ""
	}
	return at.UTC().Format(time.RFC3339Nano)
}

// requestInput is the client tool by which a chat is asked for input.
const requestInput = "request_input"

// askInput asks for input by a client tool, with a hint how to show it.
func (t *ToAISDK) askInput(q hitl.Request) {
	c := &chatCall{own: q.ID, name: requestInput, input: inputOf(q)}
	c.given = quoted(q.ID)
	c.tag.set("unsaid", jsontext.Value("true")) // the agent made no call
	t.restate(c)
	hint := renderHint(q)
	if q.Call != nil {
		hint.text("about", q.Call.ID)
	}
	t.sayHint(q, c.given, hint)
}

// inputOf is what is asked for. The schema goes as the agent gave it: no option of it is
// lost.
func inputOf(q hitl.Request) jsontext.Value {
	input := note{}
	input.set("message", quoted(q.Input.Message))
	input.set("requestedSchema", q.Input.Schema)
	input.text("url", q.Input.URL)
	input.text("elicitationId", q.Input.ElicitationID)
	return input.object()
}

// renderHint tells how to show a request for input.
func renderHint(q hitl.Request) note {
	render := note{}
	render.set("kind", quoted("elicitation"))
	if k := q.Input.Kind; k != "" && k != hitl.InputForm {
		render.text("mode", string(k))
	}
	render.text("expiresAt", moment(q))
	render.set("metadata", q.Input.Metadata)
	if q.Render != nil {
		render.all(readNote(q.Render.Extra))
		render.text("kind", q.Render.Kind)
	}
	return render
}

func (t *ToAISDK) sayHint(q hitl.Request, call jsontext.Value, render note) {
	hint := note{}
	hint.set("toolCallId", call)
	hint.set("render", render.object())
	n := note{}
	n.set("id", quoted("render-"+q.ID))
	n.set("data", hint.object())
	t.say("data-render", n)
}
