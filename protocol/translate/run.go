package translate

import (
	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// An Answered is a request together with its answer.
type Answered struct {
	Request  hitl.Request
	Response hitl.Response
}

// A Run is what a translator has to know of the run whose frames it reads.
type Run struct {
	ThreadID, RunID string
	// First is the id of the first run of the turn; a run that continues no other is
	// its own first. It names the message if nothing else does.
	First string
	// Message is the id of the chat's message that this run goes on with, "" if it
	// begins one. Prime the translator with the frames of the runs that are in it.
	Message string
	Answers []Answered // what the run goes on with
	// Profile is the vocabulary of the chat that reads; the zero Profile is read as
	// aisdk.V6, whose words every chat knows.
	Profile aisdk.Profile
	// Known are the calls of the thread from before this turn, oldest first: an agent that
	// uses the id of one of them again means another call. See CallIDs.
	Known []KnownCall
}

// messageID names the message of a turn whose agent gives it no id.
func (r Run) messageID() string {
	if r.Message != "" {
		return r.Message
	}
	return "msg-" + r.First
}

func (r Run) profile() aisdk.Profile {
	if r.Profile == aisdk.V7 {
		return aisdk.V7
	}
	return aisdk.V6
}
