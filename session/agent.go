package session

import (
	"context"
	"iter"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// A Protocol names the wire format of frames and inputs. It is a label here.
type Protocol string

// The protocols the bridge carries.
const (
	AGUI  Protocol = "agui"
	AISDK Protocol = "aisdk"
)

// An Agent runs a conversation. Implementations stand in package upstream.
type Agent interface {
	// Name is the name the agent is configured under.
	Name() string
	// Protocol is the wire format of the frames that Run yields.
	Protocol() Protocol
	// Run carries out one call and yields the agent's frames as they come. The last
	// output, and only it, has End set. Instead of an End, an error may come: a *Failure
	// is shown as it is, anything else as an internal error. When ctx ends with
	// ErrCancelled as its cause, Run closes what it opened and ends cancelled.
	Run(ctx context.Context, call Call) iter.Seq2[Output, error]
}

// A Withdrawer is an agent that keeps something for a stopped run, and wants to know
// when the thread was stopped and nobody will answer it.
type Withdrawer interface{ Withdrawn(threadID string) }

// A Call is one run asked of an agent.
type Call struct {
	ThreadID, RunID string
	Protocol        Protocol  // of Input
	Input           []byte    // the checked bytes a front end sent
	Settled         []Settled // the answers this run goes on with; none for a new turn
	First           string    // id of the first run of the turn; RunID for a new turn
	// Turn holds the frames of the stopped runs that this run continues, oldest first,
	// in the agent's protocol. It is empty for a new turn.
	Turn [][]byte
	// Remembered holds, by the name of the tool, who said that the agent may run it for the
	// rest of the thread. The agent settles such approvals itself, see Output.
	Remembered map[string]string
	// Origin is what the first of these runs was asked for by; for a new turn, Input.
	Origin Asking
}

// An Output is the next thing an agent says.
type Output struct {
	Frame []byte // one message of the agent, nil if there is only an End
	End   *End
	// Settled are approvals that were answered because their tools are remembered. They are
	// in the journal when the next output is asked for, and not before.
	Settled []Settled
}

// A Status says how a run ended.
type Status string

// The ways a run ends.
const (
	Success     Status = "success"
	Interrupted Status = "interrupted" // it asks something
	Cancelled   Status = "cancelled"
	Failed      Status = "failed"
)

// An End says how a run ended.
type End struct {
	Status   Status
	Requests []hitl.Request // interrupted: what it asks, in order, at least one
	Failure  *Failure       // failed
	Spoken   bool           // the frames hold the protocol's own terminal message
	// Rename gives the requests in the last frame other ids, from old to new. An agent whose
	// frames do not tell front ends the ids by which they answer needs none.
	Rename func(frame []byte, names map[string]string) ([]byte, error)
}
