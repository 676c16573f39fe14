package session

import (
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// A Phase is what a thread is doing.
type Phase string

// The phases of a thread.
const (
	Idle     Phase = "idle"
	Running  Phase = "running"
	Awaiting Phase = "awaiting" // a run stopped to ask; not everything is answered
	Resuming Phase = "resuming" // everything is answered; the next run has not started
)

// State is what is known of a thread: the fold of its log. The zero State is a
// thread on which nothing happened. States share memory; treat them as read-only.
type State struct {
	Phase   Phase
	Run     Run            // the active run, or the one that stopped to ask
	Pending []hitl.Request // what the stopped run asks and nobody has answered, in order
	Settled []Settled      // the journal: every answer, in order
	Queue   []Submission   // inputs that wait, in order
	Paused  bool           // a run has failed: what waits goes on with the next input
	Next    *Submission    // an input that waits no longer, until its run has started
	Runs    map[string]RunRecord
	Agent   string // that ran last
	// Remembered holds who said that a tool may run for the rest of the thread, by agent and
	// tool.
	Remembered map[string]map[string]string
}

// A Run is one run as the state knows it.
type Run struct {
	ID        string
	Agent     string
	Protocol  Protocol // of the agent's frames
	StartedAt time.Time
	// Turn holds the ids of the stopped runs this one continues, oldest first.
	Turn []string
	// Sent says that the agent may have got the run, SentBy which process sent it, if that
	// was recorded, and Heard that the agent has said something.
	Sent   bool
	SentBy string
	Heard  bool
}

// A RunRecord is what is kept of every run, so that a repeated input is recognized.
type RunRecord struct {
	Digest string // of the input that asked for it
	Agent  string
	Ended  bool
	Status Status // how it ended; empty while it has not
}

// Settled is one entry of the journal: a request, its answer and the run it resumed.
type Settled struct {
	Request   hitl.Request  `json:"request"`
	Response  hitl.Response `json:"response"`
	Agent     string        `json:"agent"`
	ResumedBy string        `json:"resumedBy,omitzero"` // run id; empty for a request that was cancelled
	Expired   bool          `json:"expired,omitzero"`   // nobody answered; it ran out
	Automatic bool          `json:"automatic,omitzero"` // by what the actor said before, in the run that asked
}

// A Submission is an input that asks for a run.
type Submission struct {
	RunID    string   `json:"runId"`
	Agent    string   `json:"agent"`
	Protocol Protocol `json:"protocol"` // of Input
	Digest   string   `json:"digest"`   // names the content: equal digests, equal inputs
	Input    []byte   `json:"input"`    // the checked bytes
	Turn     string   `json:"turn,omitzero"`
	Answers  []Answer `json:"-"`
	// Resume says that the input came to answer, even if Answers is empty.
	Resume bool `json:"-"`
	// Partial says that the answers need not be all that the stopped run waits for: they
	// are kept, and the run goes on with the last of them.
	Partial bool `json:"-"`
	// Supersede says that the input takes the place of what a stopped run still asks: that
	// is given up, and the input does not wait for an answer.
	Supersede bool `json:"-"`
}

// An Answer is one answer that came with a submission. How the answer reads depends
// on what was asked, so the front end's protocol gives a function for it.
type Answer struct {
	RequestID string
	Read      func(hitl.Request) (hitl.Response, error)
}

// phase gives the zero State its name.
func (s State) phase() Phase {
	if s.Phase == "" {
		return Idle
	}
	return s.Phase
}

func (s State) pending(id string) (hitl.Request, bool) {
	for _, q := range s.Pending {
		if q.ID == id {
			return q, true
		}
	}
	return hitl.Request{}, false
}

// settled returns the newest answer to a request of the given id.
func (s State) settled(id string) (Settled, bool) {
	for i := len(s.Settled) - 1; i >= 0; i-- {
		if s.Settled[i].Request.ID == id {
			return s.Settled[i], true
		}
	}
	return Settled{}, false
}
