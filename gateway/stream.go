package gateway

import (
	"context"
	"errors"
	"io"
	"iter"
	"net/http"
	"time"

	"github.com/agui-bridge/agui-bridge/session"
)

// A stream is a run on its way into a response body.
type stream struct {
	form     streamForm
	read     func(context.Context) iter.Seq2[[][]byte, error] // goes on where it was broken off
	done     *bool                                            // everything was read
	wentDown []byte                                           // what ends it when the server leaves the run behind
}

// stream writes a run. While the run is quiet, comments keep proxies from closing the
// connection, where the form has them.
func (s *Server) stream(ctx context.Context, w http.ResponseWriter, run stream) error {
	h := w.Header()
	h.Set("Content-Type", run.form.mediaType)
	h.Set("Cache-Control", "no-cache, no-transform")
	h.Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
	out := &streamWriter{form: run.form, control: http.NewResponseController(w), to: w, timeout: s.opts.WriteTimeout}
	if err := out.send(run.form.opening); err != nil {
		return err
	}
	for !*run.done {
		if err := s.streamFor(ctx, out, run); err != nil {
			return err
		}
	}
	return out.send(run.form.closing)
}

// wentDown ends a stream whose run the server leaves behind.
var wentDown = &refusal{code: session.CodeRunLost, message: "the bridge went down while the run was going on"}

// streamFor writes until the run ends or it is time for a sign of life.
func (s *Server) streamFor(ctx context.Context, out *streamWriter, run stream) error {
	quiet, cancel := context.WithTimeout(ctx, s.opts.KeepAlive)
	defer cancel()
	for events, err := range run.read(quiet) {
		if err != nil {
			if errors.Is(context.Cause(ctx), session.ErrShutdown) {
				// A stream that just ends reads as a success to some clients.
				return errors.Join(session.ErrShutdown, out.events([][]byte{run.wentDown}))
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

// A streamForm is how a response body holds what a run says.
type streamForm struct {
	mediaType string
	opening   []byte                                  // what comes before everything
	closing   []byte                                  // what comes after everything
	comment   []byte                                  // a sign of life; nil: there is none
	append    func(dst, event []byte) ([]byte, error) // after an error nothing may follow
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
