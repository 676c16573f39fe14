package aisdk

import (
	"fmt"
	"maps"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Reducer builds the message a chat holds after the same chunks. Apply it to a
// whole answer in order; continue an answer by giving it the message so far. The
// zero value begins an empty assistant message.
type Reducer struct {
	message   Message
	text      map[string]*openText // open text parts, by chunk id
	reasoning map[string]*openText
	inputs    map[string]*openInput // streamed inputs, by call id
	stepStart int                   // index of the first part of the current step
	ended     bool
	failure   string
}

// An openText collects the text of a part; strings would be copied at every delta.
type openText struct {
	part int
	text []byte
}

type openInput struct{ text []byte }

// Continue returns a Reducer that goes on with the given message.
func Continue(m Message) *Reducer { return &Reducer{message: m, stepStart: lastStep(m.Parts)} }

func lastStep(parts []Part) int {
	for i := len(parts) - 1; i >= 0; i-- {
		if parts[i].Type == PartStepStart {
			return i + 1
		}
	}
	return 0
}

// Ended reports whether a terminal chunk came: finish, abort or error.
func (r *Reducer) Ended() bool { return r.ended }

// Whole reports whether something was said and nothing is half said: no part is open
// and no input is still streamed.
func (r *Reducer) Whole() bool {
	for i := range r.message.Parts {
		if p := &r.message.Parts[i]; p.State == StateStreaming || p.State == StateInputStreaming {
			return false
		}
	}
	return len(r.message.Parts) > 0
}

// Failure returns the text of the error chunk, or "" if there was none.
func (r *Reducer) Failure() string { return r.failure }

// Message returns the message as it stands.
func (r *Reducer) Message() *Message {
	for _, open := range []map[string]*openText{r.text, r.reasoning} {
		for _, o := range open {
			text := string(o.text)
			r.message.Parts[o.part].Text = &text
		}
	}
	r.message.Role = RoleAssistant
	return &r.message
}

// Apply takes the next chunk. An error matches ErrSequence or ErrMalformed and ends
// the answer, as it does for a chat.
func (r *Reducer) Apply(f Frame) error {
	switch f.Type {
	case TypeTextDelta:
		return appendText(r.text, f)
	case TypeReasoningDelta:
		return appendText(r.reasoning, f)
	case TypeToolInputDelta:
		return r.inputDelta(f)
	}
	c, err := f.Chunk()
	if err != nil {
		return err
	}
	switch c := c.(type) {
	case *Start:
		if c.MessageID != "" {
			r.message.ID = c.MessageID
		}
		return r.mergeMetadata(c.MessageMetadata)
	case *MessageMetadata:
		return r.mergeMetadata(c.MessageMetadata)
	case *Finish:
		r.ended = true
		return r.mergeMetadata(c.MessageMetadata)
	case *Abort:
		r.ended = true
	case *Error:
		r.ended, r.failure = true, c.ErrorText
	case *StartStep:
		r.push(Part{Type: PartStepStart})
		r.stepStart = len(r.message.Parts)
	case *FinishStep:
		r.closeText()
	default:
		return r.applyPart(c)
	}
	return nil
}

func (r *Reducer) applyPart(c Chunk) error {
	switch c := c.(type) {
	case *TextStart:
		r.text = r.open(r.text, c.ID, Part{Type: PartText, ProviderMetadata: c.ProviderMetadata})
	case *TextEnd:
		return r.closePart(r.text, c, c.ID, c.ProviderMetadata)
	case *ReasoningStart:
		r.reasoning = r.open(r.reasoning, c.ID, Part{Type: PartReasoning, ProviderMetadata: c.ProviderMetadata})
	case *ReasoningEnd:
		return r.closePart(r.reasoning, c, c.ID, c.ProviderMetadata)
	case *Data:
		r.data(c)
	case *UnknownChunk:
		return r.passed(c)
	default:
		return r.applyTool(c)
	}
	return nil
}

func (r *Reducer) push(p Part) int {
	r.message.Parts = append(r.message.Parts, p)
	return len(r.message.Parts) - 1
}

func (r *Reducer) open(open map[string]*openText, id string, p Part) map[string]*openText {
	empty := ""
	p.State, p.Text = StateStreaming, &empty
	if open == nil {
		open = map[string]*openText{}
	}
	if replaced := open[id]; replaced != nil {
		r.flush(replaced)
	}
	open[id] = &openText{part: r.push(p)}
	return open
}

func (r *Reducer) flush(o *openText) {
	text := string(o.text)
	r.message.Parts[o.part].Text = &text
}

func appendText(open map[string]*openText, f Frame) error {
	o := open[f.Text("id")]
	if o == nil {
		return &SequenceError{Type: f.Type, Rule: "part " + f.Text("id") + " is not open"}
	}
	o.text = append(o.text, f.Text("delta")...)
	return nil
}

func (r *Reducer) closePart(open map[string]*openText, c Chunk, id string, metadata jsontext.Value) error {
	o := open[id]
	if o == nil {
		return &SequenceError{Type: c.Type(), Rule: "part " + id + " is not open"}
	}
	r.flush(o)
	p := &r.message.Parts[o.part]
	p.State = StateDone
	if len(metadata) > 0 {
		p.ProviderMetadata = metadata
	}
	delete(open, id)
	return nil
}

// closeText forgets what is open at the end of a step: in ai 6, later deltas of it
// end the stream, so an agent that relies on them is out of order for everyone.
func (r *Reducer) closeText() {
	for _, open := range []map[string]*openText{r.text, r.reasoning} {
		for _, o := range open {
			r.flush(o)
		}
		clear(open)
	}
}

// data stores application data: it replaces the part of the same type and id.
func (r *Reducer) data(c *Data) {
	if c.Transient {
		return
	}
	if c.ID != "" {
		for i := range r.message.Parts {
			if p := &r.message.Parts[i]; p.Type == string(c.Kind) && p.ID == c.ID {
				p.Data = c.Data
				return
			}
		}
	}
	r.push(Part{Type: string(c.Kind), ID: c.ID, Data: c.Data})
}

// passed stores a chunk that is a part as it stands: files, sources, custom parts.
func (r *Reducer) passed(c *UnknownChunk) error {
	switch c.Type() {
	case TypeFile, TypeSourceURL, TypeSourceDocument, TypeReasoningFile, TypeCustom:
		var p Part
		if err := json.Unmarshal(c.Frame.Raw, &p); err != nil {
			return fmt.Errorf("%w: %s: %w", ErrMalformed, c.Type(), err)
		}
		r.push(p)
	case TypeResetStep:
		r.message.Parts = r.message.Parts[:r.stepStart]
		clear(r.text)
		clear(r.reasoning)
		clear(r.inputs)
	}
	return nil
}

// mergeMetadata merges objects recursively; arrays and scalars are replaced.
func (r *Reducer) mergeMetadata(add jsontext.Value) error {
	if len(add) == 0 || add.Kind() == 'n' {
		return nil
	}
	merged, err := mergeJSON(r.message.Metadata, add)
	if err != nil {
		return err
	}
	r.message.Metadata = merged
	return nil
}

func mergeJSON(base, add jsontext.Value) (jsontext.Value, error) {
	if len(base) == 0 || base.Kind() != '{' || add.Kind() != '{' {
		return add, nil
	}
	var into, from map[string]jsontext.Value
	if err := json.Unmarshal(base, &into); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(add, &from); err != nil {
		return nil, err
	}
	merged := maps.Clone(into)
	for name, value := range from {
		v, err := mergeJSON(into[name], value)
		if err != nil {
			return nil, err
		}
		merged[name] = v
	}
	return json.Marshal(merged, json.Deterministic(true))
}
