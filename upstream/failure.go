package upstream

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/agui-bridge/agui-bridge/session"
)

// The codes of what can go wrong with an agent.
const (
	CodeUnreachable session.Code = "upstream_unreachable"
	CodeStatus      session.Code = "upstream_status"
	CodeMalformed   session.Code = "upstream_malformed"
	CodeTruncated   session.Code = "upstream_truncated"
)

// errIdle is the cause of a stream's end when the agent was silent too long.
var errIdle = errors.New("the agent was silent for too long")

func fail(code session.Code, format string, args ...any) *session.Failure {
	return &session.Failure{Code: code, Message: fmt.Sprintf(format, args...)}
}

func (c *caller) unreachable(err error) *session.Failure {
	// The transport's own text names the configured address; what the caller learns is
	// the kind of failure, the log has the rest.
	c.log.Warn("agent unreachable", errField(err))
	return fail(CodeUnreachable, "agent %q cannot be reached", c.spec.Name)
}

func (c *caller) malformed(err error) *session.Failure {
	return fail(CodeMalformed, "agent %q sent something its protocol does not allow: %v", c.spec.Name, err)
}

func (c *caller) truncated() *session.Failure {
	return fail(CodeTruncated, "the stream of agent %q ended before its run did", c.spec.Name)
}

func (c *caller) badStatus(resp *http.Response) *session.Failure {
	return fail(CodeStatus, "agent %q answered with status %d", c.spec.Name, resp.StatusCode)
}

func (c *caller) badType(resp *http.Response) *session.Failure {
	kind, _, _ := strings.Cut(resp.Header.Get("Content-Type"), ";")
	if kind == "" {
		kind = "none"
	}
	return fail(CodeMalformed, "agent %q answered with content type %s, expected text/event-stream", c.spec.Name, kind)
}

// broken says why a stream ended early: the run was stopped, the agent was silent, or
// the connection broke.
func (c *caller) broken(ctx context.Context, err error) *session.Failure {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, session.ErrShutdown):
		return fail(session.CodeRunLost, "the bridge went down while the run was going on")
	case errors.Is(cause, errIdle):
		return fail(CodeTruncated, "agent %q was silent for %s", c.spec.Name, c.idle)
	}
	c.log.Warn("agent stream broke", errField(err))
	return c.truncated()
}

// cancelled reports whether somebody stopped the run.
func cancelled(ctx context.Context) bool { return errors.Is(context.Cause(ctx), session.ErrCancelled) }
