package gateway

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/zap"
)

// subprotocol is accepted when a client offers it, and not required.
const subprotocol = "ag-ui.v1"

// maxWaiting is how many inputs may wait on one socket while a run is streamed. A
// client that sends more is closed with 1008.
const maxWaiting = 32

// A socket is one AG-UI connection. Its handler reads; a second goroutine, which lives
// only while there is something to answer, runs one input after the other and writes.
// An idle socket costs one goroutine.
type socket struct {
	server *Server
	conn   *websocket.Conn
	agent  string
	actor  string
	ctx    context.Context // ends when the handler ends
	log    *zap.Logger

	mu      sync.Mutex
	waiting []clientFrame // inputs, and refusals that have to be said in their turn
	active  bool          // the answering goroutine lives
	work    sync.WaitGroup
	ping    *time.Timer
}

func (s *Server) aguiSocket(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("agent")
	if _, err := s.opts.Hub.Agent(name); err != nil {
		refuse(w, refusalOf(err))
		return
	}
	leave, ok := s.admit()
	if !ok {
		refuse(w, tooMany)
		return
	}
	defer leave()
	// guard has checked the origin already, against the same list for every route.
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{subprotocol}, InsecureSkipVerify: true})
	if err != nil {
		s.log.Debug("upgrade refused", zap.Error(err))
		return
	}
	conn.SetReadLimit(s.opts.MaxMessageBytes)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	c := &socket{server: s, conn: conn, agent: name, actor: actor(r), ctx: ctx, log: s.log.With(requestField(r.Context()), zap.String("agent", name))}
	s.track(c)
	defer s.untrack(c)
	c.keepAlive()
	c.read()
	cancel()
	c.stop()
}

var tooMany = &refusal{code: codeTooManyConnections, status: http.StatusServiceUnavailable, message: "too many connections"}

// read takes frames until the connection ends.
func (c *socket) read() {
	for {
		kind, raw, err := c.conn.Read(c.ctx)
		if err != nil {
			c.log.Debug("socket ended", zap.Error(err))
			return
		}
		if kind != websocket.MessageText {
			c.close(websocket.StatusUnsupportedData, "a frame must be text")
			return
		}
		frame, err := readClientFrame(raw)
		if err != nil {
			c.close(websocket.StatusInvalidFramePayloadData, errNotObject.Error())
			return
		}
		if !c.take(frame) {
			c.close(websocket.StatusPolicyViolation, "too many inputs wait on this socket")
			return
		}
	}
}

// take acts on a control frame at once, and lets everything else wait for its turn.
func (c *socket) take(f clientFrame) bool {
	if f.control == controlCancel {
		c.cancelRun(f.thread)
		return true
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.waiting) >= maxWaiting {
		return false
	}
	c.waiting = append(c.waiting, f)
	if !c.active {
		c.active = true
		c.work.Go(c.answerAll)
	}
	return true
}

func (c *socket) cancelRun(thread string) {
	err := c.server.opts.Hub.Cancel(c.ctx, thread, c.actor)
	if err == nil {
		return
	}
	c.log.Debug("cancel refused", zap.String("thread", thread), zap.Error(err))
	if id, quoteErr := jsontext.AppendQuote(nil, thread); quoteErr == nil {
		_ = c.write([][]byte{append(append([]byte(`{"type":"unknown-thread","threadId":`), id...), '}')})
	}
}

// answerAll answers what waits, in order, until nothing does.
func (c *socket) answerAll() {
	for {
		c.mu.Lock()
		if len(c.waiting) == 0 || c.ctx.Err() != nil {
			c.active = false
			c.mu.Unlock()
			return
		}
		next := c.waiting[0]
		c.waiting = c.waiting[1:]
		c.mu.Unlock()
		if err := c.answer(next); err != nil {
			c.log.Debug("socket cannot be written", zap.Error(err))
			_ = c.conn.CloseNow()
		}
	}
}

// answer streams the run of one input, or the refusal of it. The error is one of writing.
func (c *socket) answer(f clientFrame) error {
	if f.refused != nil {
		return c.write([][]byte{f.refused.event()})
	}
	reader, err := c.server.submitAGUI(c.ctx, c.agent, f.input, c.actor)
	if err != nil {
		c.log.Info("input refused", zap.Error(err))
		return c.write([][]byte{refusalOf(err).event()})
	}
	for events, err := range reader.events(c.ctx) {
		if err != nil {
			return nil // the client left; the run goes on
		}
		if err := c.write(events); err != nil {
			return err
		}
	}
	return nil
}

// write sends events, one in a frame. A client that does not take them within the
// write timeout loses its connection, and may come back for what it has missed.
func (c *socket) write(events [][]byte) error {
	ctx, cancel := context.WithTimeout(c.ctx, c.server.opts.WriteTimeout)
	defer cancel()
	for _, e := range events {
		if err := c.conn.Write(ctx, websocket.MessageText, e); err != nil {
			return err
		}
	}
	return nil
}

// keepAlive pings on a timer; between pings it costs no goroutine.
func (c *socket) keepAlive() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.work.Add(1)
	c.ping = time.AfterFunc(c.server.opts.KeepAlive, func() {
		defer c.work.Done()
		ctx, cancel := context.WithTimeout(c.ctx, c.server.opts.WriteTimeout)
		defer cancel()
		if err := c.conn.Ping(ctx); err != nil {
			if !errors.Is(c.ctx.Err(), context.Canceled) {
				_ = c.conn.CloseNow()
			}
			return
		}
		c.keepAlive()
	})
}

// stop waits for what the socket started.
func (c *socket) stop() {
	c.mu.Lock()
	if c.ping.Stop() {
		c.work.Done()
	}
	c.mu.Unlock()
	_ = c.conn.CloseNow()
	c.work.Wait()
}

func (c *socket) close(code websocket.StatusCode, reason string) {
	if err := c.conn.Close(code, reason); err != nil {
		c.log.Debug("close", zap.Error(err))
	}
}

// goAway tells the client that the server ends; it may connect elsewhere.
func (c *socket) goAway() { c.close(websocket.StatusGoingAway, "the server is going away") }
