package agui

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// Calls follows the tool calls of one run, so that an interrupt can be shown with
// the call it asks about, and calls left for the application can be named. The zero
// value is ready. Chunk events are not followed.
type Calls struct {
	open  map[string]*call
	order []string
}

type call struct {
	name     string
	args     []byte
	answered bool
	seeded   bool // it comes from the input's history, not from this run
}

// Seed makes the calls of the input's messages known. Of a call that the stream
// opens itself, the stream's word counts.
func (c *Calls) Seed(messages []Message) {
	for _, m := range messages {
		for _, t := range m.ToolCalls {
			c.start(t.ID, t.Function.Name)
			c.open[t.ID].args = []byte(t.Function.Arguments)
			c.open[t.ID].seeded = true
		}
		if m.Role == RoleTool {
			c.answer(m.ToolCallID.String())
		}
	}
}

// Observe takes in the next frame of the run.
func (c *Calls) Observe(f Frame) {
	switch f.Type {
	case TypeToolCallStart:
		c.start(f.Text("toolCallId"), f.Text("toolCallName"))
	case TypeToolCallArgs:
		if k := c.open[f.Text("toolCallId")]; k != nil {
			k.args = append(k.args, f.Text("delta")...)
		}
	case TypeToolCallResult:
		c.answer(f.Text("toolCallId"))
	}
}

func (c *Calls) start(id, name string) {
	if c.open == nil {
		c.open = map[string]*call{}
	}
	if _, known := c.open[id]; !known {
		c.order = append(c.order, id)
	}
	c.open[id] = &call{name: name}
}

func (c *Calls) answer(id string) {
	if k := c.open[id]; k != nil {
		k.answered = true
	}
}

// Call returns the call with the given id as the neutral model has it, or nil if
// the run has not shown it. Arguments that are not JSON are given as a JSON string.
func (c *Calls) Call(id string) *hitl.ToolCall {
	k := c.open[id]
	if k == nil {
		return nil
	}
	return &hitl.ToolCall{ID: id, Name: k.name, Args: argsValue(k.args), Executor: hitl.ExecutorAgent}
}

func argsValue(text []byte) jsontext.Value {
	if len(text) == 0 {
		return nil
	}
	if v := jsontext.Value(slices.Clone(text)); v.IsValid() {
		return v
	}
	quoted, err := jsontext.AppendQuote(nil, string(text))
	if err != nil {
		return nil
	}
	return quoted
}

// Unanswered returns the ids of this run's own calls without a result, in order.
func (c *Calls) Unanswered() []string {
	var ids []string
	for _, id := range c.order {
		if k := c.open[id]; !k.answered && !k.seeded {
			ids = append(ids, id)
		}
	}
	return ids
}
