package gateway

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// submitChat gives what a chat posted to its thread, whose id is the chat's. The reader it
// returns gives the chunks of the run that answers it.
//
// What the post is, its last message tells, not its trigger: one of the user begins a turn,
// and gives up what is still asked; one of the assistant carries answers.
func (s *Server) submitChat(ctx context.Context, agent string, post aisdk.ChatPost, raw []byte, p aisdk.Profile, actor string) (*chatReader, error) {
	if post.Alone {
		var err error
		if post, err = s.completed(ctx, post); err != nil {
			return nil, err
		}
		raw = nil
	}
	changed, err := s.current(ctx, &post.ChatRequest)
	if err != nil {
		return nil, err
	}
	if changed || raw == nil {
		if raw, err = encodeChat(post); err != nil {
			return nil, err
		}
	}
	state, err := s.opts.Hub.Thread(ctx, post.ID)
	if err != nil && !errors.Is(err, session.ErrUnknownThread) {
		return nil, err
	}
	asking, err := s.askingMessage(ctx, post.ID, state)
	if err != nil {
		return nil, err
	}
	answers, err := chatAnswers(&post.ChatRequest, state, asking)
	if err != nil {
		return nil, err
	}
	c := chatSubmission{server: s, agent: agent, actor: actor, post: post, raw: raw, state: state, asking: asking, answers: answers}
	admitted, err := c.submit(ctx)
	if err != nil {
		return nil, err
	}
	log := s.log.With(requestField(ctx), zap.String("thread", post.ID), zap.String("agent", agent))
	for _, w := range admitted.Warnings {
		log.Warn(w)
	}
	reader := readChat(post.ID, admitted.Feed, p)
	if admitted.Feed == nil {
		reader.lead, err = stillWaiting(post.Continued().ID)
	}
	return reader, err
}

// A chatSubmission is what a chat posted, on its way to the thread.
type chatSubmission struct {
	server  *Server
	agent   string
	actor   string
	post    aisdk.ChatPost
	raw     []byte // of the post
	state   session.State
	asking  *aisdk.Message // the message that asks what the thread asks
	answers []session.Answer
}

func (c *chatSubmission) submit(ctx context.Context) (session.Admission, error) {
	if acted := c.post.Continued(); acted != nil {
		if len(c.answers) == 0 && c.state.Phase == session.Awaiting {
			return session.Admission{}, nil // nothing that is asked is answered
		}
		return c.goOn(ctx, acted)
	}
	if c.covers() { // what was answered before the user went on counts
		if _, err := c.goOn(ctx, c.lastAnswered()); err != nil {
			return session.Admission{}, err
		}
	}
	sub := c.submission()
	sub.Supersede = true
	var err error
	if sub.RunID, sub.Digest, err = c.turnID(); err != nil {
		return session.Admission{}, err
	}
	return c.server.opts.Hub.Submit(ctx, c.post.ID, sub, c.actor)
}

func (c *chatSubmission) submission() session.Submission {
	sub := session.Submission{Agent: c.agent, Protocol: session.AISDK, Input: c.raw}
	for i := range c.post.Messages {
		if m := &c.post.Messages[i]; m.Role == aisdk.RoleUser {
			sub.Turn = m.ID
		}
	}
	return sub
}

// goOn submits answers. The same answers in the same message are the same run, whatever
// else the chat sends with them.
func (c *chatSubmission) goOn(ctx context.Context, acted *aisdk.Message) (session.Admission, error) {
	sub := c.submission()
	sub.Resume, sub.Partial, sub.Answers = len(c.answers) > 0, true, c.answers
	digest, err := digestOf("goes on", c.post.ID, c.agent, acted)
	if err != nil {
		return session.Admission{}, err
	}
	sub.RunID, sub.Digest = c.retried("run-"+digest[:32]), digest
	return c.server.opts.Hub.Submit(ctx, c.post.ID, sub, c.actor)
}

// covers reports whether the answers are all that is asked.
func (c *chatSubmission) covers() bool {
	if c.state.Phase != session.Awaiting || c.state.Run.Agent != c.agent {
		return false
	}
	answered := map[string]bool{}
	for _, a := range c.answers {
		answered[a.RequestID] = true
	}
	for _, q := range c.state.Pending {
		if !answered[q.ID] {
			return false
		}
	}
	return true
}

func (c *chatSubmission) lastAnswered() *aisdk.Message {
	for i := range c.post.Messages {
		if m := &c.post.Messages[i]; m.Role == aisdk.RoleAssistant && m.ID == c.asking.ID {
			return m
		}
	}
	return c.asking // cannot be: the answers stand in one
}

// turnID names the run of a new turn. The same post again, as of a client that has lost the
// answer, is the same run; one that failed or was stopped runs again. A chat that asks for
// another answer to the same message gets another run.
func (c *chatSubmission) turnID() (runID, digest string, err error) {
	digest, err = digestOf("turn", c.post.ID, c.agent, c.post.ChatRequest)
	if err != nil {
		return "", "", err
	}
	if c.post.Trigger == aisdk.TriggerRegenerate {
		return "run-" + uuid.NewString(), digest, nil
	}
	return c.retried("run-" + digest[:32]), digest, nil
}

// retried passes over the runs of that name that came to nothing.
func (c *chatSubmission) retried(id string) string {
	try := id
	for n := 2; ; n++ {
		status := c.state.Runs[try].Status
		if status != session.Failed && status != session.Cancelled {
			return try
		}
		try = id + "-" + strconv.Itoa(n)
	}
}

func digestOf(parts ...any) (string, error) {
	raw, err := json.Marshal(parts)
	if err != nil {
		return "", err
	}
	text, err := hitl.Canonical(raw)
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:]), nil
}

// stillWaiting is what a chat gets whose answers are kept until the others come: its
// message goes on, and nothing is added. What still waits in it keeps the chat from posting
// again.
func stillWaiting(messageID string) ([][]byte, error) {
	chunks := []aisdk.Chunk{
		&aisdk.Start{Head: aisdk.Head{Kind: aisdk.TypeStart}, MessageID: aisdk.NotEmpty(messageID)},
		&aisdk.Finish{Head: aisdk.Head{Kind: aisdk.TypeFinish}, FinishReason: aisdk.FinishToolCalls},
	}
	out := make([][]byte, len(chunks))
	for i, c := range chunks {
		f, err := aisdk.Encode(c)
		if err != nil {
			return nil, err
		}
		out[i] = f.Raw
	}
	return out, nil
}

// activeChat returns a reader of the run that goes on in a chat, which gives all of the
// message from its first part on; nil if none does. A run that has stopped to ask has ended.
func (s *Server) activeChat(ctx context.Context, agent, chat string, p aisdk.Profile) (*chatReader, error) {
	state, err := s.opts.Hub.Thread(ctx, chat)
	if errors.Is(err, session.ErrUnknownThread) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if state.Phase != session.Running || state.Run.Agent != agent {
		return nil, nil
	}
	feed, err := s.opts.Hub.Attach(ctx, chat, state.Run.ID)
	if err != nil {
		return nil, err
	}
	reader := readChat(chat, feed, p)
	return reader, reader.again()
}

// again makes the reader begin with the message so far.
func (c *chatReader) again() error {
	c.replay = true
	past := c.feed.Past()
	held, err := heldMessage(c.thread, past, c.feed.Protocol, c.profile)
	if err != nil || held == nil {
		return err
	}
	frames, err := aisdk.Replay(held, c.profile)
	if err != nil {
		return err
	}
	for _, f := range frames {
		c.lead = append(c.lead, f.Raw)
	}
	c.told = held
	return nil
}
