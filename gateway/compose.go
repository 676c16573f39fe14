package gateway

import (
	"errors"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/translate"
	"github.com/agui-bridge/agui-bridge/session"
)

var errNoInput = errors.New("a run that a chat of the AI SDK began cannot go on without its front end yet")

// Compose makes the input by which a stopped run goes on without a front end; it is what
// session.Options.Compose wants.
func Compose(r session.Resumption) (session.Submission, error) {
	past := r.Stopped.Past()
	if past.Protocol != session.AGUI {
		return session.Submission{}, errNoInput
	}
	in, _, err := agui.ParseRunInput(past.Input)
	if err != nil {
		return session.Submission{}, err
	}
	held, err := (&aguiReader{thread: r.ThreadID, feed: r.Stopped}).held()
	if err != nil {
		return session.Submission{}, err
	}
	answers := make([]translate.Answered, len(r.Settled))
	for i, s := range r.Settled {
		answers[i] = translate.Answered{Request: s.Request, Response: s.Response}
	}
	raw, err := translate.ResumeInput(in, held, r.RunID, answers)
	if err != nil {
		return session.Submission{}, err
	}
	sub := session.Submission{RunID: r.RunID, Protocol: session.AGUI, Input: raw}
	if m, ok := in.LastUserMessage(); ok {
		sub.Turn = m.ID
	}
	return sub, nil
}
