package gateway

import (
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/translate"
	"github.com/agui-bridge/agui-bridge/session"
)

// Compose makes the input by which a stopped run goes on without a front end; it is what
// session.Options.Compose wants. To a chat's run that is the chat's own post once more:
// what was asked and answered is in the log, and agents are told of it from there.
func Compose(r session.Resumption) (session.Submission, error) {
	past := r.Stopped.Past()
	if past.Protocol == session.AISDK {
		return session.Submission{RunID: r.RunID, Protocol: session.AISDK, Input: past.Input}, nil
	}
	in, _, err := agui.ParseRunInput(past.Input)
	if err != nil {
		return session.Submission{}, err
	}
	held, err := readAGUI(r.ThreadID, r.Stopped).held()
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
