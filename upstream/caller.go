package upstream

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"
	"mime"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/internal/sse"
	"github.com/agui-bridge/agui-bridge/session"
)

// A caller posts a body to one agent and reads the stream that comes back.
type caller struct {
	spec   Spec
	client *http.Client
	idle   time.Duration
	max    int
	log    *zap.Logger
}

func newCaller(spec Spec, o Options) caller {
	c := caller{spec: spec, client: o.Client, idle: o.IdleTimeout, max: o.MaxMessage, log: o.Logger}
	if c.client == nil {
		c.client = NewClient()
	}
	if c.idle == 0 {
		c.idle = DefaultIdleTimeout
	}
	if c.max == 0 {
		c.max = DefaultMaxMessage
	}
	if c.log == nil {
		c.log = zap.NewNop()
	}
	c.log = c.log.With(zap.String("agent", spec.Name))
	return c
}

// NewClient makes the client that agents are called with: it pools connections and
// follows no redirect, since only configured addresses are ever called.
func NewClient() *http.Client {
	t := http.DefaultTransport.(*http.Transport).Clone()
	t.MaxIdleConnsPerHost = 64
	t.DisableCompression = true // a stream is passed on as it comes
	return &http.Client{
		Transport:     t,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

func errField(err error) zap.Field { return zap.Error(err) }

// Name is the name the agent is configured under.
func (c *caller) Name() string { return c.spec.Name }

// post sends body and yields the data of each event of the answer. An error is a
// *session.Failure, or the end of ctx.
func (c *caller) post(ctx context.Context, body []byte) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		quiet := time.AfterFunc(c.idle, func() { cancel(errIdle) })
		defer quiet.Stop()
		resp, err := c.send(ctx, body)
		if err != nil {
			yield(nil, c.sendFailure(ctx, err))
			return
		}
		defer func() { _ = resp.Body.Close() }()
		if f := c.refused(resp); f != nil {
			yield(nil, f)
			return
		}
		for data, err := range sse.Read(&awake{Reader: resp.Body, timer: quiet, after: c.idle}, c.max) {
			if err != nil {
				yield(nil, c.readFailure(ctx, err))
				return
			}
			if !yield(data, nil) {
				return
			}
		}
	}
}

func (c *caller) send(ctx context.Context, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.spec.Target, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	for name, values := range c.spec.Headers {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	return c.client.Do(req) // post closes the body
}

func (c *caller) sendFailure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return c.broken(ctx, err)
	}
	return c.unreachable(err)
}

func (c *caller) readFailure(ctx context.Context, err error) error {
	if errors.Is(err, sse.ErrEventTooLarge) {
		return fail(CodeMalformed, "agent %q sent a message of more than %d bytes", c.spec.Name, c.max)
	}
	return c.broken(ctx, err)
}

// refused tells an answer that is no event stream.
func (c *caller) refused(resp *http.Response) *session.Failure {
	if resp.StatusCode != http.StatusOK {
		return c.badStatus(resp)
	}
	if kind, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		return c.badType(resp)
	}
	return nil
}

// awake puts off a timer whenever something was read.
type awake struct {
	io.Reader
	timer *time.Timer
	after time.Duration
}

// Read reads on; anything that arrives, a comment too, shows that the agent is there.
func (a *awake) Read(p []byte) (int, error) {
	n, err := a.Reader.Read(p)
	if n > 0 {
		a.timer.Reset(a.after)
	}
	return n, err
}
