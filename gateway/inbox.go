package gateway

import (
	"context"
	"net/http"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json"
	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/session"
)

// inboxList gives every request that waits for an answer, on all threads, oldest first.
func (s *Server) inboxList(w http.ResponseWriter, r *http.Request) {
	inbox, err := s.opts.Hub.Inbox(r.Context())
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	writeJSON(w, http.StatusOK, struct {
		Requests []requestView `json:"requests"`
	}{viewOpen(inbox.Open())})
}

func viewOpen(open []session.OpenRequest) []requestView {
	views := make([]requestView, len(open))
	for i, o := range open {
		views[i] = viewRequest(o.ThreadID, session.Run{Agent: o.Agent}, o.Request)
	}
	return views
}

// An inboxFrame is a change of the live inbox.
type inboxFrame struct {
	Type      string        `json:"type"`              // raised or settled
	Request   *requestView  `json:"request,omitzero"`  // raised
	ThreadID  string        `json:"threadId,omitzero"` // settled, like what follows
	RequestID string        `json:"requestId,omitzero"`
	Response  *responseView `json:"response,omitzero"`
	Actor     string        `json:"actor,omitzero"`
	Expired   bool          `json:"expired,omitzero"`
}

func viewChange(c session.Change) ([]byte, error) {
	switch {
	case c.Raised != nil:
		view := viewRequest(c.Raised.ThreadID, session.Run{Agent: c.Raised.Agent}, c.Raised.Request)
		return json.Marshal(inboxFrame{Type: "raised", Request: &view})
	case c.Settled != nil:
		done := c.Settled.Settled
		view := viewResponse(done.Response)
		return json.Marshal(inboxFrame{
			Type: "settled", ThreadID: c.Settled.ThreadID, RequestID: done.Request.ID, Response: &view, Actor: done.Response.Actor, Expired: done.Expired,
		})
	}
	return json.Marshal(struct {
		Type     string        `json:"type"`
		Requests []requestView `json:"requests"`
	}{"snapshot", viewOpen(c.Snapshot)})
}

// inboxSocket sends the inbox and then each change of it, for as long as the client
// listens. What the client sends is not read for more than its end.
func (s *Server) inboxSocket(w http.ResponseWriter, r *http.Request) {
	inbox, err := s.opts.Hub.Inbox(r.Context())
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	leave, ok := s.admit()
	if !ok {
		refuse(w, tooMany)
		return
	}
	defer leave()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // guard has checked the origin
	if err != nil {
		s.log.Debug("upgrade refused", zap.Error(err))
		return
	}
	ctx, cancel := context.WithCancel(conn.CloseRead(context.WithoutCancel(r.Context())))
	defer cancel()
	defer context.AfterFunc(s.ending, cancel)()
	stopPings := s.pings(ctx, conn)
	defer stopPings()
	for change := range inbox.Follow(ctx) {
		raw, err := viewChange(change)
		if err == nil {
			err = s.sendText(ctx, conn, raw)
		}
		if err != nil {
			s.log.Debug("inbox cannot be written", zap.Error(err))
			_ = conn.Close(websocket.StatusCode(4008), "too slow") // it may be gone already
			return
		}
	}
	code, why := websocket.StatusNormalClosure, ""
	if s.ending.Err() != nil {
		code, why = websocket.StatusGoingAway, "the bridge goes down"
	}
	_ = conn.Close(code, why) // it may be gone already
}

func (s *Server) sendText(ctx context.Context, conn *websocket.Conn, raw []byte) error {
	ctx, cancel := context.WithTimeout(ctx, s.opts.WriteTimeout)
	defer cancel()
	return conn.Write(ctx, websocket.MessageText, raw)
}

// pings keeps a socket from looking dead until stop is called, and ends it when nobody
// answers.
func (s *Server) pings(ctx context.Context, conn *websocket.Conn) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(s.opts.KeepAlive)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
			case <-ctx.Done():
				return
			}
			ping, end := context.WithTimeout(ctx, s.opts.WriteTimeout)
			err := conn.Ping(ping)
			end()
			if err != nil && ctx.Err() == nil {
				_ = conn.CloseNow() // it may be gone already
				return
			}
		}
	}()
	return func() { cancel(); <-done }
}
