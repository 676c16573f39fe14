package gateway

import (
	"context"
	"errors"

	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/protocol/translate"
	"github.com/agui-bridge/agui-bridge/session"
)

// heldMessage is the assistant's message that a run goes on with, as a chat holds it when
// the run begins; nil if the run begins a message of its own. It is built from the log:
// what the chat has sent of it counts only for what was said before the turn.
func heldMessage(thread string, past session.Past, agent session.Protocol, p aisdk.Profile) (*aisdk.Message, error) {
	from, err := originOf(past.Origin)
	if err != nil {
		return nil, err
	}
	return from.heldMessage(thread, past, agent, p)
}

func (from origin) heldMessage(thread string, past session.Past, agent session.Protocol, p aisdk.Profile) (*aisdk.Message, error) {
	held := from.held
	before := session.Past{First: past.First, Origin: past.Origin}
	for _, stopped := range past.Turn {
		before.Answers = stopped.Answers
		respond(held, stopped.Answers)
		end := &session.End{Status: session.Interrupted, Requests: stopped.Requests}
		var err error
		if held, err = from.reduce(held, thread, stopped, end, before, agent, p); err != nil {
			return nil, err
		}
		before.Turn = append(before.Turn, stopped)
	}
	respond(held, past.Answers)
	return held, nil
}

func respond(held *aisdk.Message, answers []session.Settled) {
	if held == nil {
		return
	}
	for _, a := range answers {
		held.Respond(translate.AsHeld(held, a.Request), a.Response)
	}
}

// An origin is the conversation that a turn began with.
type origin struct {
	before []aisdk.Message // as a chat holds it
	held   *aisdk.Message  // the message that the turn goes on with, if it does
	known  []translate.KnownCall
}

// originOf reads what a turn was asked for by; a run that is known by its end alone was
// asked for by nothing.
func originOf(asked session.Asking) (origin, error) {
	if len(asked.Input) == 0 {
		return origin{}, nil
	}
	if asked.Protocol != session.AISDK {
		in, _, err := agui.ParseRunInput(asked.Input)
		if err != nil {
			return origin{}, err
		}
		chat := aisdk.ChatRequest{Messages: translate.History(in.Messages)}
		return origin{before: chat.Before(), held: chat.Continued(), known: translate.KnownToClient(in.Messages)}, nil
	}
	post, err := aisdk.ParseChatPost(asked.Input)
	if err != nil {
		return origin{}, err
	}
	o := origin{before: post.Before(), held: post.Continued()}
	o.known = translate.KnownToChat(o.before, o.held)
	return o, nil
}

// reduce adds to a message what one run said.
func (from origin) reduce(held *aisdk.Message, thread string, run session.Stopped, end *session.End, before session.Past, agent session.Protocol, p aisdk.Profile) (*aisdk.Message, error) {
	of := runOf(thread, run.RunID, before, from.known)
	of.Profile = p
	if held != nil {
		of.Message = held.ID
	}
	reducer := aisdk.NewReducer(aisdk.ReducerOptions{Message: held})
	var source chunkSource = newChatRelay(of)
	if agent != session.AISDK {
		translation, err := newChatTranslation(of, before.Frames())
		if err != nil {
			return nil, err
		}
		source = translation
	}
	apply := func(chunks [][]byte, err error) error {
		for _, raw := range chunks {
			f, _, bad := aisdk.ParseFrame(raw)
			if bad != nil {
				return bad
			}
			if bad := reducer.Apply(f); bad != nil {
				return bad
			}
		}
		return err
	}
	for _, raw := range run.Frames {
		if err := apply(source.next(raw)); err != nil {
			return nil, err
		}
	}
	if end != nil && end.Status != session.Failed {
		if err := apply(source.last(end)); err != nil {
			return nil, err
		}
	}
	return reducer.Message(), nil
}

// heldChat is the conversation that a chat of the thread holds after the run of the feed,
// which has ended, or as far as it has come.
func heldChat(ctx context.Context, thread string, feed *session.Feed) ([]aisdk.Message, error) {
	past := feed.Past()
	from, err := originOf(past.Origin)
	if err != nil {
		return nil, err
	}
	held, err := from.heldMessage(thread, past, feed.Protocol, aisdk.V7)
	if err != nil {
		return nil, err
	}
	so, end, err := feed.SoFar(ctx)
	if err != nil {
		return nil, err
	}
	run := session.Stopped{RunID: feed.RunID, Frames: so}
	if held, err = from.reduce(held, thread, run, end, past, feed.Protocol, aisdk.V7); err != nil {
		return nil, err
	}
	before := from.before
	if held.ID != "" || len(held.Parts) > 0 {
		before = append(before, *held)
	}
	return before, nil
}

// askingMessage is the message of a thread's stopped run, in which a chat answers; nil if
// the thread asks nothing.
func (s *Server) askingMessage(ctx context.Context, thread string, state session.State) (*aisdk.Message, error) {
	if state.Phase != session.Awaiting {
		return nil, nil
	}
	feed, err := s.opts.Hub.Attach(ctx, thread, state.Run.ID)
	if err != nil {
		return nil, err
	}
	held, err := heldChat(ctx, thread, feed)
	if err != nil || len(held) == 0 {
		return nil, err
	}
	return &held[len(held)-1], nil
}

// completed gives a request that holds the newest message alone the conversation before it,
// from the log.
func (s *Server) completed(ctx context.Context, post aisdk.ChatPost) (aisdk.ChatPost, error) {
	runs, _, err := s.opts.Hub.Runs(ctx, post.ID, 0)
	if errors.Is(err, session.ErrUnknownThread) || err == nil && len(runs) == 0 {
		return post, nil
	}
	if err != nil {
		return post, err
	}
	feed, err := s.opts.Hub.Attach(ctx, post.ID, runs[len(runs)-1])
	if err != nil {
		return post, err
	}
	held, err := heldChat(ctx, post.ID, feed)
	if err != nil {
		return post, err
	}
	alone := post.Messages[0]
	for i := range held {
		if held[i].ID == alone.ID { // it takes the place of the one that is held, and of what followed
			held = held[:i]
			break
		}
	}
	post.Messages = append(held, alone)
	return post, nil
}

// current gives messages that the chat holds from before a decision the form that the log
// has of them: what was decided elsewhere has reached no part of them.
func (s *Server) current(ctx context.Context, chat *aisdk.ChatRequest) (changed bool, err error) {
	stale := map[string]int{}
	for i := range chat.Messages {
		if m := &chat.Messages[i]; m.Role == aisdk.RoleAssistant && m.ID != "" && m.Open() {
			stale[m.ID] = i
		}
	}
	if chat.Continued() != nil {
		delete(stale, chat.Messages[len(chat.Messages)-1].ID) // what is open there, the log decides
	}
	if len(stale) == 0 {
		return false, nil
	}
	runs, _, err := s.opts.Hub.Runs(ctx, chat.ID, 0)
	if err != nil {
		if errors.Is(err, session.ErrUnknownThread) {
			err = nil
		}
		return false, err
	}
	for n := len(runs) - 1; n >= max(0, len(runs)-newestRuns) && len(stale) > 0; n-- {
		feed, err := s.opts.Hub.Attach(ctx, chat.ID, runs[n])
		if err != nil {
			return changed, err
		}
		held, err := heldChat(ctx, chat.ID, feed)
		if err != nil {
			return changed, err
		}
		if len(held) == 0 {
			continue
		}
		last := held[len(held)-1]
		if i, is := stale[last.ID]; is { // newest runs come first: this is all that was said of it
			chat.Messages[i], changed = last, true
			delete(stale, last.ID)
		}
	}
	return changed, nil
}

// newestRuns is how many runs are looked through for what a chat missed.
const newestRuns = 32

// encodeChat writes a request as the log keeps it.
func encodeChat(post aisdk.ChatPost) ([]byte, error) { return json.Marshal(post.ChatRequest) }
