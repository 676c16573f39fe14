package aisdk

import "slices"

// ReducerOptions say how a Reducer reads.
type ReducerOptions struct {
	// Profile is whose chat it reads as. What the profile does not know builds nothing.
	Profile Profile
	// Message is the assistant's message that the answer goes on with, if any.
	Message *Message
	// Separate says that a start with another id begins another message, as it is for
	// readUIMessageStream and for a chat that resumes. Otherwise the message takes the id.
	Separate bool
}

// A Reducer builds the message a chat holds after the same chunks. Apply it to a
// whole answer in order; continue an answer by giving it the message so far. The
// zero value begins an empty assistant message and reads for both majors.
type Reducer struct {
	profile   Profile
	separate  bool
	message   Message
	text      map[string]*openText // open text parts, by chunk id
	reasoning map[string]*openText
	inputs    map[string]*openInput // streamed inputs, by call id
	stepStart int                   // index of the first part of the current step
	shown     int                   // how many parts a chat has published
	wrote     bool                  // a chat has published anything
	ended     bool
	failure   string
}

// An openText collects the text of a part; strings would be copied at every delta.
type openText struct {
	part int
	text []byte
}

// NewReducer makes a Reducer.
func NewReducer(o ReducerOptions) *Reducer {
	r := &Reducer{profile: o.Profile, separate: o.Separate}
	if o.Message != nil {
		r.message = *o.Message
		r.message.Parts = slices.Clone(o.Message.Parts)
		r.stepStart = lastStep(r.message.Parts)
		r.resumeInputs()
	}
	return r
}

// Continue returns a Reducer that goes on with the given message.
func Continue(m Message) *Reducer { return NewReducer(ReducerOptions{Message: &m}) }

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

// Failure returns the text of the last error chunk, or "" if there was none.
func (r *Reducer) Failure() string { return r.failure }

// Message returns the message as it stands.
func (r *Reducer) Message() *Message {
	for _, open := range []map[string]*openText{r.text, r.reasoning} {
		for _, o := range open {
			r.flush(o)
		}
	}
	r.flushInputs()
	r.message.Role = RoleAssistant
	return &r.message
}

// Shown returns the message as a chat shows it, and whether it shows any: a step that
// was started is not published until something is written after it.
func (r *Reducer) Shown() (Message, bool) {
	m := *r.Message()
	m.Parts = m.Parts[:min(r.shown, len(m.Parts))]
	return m, r.wrote
}

// write marks what stands now as published.
func (r *Reducer) write() {
	r.shown, r.wrote = len(r.message.Parts), true
}

// Apply takes the next chunk. An error matches ErrSequence or ErrMalformed and ends
// the answer, as it does for a chat.
func (r *Reducer) Apply(f Frame) error {
	switch f.Type {
	case TypeTextDelta:
		return r.appendText(r.text, f)
	case TypeReasoningDelta:
		return r.appendText(r.reasoning, f)
	case TypeToolInputDelta:
		return r.inputDelta(f)
	}
	if !r.profile.Has(f.Type) {
		return nil
	}
	c, err := f.Chunk()
	if err != nil {
		return err
	}
	switch c := c.(type) {
	case *Start:
		return r.start(c)
	case *MessageMetadata:
		return r.metadata(c.Kind, c.MessageMetadata)
	case *Finish:
		r.ended = true
		return r.metadata(c.Kind, c.MessageMetadata)
	case *Abort:
		r.ended = true
	case *Error:
		r.ended, r.failure = true, c.ErrorText
	case *StartStep:
		r.push(Part{Type: PartStepStart})
		r.stepStart = len(r.message.Parts)
	case *FinishStep:
		r.finishStep()
	case *ResetStep:
		r.resetStep()
	default:
		if err := r.applyPart(c); err != nil {
			return err
		}
		if d, ok := c.(*Data); !ok || !d.Transient.True() {
			r.write()
		}
	}
	return nil
}

// start names the message. A chat publishes it only if the chunk says anything.
func (r *Reducer) start(c *Start) error {
	if c.MessageID.Present() {
		if r.separate && r.message.ID != c.MessageID.String() {
			*r = Reducer{profile: r.profile, separate: true, wrote: r.wrote, ended: r.ended, failure: r.failure}
		}
		r.message.ID = c.MessageID.String()
	}
	if err := r.mergeMetadata(c.Kind, c.MessageMetadata); err != nil {
		return err
	}
	if c.MessageID.Present() || !isNull(c.MessageMetadata) {
		r.write()
	}
	return nil
}

func (r *Reducer) metadata(t ChunkType, add []byte) error {
	if isNull(add) {
		return nil
	}
	if err := r.mergeMetadata(t, add); err != nil {
		return err
	}
	r.write()
	return nil
}

// finishStep forgets what is open at the end of a step: in ai 6, later deltas of it end
// the stream, so that only an agent of ai 7 may rely on them.
func (r *Reducer) finishStep() {
	if r.profile != V7 {
		r.forgetTexts()
	}
}

func (r *Reducer) forgetTexts() {
	for _, open := range []map[string]*openText{r.text, r.reasoning} {
		for _, o := range open {
			r.flush(o)
		}
		clear(open)
	}
}

// resetStep takes back what the step has said.
func (r *Reducer) resetStep() {
	r.forgetTexts()
	r.flushInputs()
	clear(r.inputs)
	if len(r.message.Parts) > r.stepStart {
		r.message.Parts = r.message.Parts[:r.stepStart]
		r.write()
	}
}

func (r *Reducer) push(p Part) int {
	r.message.Parts = append(r.message.Parts, p)
	return len(r.message.Parts) - 1
}
