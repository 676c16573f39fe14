package aisdk

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// An openInput is the input of a call that is being streamed. What its text stands for
// is found out only when somebody looks, not at every delta.
type openInput struct {
	text     []byte
	encoding InputEncoding
	name     string
	kind     string // of a static part
	dynamic  bool
	title    Text
	tool     jsontext.Value

	part  int  // where the last delta went
	dirty bool // the part does not hold the text yet
	plain bool // nor will it hold the text as such
}

func (r *Reducer) inputStart(c *ToolInputStart) {
	u := toolUpdate{
		name: c.ToolName, callID: c.ToolCallID, dynamic: c.Dynamic.True(), state: StateInputStreaming, encoding: c.InputEncoding,
		executed: c.ProviderExecuted, title: c.Title, provider: c.ProviderMetadata, tool: c.ToolMetadata,
	}
	r.update(u)
	r.remember(c.ToolCallID, &openInput{
		encoding: c.InputEncoding, name: c.ToolName, kind: toolPrefix + c.ToolName, dynamic: u.dynamic, title: c.Title, tool: c.ToolMetadata,
	})
}

func (r *Reducer) remember(callID string, in *openInput) {
	if r.inputs == nil {
		r.inputs = map[string]*openInput{}
	}
	r.inputs[callID] = in
}

// resumeInputs goes on with the inputs that were still streamed in the last step.
func (r *Reducer) resumeInputs() {
	for i := r.stepStart; i < len(r.message.Parts); i++ {
		p := &r.message.Parts[i]
		if !p.IsTool() || p.State != StateInputStreaming {
			continue
		}
		r.remember(p.ToolCallID.String(), &openInput{
			text: []byte(shape.Unquote(p.RawInput)), encoding: p.InputEncoding, name: p.Tool(), kind: toolPrefix + p.Tool(),
			dynamic: p.Type == dynamicTool, title: p.Title, tool: p.ToolMetadata,
		})
	}
}

// inputDelta appends to the input of a call that was started, in whatever state it is
// by now: the call streams again.
func (r *Reducer) inputDelta(f Frame) error {
	in, ok := shape.Lookup(r.inputs, f.Record, "toolCallId")
	if !ok {
		return &SequenceError{Type: f.Type, Rule: "tool call " + f.Text("toolCallId") + " was not started"}
	}
	if in.dirty && in.part >= r.stepStart {
		in.plain = false
	} else {
		r.settle(in)
		part, made := r.update(toolUpdate{
			name: in.name, kind: in.kind, callID: f.Text("toolCallId"), dynamic: in.dynamic, state: StateInputStreaming,
			encoding: in.encoding, title: in.title, tool: in.tool,
		})
		in.part, in.dirty, in.plain = part, true, made && in.dynamic
	}
	in.text = append(in.text, f.Text("inputTextDelta")...)
	r.write()
	return nil
}

// settle writes what a streamed text stands for into its part.
func (r *Reducer) settle(in *openInput) {
	if !in.dirty {
		return
	}
	in.dirty = false
	p := &r.message.Parts[in.part]
	quoted, err := jsontext.AppendQuote(nil, in.text)
	if err != nil {
		return // cannot be: it was checked when it came
	}
	p.Input, p.RawInput = quoted, quoted
	if in.encoding != EncodingText {
		p.Input = partialJSON(in.text, r.profile)
	}
	if in.plain {
		p.RawInput = nil
	}
}

func (r *Reducer) flushInputs() {
	for _, in := range r.inputs {
		r.settle(in)
	}
}

// InputText returns the text that was streamed as the call's input so far.
func (r *Reducer) InputText(callID string) string {
	if in := r.inputs[callID]; in != nil {
		return string(in.text)
	}
	return ""
}
