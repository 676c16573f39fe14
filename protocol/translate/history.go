package translate

import (
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// History turns the messages of an AG-UI client into those of an AI SDK chat. What
// the agent said between two messages of the user is one message there. A call
// without a result is left out: nobody may run it, and no model accepts it. Activity
// messages never travel back to an agent. Messages is the way back.
func History(messages []agui.Message) []aisdk.Message {
	h := history{results: map[string][]agui.Message{}}
	for _, m := range messages {
		if m.Role == agui.RoleTool {
			id := m.ToolCallID.String()
			h.results[id] = append(h.results[id], m)
		}
	}
	for _, m := range messages {
		h.add(m)
	}
	return h.out
}

type history struct {
	out     []aisdk.Message
	results map[string][]agui.Message // tool messages by call id
	// what Messages would derive next
	count, reasons int
}

func (h *history) add(m agui.Message) {
	switch m.Role {
	case agui.RoleUser, agui.RoleSystem, agui.RoleDeveloper:
		h.out = append(h.out, chatMessage(m))
	case agui.RoleReasoning:
		h.answer(m, h.reasoningPart)
	case agui.RoleAssistant:
		h.answer(m, h.assistantParts)
	}
}

// answer adds a message to the assistant's message of this turn.
func (h *history) answer(m agui.Message, parts func(agui.Message) []aisdk.Part) {
	n := len(h.out)
	if n == 0 || h.out[n-1].Role != aisdk.RoleAssistant {
		h.out = append(h.out, aisdk.Message{ID: messageOf(m.ID), Role: aisdk.RoleAssistant})
		h.count, h.reasons = 0, 0
		n++
	}
	last := &h.out[n-1]
	if made := parts(m); len(made) > 0 {
		last.Parts = append(last.Parts, aisdk.Part{Type: aisdk.PartStepStart})
		last.Parts = append(last.Parts, made...)
	} else if len(last.Parts) == 0 {
		h.out = h.out[:n-1]
	}
}

// base is the id of the message that parts are added to.
func (h *history) base() string { return h.out[len(h.out)-1].ID }

// tagOf is what only AG-UI knows of a message.
func tagOf(m agui.Message, metadata jsontext.Value) note {
	tag := encryptedTag(m.Encrypted)
	if m.Name.Present() {
		tag.set("name", quoted(m.Name.String()))
	}
	if m.SubagentRunID.Present() {
		tag.set("subagentRunId", quoted(m.SubagentRunID.String()))
	}
	tag.set("metadata", metadata)
	return tag
}

func encryptedTag(e agui.Encrypted) note {
	tag := note{}
	if e.EncryptedValue.Present() {
		tag.set("encryptedValue", quoted(e.EncryptedValue.String()))
	}
	if e.EncryptedValueType.Present() {
		tag.set("encryptedValueType", quoted(e.EncryptedValueType.String()))
	}
	return tag
}

func (h *history) reasoningPart(m agui.Message) []aisdk.Part {
	said, rest, _ := parted(m.Metadata, aisdkKey)
	tag, text := tagOf(m, rest), m.Text()
	if m.ID == h.base()+"#r"+strconv.Itoa(h.reasons) {
		h.reasons++
		if !tag.empty() {
			tag.set("messageId", quoted(m.ID))
			h.reasons--
		}
	} else {
		tag.set("messageId", quoted(m.ID))
	}
	p := aisdk.Part{Type: aisdk.PartReasoning, Text: &text, State: aisdk.StateDone}
	if id := said.get("id"); id != nil {
		p.ID = aisdk.Set(unquoted(id))
	}
	p.ProviderMetadata = harmless(under(aguiKey, tag, said.get("providerMetadata")))
	return []aisdk.Part{p}
}

// assistantParts gives the text and the settled calls. The first of them says which
// message it is, unless that can be told from its place.
func (h *history) assistantParts(m agui.Message) []aisdk.Part {
	said, rest, _ := parted(m.Metadata, aisdkKey)
	id := note{}
	if m.ID != derivedID(h.base(), h.count) {
		id.set("messageId", quoted(m.ID))
	}
	var parts []aisdk.Part
	if text := m.Text(); text != "" {
		tag := tagOf(m, rest)
		if !tag.empty() {
			id.set("messageId", quoted(m.ID))
		}
		tag.all(id)
		p := aisdk.TextPart(text)
		p.ProviderMetadata = harmless(under(aguiKey, tag, said.get("providerMetadata")))
		p.Citations = said.get("citations")
		parts = append(parts, p)
	}
	alone := len(parts) == 0
	for _, call := range m.ToolCalls {
		results := h.results[call.ID]
		if len(results) == 0 {
			continue
		}
		tag := note{}
		if alone && !id.empty() {
			tag.set("parentMessageId", quoted(m.ID))
		}
		parts = append(parts, h.settledPart(call, results[len(results)-1], tag, m.ID))
	}
	if len(parts) > 0 && id.empty() {
		h.count++
	}
	return parts
}

func derivedID(base string, n int) string {
	if n > 0 {
		return base + "#" + strconv.Itoa(n)
	}
	return base
}

func (h *history) settledPart(call agui.ToolCall, result agui.Message, tag note, parent string) aisdk.Part {
	said, rest, _ := parted(call.Metadata, aisdkKey)
	p := aisdk.ToolPart(call.Function.Name, call.ID, aisdk.StateOutputAvailable)
	p.Input = harmless(callInput(call))
	if id := said.get("toolCallId"); id != nil {
		p.ToolCallID = aisdk.Set(unquoted(id)) // the agent's own
	}
	var shown struct {
		Title            aisdk.Text     `json:"title"`
		ProviderExecuted aisdk.Flag     `json:"providerExecuted"`
		Dynamic          aisdk.Flag     `json:"dynamic"`
		ToolMetadata     jsontext.Value `json:"toolMetadata"`
		Extra            jsontext.Value `json:",embed"`
	}
	if json.Unmarshal(said.object(), &shown) == nil {
		p.Title, p.ProviderExecuted, p.ToolMetadata = shown.Title, shown.ProviderExecuted, shown.ToolMetadata
		if shown.Dynamic.True() {
			p.Type, p.ToolName = "dynamic-tool", aisdk.Set(call.Function.Name)
		}
	}
	tag.all(encryptedTag(call.Encrypted))
	tag.set("metadata", rest)
	if !said.has("input") && isText(call.Function.Arguments) {
		tag.set("arguments", jsontext.Value("true"))
	}
	if !tag.empty() {
		tag.set("parentMessageId", quoted(parent))
	}
	p.CallProviderMetadata = harmless(under(aguiKey, tag, said.get("providerMetadata")))
	h.settle(&p, call.ID, result)
	return p
}

func (h *history) settle(p *aisdk.Part, callID string, result agui.Message) {
	note := readToolResult(result.Metadata)
	text := result.Text()
	_, rest, _ := parted(result.Metadata, aisdkKey)
	tag := tagOf(result, rest)
	if result.ID != h.base()+"#result-"+callID {
		tag.set("messageId", quoted(result.ID))
	}
	switch {
	case note.State == aisdk.StateOutputDenied && note.ApprovalID != "":
		no := false
		p.State, p.Approval = aisdk.StateOutputDenied, &aisdk.Approval{ID: note.ApprovalID, Approved: &no, Reason: aisdk.NotEmpty(note.Reason)}
		return
	case result.Error.Present():
		p.State, p.ErrorText = aisdk.StateOutputError, aisdk.Set(result.Error.String())
		if text != result.Error.String() || result.Content.Kind() != '"' {
			tag.set("content", result.Content)
		}
	case note.State == aisdk.StateOutputError || note.State == aisdk.StateOutputDenied:
		p.State, p.ErrorText = aisdk.StateOutputError, aisdk.Set(text)
		if !tag.empty() {
			tag.set("state", jsontext.Value("true"))
		}
	case note.JSON && jsontext.Value(text).IsValid():
		p.Output = harmless(jsontext.Value(text))
	case result.Content.Kind() == '[':
		tag.set("parts", jsontext.Value("true"))
		p.Output = harmless(result.Content)
	default:
		p.Output = quoted(text)
	}
	if !tag.empty() {
		tag.set("messageId", quoted(result.ID))
	}
	p.ResultProviderMetadata = harmless(under(aguiKey, tag, note.ProviderMetadata))
}

// callInput is the input of a call: the value its argument text stands for, or what
// the metadata says it really was.
func callInput(call agui.ToolCall) jsontext.Value {
	if said, _, has := parted(call.Metadata, aisdkKey); has && said.has("input") {
		return said.get("input")
	}
	return argsInput(call.Function.Arguments)
}

// isText reports whether an argument text stands for itself, being no JSON.
func isText(args string) bool { return args != "" && !jsontext.Value(args).IsValid() }

// argsInput is the value an argument text stands for, or the text itself if it is not
// JSON.
func argsInput(args string) jsontext.Value {
	text := jsontext.Value(args)
	switch {
	case len(text) == 0:
		return jsontext.Value("{}")
	case text.IsValid():
		return text
	}
	return quoted(args)
}
