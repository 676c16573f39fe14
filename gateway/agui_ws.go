package gateway

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/coder/websocket"
	"go.uber.org/zap"
)

// maxWaiting is how many inputs may wait on one socket while a run is streamed. A
// client that sends more is closed with 1008.
const maxWaiting = 32

// A socket is one AG-UI connection. Its handler reads and submits; a second goroutine,
// which lives only while there is something to answer, streams one run after the other.
// An idle socket costs one goroutine.
type socket struct {
	connection
	agent  string
	actor  string
	binary *binaryForm // of events, or nil: they go out as text

	follows map[string]context.CancelFunc // by thread: ends following it
	awaited map[*aguiReader]func()        // what inputs of this socket are still to be told, with how to leave it
	mine    map[string]bool               // runs that inputs of this socket are answered by, until a follower has seen them

	order sync.Mutex               // held while an input is submitted and lined up, so that turns follow the begin of runs
	held  map[string]chan struct{} // by thread: closed when the newest held input of it has its turn

	mu      sync.Mutex
	waiting int           // answers that are not being written yet, ready or not
	ready   []answer      // in the order in which their runs began
	active  bool          // the writing goroutine lives
	idle    chan struct{} // closed when active ends, if somebody waits for that
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
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: offered(r.Header), InsecureSkipVerify: true})
	if err != nil {
		s.log.Debug("upgrade refused", zap.Error(err))
		return
	}
	conn.SetReadLimit(s.opts.MaxMessageBytes)
	ctx, cancel := context.WithCancel(context.WithoutCancel(r.Context()))
	c := &socket{
		connection: connection{server: s, conn: conn, ctx: ctx, log: s.log.With(requestField(r.Context()), zap.String("agent", name))},
		agent:      name, actor: actor(r),
		held: map[string]chan struct{}{}, follows: map[string]context.CancelFunc{}, mine: map[string]bool{}, awaited: map[*aguiReader]func(){},
	}
	if conn.Subprotocol() == binarySubprotocol {
		c.binary = plainForm(c.log)
	}
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

// An answer is what an input gets: the events of a run, or a refusal.
type answer struct {
	lead    [][]byte // control frames that come first
	reader  *aguiReader
	events  [][]byte // instead of a reader
	refused *refusal
	said    chan struct{}   // closed when it was written; nil if nobody waits for it
	ctx     context.Context // ends it early; nil: only the socket's end does
}

// take acts on a frame at once; what it has to say waits for its turn. A held input
// must not hold up the answer it waits for, so turns come in the order in which runs
// begin. It reports false if too much waits.
func (c *socket) take(f clientFrame) bool {
	switch f.control {
	case controlCancel:
		c.cancelRun(f.thread)
		return true
	case controlDetach:
		c.detach(f.thread)
		return true
	}
	c.mu.Lock()
	full := c.waiting >= maxWaiting
	if !full {
		c.waiting++
	}
	c.mu.Unlock()
	if full {
		return false
	}
	if f.refused != nil {
		c.turn(answer{refused: f.refused})
		return true
	}
	if f.control == controlAttach {
		return c.attach(f)
	}
	c.order.Lock()
	defer c.order.Unlock()
	reader, err := c.server.submitAGUI(c.ctx, c.agent, f.input, c.actor)
	if err != nil {
		c.log.Info("input refused", zap.Error(err))
		c.turn(answer{refused: refusalOf(err)})
		return true
	}
	if c.binary != nil {
		reader.modern()
	}
	c.mu.Lock()
	c.awaited[reader] = reader.feed.Join()
	c.mu.Unlock()
	if c.follows[reader.thread] != nil {
		c.mine[reader.feed.RunID] = true
	}
	select {
	case <-reader.feed.Began():
		c.turn(answer{reader: reader})
	default:
		before, mine := c.held[reader.thread], make(chan struct{})
		c.held[reader.thread] = mine
		c.work.Go(func() { c.hold(reader, before, mine) })
	}
	return true
}

// over takes note that what was asked for was answered.
func (c *socket) over(reader *aguiReader) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if leave := c.awaited[reader]; leave != nil {
		leave()
		delete(c.awaited, reader)
	}
}

// stop waits for what the socket started, and leaves the runs that it asked for and has not
// read to the end.
func (c *socket) stop() {
	c.connection.stop()
	for _, leave := range c.awaited {
		leave()
	}
	for reader := range c.awaited {
		c.server.left(c.ctx, reader.thread, reader.feed, c.actor, c.log)
	}
}

// hold waits until a held input runs, and until the one held before it, which ran
// before it, has its turn.
func (c *socket) hold(reader *aguiReader, before <-chan struct{}, mine chan struct{}) {
	defer close(mine)
	if !c.wait(reader.feed.Began()) || before != nil && !c.wait(before) {
		return
	}
	c.order.Lock()
	defer c.order.Unlock()
	c.turn(answer{reader: reader})
	if c.held[reader.thread] == mine {
		delete(c.held, reader.thread)
	}
}

// wait reports false if the socket ends first.
func (c *socket) wait(event <-chan struct{}) bool {
	select {
	case <-event:
		return true
	case <-c.ctx.Done():
		return false
	}
}

// turn lines an answer up, and sees to it that somebody writes.
func (c *socket) turn(a answer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ready = append(c.ready, a)
	if !c.active {
		c.active = true
		c.work.Go(c.answerAll)
	}
}

func (c *socket) cancelRun(thread string) {
	err := c.server.opts.Hub.Cancel(c.ctx, thread, c.actor)
	if err == nil {
		return
	}
	c.log.Debug("cancel refused", zap.String("thread", thread), zap.Error(err))
	_ = c.write([][]byte{unknownThread(thread)}) // the client is gone if this fails
}

// answerAll writes what is ready, in order, until nothing is.
func (c *socket) answerAll() {
	for {
		c.mu.Lock()
		if len(c.ready) == 0 || c.ctx.Err() != nil {
			c.active = false
			if c.idle != nil {
				close(c.idle)
				c.idle = nil
			}
			c.mu.Unlock()
			return
		}
		next := c.ready[0]
		c.ready = c.ready[1:]
		c.waiting--
		c.mu.Unlock()
		if err := c.say(next); err != nil {
			c.log.Debug("socket cannot be written", zap.Error(err))
			_ = c.conn.CloseNow()
		}
		if next.said != nil {
			close(next.said)
		}
	}
}

// say writes one answer. The error is one of writing.
func (c *socket) say(a answer) error {
	if err := c.write(a.lead); err != nil {
		return err
	}
	if a.refused != nil {
		return c.events([][]byte{a.refused.event()})
	}
	if a.reader == nil {
		return c.events(a.events)
	}
	if a.ctx == nil {
		a.ctx = c.ctx
	}
	for events, err := range a.reader.events(a.ctx) {
		if err != nil {
			return nil // the client left, or follows no longer
		}
		if err := c.events(events); err != nil {
			if errors.Is(err, errNoForm) {
				c.over(a.reader)
				return nil // the client knows; the run goes on
			}
			return err
		}
	}
	c.over(a.reader)
	return nil
}

// goAway tells the client that the server ends; it may connect elsewhere. What is
// being written gets a moment: it may be how a run ended.
func (c *socket) goAway() {
	c.mu.Lock()
	var idle chan struct{}
	if c.active {
		if c.idle == nil {
			c.idle = make(chan struct{})
		}
		idle = c.idle
	}
	c.mu.Unlock()
	c.awaitLastWords(idle)
	c.connection.goAway()
}
