package translate

import (
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// toolChunk translates a chunk of a tool call, and reports whether it was one.
func (t *ToAGUI) toolChunk(c aisdk.Chunk) bool {
	switch c := c.(type) {
	case *aisdk.ToolInputStart:
		if t.calls[c.ToolCallID] != nil {
			return false
		}
		t.callStart(c.ToolCallID, c.ToolName)
	case *aisdk.ToolInputAvailable:
		if call := t.calls[c.ToolCallID]; call != nil && !call.open {
			return false // what was said of a call cannot be unsaid, nor said again
		}
		t.callEnd(c.ToolCallID, c.ToolName, c.Input)
	case *aisdk.ToolInputError:
		if call := t.calls[c.ToolCallID]; call == nil || call.open {
			t.callEnd(c.ToolCallID, c.ToolName, c.Input)
		}
		t.result(c.ToolCallID, quoted(c.ErrorText), toolResult{State: aisdk.StateOutputError})
	case *aisdk.ToolOutputAvailable:
		if c.Preliminary.True() {
			return false
		}
		content, isJSON := outputText(c.Output)
		t.result(c.ToolCallID, content, toolResult{JSON: isJSON})
	case *aisdk.ToolOutputError:
		t.result(c.ToolCallID, quoted(c.ErrorText), toolResult{State: aisdk.StateOutputError})
	case *aisdk.ToolOutputDenied:
		t.denied(c.ToolCallID)
	default:
		return false
	}
	return true
}

func (t *ToAGUI) callStart(id, name string) {
	parent := t.message()
	t.hasUse = true
	t.calls[id] = &toolCall{open: true}
	t.emit(&agui.ToolCallStart{Base: base(agui.TypeToolCallStart), ToolCallID: id, ToolCallName: name, ParentMessageID: agui.NotEmpty(parent)})
}

func (t *ToAGUI) inputDelta(f aisdk.Frame) {
	call, ok := lookup(t.calls, f, "toolCallId")
	if !ok || !call.open {
		return
	}
	call.streamed = append(call.streamed, f.Text("inputTextDelta")...)
	if !t.priming {
		t.out = append(t.out, event(`{"type":"TOOL_CALL_ARGS","toolCallId":`, f.Member("toolCallId"), f.Member("inputTextDelta")))
	}
}

// callEnd closes a call. An input that was not streamed is said at once; one that
// differs from what was streamed travels in the metadata, since text cannot be unsaid.
func (t *ToAGUI) callEnd(id, name string, input jsontext.Value) {
	if call := t.calls[id]; call == nil || !call.open {
		t.callStart(id, name)
	}
	call := t.calls[id]
	end := &agui.ToolCallEnd{Base: base(agui.TypeToolCallEnd), ToolCallID: id}
	switch {
	case len(call.streamed) == 0:
		t.emit(&agui.ToolCallArgs{Base: base(agui.TypeToolCallArgs), ToolCallID: id, Delta: string(input)})
	case !sameJSON(call.streamed, input):
		end.Metadata = metadataOf(toolInput{Input: input})
	}
	call.open, call.streamed = false, nil
	t.emit(end)
}

func (t *ToAGUI) closeCalls() {
	for _, id := range slices.Sorted(maps.Keys(t.calls)) {
		if call := t.calls[id]; call.open {
			call.open = false
			t.emit(&agui.ToolCallEnd{Base: base(agui.TypeToolCallEnd), ToolCallID: id})
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

// result mints the tool message of a call. Text goes as it is, any other value as its
// JSON text, marked so that it comes back as the value it was.
func (t *ToAGUI) result(callID string, content jsontext.Value, mark toolResult) {
	e := &agui.ToolCallResult{
		Base: base(agui.TypeToolCallResult), MessageID: t.base + "#result-" + callID,
		ToolCallID: callID, Content: content, Role: agui.RoleTool,
	}
	if mark != (toolResult{}) {
		e.Metadata = metadataOf(mark)
	}
	t.emit(e)
}

func outputText(v jsontext.Value) (content jsontext.Value, isJSON bool) {
	if v.Kind() == '"' {
		return v, false
	}
	return quoted(string(v)), true
}

// denied says that a call did not run, and why if the person gave a reason.
func (t *ToAGUI) denied(callID string) {
	text := "The user denied this tool call; it did not run."
	mark := toolResult{State: aisdk.StateOutputDenied}
	for _, a := range t.run.Answers {
		if a.Request.Call == nil || a.Request.Call.ID != callID {
			continue
		}
		mark.ApprovalID = a.Request.ID
		if d := a.Response.Decision; d != nil && d.Reason != "" {
			mark.Reason = d.Reason
			text += " Reason: " + d.Reason
		}
	}
	t.result(callID, quoted(text), mark)
}

// What this package notes in the metadata of AG-UI events, under the key "ai-sdk", so
// that a history can be turned back into what it was.
type (
	toolResult struct {
		State      aisdk.PartState `json:"state,omitzero"`
		JSON       bool            `json:"json,omitzero"` // the content is the JSON text of the output
		ApprovalID string          `json:"approvalId,omitzero"`
		Reason     string          `json:"reason,omitzero"`
	}
	toolInput struct {
		Input jsontext.Value `json:"input"`
	}
)

const metadataKey = "ai-sdk"

func metadataOf(note any) jsontext.Value {
	v, err := json.Marshal(map[string]any{metadataKey: note})
	if err != nil {
		return nil // cannot be: the notes hold checked JSON and text
	}
	return v
}

func readToolResult(metadata jsontext.Value) toolResult {
	var notes map[string]jsontext.Value
	var note toolResult
	if len(metadata) == 0 || json.Unmarshal(metadata, &notes) != nil || len(notes[metadataKey]) == 0 {
		return toolResult{}
	}
	if json.Unmarshal(notes[metadataKey], &note) != nil {
		return toolResult{}
	}
	return note
}
