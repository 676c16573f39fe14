package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

// Read folds the log of a thread. A thread without entries gives the zero State.
func Read(ctx context.Context, log store.Log, thread string) (State, error) {
	var s State
	for e, err := range log.Read(ctx, thread, 0) {
		if err != nil {
			return State{}, fmt.Errorf("read thread %q: %w", thread, err)
		}
		r, err := decode(e)
		if err != nil {
			return State{}, fmt.Errorf("read thread %q: %w", thread, err)
		}
		if r != nil {
			s = s.fold(r, true)
		}
	}
	return s, nil
}

// Tell says what an entry of a log records, for people: first the gist, then what an input
// or the frames of a run hold, verbatim. An entry of a kind that this version does not know
// has a gist that says so; an error is that of an entry that is damaged.
func Tell(e store.Entry) (gist string, verbatim [][]byte, err error) {
	r, err := decode(e)
	if err != nil {
		return "", nil, err
	}
	switch r := r.(type) {
	case Input:
		return "asks for " + r.gist(), [][]byte{r.Input}, nil
	case Queued:
		return "waits for " + r.gist(), [][]byte{r.Input}, nil
	case Released:
		return fmt.Sprintf("run %s waits no longer", r.RunID), nil, nil
	case Answered:
		return r.gist(), nil, nil
	case Started:
		text := fmt.Sprintf("run %s at %s", r.RunID, r.Agent)
		if r.Resumes != "" {
			text += ", goes on with " + r.Resumes
		}
		return text, nil, nil
	case Sent:
		if r.By == "" {
			return fmt.Sprintf("run %s is to be sent again", r.RunID), nil, nil
		}
		return fmt.Sprintf("run %s is sent by process %s", r.RunID, r.By), nil, nil
	case Frames:
		return fmt.Sprintf("run %s: %d frames", r.RunID, len(r.Frames)), r.Frames, nil
	case Asked:
		asked := make([]string, len(r.Requests))
		for i, q := range r.Requests {
			asked[i] = requestGist(q)
		}
		return fmt.Sprintf("run %s asks %s", r.RunID, strings.Join(asked, "; ")), nil, nil
	case Ended:
		return r.gist(), nil, nil
	case Snapshot:
		return fmt.Sprintf("the thread is %s, with %d runs, %d answers and %d open requests", r.State.phase(), len(r.State.Runs), len(r.State.Settled), len(r.State.Pending)), nil, nil
	case Withdrawn:
		given := make([]string, len(r.Settled))
		for i, a := range r.Settled {
			given[i] = a.gist()
		}
		return strings.Join(given, "; "), nil, nil
	}
	return "of a kind that this version does not know", nil, nil
}

func (s Submission) gist() string {
	return fmt.Sprintf("run %s of %s (%s, %d bytes)", s.RunID, s.Agent, s.Protocol, len(s.Input))
}

func requestGist(q hitl.Request) string {
	text := fmt.Sprintf("%s (%s)", q.ID, q.Kind)
	if q.Call != nil {
		text += fmt.Sprintf(": %s %s", q.Call.Name, q.Call.Args)
	}
	if q.Input != nil && q.Input.Message != "" {
		text += fmt.Sprintf(": %q", q.Input.Message)
	}
	if at := q.Expiry(); !at.IsZero() {
		text += ", until " + at.UTC().Format(timeFormat)
	}
	return text
}

const timeFormat = "2006-01-02 15:04:05.000"

func (d Settled) gist() string {
	text := d.Request.ID + " is " + d.Response.Word()
	switch {
	case d.Expired:
		text += ", it ran out"
	case d.Automatic:
		text += ", as " + d.Response.Actor + " said before"
	case d.Response.Actor != "":
		text += " by " + d.Response.Actor
	}
	if dec := d.Response.Decision; dec != nil && dec.Remember {
		text += " for the rest of the thread"
	}
	if dec := d.Response.Decision; dec != nil && dec.Reason != "" {
		text += fmt.Sprintf(", %q", dec.Reason)
	}
	if dec := d.Response.Decision; dec != nil && len(dec.EditedArgs) > 0 {
		text += fmt.Sprintf(", with %s", dec.EditedArgs)
	}
	return text
}

func (e Ended) gist() string {
	text := fmt.Sprintf("run %s: %s", e.RunID, e.Status)
	if e.Held {
		text = fmt.Sprintf("run %s never began: %s", e.RunID, e.Status)
	}
	if e.Failure != nil {
		text += ", " + e.Failure.Error()
	}
	if e.Waiting > 0 {
		text += fmt.Sprintf(", %d wait", e.Waiting)
	}
	return text
}
