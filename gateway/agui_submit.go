package gateway

import (
	"context"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// submitAGUI checks an input and gives it to its thread. The reader it returns gives
// the events of the run that answers it.
func (s *Server) submitAGUI(ctx context.Context, agent string, raw []byte, actor string) (*aguiReader, error) {
	in, warnings, err := agui.ParseRunInput(raw)
	if err != nil {
		return nil, err
	}
	log := s.log.With(requestField(ctx), zap.String("thread", in.ThreadID), zap.String("run", in.RunID), zap.String("agent", agent))
	for _, w := range warnings {
		log.Warn("input has something unknown", zap.String("path", w.Path), zap.String("detail", w.Detail))
	}
	admitted, err := s.opts.Hub.Submit(ctx, in.ThreadID, aguiSubmission(agent, in), actor)
	if err != nil {
		return nil, err
	}
	for _, w := range admitted.Warnings {
		log.Warn(w)
	}
	return &aguiReader{thread: in.ThreadID, feed: admitted.Feed}, nil
}

func aguiSubmission(agent string, in agui.RunInput) session.Submission {
	sub := session.Submission{RunID: in.RunID, Agent: agent, Protocol: session.AGUI, Input: in.Raw, Resume: len(in.Resume) > 0}
	if m, ok := in.LastUserMessage(); ok {
		sub.Turn = m.ID
	}
	for _, entry := range in.Resume {
		sub.Answers = append(sub.Answers, session.Answer{RequestID: entry.InterruptID, Read: entry.Response})
	}
	return sub
}
