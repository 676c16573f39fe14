package gateway

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/coder/websocket"
	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// maxChatRequests is how many requests of one socket may be answered at once. One more is
// refused with an error frame.
const maxChatRequests = 64

// A chatSocket is one connection of WebSocketChatTransport (ai 7.0.135 and later): many
// requests of many chats at once, each with answers that are numbered from 0. Its handler
// reads; each request that is being answered has a goroutine.
type chatSocket struct {
	connection
	agent   string
	actor   string
	profile aisdk.Profile

	mu       sync.Mutex
	requests map[string]*chatRequest // that are being answered, by id
	idle     chan struct{}           // closed when none is, if somebody waits for that
}

// A chatRequest is one request while it is answered.
type chatRequest struct {
	cancel context.CancelFunc
	ready  chan struct{} // closed when thread and feed are known, or nothing will be
	thread string
	feed   *session.Feed
}

// chatSocket serves a WebSocketChatTransport. It is of ai 7 by nature; a transport that
// somebody wrote for ai 6 says so.
func (s *Server) chatSocket(w http.ResponseWriter, r *http.Request) {
	agent, profile, leave, ok := s.chatAsked(w, r)
	if !ok {
		return
	}
	defer leave()
	if r.URL.Query().Get("profile") == "" {
		profile = aisdk.V7
	}
	// guard has checked the origin already, against the same list for every route.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true})
	if err != nil {
		s.log.Debug("upgrade refused", zap.Error(err))
		return
	}
	conn.SetReadLimit(s.opts.MaxMessageBytes)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	c := &chatSocket{
		connection: connection{server: s, conn: conn, ctx: ctx, log: s.log.With(requestField(r.Context()), zap.String("agent", agent))},
		agent:      agent, actor: actor(r), profile: profile, requests: map[string]*chatRequest{},
	}
	s.track(c)
	defer s.untrack(c)
	c.keepAlive()
	c.read()
	cancel()
	c.stop()
}

// read takes frames until the connection ends.
func (c *chatSocket) read() {
	for {
		kind, raw, err := c.conn.Read(c.ctx)
		if err != nil {
			c.log.Debug("socket ended", zap.Error(err))
			return
		}
		if kind != websocket.MessageText {
			c.close(websocket.StatusPolicyViolation, "a frame must be text")
			return
		}
		request, err := aisdk.ParseSocketRequest(raw)
		if err != nil {
			c.log.Info("frame refused", zap.Error(err))
			c.close(websocket.StatusPolicyViolation, "a frame must be a valid send, resume or abort")
			return
		}
		switch request := request.(type) {
		case *aisdk.SocketSendRequest:
			c.begin(request.RequestID, func(ctx context.Context) (*chatReader, error) {
				return c.server.submitChat(ctx, c.agent, request.Post(), nil, c.profile, c.actor)
			})
		case *aisdk.SocketResumeRequest:
			c.begin(request.RequestID, func(ctx context.Context) (*chatReader, error) {
				return c.server.activeChat(ctx, c.agent, request.ID, c.profile)
			})
		case *aisdk.SocketAbortRequest:
			c.abort(request.RequestID)
		}
	}
}

// begin answers a request. An id names one request: a second one under it cannot be told
// that it is refused, since an error would end the first, and closes the socket.
func (c *chatSocket) begin(id string, open func(context.Context) (*chatReader, error)) {
	ctx, cancel := context.WithCancel(c.ctx)
	request := &chatRequest{cancel: cancel, ready: make(chan struct{})}
	c.mu.Lock()
	_, known := c.requests[id]
	full := len(c.requests) >= maxChatRequests
	if !known && !full {
		c.requests[id] = request
	}
	c.mu.Unlock()
	switch {
	case known:
		cancel()
		c.close(websocket.StatusPolicyViolation, "a request of this id is being answered")
		return
	case full:
		cancel()
		c.say(aisdk.SocketResponse{Type: aisdk.SocketError, RequestID: id, ErrorText: aisdk.Set("too many requests are being answered on this socket")})
		return
	}
	c.work.Go(func() {
		defer cancel()
		c.answer(ctx, id, request, open)
		c.mu.Lock()
		delete(c.requests, id)
		if len(c.requests) == 0 && c.idle != nil {
			close(c.idle)
			c.idle = nil
		}
		c.mu.Unlock()
	})
}

// answer writes what a request gets. A run whose reader is gone goes on.
func (c *chatSocket) answer(ctx context.Context, id string, request *chatRequest, open func(context.Context) (*chatReader, error)) {
	reader, err := open(ctx)
	if reader != nil {
		request.thread, request.feed = reader.thread, reader.feed
	}
	close(request.ready)
	switch {
	case ctx.Err() != nil:
		return
	case err != nil:
		c.log.Info("chat refused", zap.Error(err))
		c.say(aisdk.SocketResponse{Type: aisdk.SocketError, RequestID: id, ErrorText: aisdk.Set(refusalOf(err).text())})
		return
	case reader == nil:
		c.say(aisdk.SocketResponse{Type: aisdk.SocketNoActive, RequestID: id})
		return
	}
	if reader.replay && !c.say(aisdk.SocketResponse{Type: aisdk.SocketStart, RequestID: id}) {
		return
	}
	if c.relay(ctx, id, reader) {
		c.say(aisdk.SocketResponse{Type: aisdk.SocketEnd, RequestID: id})
	}
}

// relay writes the chunks of a run, and reports whether all of them were.
func (c *chatSocket) relay(ctx context.Context, id string, reader *chatReader) bool {
	var number int64
	for chunks, err := range reader.chunks(ctx) {
		if err != nil {
			return false
		}
		frames := make([][]byte, len(chunks))
		for i, raw := range chunks {
			f, bad := aisdk.AppendSocketChunk(nil, id, number, raw)
			if bad != nil {
				c.log.Warn("chunk cannot be written", zap.Error(bad))
				return false
			}
			frames[i] = f
			number++
		}
		if err := c.write(frames); err != nil {
			c.log.Debug("socket cannot be written", zap.Error(err))
			_ = c.conn.CloseNow()
			return false
		}
	}
	return true
}

// say writes one frame, and reports whether it went out.
func (c *chatSocket) say(r aisdk.SocketResponse) bool {
	raw, err := r.Append(nil)
	if err == nil {
		err = c.write([][]byte{raw})
	}
	if err != nil {
		c.log.Debug("socket cannot be written", zap.Error(err))
		_ = c.conn.CloseNow()
	}
	return err == nil
}

// abort is what a person's stop sends: it stops the run, and nothing more is said of it.
func (c *chatSocket) abort(id string) {
	c.mu.Lock()
	request := c.requests[id]
	c.mu.Unlock()
	if request == nil {
		return // it is over
	}
	c.work.Go(func() {
		select { // a turn that is being submitted is stopped once it is
		case <-request.ready:
		case <-c.ctx.Done():
			return
		}
		request.cancel()
		if request.feed == nil {
			return
		}
		err := c.server.opts.Hub.CancelRun(context.WithoutCancel(c.ctx), request.thread, request.feed.RunID, c.actor)
		if err != nil && !errors.Is(err, session.ErrUnknownThread) {
			c.log.Warn("a run could not be stopped", zap.String("thread", request.thread), zap.Error(err))
		}
	})
}

// stop waits for what the socket started. Runs that it read go on, unless the bridge is set
// to stop what nobody reads.
func (c *chatSocket) stop() {
	c.mu.Lock()
	var left []*chatRequest
	for _, request := range c.requests {
		left = append(left, request)
	}
	c.mu.Unlock()
	c.connection.stop()
	for _, request := range left {
		c.server.left(c.ctx, request.thread, request.feed, c.actor, c.log)
	}
}

// goAway tells the client that the server ends, once what is being said was said: it may be
// how a run ended.
func (c *chatSocket) goAway() {
	c.mu.Lock()
	var idle chan struct{}
	if len(c.requests) > 0 {
		if c.idle == nil {
			c.idle = make(chan struct{})
		}
		idle = c.idle
	}
	c.mu.Unlock()
	c.awaitLastWords(idle)
	c.connection.goAway()
}
