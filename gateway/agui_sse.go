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
	if err := s.stream(ctx, w, reader, form); err != nil {
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
// closing the connection, where the form has them.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, reader *aguiReader, form streamForm) error {
	h := w.Header()
	h.Set("Content-Type", form.mediaType)
	h.Add("Vary", "Accept")
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	out := &streamWriter{form: form, control: http.NewResponseController(w), to: w, timeout: s.opts.WriteTimeout}
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
func (s *Server) streamFor(ctx context.Context, out *streamWriter, reader *aguiReader) error {
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
			return out.alive()
		}
		if err := out.events(events); err != nil {
			return err
		}
	}
	return nil
}

// A streamForm is how a response body holds events.
type streamForm struct {
	mediaType string
	comment   []byte                                  // a sign of life; nil: there is none
	append    func(dst, event []byte) ([]byte, error) // after an error nothing may follow
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

// A streamWriter writes batches, each with a deadline and one flush.
type streamWriter struct {
	form    streamForm
	control *http.ResponseController
	to      io.Writer
	timeout time.Duration
	buf     []byte
}

func (o *streamWriter) events(events [][]byte) error {
	o.buf = o.buf[:0]
	var bad error
	for _, e := range events {
		if o.buf, bad = o.form.append(o.buf, e); bad != nil {
			break
		}
	}
	return errors.Join(bad, o.send(o.buf))
}

// alive keeps the connection from looking dead.
func (o *streamWriter) alive() error {
	if o.form.comment == nil {
		return nil
	}
	return o.send(o.form.comment)
}

func (o *streamWriter) send(data []byte) error {
	if err := o.control.SetWriteDeadline(time.Now().Add(o.timeout)); err != nil && !errors.Is(err, http.ErrNotSupported) {
		return err
	}
	if _, err := o.to.Write(data); err != nil {
		return err
	}
	return o.control.Flush()
}
