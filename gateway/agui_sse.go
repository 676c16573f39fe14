package gateway

import (
	"context"
	"errors"
	"io"
	"mime"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/internal/sse"
	"github.com/agui-bridge/agui-bridge/session"
)

// aguiStream is the standard HTTP + SSE binding: a RunAgentInput in, events back. An
// input that is refused gets an HTTP error status and no stream.
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
	if err := s.stream(ctx, w, reader); err != nil {
		log.Debug("stream ended early; the run goes on", zap.Error(err))
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

// stream writes a run's events. While the run is quiet, comments keep proxies from
// closing the connection.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, reader *aguiReader) error {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	out := &sseWriter{control: http.NewResponseController(w), to: w, timeout: s.opts.WriteTimeout}
	if err := out.send(nil); err != nil {
		return err
	}
	for !reader.done {
		if err := s.streamFor(ctx, out, reader); err != nil {
			return err
		}
	}
	return nil
}

// wentDown ends a stream whose run the server leaves behind.
var wentDown = &refusal{code: session.CodeRunLost, message: "the bridge went down while the run was going on"}

// streamFor writes events until the run ends or it is time for a sign of life.
func (s *Server) streamFor(ctx context.Context, out *sseWriter, reader *aguiReader) error {
	quiet, cancel := context.WithTimeout(ctx, s.opts.KeepAlive)
	defer cancel()
	for events, err := range reader.events(quiet) {
		if err != nil {
			if errors.Is(context.Cause(ctx), session.ErrShutdown) {
				// A stream that just ends reads as a success to some clients.
				return errors.Join(session.ErrShutdown, out.events([][]byte{wentDown.event()}))
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return out.send(sse.AppendComment(nil, "keep-alive"))
		}
		if err := out.events(events); err != nil {
			return err
		}
	}
	return nil
}

// An sseWriter writes batches, each with a deadline and one flush.
type sseWriter struct {
	control *http.ResponseController
	to      io.Writer
	timeout time.Duration
	buf     []byte
}

func (o *sseWriter) events(events [][]byte) error {
	o.buf = o.buf[:0]
	for _, e := range events {
		o.buf = sse.Append(o.buf, e)
	}
	return o.send(o.buf)
}

func (o *sseWriter) send(data []byte) error {
	if err := o.control.SetWriteDeadline(time.Now().Add(o.timeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := o.to.Write(data); err != nil {
		return err
	}
	return o.control.Flush()
}
