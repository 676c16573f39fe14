package session

import (
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

// A Record is one thing that happened on a thread, as its log keeps it. The set is
// closed; each kind is a kind of store.Entry.
type Record interface{ kind() store.Kind }

type (
	// Input is an input that was accepted and is about to run.
	Input struct{ Submission }

	// Queued is an input that was accepted and waits.
	Queued struct{ Submission }

	// Released is an input that waits no longer; it is about to run.
	Released struct {
		RunID string `json:"runId"`
	}

	// Answered is a request that was answered. It becomes part of the journal.
	Answered struct{ Settled }

	// Started is a run that began.
	Started struct {
		RunID    string    `json:"runId"`
		Agent    string    `json:"agent"`
		Protocol Protocol  `json:"protocol"`
		At       time.Time `json:"at"`
		Resumes  string    `json:"resumes,omitzero"` // id of the stopped run it goes on with
		Unsent   bool      `json:"unsent,omitzero"`  // a Sent follows before the agent gets it
	}

	// Sent is a run that its agent is about to get, or has.
	Sent struct {
		RunID string `json:"runId"`
		By    string `json:"by,omitzero"` // names the process; empty: it is to be sent again
	}

	// Frames are messages of a run's agent, verbatim.
	Frames struct {
		RunID  string
		Frames [][]byte
	}

	// Asked is what a run that stopped asks.
	Asked struct {
		RunID    string         `json:"runId"`
		Requests []hitl.Request `json:"requests"`
	}

	// Ended is the end of a run.
	Ended struct {
		RunID   string   `json:"runId"`
		Status  Status   `json:"status"`
		Failure *Failure `json:"failure,omitzero"`
		Spoken  bool     `json:"spoken,omitzero"`
		// Left are calls that a run which did not stop leaves to the application. They
		// gate nothing; whoever reads the run again is told of them again.
		Left []hitl.Request `json:"left,omitzero"`
		// Held says that the run never began: its input was taken back while it waited.
		Held bool `json:"held,omitzero"`
		// Paused says that they wait for the next input.
		Paused bool `json:"paused,omitzero"`
		// Waiting is how many inputs waited: the last entry of a log tells whether the
		// thread rests.
		Waiting int `json:"waiting,omitzero"`
	}

	// Withdrawn are open requests that somebody cancelled with the thread.
	Withdrawn struct {
		Settled []Settled `json:"settled"`
		Waiting int       `json:"waiting,omitzero"` // as of Ended
	}
)

func (Input) kind() store.Kind     { return store.KindInput }
func (Queued) kind() store.Kind    { return store.KindQueued }
func (Released) kind() store.Kind  { return store.KindReleased }
func (Answered) kind() store.Kind  { return store.KindAnswered }
func (Started) kind() store.Kind   { return store.KindStarted }
func (Sent) kind() store.Kind      { return store.KindResumeSent }
func (Frames) kind() store.Kind    { return store.KindFrames }
func (Asked) kind() store.Kind     { return store.KindAsked }
func (Ended) kind() store.Kind     { return store.KindEnded }
func (Snapshot) kind() store.Kind  { return store.KindSnapshot }
func (Withdrawn) kind() store.Kind { return store.KindCancelled }

// encode writes a record as an entry of the log.
func encode(r Record, at time.Time) (store.Entry, error) {
	if f, ok := r.(Frames); ok {
		return store.Entry{Kind: r.kind(), At: at, Body: f.body()}, nil
	}
	body, err := json.Marshal(r)
	if err != nil {
		return store.Entry{}, fmt.Errorf("encode %s record: %w", r.kind(), err)
	}
	return store.Entry{Kind: r.kind(), At: at, Body: body}, nil
}

// decode reads an entry of the log. A kind this version does not know gives nil.
func decode(e store.Entry) (Record, error) {
	read, known := readers[e.Kind]
	if !known {
		return nil, nil
	}
	r, err := read(e.Body)
	if err != nil {
		return nil, fmt.Errorf("read %s record %d: %w", e.Kind, e.Seq, err)
	}
	return r, nil
}

var readers = map[store.Kind]func([]byte) (Record, error){
	store.KindInput:      read[Input],
	store.KindQueued:     read[Queued],
	store.KindReleased:   read[Released],
	store.KindAnswered:   read[Answered],
	store.KindStarted:    read[Started],
	store.KindResumeSent: read[Sent],
	store.KindFrames:     readFrames,
	store.KindAsked:      read[Asked],
	store.KindEnded:      read[Ended],
	store.KindSnapshot:   read[Snapshot],
	store.KindCancelled:  read[Withdrawn],
}

func read[T Record](body []byte) (Record, error) {
	var r T
	if err := json.Unmarshal(body, &r); err != nil {
		return nil, err
	}
	return r, nil
}
