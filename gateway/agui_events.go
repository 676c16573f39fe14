package gateway

import (
	"context"
	"iter"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/protocol/translate"
	"github.com/agui-bridge/agui-bridge/session"
)

// An aguiReader reads a run as AG-UI events, whatever the agent speaks.
type aguiReader struct {
	runReader
	thread string
	skip   int // events not to be shown: the client has got them
	trans  *translate.ToAGUI
	old    *oldPeer // nil for a client of today
	asked  bool     // the run's begin tells what it was asked for by: the client has not sent it
}

func readAGUI(thread string, feed *session.Feed) *aguiReader {
	return &aguiReader{thread: thread, runReader: runReader{feed: feed}}
}

// events yields the run's events from the reader's place on, see runReader.read. The last
// one is terminal.
func (a *aguiReader) events(ctx context.Context) iter.Seq2[[][]byte, error] {
	return a.read(ctx, a.next, a.last)
}

func (a *aguiReader) next(frames [][]byte) (events [][]byte, over bool) {
	begins := a.place == len(frames)
	events, err := a.translate(frames)
	if err == nil && begins && a.asked {
		events, err = a.withInput(events)
	}
	events, unreadable := a.old.lower(events)
	if err == nil {
		err = unreadable
	}
	if err != nil {
		events = append(events, refusalOf(err).event())
	}
	return a.unseen(events), err != nil
}

func (a *aguiReader) last() [][]byte {
	events, err := a.old.lower(a.terminal())
	if err != nil {
		events = append(events, refusalOf(err).event())
	}
	return a.unseen(events)
}

// unseen leaves out what the client has got. Reading a run again gives the same events,
// so that their number is all there is to know.
func (a *aguiReader) unseen(events [][]byte) [][]byte {
	n := min(a.skip, len(events))
	a.skip -= n
	return events[n:]
}

// translate gives the events of an agent's frames. Those of an AG-UI agent are passed
// on as they came.
func (a *aguiReader) translate(frames [][]byte) ([][]byte, error) {
	if a.feed.Protocol == session.AGUI {
		return frames, nil
	}
	if err := a.prepare(); err != nil {
		return nil, err
	}
	var events [][]byte
	for _, raw := range frames {
		f, _, err := aisdk.ParseFrame(raw)
		if err != nil {
			return events, err
		}
		more, err := a.trans.Next(f)
		events = append(events, more...)
		if err != nil {
			return events, err
		}
	}
	return events, nil
}

// prepare makes the translator and lets it read what the run goes on with.
func (a *aguiReader) prepare() error {
	if a.trans != nil {
		return nil
	}
	past := a.feed.Past()
	from, err := originOf(past.Origin)
	if err != nil {
		return err
	}
	a.trans = translate.NewToAGUI(runOf(a.thread, a.feed.RunID, past, from.known))
	before := past.Frames()
	frames := make([]aisdk.Frame, len(before))
	for i, raw := range before {
		f, _, err := aisdk.ParseFrame(raw)
		if err != nil {
			return err
		}
		frames[i] = f
	}
	return a.trans.Prime(frames)
}

// terminal says how the run ended, unless the agent has said it in AG-UI itself.
func (a *aguiReader) terminal() [][]byte {
	end := a.feed.End()
	if a.feed.Protocol == session.AGUI {
		switch {
		case end.Spoken:
			return nil
		case end.Status == session.Cancelled: // while it was held
			a.trans = translate.NewToAGUI(translate.Run{ThreadID: a.thread, RunID: a.feed.RunID, First: a.feed.RunID})
		default:
			return [][]byte{failureEvent(end)}
		}
	}
	if err := a.prepare(); err != nil {
		return [][]byte{refusalOf(err).event()}
	}
	outcome := outcomeOf(end)
	if end.Status == session.Interrupted {
		held, err := a.held()
		if err != nil {
			return [][]byte{refusalOf(err).event()}
		}
		outcome.Held = held
	}
	events, err := a.trans.Finish(outcome)
	if err != nil {
		return append(events, refusalOf(err).event())
	}
	return events
}

// held reads the run once more, from its input on, for what a client that has read all of
// it holds now.
func (a *aguiReader) held() (*agui.Conversation, error) {
	in, err := a.input()
	if err != nil {
		return nil, err
	}
	held := agui.NewConversation(in)
	again, stream := readAGUI(a.thread, a.feed), agui.NewPipeline(agui.PipelineOptions{})
	for frames, err := range a.feed.Batches(context.Background(), 0) { // it has ended: nothing waits
		if err != nil {
			return nil, err
		}
		events, err := again.translate(frames)
		if err != nil {
			return nil, err
		}
		for _, raw := range events {
			delivered, _, err := stream.Next(raw)
			if err != nil {
				return nil, err
			}
			for _, f := range delivered {
				if _, err := held.Apply(f); err != nil {
					return nil, err
				}
			}
		}
	}
	return held, nil
}

// input is what the run was asked for by, as an AG-UI client would have sent it.
func (a *aguiReader) input() (agui.RunInput, error) {
	past := a.feed.Past()
	raw := past.Input
	if past.Protocol != session.AGUI {
		post, err := aisdk.ParseChatPost(raw)
		if err != nil {
			return agui.RunInput{}, err
		}
		if raw, err = translate.RunInput(post.ChatRequest, a.feed.RunID); err != nil {
			return agui.RunInput{}, err
		}
	}
	in, _, err := agui.ParseRunInput(raw)
	return in, err
}

// withInput puts the messages that the run was asked for by into its begin, where a client
// looks for those that it does not have. The rest of an input is between the agent and the
// front end that sent it. A run that goes on with answers says them itself.
func (a *aguiReader) withInput(events [][]byte) ([][]byte, error) {
	if len(events) == 0 || len(a.feed.Past().Turn) > 0 {
		return events, nil
	}
	f, _, err := agui.ParseFrame(events[0])
	if err != nil || f.Type != agui.TypeRunStarted || f.Member("input") != nil {
		return events, err
	}
	in, err := a.input()
	if err != nil {
		return events, err
	}
	e, err := f.Event()
	if err != nil {
		return events, err
	}
	started := e.(*agui.RunStarted)
	started.Input, err = translate.InputAlone(in)
	if err != nil {
		return events, err
	}
	f, err = agui.Encode(started)
	return append([][]byte{f.Raw}, events[1:]...), err
}

func failureEvent(end *session.End) []byte {
	f := end.Failure
	if f == nil {
		f = &session.Failure{Code: session.CodeInternal, Message: "the run ended without saying how"}
	}
	return (&refusal{code: f.Code, message: f.Message}).event()
}

func outcomeOf(end *session.End) translate.Outcome {
	o := translate.Outcome{Requests: end.Requests}
	switch end.Status {
	case session.Interrupted:
		o.Status = translate.Interrupted
	case session.Cancelled:
		o.Status = translate.Cancelled
	case session.Failed:
		o.Status = translate.Failed
		if end.Failure != nil {
			o.Code, o.Message = string(end.Failure.Code), end.Failure.Message
		}
	}
	return o
}
