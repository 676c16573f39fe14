package gateway

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/coder/websocket"
	"go.uber.org/zap"
)

// A connection is a WebSocket and what is going on on it.
type connection struct {
	server *Server
	conn   *websocket.Conn
	ctx    context.Context // ends when the handler ends
	log    *zap.Logger

	pings sync.Mutex
	ping  *time.Timer
	work  sync.WaitGroup // goroutines of the socket
}

// write sends text frames. A client that does not take them within the write timeout loses
// its connection, and may come back for what it has missed.
func (c *connection) write(frames [][]byte) error { return c.send(websocket.MessageText, frames) }

func (c *connection) send(kind websocket.MessageType, frames [][]byte) error {
	ctx, cancel := context.WithTimeout(c.ctx, c.server.opts.WriteTimeout)
	defer cancel()
	for _, f := range frames {
		if err := c.conn.Write(ctx, kind, f); err != nil {
			return err
		}
	}
	return nil
}

// keepAlive pings on a timer; between pings it costs no goroutine.
func (c *connection) keepAlive() {
	c.pings.Lock()
	defer c.pings.Unlock()
	if c.ctx.Err() != nil {
		return // the handler is ending and waits for nothing new
	}
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
func (c *connection) stop() {
	c.pings.Lock()
	if c.ping.Stop() {
		c.work.Done()
	}
	c.pings.Unlock()
	_ = c.conn.CloseNow()
	c.work.Wait()
}

func (c *connection) close(code websocket.StatusCode, reason string) {
	if err := c.conn.Close(code, reason); err != nil {
		c.log.Debug("close", zap.Error(err))
	}
}

// goAway tells the client that the server ends; it may connect elsewhere.
func (c *connection) goAway() { c.close(websocket.StatusGoingAway, "the server is going away") }

// awaitLastWords waits for what is being written, for a moment; idle is nil if nothing is.
func (c *connection) awaitLastWords(idle <-chan struct{}) {
	if idle == nil {
		return
	}
	select {
	case <-idle:
	case <-time.After(lastWords):
	}
}
