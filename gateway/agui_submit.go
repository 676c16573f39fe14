package gateway

import (
	"context"
	"errors"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// submitAGUI checks an input and gives it to its thread. The reader it returns gives
// the events of the run that answers it.
func (s *Server) submitAGUI(ctx context.Context, agent string, raw []byte, actor string) (*aguiReader, error) {
	in, warnings, err := readInput(raw)
	if err != nil {
		return nil, err
	}
	log := s.log.With(requestField(ctx), zap.String("thread", in.ThreadID), zap.String("run", in.RunID), zap.String("agent", agent))
	for _, w := range warnings {
		log.Warn("input is not all of this version", zap.String("code", string(w.Code)), zap.String("path", w.Path), zap.String("detail", w.Detail))
	}
	sub := aguiSubmission(agent, in, warnings)
	if answer := agui.RetiredAnswer(in.Raw); answer != nil {
		if err := s.answerRetired(ctx, in.ThreadID, &sub, answer); err != nil {
			return nil, err
		}
	}
	admitted, err := s.opts.Hub.Submit(ctx, in.ThreadID, sub, actor)
	if err != nil {
		return nil, err
	}
	for _, w := range admitted.Warnings {
		log.Warn(w)
	}
	reader := readAGUI(in.ThreadID, admitted.Feed)
	reader.old = peerOf(in, log)
	return reader, nil
}

// readInput reads an input in the order that the protocol lays down: retired shapes are
// translated, then what is unknown is taken out and what is malformed refused.
func readInput(raw []byte) (agui.RunInput, []agui.Warning, error) {
	in, warnings, err := agui.ReadRunInput(raw)
	if err != nil {
		return agui.RunInput{}, nil, err
	}
	declared, present := in.DeclaredVersion()
	return in, append(warnings, agui.VersionWarnings("/protocolVersion", declared, present)...), nil
}

// An input is a resume if it was meant as one: an entry that nobody understands is an
// answer that is missing, not a new turn.
func aguiSubmission(agent string, in agui.RunInput, warnings []agui.Warning) session.Submission {
	meant := slices.ContainsFunc(warnings, func(w agui.Warning) bool { return strings.HasPrefix(w.Path, "/resume/") })
	sub := session.Submission{RunID: in.RunID, Agent: agent, Protocol: session.AGUI, Input: in.Raw, Resume: len(in.Resume) > 0 || meant}
	if m, ok := in.LastUserMessage(); ok {
		sub.Turn = m.ID
	}
	for _, entry := range in.Resume {
		sub.Answers = append(sub.Answers, session.Answer{RequestID: entry.InterruptID, Read: entry.Response})
	}
	return sub
}

// answerRetired takes an answer of the form of before for the one that the thread waits
// for, if it was asked in that form. It names nothing, so that it can answer only one.
func (s *Server) answerRetired(ctx context.Context, thread string, sub *session.Submission, answer []byte) error {
	state, err := s.opts.Hub.Thread(ctx, thread)
	if errors.Is(err, session.ErrUnknownThread) {
		return nil
	}
	if err != nil {
		return err
	}
	id := ""
	for _, q := range state.Pending {
		if !agui.IsRetiredInterrupt(q.Own().ID) {
			return nil
		}
		id = q.ID
	}
	for _, done := range state.Settled { // the same answer again
		if id == "" && agui.IsRetiredInterrupt(done.Request.Own().ID) && done.ResumedBy == sub.RunID {
			id = done.Request.ID
		}
	}
	if id == "" {
		return nil
	}
	entry := agui.ResumeEntry{InterruptID: id, Status: agui.ResumeResolved, Payload: answer}
	sub.Resume = true
	sub.Answers = append(sub.Answers, session.Answer{RequestID: id, Read: entry.Response})
	return nil
}
