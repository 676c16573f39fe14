package gateway

import (
	"context"
	"iter"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/protocol/translate"
	"github.com/agui-bridge/agui-bridge/session"
)

// A chatReader reads a run as AI SDK chunks of one profile, whatever the agent speaks.
// Chunks of an AI SDK agent are passed on as they came, but for what a chat would choke
// on: a message that goes on under another name, an ending that makes it post again.
type chatReader struct {
	runReader
	thread  string
	profile aisdk.Profile
	agent   chunkSource
	closer  *aisdk.Closer
	lead    [][]byte       // is said first
	told    *aisdk.Message // the message as the lead has told it; nil if the run begins one
	replay  bool           // the first batch was said before, to somebody else
}

// A chunkSource gives the chunks of one agent's frames.
type chunkSource interface {
	next(raw []byte) ([][]byte, error)
	last(end *session.End) ([][]byte, error)
}

func readChat(thread string, feed *session.Feed, p aisdk.Profile) *chatReader {
	return &chatReader{thread: thread, profile: p, runReader: runReader{feed: feed}}
}

// chunks yields the run's chunks from the reader's place on, see runReader.read.
func (c *chatReader) chunks(ctx context.Context) iter.Seq2[[][]byte, error] {
	if c.feed == nil {
		return c.nothingNew
	}
	return c.read(ctx, c.next, c.last)
}

// nothingNew is the answer to answers that the stopped run does not go on with yet.
func (c *chatReader) nothingNew(yield func([][]byte, error) bool) {
	c.done = true
	yield(c.lead, nil)
}

func (c *chatReader) next(frames [][]byte) (chunks [][]byte, over bool) {
	err := c.prepare()
	if err == nil {
		chunks, err = c.translate(frames)
	}
	c.replay = false
	if err != nil {
		return append(chunks, errorChunk(refusalOf(err).message)), true
	}
	return chunks, false
}

func (c *chatReader) translate(frames [][]byte) (chunks [][]byte, err error) {
	chunks, c.lead = c.lead, nil
	for _, raw := range frames {
		out, err := c.agent.next(raw)
		if err != nil {
			return chunks, err
		}
		for _, raw := range out {
			if aisdk.TypeOf(raw).IsDelta() {
				chunks = append(chunks, raw)
				continue
			}
			f, _, err := aisdk.ParseFrame(raw)
			if err != nil {
				return chunks, err
			}
			if chunks, err = c.say(chunks, f); err != nil {
				return chunks, err
			}
		}
	}
	return chunks, nil
}

// say lines one chunk up, after what has to come before it.
func (c *chatReader) say(chunks [][]byte, f aisdk.Frame) ([][]byte, error) {
	if f.Type == aisdk.TypeFinish || f.Type == aisdk.TypeAbort {
		chunks = append(chunks, c.closer.Before()...)
	}
	c.closer.See(f)
	f, err := c.asTold(f)
	if err != nil {
		return chunks, err
	}
	if c.told != nil && f.Type == aisdk.TypeStart {
		return append(chunks, metadataAlone(f)...), nil
	}
	if !c.replay {
		return append(chunks, f.Raw), nil
	}
	again, err := aisdk.Again(f)
	return append(chunks, again...), err
}

// asTold gives a denial to a chat that could not be told of the decision.
func (c *chatReader) asTold(f aisdk.Frame) (aisdk.Frame, error) {
	if c.told == nil || f.Type != aisdk.TypeToolOutputDenied {
		return f, nil
	}
	p := c.told.ToolPart(f.Text("toolCallId"))
	if p == nil {
		return f, nil
	}
	return aisdk.Encode(aisdk.Denied(p, c.profile))
}

// metadataAlone is what is left of a start when the message has begun already.
func metadataAlone(start aisdk.Frame) [][]byte {
	metadata := start.Member("messageMetadata")
	if metadata == nil {
		return nil
	}
	out := append([]byte(`{"type":"message-metadata","messageMetadata":`), metadata...)
	return [][]byte{append(out, '}')}
}

func (c *chatReader) last() [][]byte {
	if err := c.prepare(); err != nil {
		return [][]byte{errorChunk(refusalOf(err).message)}
	}
	chunks, err := c.translate(nil)
	if err != nil {
		return append(chunks, errorChunk(refusalOf(err).message))
	}
	end := c.feed.End()
	out, err := c.agent.last(end)
	if err != nil {
		return append(chunks, errorChunk(refusalOf(err).message))
	}
	for _, raw := range out {
		f, _, err := aisdk.ParseFrame(raw)
		if err == nil {
			chunks, err = c.say(chunks, f)
		}
		if err != nil {
			return append(chunks, errorChunk(refusalOf(err).message))
		}
	}
	if end.Status != session.Failed {
		chunks = append(chunks, c.closer.Before()...) // an agent may end without a word
	}
	return chunks
}

// prepare finds out what the run goes on with.
func (c *chatReader) prepare() error {
	if c.agent != nil {
		return nil
	}
	past := c.feed.Past()
	from, err := originOf(past.Origin)
	if err != nil {
		return err
	}
	held, err := from.heldMessage(c.thread, past, c.feed.Protocol, c.profile)
	if err != nil {
		return err
	}
	c.closer = aisdk.NewCloser(held)
	run := runOf(c.thread, c.feed.RunID, past, from.known)
	run.Profile = c.profile
	if held != nil {
		run.Message = held.ID
	}
	if c.feed.Protocol == session.AISDK {
		c.agent = newChatRelay(run)
		return nil
	}
	c.agent, err = newChatTranslation(run, past.Frames())
	return err
}

// runOf is what a translator has to know of a run.
func runOf(thread, runID string, past session.Past, known []translate.KnownCall) translate.Run {
	run := translate.Run{ThreadID: thread, RunID: runID, First: past.First, Known: known}
	for _, s := range past.Answers {
		run.Answers = append(run.Answers, translate.Answered{Request: s.Request, Response: s.Response})
	}
	return run
}

// A chatTranslation gives the chunks of an AG-UI agent.
type chatTranslation struct{ trans *translate.ToAISDK }

func newChatTranslation(run translate.Run, before [][]byte) (*chatTranslation, error) {
	t := &chatTranslation{trans: translate.NewToAISDK(run)}
	frames := make([]agui.Frame, len(before))
	for i, raw := range before {
		f, _, err := agui.ParseFrame(raw)
		if err != nil {
			return nil, err
		}
		frames[i] = f
	}
	return t, t.trans.Prime(frames)
}

func (t *chatTranslation) next(raw []byte) ([][]byte, error) {
	f, _, err := agui.ParseFrame(raw)
	if err != nil {
		return nil, err
	}
	return t.trans.Next(f)
}

func (t *chatTranslation) last(end *session.End) ([][]byte, error) {
	o := outcomeOf(end)
	if end.Failure != nil {
		o.Message = end.Failure.Error()
	}
	return t.trans.Finish(o)
}

// A chatRelay passes the chunks of an AI SDK agent on, as far as the chat's profile has them.
type chatRelay struct {
	run     translate.Run
	narrow  *translate.Narrow
	started bool
}

func newChatRelay(run translate.Run) *chatRelay {
	return &chatRelay{run: run, narrow: translate.NewNarrow(run.Profile)}
}

// next gives the chunk as it is. The message has to have a name, by which a chat that comes
// back knows it; one that goes on keeps the name it has.
func (r *chatRelay) next(raw []byte) ([][]byte, error) {
	if r.started && aisdk.TypeOf(raw).IsDelta() { // what comes once a token is the same for all
		return [][]byte{raw}, nil
	}
	f, _, err := aisdk.ParseFrame(raw)
	if err != nil {
		return nil, err
	}
	if f.Type == aisdk.TypeStart {
		r.started = true
		return r.named(f)
	}
	out, err := r.narrow.Next(f)
	if err != nil || r.started {
		return out, err
	}
	r.started = true
	return append([][]byte{r.start().Raw}, out...), nil
}

// named gives a start the name of the message.
func (r *chatRelay) named(f aisdk.Frame) ([][]byte, error) {
	given := f.Text("messageId")
	if given != "" && (r.run.Message == "" || r.run.Message == given) {
		return [][]byte{f.Raw}, nil
	}
	c, err := f.Chunk()
	if err != nil {
		return nil, err
	}
	named := c.(*aisdk.Start)
	named.MessageID = aisdk.Set(r.messageID())
	f, err = aisdk.Encode(named)
	return [][]byte{f.Raw}, err
}

func (r *chatRelay) messageID() string {
	if r.run.Message != "" {
		return r.run.Message
	}
	return "msg-" + r.run.First
}

func (r *chatRelay) start() aisdk.Frame {
	f, err := aisdk.Encode(&aisdk.Start{Head: aisdk.Head{Kind: aisdk.TypeStart}, MessageID: aisdk.Set(r.messageID())})
	if err != nil {
		return aisdk.Frame{} // cannot be: an id is text that was read from JSON
	}
	return f
}

// last says how the run ended, if the agent did not.
func (r *chatRelay) last(end *session.End) ([][]byte, error) {
	if end.Spoken {
		return nil, nil
	}
	switch end.Status {
	case session.Failed:
		text := "the run ended without saying how"
		if end.Failure != nil {
			text = end.Failure.Error()
		}
		return [][]byte{errorChunk(text)}, nil
	case session.Cancelled:
		f, err := aisdk.Encode(&aisdk.Abort{Head: aisdk.Head{Kind: aisdk.TypeAbort}})
		return [][]byte{f.Raw}, err
	}
	return nil, nil
}

func errorChunk(text string) []byte {
	f, err := aisdk.Encode(&aisdk.Error{Head: aisdk.Head{Kind: aisdk.TypeError}, ErrorText: text})
	if err != nil {
		return []byte(`{"type":"error","errorText":"the bridge could not do this"}`)
	}
	return f.Raw
}
