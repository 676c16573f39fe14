package session

import (
	"slices"
	"strconv"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// An Event is what a state machine is told. The set is closed.
type Event interface{ event() }

type (
	// Submit asks for a run, with or without answers.
	Submit struct {
		Submission
		Actor string
		Now   time.Time
		Check hitl.SchemaCheck
	}

	// Launch says that the next run is about to be asked of its agent.
	Launch struct {
		RunID    string
		Protocol Protocol // of the agent's frames
		Held     bool     // its input was held until now
		Now      time.Time
	}

	// Finish says that the active run ended.
	Finish struct {
		RunID string
		End   End
		Now   time.Time
		// Closing says that the process ends: what waits is kept for the next one.
		Closing bool
	}

	// Recover says that the thread is taken up by a new process: a run that the log shows
	// as going on is sent if it never was, or else is lost, and what waits for nothing any
	// more is released.
	Recover struct{ Now time.Time }

	// Stop asks to stop whatever the thread does or waits for; with a RunID, that run and
	// nothing else, also while it is held. A run that stopped to ask has ended: a Stop that
	// names it gives nothing up.
	Stop struct {
		RunID string
		Actor string
		Now   time.Time
	}
)

func (Submit) event()  {}
func (Launch) event()  {}
func (Finish) event()  {}
func (Stop) event()    {}
func (Recover) event() {}

// An Effect is what has to be done because of an event, after its records are in the
// log. The set is closed.
type Effect interface{ effect() }

type (
	// StartRun: ask the agent for this run.
	StartRun struct {
		Submission Submission
		Settled    []Settled // the answers it goes on with
		Turn       []string  // ids of the stopped runs it goes on with, oldest first
	}

	// AttachRun: the input is answered by a run that is known already.
	AttachRun struct{ RunID string }

	// Hold: the input waits.
	Hold struct{ RunID string }

	// CancelRun: stop the active run at its agent.
	CancelRun struct{ RunID string }

	// DropHeld: the input of this run waits no longer; it will not run.
	DropHeld struct{ RunID string }

	// Await: the answers are kept, and the stopped run waits for more.
	Await struct{}

	// GiveUp: tell the agent that nobody will answer what it asked.
	GiveUp struct{ Agent string }

	// Warn: something was passed over.
	Warn struct{ Detail string }
)

func (StartRun) effect()  {}
func (AttachRun) effect() {}
func (Hold) effect()      {}
func (CancelRun) effect() {}
func (DropHeld) effect()  {}
func (Await) effect()     {}
func (GiveUp) effect()    {}
func (Warn) effect()      {}

// Limits are the settings that the machine obeys.
type Limits struct {
	Queue         int  // how many inputs may wait on a thread
	RejectPending bool // refuse inputs while requests are open, instead of holding them
	ResumeAgain   bool // send a resume again that may have reached the agent before a crash
	PauseFailed   bool // after a run that failed, keep what is held until the next input
}

// Step decides what an event does to a thread. It returns the records to append, in
// order, and the effects to carry out once they are in the log; the next state is the
// fold of the records. On an error nothing happens and nothing is recorded.
func Step(s State, e Event, l Limits) ([]Record, []Effect, error) {
	switch e := e.(type) {
	case Submit:
		return s.submit(e, l)
	case Launch:
		return s.launch(e)
	case Reply:
		return s.reply(e)
	case Finish:
		return s.finish(e, l)
	case Stop:
		return s.stop(e)
	case Recover:
		return s.recovered(l)
	case Send:
		return s.send(e)
	case Automatic:
		return s.automatic(e)
	case Expire:
		return s.expire(e)
	}
	return nil, nil, nil
}

func (s State) launch(e Launch) ([]Record, []Effect, error) {
	started := Started{RunID: e.RunID, Agent: s.Runs[e.RunID].Agent, Protocol: e.Protocol, At: e.Now, Unsent: e.Held}
	if s.phase() == Resuming {
		started.Resumes, started.Unsent = s.Run.ID, true
	}
	return []Record{started}, nil, nil
}

// finish ends the active run. An end that names another run comes too late and does
// nothing. When the thread becomes idle, the next held input is released.
func (s State) finish(e Finish, l Limits) ([]Record, []Effect, error) {
	if s.phase() != Running || s.Run.ID != e.RunID {
		return nil, nil, nil
	}
	ended := Ended{RunID: e.RunID, Status: e.End.Status, Failure: e.End.Failure, Spoken: e.End.Spoken, Waiting: len(s.Queue)}
	if e.End.Status != Interrupted {
		ended.Left = e.End.Requests
	}
	records := []Record{ended}
	if e.End.Status == Interrupted {
		return append(records, Asked{RunID: e.RunID, Requests: s.raised(e.End.Requests, e)}), nil, nil
	}
	if ended.Paused = s.pauses(e.End.Status, l); ended.Paused || e.Closing {
		return []Record{ended}, nil, nil
	}
	released, effects := s.release()
	return append(records, released...), effects, nil
}

func (s State) raised(requests []hitl.Request, e Finish) []hitl.Request {
	requests, _ = s.distinct(requests)
	out := make([]hitl.Request, len(requests))
	for i, q := range requests {
		q.RaisedAt, q.RaisedInRun = e.Now, e.RunID
		out[i] = q
	}
	return out
}

// distinct gives requests whose ids this thread has used before ids of its own, and
// returns those names by the ids that the agent gave. A request that was settled is never
// open again: an answer to it is no answer to what is asked now.
func (s State) distinct(requests []hitl.Request) ([]hitl.Request, map[string]string) {
	used := make(map[string]bool, len(s.Settled))
	for _, a := range s.Settled {
		used[a.Request.ID] = true
	}
	out, names := slices.Clone(requests), map[string]string{}
	for i, q := range out {
		if !used[q.ID] {
			continue
		}
		n := 2
		for used[numbered(q.ID, n)] || slices.ContainsFunc(out, func(o hitl.Request) bool { return o.ID == numbered(q.ID, n) }) {
			n++
		}
		names[q.ID] = numbered(q.ID, n)
		out[i].ID, out[i].Token = names[q.ID], q.Own().ID
	}
	return out, names
}

func numbered(id string, n int) string { return id + "@" + strconv.Itoa(n) }

// pauses reports whether what is held stays held after a run that ended like that.
func (s State) pauses(status Status, l Limits) bool {
	return status == Failed && l.PauseFailed && len(s.Queue) > 0
}

// release lets the first held input go.
func (s State) release() ([]Record, []Effect) {
	if len(s.Queue) == 0 {
		return nil, nil
	}
	next := s.Queue[0]
	return []Record{Released{RunID: next.RunID}}, []Effect{StartRun{Submission: next}}
}

// stop cancels the active run, or gives up what a stopped run asks.
func (s State) stop(e Stop) ([]Record, []Effect, error) {
	if e.RunID != "" {
		return s.stopRun(e.RunID)
	}
	switch s.phase() {
	case Running:
		return nil, []Effect{CancelRun{RunID: s.Run.ID}}, nil
	case Awaiting:
		gone := make([]Settled, len(s.Pending))
		for i, q := range s.Pending {
			cancel := hitl.Cancel()
			gone[i] = Settled{Request: q, Agent: s.Run.Agent, Response: hitl.Response{Input: &cancel, Actor: e.Actor, At: e.Now}}
		}
		released, effects := s.release()
		effects = append([]Effect{GiveUp{Agent: s.Run.Agent}}, effects...)
		return append([]Record{Withdrawn{Settled: gone, Waiting: len(s.Queue)}}, released...), effects, nil
	}
	return nil, nil, nil
}

// stopRun cancels one run, whether it goes on or is held.
func (s State) stopRun(runID string) ([]Record, []Effect, error) {
	if s.phase() == Running && s.Run.ID == runID {
		return nil, []Effect{CancelRun{RunID: runID}}, nil
	}
	for _, held := range s.Queue {
		if held.RunID == runID {
			waiting := len(s.Queue) - 1
			return []Record{Ended{RunID: runID, Status: Cancelled, Held: true, Waiting: waiting}}, []Effect{DropHeld{RunID: runID}}, nil
		}
	}
	return nil, nil, nil
}
