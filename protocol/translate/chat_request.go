package translate

import (
	"strings"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// ChatRequest turns the input of an AG-UI client into what an AI SDK agent is posted.
// turn holds the frames of the stopped runs that the input resumes, in order; the
// message they built, with the answers in it, is the truth about what was asked, and
// takes the place of the client's copy. The error matches aisdk.ErrMalformed or
// aisdk.ErrSequence.
func ChatRequest(in agui.RunInput, turn []aisdk.Frame, run Run) (aisdk.ChatRequest, error) {
	req := aisdk.ChatRequest{ID: in.ThreadID, Trigger: aisdk.TriggerSubmit}
	if len(turn) == 0 {
		req.Messages = History(in.Messages)
		if n := len(req.Messages); n > 0 && req.Messages[n-1].Role == aisdk.RoleAssistant {
			req.MessageID = req.Messages[n-1].ID
		}
		return req, nil
	}
	asked, err := stopped(turn, run)
	if err != nil {
		return aisdk.ChatRequest{}, err
	}
	req.Messages = append(History(beforeTurn(in.Messages)), *asked)
	req.MessageID = asked.ID
	return req, nil
}

// stopped rebuilds the message of the stopped runs and puts the answers in.
func stopped(turn []aisdk.Frame, run Run) (*aisdk.Message, error) {
	var r aisdk.Reducer
	for _, f := range turn {
		if err := r.Apply(f); err != nil {
			return nil, err
		}
	}
	m := r.Message()
	if m.ID == "" {
		m.ID = run.messageID()
	}
	for _, a := range run.Answers {
		m.Respond(a.Request, a.Response)
	}
	return m, nil
}

// beforeTurn returns the messages up to and including the newest one of the user.
func beforeTurn(messages []agui.Message) []agui.Message {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == agui.RoleUser {
			return messages[:i+1]
		}
	}
	return nil
}

// messageOf is the id of the AI SDK message that an AG-UI message is part of.
func messageOf(id string) string {
	base, _, _ := strings.Cut(id, "#")
	return base
}
