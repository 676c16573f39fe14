package gateway

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/internal/sse"
	"github.com/agui-bridge/agui-bridge/protocol/agui/protobuf"
	"github.com/agui-bridge/agui-bridge/session"
)

// aguiStream is the standard HTTP binding: a RunAgentInput in, events back, over SSE or,
// if the client prefers that, in binary form. An input that is refused gets an HTTP error
// status and no stream.
func (s *Server) aguiStream(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("agent")
	if _, err := s.opts.Hub.Agent(name); err != nil {
		refuse(w, refusalOf(err))
		return
	}
	log := s.log.With(requestField(r.Context()), zap.String("agent", name))
	leave, ok := s.admit()
	if !ok {
		refuse(w, tooMany)
		return
	}
	defer leave()
	raw, bad := s.body(w, r)
	if bad != nil {
		refuse(w, bad)
		return
	}
	reader, err := s.submitAGUI(r.Context(), name, raw, actor(r))
	if err != nil {
		log.Info("input refused", zap.Error(err))
		refuse(w, refusalOf(err))
		return
	}
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.ending, func() { cancel(session.ErrShutdown) })()
	form := s.streamForm(r, log)
	if form.mediaType == protobuf.MediaType {
		reader.modern()
	}
	w.Header().Add("Vary", "Accept")
	run := stream{form: form, read: reader.events, done: &reader.done, wentDown: wentDown.event()}
	if err := s.stream(ctx, w, run); err != nil {
		log.Debug("stream ended early", zap.Error(err))
		s.left(r.Context(), reader.thread, reader.feed, actor(r), log)
	}
}

// body reads the JSON body of a request.
func (s *Server) body(w http.ResponseWriter, r *http.Request) ([]byte, *refusal) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, &refusal{code: session.CodeInvalidInput, status: http.StatusUnsupportedMediaType, message: "the content type must be application/json"}
	}
	raw, err := io.ReadAll(http.MaxBytesReader(w, r.Body, s.opts.MaxMessageBytes))
	var tooLarge *http.MaxBytesError
	switch {
	case errors.As(err, &tooLarge):
		return nil, &refusal{code: session.CodeInvalidInput, status: http.StatusRequestEntityTooLarge, message: "the input is larger than this server accepts"}
	case err != nil:
		return nil, &refusal{code: session.CodeInvalidInput, status: http.StatusBadRequest, message: "the input did not arrive whole"}
	}
	return raw, nil
}

// streamForm is the form that the client asks for.
func (s *Server) streamForm(r *http.Request, log *zap.Logger) streamForm {
	const events = "text/event-stream"
	if prefers(r.Header, protobuf.MediaType, events) {
		return streamForm{mediaType: protobuf.MediaType, append: framedForm(log).encode}
	}
	return streamForm{
		mediaType: events,
		comment:   sse.AppendComment(nil, "keep-alive"),
		append:    func(dst, event []byte) ([]byte, error) { return sse.Append(dst, event), nil },
	}
}
