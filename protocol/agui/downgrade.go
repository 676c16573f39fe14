package agui

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// The codes of what a downgrade loses.
const (
	LostSubagent WarningCode = "lost_subagent" // a subagent's life, or what belongs to it
	LostContent  WarningCode = "lost_content"  // content that an old peer cannot hold
	LostOutcome  WarningCode = "lost_outcome"  // how a run ended
	LostStep     WarningCode = "lost_step"     // a step inside another of the same name
)

// A Downgrader turns the events of one stream into those that a peer of before 1.0 can
// read (AG-UI 1.1, basic/versioning). Such a peer declares no version, so that nobody
// knows which it is: what is left is what all of 0.0.47 to 0.0.59 read. It is fed checked
// frames in order, from the first one on, and gives the same for the same frames. The
// zero value is ready.
//
//	chunks                                 start, content and end events: 0.0.47 has no lanes
//	SUBAGENT_*, subagentRunId              dropped; what a subagent says is said by the agent
//	a step inside one of the same name     dropped: without owners they are one
//	an empty delta of text or reasoning    dropped: 0.0.47 refuses it
//	parts as the result of a tool          their text
//	media parts of a user message          binary parts, which both read
//	outcome cancelled, pendingToolCallIds  dropped: 0.0.59 refuses them
//	protocolVersion                        dropped: what is sent is of before 1.0
//	RUN_STARTED.input                      gets the lists that were required then
//
// All else passes as it came, byte for byte, also what an old peer reads past.
type Downgrader struct {
	expand     Expander
	steps      map[string]int // how often a step of that name is open
	attributed bool           // it has been said that owners are lost

	out      []Frame
	warnings []Warning
}

// Predates reports whether a peer that declares this version, or none, is one of before
// 1.0. Of a declaration that cannot be read nothing is known but that the peer knows the
// member, which came with 1.0.
func Predates(declared string, present bool) bool {
	v, ok := ParseVersion(declared)
	return !present || ok && v.Major == 0
}

// Next returns what an old peer gets for f, and a warning for each thing that is lost.
// The frames are good until the next call. The error matches ErrSequence or ErrMalformed
// and is one of frames that were not checked.
func (d *Downgrader) Next(f Frame) ([]Frame, []Warning, error) {
	d.out, d.warnings = d.out[:0], nil
	frames, err := d.expand.Next(f)
	if err != nil {
		return nil, nil, err
	}
	for _, f := range frames {
		if err := d.one(f); err != nil {
			return nil, nil, err
		}
	}
	return d.out, d.warnings, nil
}

func (d *Downgrader) warn(code WarningCode, path, detail string) {
	d.warnings = append(d.warnings, Warning{Code: code, Path: path, Detail: detail})
}

// one takes an event that is no chunk.
func (d *Downgrader) one(f Frame) error {
	if d.drops(f) {
		return nil
	}
	if !differs(f) {
		d.out = append(d.out, f)
		return nil
	}
	o, err := readObject(f.Raw)
	if err != nil {
		return malformed(string(f.Type), err)
	}
	if err := d.change(f.Type, o); err != nil {
		return malformed(string(f.Type), err)
	}
	d.unattribute(o, "")
	if o.changed {
		// What an old peer reads need not be what this version knows.
		if f.Record, _, err = shape.Parse(o.bytes(), eventShapes[f.Type]); err != nil {
			return malformed(string(f.Type), err)
		}
	}
	d.out = append(d.out, f)
	return nil
}

// drops reports whether an old peer gets nothing for f.
func (d *Downgrader) drops(f Frame) bool {
	switch f.Type {
	case TypeTextMessageContent, TypeReasoningMessageContent:
		if !f.Is("delta", "") {
			return false
		}
		if f.Member("metadata") != nil {
			d.warn(LostContent, "/metadata", "an event of an empty text, with its metadata, is dropped")
		}
		return true
	case TypeStepStarted, TypeStepFinished:
		return d.step(f)
	case TypeSubagentStarted:
		d.lostSubagent(f, "name")
		return true
	case TypeSubagentFinished:
		d.lostSubagent(f, "result")
		return true
	case TypeSubagentError:
		d.lostSubagent(f, "message")
		return true
	}
	if !f.Known() {
		d.warn(UnknownEventType, "/type", "an event of unknown type "+string(f.Type)+" is dropped")
		return true
	}
	return false
}

// lostSubagent says which event is lost, and which member with it that nobody else has.
func (d *Downgrader) lostSubagent(f Frame, member string) {
	detail := string(f.Type) + " of " + f.Text("subagentRunId") + " is dropped"
	if f.Member(member) != nil {
		detail += ", with its " + member
	}
	d.warn(LostSubagent, "", detail)
}

// step counts the steps of a name, of which an old peer is shown the outermost. It
// reports whether f is one of an inner step.
func (d *Downgrader) step(f Frame) (inner bool) {
	name := f.Text("stepName")
	if f.Type == TypeStepStarted {
		if d.steps == nil {
			d.steps = map[string]int{}
		}
		d.steps[name]++
		if d.steps[name] > 1 {
			d.warn(LostStep, "/stepName", "step "+name+" of another owner is open already; this one is dropped")
			return true
		}
		return false
	}
	d.steps[name]--
	if d.steps[name] > 0 {
		return true
	}
	delete(d.steps, name)
	return false
}

// differs reports whether f may have to be changed; text that streams never has.
func differs(f Frame) bool {
	switch f.Type {
	case TypeRunStarted, TypeMessagesSnapshot:
		return true
	case TypeToolCallResult:
		return f.Member("subagentRunId") != nil || f.Member("content").Kind() == '['
	case TypeRunFinished:
		return f.Member("outcome") != nil
	}
	return f.Member("subagentRunId") != nil
}

func (d *Downgrader) change(t EventType, o *rawObject) error {
	switch t {
	case TypeRunStarted:
		clear(d.steps) // a run that failed may have left some open
		o.drop("protocolVersion")
		return d.echo(o)
	case TypeMessagesSnapshot:
		return d.messages(o, "")
	case TypeToolCallResult:
		return d.resultText(o, "")
	case TypeRunFinished:
		return d.outcome(o)
	}
	return nil
}

// unattribute takes away whose something is. Subagents are not told of, so that their
// ids would name nobody.
func (d *Downgrader) unattribute(o *rawObject, at string) {
	id := o.get("subagentRunId")
	if id == nil {
		return
	}
	o.drop("subagentRunId")
	if !d.attributed {
		d.attributed = true // once is enough: every delta may have one
		d.warn(LostSubagent, at+"/subagentRunId", "what subagent "+shape.Unquote(id)+" and others say is shown as the agent's own")
	}
}

func (d *Downgrader) outcome(o *rawObject) error {
	raw := o.get("outcome")
	if raw.Kind() != '{' {
		return nil
	}
	how, err := readObject(raw)
	if err != nil {
		return err
	}
	switch OutcomeType(shape.Unquote(how.get("type"))) {
	case OutcomeInterrupt:
	case OutcomeSuccess:
		if how.get("pendingToolCallIds") != nil {
			o.set("outcome", jsontext.Value(`{"type":"success"}`))
			d.warn(LostOutcome, "/outcome/pendingToolCallIds", "which tool calls wait for the application is not told")
		}
	default:
		o.drop("outcome")
		d.warn(LostOutcome, "/outcome", "outcome "+shape.Unquote(how.get("type"))+" is dropped; the run looks like one that went well")
	}
	return nil
}
