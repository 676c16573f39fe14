// Package asked gives an agent what it is asked in the protocol that it reads, whatever
// front end sent it. What a run goes on with is taken from the log, not from what the
// front end says of it: from the input that began the turn, from what the stopped runs
// said, and from the answers.
package asked

import (
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/protocol/translate"
	"github.com/agui-bridge/agui-bridge/session"
)

// AGUI returns the call with an AG-UI input. speaks is the protocol of the agent, and of
// the frames of the turn. The error matches agui.ErrMalformed or aisdk.ErrMalformed.
func AGUI(call session.Call, speaks session.Protocol) (session.Call, error) {
	if call.Protocol == session.AGUI {
		return call, nil
	}
	first, err := began(call)
	if err != nil {
		return session.Call{}, err
	}
	call.Protocol = session.AGUI
	if len(call.Turn) == 0 || speaks != session.AGUI {
		call.Input = first
		return call, nil
	}
	in, _, err := agui.ParseRunInput(first)
	if err != nil {
		return session.Call{}, err
	}
	held, err := heldAfter(in, call.Turn)
	if err != nil {
		return session.Call{}, err
	}
	call.Input, err = translate.ResumeInput(in, held, call.RunID, Answered(call.Settled))
	return call, err
}

// Tools returns the names of the tools that the front end of the call runs. None are
// returned for one that does not say so: a chat never does, and an AG-UI front end that
// lists no tool at all may know those that the agent defines itself.
func Tools(call session.Call) []string {
	if call.Protocol != session.AGUI {
		return nil
	}
	in, _, err := agui.ParseRunInput(call.Input)
	if err != nil {
		return nil
	}
	names := make([]string, len(in.Tools))
	for i, t := range in.Tools {
		names[i] = t.Name
	}
	return names
}

// began is the input that began the turn, as AG-UI has it.
func began(call session.Call) ([]byte, error) {
	origin := originOf(call)
	if origin.Protocol == session.AGUI {
		return origin.Input, nil
	}
	post, err := aisdk.ParseChatPost(origin.Input)
	if err != nil {
		return nil, err
	}
	return translate.RunInput(post.ChatRequest, call.RunID)
}

// originOf is what the turn was asked for by; a new turn, by the call itself.
func originOf(call session.Call) session.Asking {
	if len(call.Origin.Input) == 0 || len(call.Turn) == 0 {
		return session.Asking{Input: call.Input, Protocol: call.Protocol}
	}
	return call.Origin
}

// heldAfter is what a client that has read the runs of the turn holds.
func heldAfter(in agui.RunInput, turn [][]byte) (*agui.Conversation, error) {
	held := agui.NewConversation(in)
	stream := agui.NewPipeline(agui.PipelineOptions{})
	for _, raw := range turn {
		if stream.Ended() { // each run is a stream of its own
			stream = agui.NewPipeline(agui.PipelineOptions{})
		}
		frames, _, err := stream.Next(raw)
		if err != nil {
			return nil, err
		}
		for _, f := range frames {
			if _, err := held.Apply(f); err != nil {
				return nil, err
			}
		}
	}
	return held, nil
}

// Answered gives the answers that a run goes on with, as translators want them.
func Answered(settled []session.Settled) []translate.Answered {
	out := make([]translate.Answered, len(settled))
	for i, s := range settled {
		out[i] = translate.Answered{Request: s.Request, Response: s.Response}
	}
	return out
}
