package translate

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// dataEvent is the data part by which a chat gets an AG-UI event that no chunk can say.
const dataEvent = "data-ag-ui"

// restored says the event that a data part carries, and reports whether it could: an
// event that may not come now, or is none, stays a part like any other.
func (t *ToAGUI) restored(c *aisdk.Data) bool {
	f, _, err := agui.ParseFrame(outright(c.Data))
	if err != nil || !f.Known() || f.Raw == nil {
		return false
	}
	e, err := f.Event()
	if err != nil {
		return false
	}
	switch e := e.(type) {
	case *agui.RunStarted:
		return true
	case *agui.RunFinished:
		t.finish.result, t.finish.usage, t.finish.metadata = e.Result, f.Member("usage"), e.Metadata
		return true
	case *agui.RunError:
		t.finish.usage, t.finish.metadata, t.finish.code = f.Member("usage"), e.Metadata, e.Code.String()
		return true
	case *agui.TextMessageChunk, *agui.ToolCallChunk, *agui.ReasoningMessageChunk:
		return false
	}
	if t.clashes(f) || !t.priming && t.verify.Next(f) != nil {
		return false
	}
	t.steps = 0
	if e, ok := e.(*agui.ToolCallResult); ok {
		t.results[e.ToolCallID]++
	}
	if !t.priming {
		t.out = append(t.out, f.Raw)
	}
	return true
}

// clashes reports whether an event is about something that chunks have opened.
func (t *ToAGUI) clashes(f agui.Frame) bool {
	switch f.Type {
	case agui.TypeTextMessageStart, agui.TypeTextMessageContent, agui.TypeTextMessageEnd:
		return isOpen(t.text, f.Text("messageId"))
	case agui.TypeReasoningStart, agui.TypeReasoningEnd, agui.TypeReasoningMessageStart,
		agui.TypeReasoningMessageContent, agui.TypeReasoningMessageEnd:
		return isOpen(t.reasoning, f.Text("messageId"))
	case agui.TypeToolCallStart, agui.TypeToolCallArgs, agui.TypeToolCallEnd:
		for _, call := range t.calls {
			if call.open && f.Is("toolCallId", call.given) && !f.Is("delta", "") {
				return true
			}
		}
	}
	return false
}

// closeRestored closes what restored events have opened.
func (t *ToAGUI) closeRestored() {
	if t.priming {
		return
	}
	for _, e := range t.verify.Closing() {
		t.emit(e)
	}
}

// merged puts the members of two metadata objects together; the second one's count.
func merged(a, b jsontext.Value) jsontext.Value {
	switch {
	case len(a) == 0:
		return b
	case len(b) == 0:
		return a
	}
	n := readNote(a)
	n.all(readNote(b))
	return n.object()
}

func usageOf(v jsontext.Value) []agui.TokenUsage {
	var list []agui.TokenUsage
	if len(v) == 0 || json.Unmarshal(v, &list) != nil {
		return nil
	}
	return list
}
