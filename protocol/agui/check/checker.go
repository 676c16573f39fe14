package check

import (
	"bytes"
	"errors"

	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// Options says what is known of a stream beforehand.
type Options struct {
	// Input is what the run was started with, nil if that is not known. Then the first
	// RUN_STARTED may repeat it; else what is held is judged from nothing.
	Input *agui.RunInput
	// Limit is how many ids a run may name; 0 is agui.DefaultLimit.
	Limit int
	// MaxHeld is how much of what a consumer holds is followed, in bytes; 0 is
	// DefaultMaxHeld.
	MaxHeld int
}

// A Checker looks at one stream, event by event. See the package's description for what
// it does after a fault.
type Checker struct {
	opts     Options
	pipeline *agui.Pipeline
	boundary agui.Boundary // for events whose order is not judged
	newer    bool          // what the producer declared while the order was not judged
	held     holder

	unordered bool            // nothing is said of the order until the next RUN_STARTED
	ended     bool            // while unordered: there was a terminal event
	unclear   bool            // while unordered: the last event may have been one
	blamed    map[string]bool // what is not judged again in this run

	event    Event // the current one, or the last
	name     agui.EventType
	named    bool // name is known
	findings []Finding
}

// New returns a checker for one stream.
func New(o Options) *Checker {
	c := &Checker{opts: o, event: Event{Index: -1, Line: 1}, named: true}
	c.held.reset(o)
	thread := ""
	if o.Input != nil {
		thread = o.Input.ThreadID
	}
	c.restart(thread)
	return c
}

func (c *Checker) restart(thread string) {
	c.pipeline = agui.NewPipeline(agui.PipelineOptions{ThreadID: thread, Limit: c.opts.Limit})
	c.unordered, c.ended, c.unclear, c.newer, c.blamed = false, false, false, false, nil
}

// Next looks at the next event and returns what it finds. The slice is good until the
// next call.
func (c *Checker) Next(e Event) []Finding {
	c.findings = c.findings[:0]
	if e.Input != nil {
		c.input(e.Input)
		return nil
	}
	e.Raw = bytes.Clone(e.Raw) // a pipeline keeps what it is given
	c.event, c.name, c.named = e, "", false
	switch {
	case e.Fault != nil:
		c.named = true
		c.unreadable(e.Fault)
	case c.unordered && c.eventType() != agui.TypeRunStarted:
		c.form()
	default:
		if c.unordered {
			c.restart(c.thread())
		}
		c.judge()
	}
	return c.findings
}

// End says that the stream is over, and returns what is wrong with that.
func (c *Checker) End() []Finding {
	c.findings = c.findings[:0]
	switch {
	case c.event.Index < 0:
		c.add(truncated, "", "the stream has no events")
	case c.unordered && !c.ended && !c.unclear, !c.unordered && c.pipeline.End() != nil:
		c.add(truncated, "", "the stream ends after this event, before its run does: RUN_FINISHED or RUN_ERROR is missing")
	}
	return c.findings
}

// input takes over the input that a recording carries, of which parts may be missing.
func (c *Checker) input(raw []byte) {
	if in, ok := looseInput(raw); ok && c.opts.Input == nil {
		c.opts.Input = &in
		c.held.reset(c.opts)
		c.restart(in.ThreadID)
	}
}

func (c *Checker) thread() string {
	if c.opts.Input == nil {
		return ""
	}
	return c.opts.Input.ThreadID
}

// judge takes an event through everything that a consumer does with it.
func (c *Checker) judge() {
	frames, warnings, err := c.pipeline.Next(c.event.Raw)
	c.warn(warnings)
	for _, f := range frames {
		c.warn(c.held.apply(f))
	}
	if err != nil {
		c.fault(err)
	}
}

// form judges an event without its place in the order.
func (c *Checker) form() {
	c.atEnd()
	c.held.lost(c.eventType())
	raw, retired, err := c.boundary.Next(c.event.Raw)
	if err != nil {
		raw, retired = c.event.Raw, nil // the parser says it better
	}
	c.warn(retired)
	_, warnings, err := agui.ParseFrame(raw)
	c.warn(warnings)
	if err != nil {
		c.malformed(err)
	}
}

// atEnd notes whether the current event ends a run whose order is not judged.
func (c *Checker) atEnd() {
	t := c.eventType()
	c.ended = c.ended || t == agui.TypeRunFinished || t == agui.TypeRunError
	c.unclear = t == ""
}

// fault reports what ends the stream for a consumer, and decides how to go on.
func (c *Checker) fault(err error) {
	t := c.eventType()
	c.held.lost(t)
	var order *agui.SequenceError
	var limit *agui.LimitError
	switch {
	case errors.As(err, &order):
		c.outOfOrder(order)
	case errors.As(err, &limit):
		c.add(limitExceeded, "", limit.Error())
		c.giveUpOrder()
	default:
		c.malformed(err)
		if s := c.subjects(); !neutral[t] && (len(s) == 0 || !c.blame(s)) {
			c.giveUpOrder()
		}
	}
}

// giveUpOrder ends the judgement of the order until the next RUN_STARTED.
func (c *Checker) giveUpOrder() {
	c.ended = c.ended || !c.unordered && c.pipeline.Ended()
	c.unordered = true
	c.atEnd()
	c.boundary = agui.Boundary{}
	c.newer = c.pipeline.Newer()
}

func (c *Checker) outOfOrder(order *agui.SequenceError) {
	t, subjects := c.eventType(), c.subjects()
	switch {
	case order.ID == agui.StillOpen && len(c.blamed) > 0:
		// What is open may be what an event that was left out would have closed.
	case c.blamedAlready(subjects):
	default:
		c.add(string(order.ID), place(order.ID, t), order.Rule)
	}
	switch {
	case t == agui.TypeRunStarted:
		c.startOver(order.ID)
	case order.Type != t, len(subjects) == 0, order.ID == agui.RunNotStarted,
		order.ID == agui.AfterRunFinished, order.ID == agui.AfterRunError, !c.blame(subjects):
		c.giveUpOrder()
	}
}

// startOver begins anew with a RUN_STARTED that was out of order.
func (c *Checker) startOver(broken agui.SequenceRule) {
	thread := c.thread()
	for {
		if broken == agui.ThreadMismatch {
			thread = ""
		}
		c.restart(thread)
		frames, _, err := c.pipeline.Next(c.event.Raw)
		for _, f := range frames {
			c.warn(c.held.apply(f))
		}
		var order *agui.SequenceError
		switch {
		case err == nil:
			return
		case errors.As(err, &order) && order.ID == agui.ThreadMismatch && thread != "":
			c.add(string(order.ID), place(order.ID, c.eventType()), order.Rule)
			broken = order.ID
		default:
			c.fault(err)
			return
		}
	}
}

// unreadable reports bytes in which there is no event to be found.
func (c *Checker) unreadable(fault error) {
	switch {
	case errors.Is(fault, ErrTooLarge):
		c.add(eventTooLarge, "", fault.Error())
	case errors.Is(fault, ErrUnfinished):
		c.add(unfinishedEvent, "", fault.Error())
	default:
		c.add(invalidJSON, "", fault.Error())
	}
	c.held.lost("")
	c.giveUpOrder()
}

// malformed reports an error of the parser.
func (c *Checker) malformed(err error) {
	var wrong *shape.Violation
	var syntax *shape.SyntaxError
	switch {
	case errors.As(err, &wrong) && wrong.Missing():
		c.add(missingMember, wrong.Path, "expected "+wrong.Want+"; the member is missing")
	case errors.As(err, &wrong):
		c.add(malformedValue, wrong.Path, "expected "+wrong.Want+", got "+wrong.Got)
	case errors.As(err, &syntax):
		c.add(invalidJSON, "", syntax.Error())
	default:
		c.add(malformedValue, "", err.Error())
	}
}

func (c *Checker) warn(warnings []agui.Warning) {
	for _, w := range warnings {
		c.add(string(w.Code), w.Path, w.Detail)
	}
}

func (c *Checker) add(rule, path, message string) {
	f := Finding{
		Severity: severities[rule], Rule: rule, Path: line(path), Message: line(message),
		Index: c.event.Index, Line: c.event.Line, Offset: c.event.Offset, Type: agui.EventType(line(string(c.eventType()))),
	}
	unknown := rule == string(agui.UnknownProperty) || rule == string(agui.UnknownValue) || rule == string(agui.UnknownEventType)
	if unknown && (c.newer || c.pipeline.Newer()) {
		f.Severity = Note
	}
	c.findings = append(c.findings, f)
}
