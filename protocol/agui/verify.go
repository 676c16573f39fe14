package agui

import "github.com/agui-bridge/agui-bridge/internal/shape"

// A Verifier checks that the events of one run come in an order the protocol
// allows (AG-UI 1.1, events/*, "Streaming items" and "Runs"). It is fed frames that
// ParseFrame accepted. The zero value checks order only; set ThreadID and RunID to
// hold the stream to them.
//
// Not followed here: chunk events, which open and close by themselves, and subagents.
type Verifier struct {
	ThreadID, RunID string // what RUN_STARTED and RUN_FINISHED must carry; "" for any

	phase     runPhase
	text      openSet
	calls     openSet
	reasoning openSet // reasoning messages
	spans     openSet // reasoning spans, a namespace of their own
	steps     openSet
}

type runPhase uint8

const (
	beforeRun runPhase = iota
	inRun
	runFinished
	runFailed
)

// openSet counts what was opened and not closed, by id.
type openSet map[string]struct{}

// Next takes the next frame. An error matches ErrSequence; the verifier must not be
// used after one.
func (v *Verifier) Next(f Frame) error {
	switch f.Type {
	case TypeRunStarted:
		return v.started(f)
	case TypeRunError:
		if v.phase == runFailed {
			return broken(f, v.phase.outside())
		}
		v.phase = runFailed
		return nil
	case TypeRunFinished:
		return v.finished(f)
	}
	if _, known := eventShapes[f.Type]; !known {
		return nil
	}
	if v.phase != inRun {
		return broken(f, v.phase.outside())
	}
	return v.item(f)
}

// Ended reports whether the last event was a terminal one.
func (v *Verifier) Ended() bool { return v.phase == runFinished || v.phase == runFailed }

func (p runPhase) outside() string {
	switch p {
	case beforeRun:
		return "a stream opens with RUN_STARTED or RUN_ERROR"
	case runFinished:
		return "after RUN_FINISHED only RUN_STARTED or RUN_ERROR may follow"
	default:
		return "after RUN_ERROR only RUN_STARTED may follow"
	}
}

func broken(f Frame, rule string) error { return &SequenceError{Type: f.Type, Rule: rule} }

func (v *Verifier) started(f Frame) error {
	if v.phase == inRun {
		return broken(f, "a run may not start inside a run")
	}
	if err := v.identity(f); err != nil {
		return err
	}
	*v = Verifier{ThreadID: v.ThreadID, RunID: f.Text("runId"), phase: inRun}
	return nil
}

func (v *Verifier) identity(f Frame) error {
	if id := f.Text("threadId"); v.ThreadID != "" && id != v.ThreadID {
		return broken(f, "threadId must be the input's, "+v.ThreadID+", not "+id)
	}
	if id := f.Text("runId"); v.RunID != "" && id != v.RunID {
		return broken(f, "runId must be the run's, "+v.RunID+", not "+id)
	}
	return nil
}

func (v *Verifier) finished(f Frame) error {
	if v.phase != inRun {
		return broken(f, v.phase.outside())
	}
	if err := v.identity(f); err != nil {
		return err
	}
	for _, open := range []struct {
		what string
		set  openSet
	}{{"message", v.text}, {"tool call", v.calls}, {"reasoning message", v.reasoning}, {"reasoning span", v.spans}, {"step", v.steps}} {
		for id := range open.set {
			return broken(f, open.what+" "+id+" is still open")
		}
	}
	if err := uniqueInterrupts(f); err != nil {
		return err
	}
	v.phase = runFinished
	return nil
}

func uniqueInterrupts(f Frame) error {
	if f.Member("outcome") == nil {
		return nil
	}
	e, err := f.Event()
	if err != nil {
		return err
	}
	finished, ok := e.(*RunFinished)
	if !ok || finished.Outcome == nil {
		return nil
	}
	seen := map[string]bool{}
	for _, i := range finished.Outcome.Interrupts {
		if seen[i.ID] {
			return broken(f, "interrupt id "+i.ID+" is used twice")
		}
		seen[i.ID] = true
	}
	return nil
}

func (v *Verifier) item(f Frame) error {
	switch f.Type {
	case TypeTextMessageStart:
		return v.text.openID(f, "messageId", "message")
	case TypeTextMessageContent:
		return v.text.needID(f, "messageId", "message")
	case TypeTextMessageEnd:
		return v.text.closeID(f, "messageId", "message")
	case TypeToolCallStart:
		return v.calls.openID(f, "toolCallId", "tool call")
	case TypeToolCallArgs:
		return v.calls.needID(f, "toolCallId", "tool call")
	case TypeToolCallEnd:
		return v.calls.closeID(f, "toolCallId", "tool call")
	case TypeReasoningMessageStart:
		return v.reasoning.openID(f, "messageId", "reasoning message")
	case TypeReasoningMessageContent:
		return v.reasoning.needID(f, "messageId", "reasoning message")
	case TypeReasoningMessageEnd:
		return v.reasoning.closeID(f, "messageId", "reasoning message")
	case TypeReasoningStart:
		return v.spans.openID(f, "messageId", "reasoning span")
	case TypeReasoningEnd:
		return v.spans.closeID(f, "messageId", "reasoning span")
	case TypeStepStarted:
		return v.steps.openID(f, "stepName", "step")
	case TypeStepFinished:
		return v.steps.closeID(f, "stepName", "step")
	}
	return nil
}

func (s *openSet) openID(f Frame, member, what string) error {
	id := f.Text(member)
	if _, open := (*s)[id]; open {
		return broken(f, what+" "+id+" is already open")
	}
	if *s == nil {
		*s = openSet{}
	}
	(*s)[id] = struct{}{}
	return nil
}

func (s openSet) needID(f Frame, member, what string) error {
	if _, open := shape.Lookup(s, f.Record, member); !open {
		return broken(f, what+" "+f.Text(member)+" is not open")
	}
	return nil
}

func (s openSet) closeID(f Frame, member, what string) error {
	if err := s.needID(f, member, what); err != nil {
		return err
	}
	delete(s, f.Text(member))
	return nil
}
