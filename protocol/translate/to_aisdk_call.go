package translate

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// A chatCall is a tool call as a chat has it.
type chatCall struct {
	own     string         // the agent's id
	given   jsontext.Value // the id of its part, as JSON
	name    string
	args    []byte
	input   jsontext.Value // where it is known without the text
	notes   note
	tag     note
	old     bool // of an earlier run
	open    bool // its arguments are streamed
	late    bool // they brought metadata
	again   bool // they go on after their end
	settled bool
	denied  bool
}

func (c *chatCall) executed() bool { return c.notes.is("providerExecuted", "true") }

func (t *ToAISDK) callStart(f agui.Frame, e *agui.ToolCallStart) {
	if c := t.calls[e.ToolCallID]; c != nil && !c.old {
		c.again, c.open = true, true // a part that is told already cannot stream on
		t.data(f)
		return
	}
	c := &chatCall{own: e.ToolCallID, name: e.ToolCallName, open: true}
	var metadata jsontext.Value
	c.notes, metadata = t.heard(e.Metadata)
	if e.ParentMessageID.Present() {
		c.tag.set("parentMessageId", quoted(e.ParentMessageID.String()))
	}
	attributed(&c.tag, e.Attributable)
	c.tag.set("metadata", metadata)
	t.name(c)
	t.step()
	t.ofStep = append(t.ofStep, c)
	n := note{}
	n.set("toolCallId", c.given)
	n.set("toolName", quoted(c.name))
	n.all(c.notes)
	n.set("providerMetadata", t.provider(c.notes.get("providerMetadata"), c.tag))
	t.say(aisdk.TypeToolInputStart, n)
}

// name gives the call an id that is unique in the chat. In its own message, a chat knows
// a call of another step under the same id for another call.
func (t *ToAISDK) name(c *chatCall) {
	was := c.notes.take("toolCallId")
	if id := unquoted(was); id != "" && !t.ids.known[id] {
		c.given = was
	} else {
		given := t.ids.Open(c.own)
		c.given = quoted(given)
		if given != c.own {
			c.tag.set("toolCallId", quoted(c.own))
		}
	}
	t.calls[c.own] = c
}

func (t *ToAISDK) args(f agui.Frame) {
	c, ok := shape.Lookup(t.calls, f.Record, "toolCallId")
	if !ok {
		return
	}
	c.args = append(c.args, f.Text("delta")...)
	if c.again {
		t.data(f)
		return
	}
	if !t.priming {
		t.shown = true
		t.out = append(t.out, fragment(`{"type":"tool-input-delta","toolCallId":`, c.given, `,"inputTextDelta":`, f.Member("delta")))
	}
	if metadata := f.Member("metadata"); metadata != nil {
		t.annotatedArgs(c, f, metadata)
	}
}

// annotatedArgs says the metadata that came with arguments: their chunk has no place for
// it, so that it goes beside it, as an event that adds no argument.
func (t *ToAISDK) annotatedArgs(c *chatCall, f agui.Frame, metadata jsontext.Value) {
	noteNow(&c.tag, metadata)
	e := readNote(f.Raw)
	e.set("delta", jsontext.Value(`""`))
	n := note{}
	n.set("data", e.object())
	t.say(dataEvent, n)
	c.late = true
}

func (t *ToAISDK) callEnd(f agui.Frame, e *agui.ToolCallEnd) {
	c := t.calls[e.ToolCallID]
	if c == nil {
		return
	}
	own, rest := t.heard(e.Metadata)
	c.open = false
	if own.has("unfinished") || own.has("invalid") {
		return
	}
	c.input = argsInput(string(c.args))
	if v := own.take("input"); v != nil {
		c.input = v
	} else if isText(string(c.args)) {
		c.tag.set("arguments", jsontext.Value("true"))
	}
	own.take("toolCallId")
	c.notes.all(own)
	if c.again {
		t.data(f)
		t.restate(c)
		return
	}
	n := c.available()
	tag := noteNow(&c.tag, rest)
	if rest != nil || c.late || !own.empty() {
		n.all(own)
		n.set("providerMetadata", t.provider(own.get("providerMetadata"), tag))
	}
	t.say(aisdk.TypeToolInputAvailable, n)
}

// available is what every chunk that gives the whole input says. Which kind of part a
// call has must be said each time.
func (c *chatCall) available() note {
	n := note{}
	n.set("toolCallId", c.given)
	n.set("toolName", quoted(c.name))
	n.set("input", c.input)
	n.set("dynamic", c.notes.get("dynamic"))
	n.set("providerExecuted", c.notes.get("providerExecuted"))
	return n
}

// restate says a call again in this step. The agent has not said so.
func (t *ToAISDK) restate(c *chatCall) {
	if !slices.Contains(t.ofStep, c) {
		t.ofStep = append(t.ofStep, c)
	}
	n := c.available()
	tag := note{}
	tag.all(c.tag)
	tag.set("again", jsontext.Value("true"))
	own := readNote(c.notes.get("providerMetadata"))
	own.set(aguiKey, tag.object())
	n.set("providerMetadata", own.object())
	t.say(aisdk.TypeToolInputAvailable, n)
}

// result settles a call. One of an earlier run is settled before any step is opened.
func (t *ToAISDK) result(f agui.Frame, e *agui.ToolCallResult) {
	own, rest := t.heard(e.Metadata)
	c := t.calls[e.ToolCallID]
	if c == nil {
		c = t.answeredCall(e.ToolCallID)
	}
	if c == nil || c.denied {
		t.data(f) // there is no part that could take it
		return
	}
	if c.open { // a result that comes before its call is whole
		t.data(f)
		return
	}
	state := aisdk.PartState(unquoted(own.take("state")))
	isJSON := own.take("json") != nil
	if t.denial(e.ToolCallID) || state == aisdk.StateOutputDenied {
		t.deny(c, f)
		return
	}
	c.settled = true
	if raw := own.take("chunk"); raw != nil && t.invalid(c, raw) {
		return
	}
	tag := note{}
	tag.set("messageId", quoted(e.MessageID))
	attributed(&tag, e.Attributable)
	tag.set("metadata", rest)
	n := note{}
	n.set("toolCallId", c.given)
	if state == aisdk.StateOutputError {
		n.set("errorText", quoted(agui.Message{Content: e.Content}.Text()))
	} else {
		n.set("output", output(e.Content, isJSON, &tag))
	}
	n.all(own)
	n.set("providerMetadata", t.provider(own.get("providerMetadata"), tag))
	if state == aisdk.StateOutputError {
		t.say(aisdk.TypeToolOutputError, n)
		return
	}
	t.say(aisdk.TypeToolOutputAvailable, n)
}

// output is the content of a tool message as a value. Content parts stay what they are.
func output(content jsontext.Value, isJSON bool, tag *note) jsontext.Value {
	if content.Kind() == '[' {
		tag.set("parts", jsontext.Value("true"))
		return content
	}
	v := jsontext.Value(unquoted(content))
	switch {
	case isJSON && v.IsValid():
		return v
	case isData(v): // text that a value was made into: a chat shows the value
		tag.set("text", jsontext.Value("true"))
		return v
	}
	return content
}

// isData reports whether a text is an object or an array, written as short as can be: then
// the same text can be made of it again.
func isData(text jsontext.Value) bool {
	if len(text) < 2 || text[0] != '{' && text[0] != '[' || !text.IsValid() {
		return false
	}
	short := text.Clone()
	return short.Compact() == nil && string(short) == string(text)
}

// invalid says a call whose input was not valid the way it was said.
func (t *ToAISDK) invalid(c *chatCall, raw jsontext.Value) bool {
	n := readNote(raw)
	if unquoted(n.get("type")) != string(aisdk.TypeToolInputError) {
		return false
	}
	n.set("toolCallId", c.given)
	f, _, err := aisdk.ParseFrame(n.object())
	if err != nil || aisdk.V7.Check(f) != nil {
		return false
	}
	t.pass(f.Raw)
	return true
}

// answeredCall is a call that this run's answers are about, of which the message may hold
// nothing yet: it is said first.
func (t *ToAISDK) answeredCall(id string) *chatCall {
	for _, a := range t.run.Answers {
		if call := a.Request.Call; call != nil && call.ID == id && call.Name != "" {
			c := t.proposed(call)
			if !t.continuing {
				t.say(aisdk.TypeToolInputAvailable, c.available())
			}
			return c
		}
	}
	return nil
}

// proposed is a call that the stream has not shown.
func (t *ToAISDK) proposed(call *hitl.ToolCall) *chatCall {
	c := &chatCall{own: call.ID, name: call.Name, input: call.Args}
	if c.name == "" {
		c.name = unnamedTool
	}
	if len(c.input) == 0 {
		c.input = jsontext.Value("{}")
	}
	t.name(c)
	return c
}

// unnamedTool is shown for a call of which only the id is known.
const unnamedTool = "tool"

// deny settles a call that did not run. What the agent said of it has no place in the
// chunk, and goes beside it.
func (t *ToAISDK) deny(c *chatCall, said agui.Frame) {
	c.settled, c.denied = true, true
	if !t.born {
		t.say(dataEvent, eventNote(said))
	}
	t.sayDenied(c)
}

func (t *ToAISDK) sayDenied(c *chatCall) {
	n := note{}
	n.set("toolCallId", c.given)
	t.say(aisdk.TypeToolOutputDenied, n)
}

// sayDenials settles the denied calls of which the agent has said nothing when it is
// heard again: every decided call gets an end.
func (t *ToAISDK) sayDenials() {
	for _, id := range t.denials {
		c := t.calls[id]
		if c == nil {
			c = t.answeredCall(id)
		}
		if c != nil && !c.settled {
			c.settled, c.denied = true, true
			t.sayDenied(c)
		}
	}
	t.denials = nil
}

// denial reports whether the run goes on with a denial of the call.
func (t *ToAISDK) denial(callID string) bool {
	for _, a := range t.run.Answers {
		if a.Request.Kind == hitl.KindApproval && a.Request.Call != nil && a.Request.Call.ID == callID {
			return denies(a.Response)
		}
	}
	return false
}

func denies(r hitl.Response) bool {
	return r.Cancelled() || r.Decision != nil && !r.Decision.Approved
}

// decisions tells a chat what its approvals came to. The message holds the requests if it
// holds their calls.
func (t *ToAISDK) decisions() {
	for _, a := range t.run.Answers {
		if a.Request.Kind != hitl.KindApproval || a.Request.Call == nil {
			continue
		}
		if denies(a.Response) {
			t.denials = append(t.denials, a.Request.Call.ID)
		}
		if t.run.profile() != aisdk.V7 || !t.continuing {
			continue
		}
		n := note{}
		n.set("approvalId", quoted(a.Request.ID))
		n.set("approved", jsontext.Value("true"))
		if denies(a.Response) {
			n.set("approved", jsontext.Value("false"))
		}
		switch d := a.Response.Decision; {
		case d != nil:
			n.text("reason", d.Reason)
		case a.Response.Cancelled():
			n.text("reason", givenUp)
		}
		t.say(aisdk.TypeToolApprovalResponse, n)
	}
}

// givenUp is what a chat is told of an approval that nobody decided.
const givenUp = "The request was cancelled; nothing was decided."
