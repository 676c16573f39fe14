package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"

	"github.com/agui-bridge/agui-bridge/internal/recorded"
	"github.com/agui-bridge/agui-bridge/protocol/agui/check"
)

// live starts a run at a URL and reads its stream.
//
// What the endpoint does inside a stream is judged; what keeps a stream from being there
// is not. An answer of 200 that is no event stream is a violation of the binding, and so
// is a connection that breaks off before the run ends. Any other status is the
// endpoint's right to refuse an input, and leaves nothing to judge.
func (r *report) live(ctx context.Context, o checkOptions, input []byte, c *check.Checker, stderr io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, o.timeout)
	defer cancel()
	resp, err := post(ctx, o, input)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: answered %d %s; there is no stream to check", r.file, resp.StatusCode, http.StatusText(resp.StatusCode))
	}
	if media, _, err := mime.ParseMediaType(resp.Header.Get("Content-Type")); err != nil || media != "text/event-stream" {
		return r.add(check.WrongContentType(resp.Header.Get("Content-Type")))
	}
	o.format = string(recorded.SSE)
	err = r.events(c, resp.Body, o)
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return timedOut(ctx, o)
	}
	if !r.lost {
		return err // of the output, not of the connection
	}
	if !r.quiet {
		_, _ = fmt.Fprintln(stderr, "agui-bridge check: the connection broke off:", err) // there is nobody else to tell
	}
	return nil
}

func timedOut(ctx context.Context, o checkOptions) error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s: the stream did not end within --timeout %s", displayName(o.source), o.timeout)
	}
	return fmt.Errorf("%s: interrupted", displayName(o.source))
}

// post sends the input. Its errors show neither headers nor what a URL may hide.
func post(ctx context.Context, o checkOptions, input []byte) (*http.Response, error) {
	name := displayName(o.source)
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, o.source, bytes.NewReader(input))
	if err != nil {
		return nil, fmt.Errorf("%s: want a URL like http://host:port/path", name)
	}
	req.Header = o.headers.Clone()
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream")
	if host := req.Header.Get("Host"); host != "" {
		req.Host = host
	}
	client := &http.Client{CheckRedirect: stayThere}
	resp, err := client.Do(req)
	if err == nil {
		return resp, nil
	}
	if ctx.Err() != nil {
		return nil, timedOut(ctx, o)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		err = wrapped.Err // without its URL
	}
	return nil, fmt.Errorf("%s: %w", name, err)
}

var (
	errElsewhere = errors.New("redirected to another host, which is not followed: what is sent is meant for this one")
	errNoPost    = errors.New("redirected in a way that makes the request a GET; the endpoint is somewhere else")
)

// stayThere follows redirects within one origin, which keep the method.
func stayThere(req *http.Request, via []*http.Request) error {
	switch first := via[0]; {
	case req.URL.Scheme != first.URL.Scheme || req.URL.Host != first.URL.Host:
		return errElsewhere
	case req.Method != http.MethodPost:
		return errNoPost
	case len(via) > 5:
		return errors.New("redirected more than 5 times")
	}
	return nil
}
