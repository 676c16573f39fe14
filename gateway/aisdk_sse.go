package gateway

import (
	"context"
	"net/http"
	"strings"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/internal/sse"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// chatStream is what DefaultChatTransport posts to: a chat in, the chunks of the run that
// answers it back, over SSE. A post that is refused gets an HTTP error status and no stream.
func (s *Server) chatStream(w http.ResponseWriter, r *http.Request) {
	name, profile, leave, ok := s.chatAsked(w, r)
	if !ok {
		return
	}
	defer leave()
	raw, bad := s.body(w, r)
	if bad != nil {
		refuse(w, bad)
		return
	}
	log := s.log.With(requestField(r.Context()), zap.String("agent", name))
	post, err := aisdk.ParseChatPost(raw)
	var reader *chatReader
	if err == nil {
		reader, err = s.submitChat(r.Context(), name, post, raw, profile, actor(r))
	}
	if err != nil {
		log.Info("chat refused", zap.Error(err))
		refuse(w, refusalOf(err))
		return
	}
	s.streamChat(w, r, reader, log)
}

// chatAsked reads what every request of a chat names: the agent and the profile. If ok is
// false, it has answered; otherwise leave is to be called in the end.
func (s *Server) chatAsked(w http.ResponseWriter, r *http.Request) (agent string, p aisdk.Profile, leave func(), ok bool) {
	agent = r.PathValue("agent")
	if _, err := s.opts.Hub.Agent(agent); err != nil {
		refuse(w, refusalOf(err))
		return "", 0, nil, false
	}
	p, known := s.opts.ChatProfile, true
	if name := r.URL.Query().Get("profile"); name != "" {
		p, known = aisdk.ParseProfile(name)
	}
	if !known {
		refuse(w, invalid("/profile", "expected v6 or v7"))
		return "", 0, nil, false
	}
	leave, ok = s.admit()
	if !ok {
		refuse(w, tooMany)
	}
	return agent, p, leave, ok
}

// chatResume is what a chat asks that has lost its stream: all of the message that goes on,
// from its first part, or 204 if none does.
func (s *Server) chatResume(w http.ResponseWriter, r *http.Request) {
	// Clients of before leave the id as it is, also with a slash in it.
	chat, asked := strings.CutSuffix(r.PathValue("stream"), "/stream")
	if !asked || chat == "" {
		s.notFound(w, r)
		return
	}
	name, profile, leave, ok := s.chatAsked(w, r)
	if !ok {
		return
	}
	defer leave()
	log := s.log.With(requestField(r.Context()), zap.String("agent", name))
	reader, err := s.activeChat(r.Context(), name, chat, profile)
	switch {
	case err != nil:
		log.Warn("chat cannot go on", zap.Error(err))
		refuse(w, refusalOf(err))
	case reader == nil:
		w.WriteHeader(http.StatusNoContent)
	default:
		s.streamChat(w, r, reader, log)
	}
}

// The headers by which the SDK's own servers mark such a stream; clients do not look, but
// proxies and tools do.
const uiMessageStream = "X-Vercel-Ai-Ui-Message-Stream"

var chatForm = streamForm{
	mediaType: "text/event-stream",
	opening:   sse.AppendComment(nil, "stream-open"),
	closing:   sse.Append(nil, []byte(aisdk.Done)),
	comment:   sse.AppendComment(nil, "keep-alive"),
	append:    func(dst, chunk []byte) ([]byte, error) { return sse.Append(dst, chunk), nil },
}

func (s *Server) streamChat(w http.ResponseWriter, r *http.Request, reader *chatReader, log *zap.Logger) {
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.ending, func() { cancel(session.ErrShutdown) })()
	w.Header().Set(uiMessageStream, "v1")
	run := stream{form: chatForm, read: reader.chunks, done: &reader.done, wentDown: errorChunk(wentDown.text())}
	if err := s.stream(ctx, w, run); err != nil {
		log.Debug("stream ended early", zap.Error(err))
		s.left(r.Context(), reader.thread, reader.feed, actor(r), log)
	}
}

// left is what becomes of a run whose reader lost its connection: it goes on, unless the
// bridge is set to stop what nobody reads, and nobody else does.
func (s *Server) left(ctx context.Context, thread string, feed *session.Feed, actor string, log *zap.Logger) {
	if !s.opts.CancelOnDisconnect || feed == nil || feed.IsRead() || s.ending.Err() != nil {
		return
	}
	if err := s.opts.Hub.CancelRun(context.WithoutCancel(ctx), thread, feed.RunID, actor); err != nil {
		log.Warn("a run that nobody reads could not be stopped", zap.String("run", feed.RunID), zap.Error(err))
	}
}
