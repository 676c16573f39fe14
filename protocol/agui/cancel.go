package agui

import (
	"maps"
	"slices"
)

// Cancel returns the frames that end the stream the verifier has followed as a run
// that was stopped on purpose: whatever is open is closed, in a fixed order, and the
// last frame is RUN_FINISHED with the cancelled outcome. A stream that has not opened
// is opened first.
func (v *Verifier) Cancel(threadID, runID string) ([]Frame, error) {
	var events []Event
	if v.phase != inRun {
		events = append(events, &RunStarted{
			Base: Base{Kind: TypeRunStarted}, ThreadID: threadID, RunID: runID, ProtocolVersion: PlainVersion,
		})
	}
	for _, id := range v.text.sorted() {
		events = append(events, &TextMessageEnd{Base: Base{Kind: TypeTextMessageEnd}, MessageID: id})
	}
	for _, id := range v.calls.sorted() {
		events = append(events, &ToolCallEnd{Base: Base{Kind: TypeToolCallEnd}, ToolCallID: id})
	}
	for _, id := range v.reasoning.sorted() {
		events = append(events, &ReasoningMessageEnd{Base: Base{Kind: TypeReasoningMessageEnd}, MessageID: id})
	}
	for _, id := range v.spans.sorted() {
		events = append(events, &ReasoningEnd{Base: Base{Kind: TypeReasoningEnd}, MessageID: id})
	}
	for _, name := range v.steps.sorted() {
		events = append(events, &StepFinished{Base: Base{Kind: TypeStepFinished}, StepName: name})
	}
	events = append(events, &RunFinished{
		Base: Base{Kind: TypeRunFinished}, ThreadID: threadID, RunID: runID, Outcome: &Outcome{Type: OutcomeCancelled},
	})
	frames := make([]Frame, len(events))
	for i, e := range events {
		f, err := Encode(e)
		if err != nil {
			return nil, err
		}
		frames[i] = f
	}
	return frames, nil
}

func (s openSet) sorted() []string { return slices.Sorted(maps.Keys(s)) }
