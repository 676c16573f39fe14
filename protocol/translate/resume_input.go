package translate

import (
	"slices"

	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// ResumeInput is the input by which a stopped run goes on when no client sends one: that
// of the stopped run, brought up to what a client would hold by now, with the answers.
// The error matches agui.ErrMalformed.
func ResumeInput(stopped agui.RunInput, held *agui.Conversation, runID string, answers []Answered) ([]byte, error) {
	in := stopped
	in.RunID, in.State, in.Resume = runID, held.State(), nil
	if in.State.Kind() == 'n' {
		in.State = nil // an input has no state, or one that is not null
	}
	in.Messages = slices.DeleteFunc(held.Messages(), func(m agui.Message) bool { return m.Role == agui.RoleActivity })
	for _, a := range answers {
		e, err := agui.ResumeEntryFor(a.Request, a.Response)
		if err != nil {
			return nil, err
		}
		in.Resume = append(in.Resume, e)
	}
	raw, err := json.Marshal(in)
	if err != nil {
		return nil, err
	}
	raw, _, err = agui.Outgoing(raw)
	return raw, err
}
