package main

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/upstream/inproc"
)

// An email is what the tool send_email takes.
type email struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
}

// A planner is an agent with one tool that has an effect.
type planner struct {
	send func(email) error
}

// run is the agent: it sends an email if it may, asks when to remind, and then waits for
// a reply until somebody stops it. It reads from top to bottom although the run of the
// bridge ends at each question: the answers come in the middle of the function.
func (p planner) run(ctx context.Context, run *inproc.Run) error {
	run.Text("Let me write to Ada.")
	call := run.Propose(inproc.Proposal{
		Name: "send_email", Args: email{To: "ada@example.com", Subject: "Lunch?"}, Question: "Send this email?",
	})
	decision, err := run.Decide(ctx, call.ID)
	if err != nil {
		return err // nobody decided, so nothing runs
	}
	if !decision.Approved {
		run.Denied(call.ID, decision.Reason)
		run.Text("I did not send it.")
		return nil
	}
	args := call.Args
	if decision.Edits() {
		args = decision.EditedArgs // these and no others
	}
	var mail email
	if err := json.Unmarshal(args, &mail, json.RejectUnknownMembers(true)); err != nil {
		run.Failed(call.ID, "the arguments are not an email; nothing was sent")
		return nil //nolint:nilerr // it is told to whoever edited them
	}
	if err := p.send(mail); err != nil {
		run.Failed(call.ID, "the email could not be sent")
		return err
	}
	run.Result(call.ID, map[string]any{"sent": true, "to": mail.To})

	picked, err := run.Ask(ctx, hitl.AskUser{Questions: []hitl.Question{{
		Header: "Reminder", Question: "When shall I remind " + mail.To + "?",
		Options: []hitl.Choice{{Label: "Tomorrow"}, {Label: "Next week"}},
	}}})
	if err != nil {
		return err
	}
	run.Text(fmt.Sprintf("Reminder: %v. ", picked["Reminder"]))
	return wait(ctx, run)
}

// wait writes until the run is stopped.
func wait(ctx context.Context, run *inproc.Run) error {
	m := run.Message()
	defer m.Close()
	m.Write("Waiting for a reply")
	tick := time.NewTicker(100 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
			m.Write(".")
		}
	}
}
