package translate

import (
	"maps"
	"slices"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// A toolCall is what is known of one call.
type toolCall struct {
	given    string         // its id in AG-UI
	quoted   jsontext.Value // as JSON
	streamed []byte         // the text of its input so far
	open     bool
	silent   bool // no arguments are none: an AG-UI agent has streamed it
	asText   bool // its input is the argument text of an AG-UI agent, which was no JSON
	name     string
	note     note // what its chunks said beside what events say
}

// toolChunk translates a chunk of a tool call, and reports whether it was one.
func (t *ToAGUI) toolChunk(f aisdk.Frame, c aisdk.Chunk) bool {
	switch c := c.(type) {
	case *aisdk.ToolInputStart:
		if t.ofStep[c.ToolCallID] {
			return false
		}
		n := members(f, "toolCallId", "toolName")
		_, _, tagged := parted(n.get("providerMetadata"), aguiKey)
		t.callStart(c.ToolCallID, c.ToolName, n).silent = tagged
	case *aisdk.ToolInputAvailable:
		return t.inputAvailable(f, c)
	case *aisdk.ToolInputError:
		t.inputError(f, c)
	case *aisdk.ToolApprovalRequest:
		t.request(f, c)
	case *aisdk.ToolApprovalResponse:
		t.respond(f, c)
	case *aisdk.ToolOutputAvailable:
		t.output(f, c)
	case *aisdk.ToolOutputError:
		n := members(f, "toolCallId", "errorText")
		if tag, _, tagged := parted(n.get("providerMetadata"), aguiKey); !tagged || tag.has("state") {
			n.text("state", string(aisdk.StateOutputError))
		}
		t.result(c.ToolCallID, quoted(c.ErrorText), n)
	case *aisdk.ToolOutputDenied:
		t.denied(c.ToolCallID)
	default:
		return false
	}
	return true
}

// renamed puts the id that the reader knows into a chunk of a call.
func (t *ToAGUI) renamed(chunk jsontext.Value, callID string) jsontext.Value {
	given := t.given(callID)
	if given == callID {
		return chunk
	}
	n := readNote(chunk)
	n.set("toolCallId", quoted(given))
	return n.object()
}

func (t *ToAGUI) given(callID string) string {
	if call := t.calls[callID]; call != nil {
		return call.given
	}
	return t.ids.Given(callID)
}

func (t *ToAGUI) callStart(id, name string, n note) *toolCall {
	tag, own, tagged := split(n)
	parent := textOf(tag, "parentMessageId")
	if !tagged {
		parent = agui.NotEmpty(t.message())
		t.hasUse = true
	}
	call := &toolCall{open: true, name: name, asText: tag.has("arguments"), given: t.ids.open(id, textOf(tag, "toolCallId").String()), note: own}
	call.quoted = quoted(call.given)
	if call.given != id && !tagged {
		call.note.set("toolCallId", quoted(id))
	}
	t.calls[id], t.ofStep[id] = call, true
	t.emit(&agui.ToolCallStart{
		Base: t.annotated(agui.TypeToolCallStart, call.note, tag, tagged), ToolCallID: call.given, ToolCallName: name,
		ParentMessageID: parent, Attributable: subagent(tag),
	})
	t.encrypted("tool-call", call.given, tag)
	return call
}

func (t *ToAGUI) inputDelta(f aisdk.Frame) {
	call, ok := lookup(t.calls, f, "toolCallId")
	if !ok || !call.open {
		return
	}
	call.streamed = append(call.streamed, f.Text("inputTextDelta")...)
	if !t.priming {
		t.out = append(t.out, event(`{"type":"TOOL_CALL_ARGS","toolCallId":`, call.quoted, f.Member("inputTextDelta"), nil))
	}
}

// inputAvailable closes a call. An id that comes again in its step is the same call; what
// was said of it cannot be unsaid, nor said again.
func (t *ToAGUI) inputAvailable(f aisdk.Frame, c *aisdk.ToolInputAvailable) bool {
	n := members(f, "toolCallId", "toolName", "input")
	if call := t.calls[c.ToolCallID]; t.ofStep[c.ToolCallID] && call.open && call.name != c.ToolName {
		n.set("toolName", quoted(c.ToolName)) // AG-UI has no place for a tool that changes its name
	}
	if tag, _, _ := parted(n.get("providerMetadata"), aguiKey); tag.has("again") {
		return true // AG-UI's own events say how the call went on
	}
	call := t.calls[c.ToolCallID]
	switch {
	case !t.ofStep[c.ToolCallID]:
		call = t.callStart(c.ToolCallID, c.ToolName, n)
		n = note{}
	case !call.open:
		return false
	}
	t.callEnd(call, outright(c.Input), n)
	return true
}

// callEnd closes a call. An input that was not streamed is said at once; one that
// differs from what was streamed travels in the metadata, since text cannot be unsaid.
func (t *ToAGUI) callEnd(call *toolCall, input jsontext.Value, more note) {
	end := &agui.ToolCallEnd{Base: base(agui.TypeToolCallEnd), ToolCallID: call.given}
	tag, own, _ := split(more)
	changed := false
	for i, name := range own.names {
		if string(call.note.get(name)) != string(own.values[i]) {
			changed = true
		}
	}
	switch {
	case len(call.streamed) == 0 && call.silent && string(input) == "{}":
	case len(call.streamed) == 0 && call.asText && input.Kind() == '"':
		t.emit(&agui.ToolCallArgs{Base: base(agui.TypeToolCallArgs), ToolCallID: call.given, Delta: unquoted(input)})
	case len(call.streamed) == 0:
		t.emit(&agui.ToolCallArgs{Base: base(agui.TypeToolCallArgs), ToolCallID: call.given, Delta: string(input)})
	case !sameJSON(argsInput(string(call.streamed)), input):
		own.set("input", input)
		changed = true
	}
	call.note.all(own)
	if changed {
		end.Metadata = under(aisdkKey, call.note, nil)
	}
	end.Metadata = merged(tag.get("now"), end.Metadata)
	call.open, call.streamed = false, nil
	t.emit(end)
}

func (t *ToAGUI) inputError(f aisdk.Frame, c *aisdk.ToolInputError) {
	call := t.calls[c.ToolCallID]
	if !t.ofStep[c.ToolCallID] {
		n := note{}
		n.set("dynamic", f.Member("dynamic"))
		call = t.callStart(c.ToolCallID, c.ToolName, n)
	}
	if call.open {
		n := note{}
		n.set("invalid", jsontext.Value("true"))
		t.callEnd(call, outright(c.Input), n)
	}
	n := note{}
	n.text("state", string(aisdk.StateOutputError))
	n.set("chunk", f.Raw)
	t.result(c.ToolCallID, quoted(c.ErrorText), n)
}

func (t *ToAGUI) closeCalls() {
	for _, id := range slices.Sorted(maps.Keys(t.calls)) {
		if call := t.calls[id]; call.open {
			call.open = false
			call.note.set("unfinished", jsontext.Value("true"))
			t.emit(&agui.ToolCallEnd{
				Base: agui.Base{Kind: agui.TypeToolCallEnd, Metadata: under(aisdkKey, call.note, nil)}, ToolCallID: call.given,
			})
		}
	}
}

func sameJSON(a, b jsontext.Value) bool {
	left, err := hitl.Canonical(a)
	if err != nil {
		return false
	}
	right, err := hitl.Canonical(b)
	return err == nil && left == right
}

// output mints the tool message of a call. An output that another will follow is none yet.
// Text goes as it is, any other value as its JSON text, marked so that it comes back.
func (t *ToAGUI) output(f aisdk.Frame, c *aisdk.ToolOutputAvailable) {
	if c.Preliminary.True() {
		t.tellOf(c.ToolCallID)
		t.custom(string(f.Type), t.renamed(f.Raw, c.ToolCallID))
		return
	}
	n := members(f, "toolCallId", "output")
	tag, _, _ := parted(n.get("providerMetadata"), aguiKey)
	if tag.has("parts") {
		t.result(c.ToolCallID, outright(c.Output), n)
		return
	}
	if tag.has("text") && c.Output.Kind() != '"' {
		t.result(c.ToolCallID, quoted(string(outright(c.Output))), n)
		return
	}
	if c.Output.Kind() == '"' {
		t.result(c.ToolCallID, c.Output, n)
		return
	}
	n.set("json", jsontext.Value("true"))
	t.result(c.ToolCallID, quoted(string(outright(c.Output))), n)
}

func (t *ToAGUI) result(callID string, content jsontext.Value, n note) {
	tag, own, tagged := split(n)
	if tag.has("unsaid") {
		return // the bridge told a chat so; no agent said it
	}
	t.tellOf(callID)
	given := t.given(callID)
	if was := t.answers[given]; was != nil && !own.has("answer") && sameText(was, content) {
		delete(t.answers, given)
		return // the agent repeats what it was told
	}
	said := textOf(tag, "messageId")
	messageID := said.String()
	if !said.Present() {
		messageID = t.base + "#result-" + given
		if again := t.results[given]; again > 0 {
			messageID += "#" + strconv.Itoa(again)
		}
	}
	if v := tag.get("content"); v != nil {
		content = v
	}
	t.results[given]++
	t.emit(&agui.ToolCallResult{
		Base: t.annotated(agui.TypeToolCallResult, own, tag, tagged), MessageID: messageID,
		ToolCallID: given, Content: content, Role: agui.RoleTool, Attributable: subagent(tag),
	})
}

// denied says that a call did not run, and why if the person gave a reason. If the agent
// said so in AG-UI itself, nothing is left to say.
func (t *ToAGUI) denied(callID string) {
	if t.results[t.given(callID)] > 0 {
		return
	}
	text, reason := "The user denied this tool call; it did not run.", ""
	n := note{}
	n.text("state", string(aisdk.StateOutputDenied))
	if a := t.approval(func(a *askedApproval) bool { return a.call == callID }); a != nil {
		n.set("approvalId", quoted(a.id))
		reason = a.reason
	}
	for _, a := range t.run.Answers {
		if a.Request.Call == nil || a.Request.Call.ID != callID {
			continue
		}
		n.set("approvalId", quoted(a.Request.Own().ID))
		if d := a.Response.Decision; d != nil && d.Reason != "" {
			reason = d.Reason
		}
	}
	if reason != "" {
		n.text("reason", reason)
		text += " Reason: " + reason
	}
	t.result(callID, quoted(text), n)
}

// answered says what a person has filled in. The call by which it was asked has its result
// from the bridge: the agent will never say it, and a client whose history has a call
// without a result could not go on with this agent.
func (t *ToAGUI) answered() {
	for _, a := range t.run.Answers {
		if a.Request.Kind != hitl.KindInput || a.Request.Call == nil || t.priming {
			continue
		}
		call := a.Request.Call
		asked := aisdk.Message{Parts: []aisdk.Part{{
			Type: "tool-" + call.Name, ToolCallID: aisdk.Set(call.ID), State: aisdk.StateInputAvailable, Input: call.Args,
		}}}
		if !asked.Respond(a.Request, a.Response) {
			continue
		}
		n := note{}
		n.set("answer", jsontext.Value("true"))
		p := asked.Parts[0]
		content := p.Output
		switch {
		case p.State == aisdk.StateOutputError:
			n.text("state", string(p.State))
			content = quoted(p.ErrorText.String())
		case p.Output.Kind() != '"':
			n.set("json", jsontext.Value("true"))
			content = quoted(string(p.Output))
		}
		t.result(call.ID, content, n)
		t.answers[t.given(call.ID)] = content
	}
}

// sameText compares two texts; if both are JSON, what they say.
func sameText(a, b jsontext.Value) bool {
	if string(a) == string(b) {
		return true
	}
	left, right := jsontext.Value(unquoted(a)), jsontext.Value(unquoted(b))
	return left.IsValid() && right.IsValid() && sameJSON(left, right)
}

// A toolResult is what the metadata of a tool message says of the result.
type toolResult struct {
	State            aisdk.PartState `json:"state,omitzero"`
	JSON             bool            `json:"json,omitzero"` // the content is the JSON text of the output
	ApprovalID       string          `json:"approvalId,omitzero"`
	Reason           string          `json:"reason,omitzero"`
	ProviderMetadata jsontext.Value  `json:"providerMetadata,omitzero"`
	Extra            jsontext.Value  `json:",embed"`
}

func readToolResult(metadata jsontext.Value) toolResult {
	said, _, has := parted(metadata, aisdkKey)
	if !has {
		return toolResult{}
	}
	var r toolResult
	if json.Unmarshal(said.object(), &r) != nil {
		return toolResult{}
	}
	return r
}
