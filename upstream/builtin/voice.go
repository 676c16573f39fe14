package builtin

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

// A voice says what a script means in one protocol.
type voice interface {
	start()
	// text says one message in the given pieces; half leaves it open.
	text(pieces ...string)
	half(piece string)
	// stream says one message of pieces as they come; it ends when next says so.
	stream(next func() (piece string, more bool))
	reasoning(pieces ...string)
	// call makes a tool call with complete arguments.
	call(id, name string, args jsontext.Value)
	result(callID string, output jsontext.Value)
	failed(callID, text string)
	denied(callID, reason string)
	state(snapshot jsontext.Value)
	stateDelta(patch jsontext.Value)

	// canEdit reports whether the protocol can carry edited arguments back.
	canEdit() bool
	// asksInput reports whether the protocol can stop a run to ask for input; where it
	// cannot, the question is a tool call left to the client.
	asksInput() bool
	// closing returns the frames that end the run, or none if the protocol leaves it
	// to the bridge.
	closing(end session.End) ([][]byte, error)
	// ids of this run
	newCallID() string
}

// end sets how the run ends; what a script says afterwards is not heard.
func (o *outlet) setEnd(end session.End) {
	if o.end == nil {
		o.end = &end
	}
}

func success() session.End { return session.End{Status: session.Success} }

func asking(requests ...hitl.Request) session.End {
	return session.End{Status: session.Interrupted, Requests: requests}
}

func leaving(requests ...hitl.Request) session.End {
	return session.End{Status: session.Success, Requests: requests}
}
