package agui

// Cancel returns the frames that end the stream the verifier has followed as a run that
// was stopped on purpose: whatever is open is closed, in a fixed order, and the last
// frame is RUN_FINISHED with the cancelled outcome. A stream that is in no run is opened
// first, with the given ids.
func (v *Verifier) Cancel(threadID, runID string) ([]Frame, error) {
	return v.cancel(threadID, runID, func(EventType, string) bool { return false })
}

// cancel leaves out the end events for which ends is true: those end by themselves.
func (v *Verifier) cancel(threadID, runID string, ends func(end EventType, id string) bool) ([]Frame, error) {
	var events []Event
	if v.phase == inRun {
		threadID, runID = v.ThreadID, v.runID
	} else {
		events = append(events, &RunStarted{
			Base: Base{Kind: TypeRunStarted}, ThreadID: threadID, RunID: runID, ProtocolVersion: Set(PlainVersion),
		})
	}
	events = append(events, v.closing(ends)...)
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

// Closing returns the events that close what is open in the run, innermost first; they
// are not taken for said.
func (v *Verifier) Closing() []Event {
	return v.closing(func(EventType, string) bool { return false })
}

// closing leaves out the end events for which ends is true. It returns the events that close what is open, innermost first.
func (v *Verifier) closing(ends func(end EventType, id string) bool) []Event {
	if v.phase != inRun {
		return nil
	}
	var events []Event
	for _, id := range v.text.openIDs() {
		if !ends(TypeTextMessageEnd, id) {
			events = append(events, &TextMessageEnd{Base: Base{Kind: TypeTextMessageEnd}, MessageID: id})
		}
	}
	for _, id := range v.calls.openIDs() {
		if !ends(TypeToolCallEnd, id) {
			events = append(events, &ToolCallEnd{Base: Base{Kind: TypeToolCallEnd}, ToolCallID: id})
		}
	}
	for _, id := range v.reasoning.openIDs() {
		if !ends(TypeReasoningMessageEnd, id) {
			events = append(events, &ReasoningMessageEnd{Base: Base{Kind: TypeReasoningMessageEnd}, MessageID: id})
		}
	}
	for _, id := range v.spans.openIDs() {
		events = append(events, &ReasoningEnd{Base: Base{Kind: TypeReasoningEnd}, MessageID: id})
	}
	for _, s := range v.openSteps() {
		events = append(events, &StepFinished{
			Base: Base{Kind: TypeStepFinished}, StepName: s.name, Attributable: s.owner.tag(),
		})
	}
	for _, id := range v.subagentsAtWork() {
		events = append(events, &SubagentError{
			Base: Base{Kind: TypeSubagentError}, SubagentRunID: id, Message: "the run was stopped", Code: Set("cancelled"),
		})
	}
	return events
}
