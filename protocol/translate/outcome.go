package translate

import (
	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
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

// An Answered is a request together with its answer.
type Answered struct {
	Request  hitl.Request
	Response hitl.Response
}

// A Run is what a translator has to know of the run whose frames it reads.
type Run struct {
	ThreadID, RunID string
	// First is the id of the first run of the turn; a run that continues no other is
	// its own first. It names the message if the agent does not.
	First   string
	Answers []Answered // what the run goes on with
	// Message is the id of the AI SDK message that the run goes on with, "" if it begins
	// one, or if the frames tell.
	Message string
	// Profile is the vocabulary of the chat that is written for; the zero value is what
	// both majors know.
	Profile aisdk.Profile
}

// messageID names the message of a turn whose agent gives it no id.
func (r Run) messageID() string {
	if r.Message != "" {
		return r.Message
	}
	return "msg-" + r.First
}
