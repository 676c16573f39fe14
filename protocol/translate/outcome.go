package translate

import (
	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// A Status says how a run ended.
type Status uint8

// The ways a run ends.
const (
	Success Status = iota
	Interrupted
	Cancelled
	Failed
)

// An Outcome is the end of a run, to be said in the protocol of the reader.
type Outcome struct {
	Status   Status
	Requests []hitl.Request // Interrupted: what it asks, in order
	Code     string         // Failed: the error code, "" for the agent's own failure
	Message  string         // Failed
	// Held is what an AG-UI client holds when it is asked, if that is known: a run that
	// stops to ask says it as snapshots first, so that whoever resumes it has all of it
	// (AG-UI 1.1, basic/patterns/interrupt-resume).
	Held *agui.Conversation
}
