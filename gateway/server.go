package gateway

import (
	"context"
	"net/http"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// Options say what a Server works with. Hub is required.
type Options struct {
	Hub             *session.Hub
	MaxMessageBytes int64         // of one input; 0: 8 MiB
	MaxConnections  int           // sockets and streams at once; 0: 10,000
	AllowedOrigins  []string      // of browsers, besides the same origin: scheme://host[:port]
	ChatProfile     aisdk.Profile // of chats over HTTP that ask for none; 0: v6
	// CancelOnDisconnect stops a run when its last reader loses its connection.
	CancelOnDisconnect bool
	WriteTimeout       time.Duration // for a reader that does not take what is written; 0: 10 s
	KeepAlive          time.Duration // between pings, and between SSE comments; 0: 25 s
	Version            string        // shown by /healthz
	Logger             *zap.Logger   // nil: silent
}

// The defaults of Options.
const (
	DefaultMaxMessageBytes = 8 << 20
	DefaultMaxConnections  = 10_000
	DefaultWriteTimeout    = 10 * time.Second
	DefaultKeepAlive       = 25 * time.Second
)

// A Server serves front ends over HTTP. Close it after the hub.
type Server struct {
	opts    Options
	log     *zap.Logger
	handler http.Handler
	origins origins

	mu      sync.Mutex
	sockets map[goer]struct{}
	streams int // open SSE responses
	closed  bool
	busy    sync.WaitGroup // handlers of sockets and streams
	ending  context.Context
	end     context.CancelFunc
}

// NewServer makes a server; it is an http.Handler.
func NewServer(o Options) *Server {
	if o.MaxMessageBytes == 0 {
		o.MaxMessageBytes = DefaultMaxMessageBytes
	}
	if o.MaxConnections == 0 {
		o.MaxConnections = DefaultMaxConnections
	}
	if o.WriteTimeout == 0 {
		o.WriteTimeout = DefaultWriteTimeout
	}
	if o.KeepAlive == 0 {
		o.KeepAlive = DefaultKeepAlive
	}
	if o.ChatProfile == 0 {
		o.ChatProfile = aisdk.V6
	}
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	s := &Server{opts: o, log: o.Logger, sockets: map[goer]struct{}{}, origins: origins{allowed: o.AllowedOrigins, log: o.Logger}}
	s.ending, s.end = context.WithCancel(context.Background())
	s.handler = identify(s.origins.guard(s.routes()))
	return s
}

// routes is the one place that says which path does what.
func (s *Server) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/agents/{agent}/agui", s.aguiSocket)
	mux.HandleFunc("POST /v1/agents/{agent}/agui", s.aguiStream)
	mux.HandleFunc("GET /v1/agents/{agent}/aisdk", s.chatSocket)
	mux.HandleFunc("POST /v1/agents/{agent}/aisdk", s.chatStream)
	mux.HandleFunc("GET /v1/agents/{agent}/aisdk/{stream...}", s.chatResume)
	mux.HandleFunc("GET /v1/agents/{agent}/capabilities", s.capabilities)
	mux.HandleFunc("GET /v1/agents", s.agents)
	mux.HandleFunc("GET /v1/threads/{thread}", s.thread)
	mux.HandleFunc("POST /v1/threads/{thread}/cancel", s.cancelThread)
	mux.HandleFunc("POST /v1/threads/{thread}/requests/{request}", s.answer)
	mux.HandleFunc("GET /v1/inbox", s.inboxList)
	mux.HandleFunc("GET /v1/inbox/ws", s.inboxSocket)
	mux.HandleFunc("GET /healthz", s.health)
	mux.HandleFunc("/", s.notFound)
	return mux
}

// ServeHTTP serves one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

func (s *Server) health(w http.ResponseWriter, _ *http.Request) {
	writeJSON(w, http.StatusOK, map[string]string{"status": "ok", "version": s.opts.Version})
}

func (s *Server) notFound(w http.ResponseWriter, r *http.Request) {
	refuse(w, &refusal{code: codeNotFound, status: http.StatusNotFound, message: "there is nothing at " + r.Method + " " + r.URL.Path})
}

// admit counts a connection in, or reports that there are too many. Call the returned
// function when it is over.
func (s *Server) admit() (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed || s.streams >= s.opts.MaxConnections {
		return nil, false
	}
	s.streams++
	s.busy.Add(1)
	return func() {
		s.mu.Lock()
		s.streams--
		s.mu.Unlock()
		s.busy.Done()
	}, true
}

// A goer is a socket that can be told to go away.
type goer interface{ goAway() }

func (s *Server) track(c goer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sockets[c] = struct{}{}
	if s.closed {
		go c.goAway()
	}
}

func (s *Server) untrack(c goer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.sockets, c)
}

// lastWords is how long a connection may go on writing after Close: long enough to say
// how a run ended.
const lastWords = 500 * time.Millisecond

// Close tells every socket that the server goes away (1001), ends every stream with a
// failure, and waits for the handlers until ctx ends. Close the hub before: then what
// they say is how their runs ended.
func (s *Server) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	open := make([]goer, 0, len(s.sockets))
	for c := range s.sockets {
		open = append(open, c)
	}
	s.mu.Unlock()
	for _, c := range open {
		go c.goAway()
	}
	done := make(chan struct{})
	go func() { s.busy.Wait(); close(done) }()
	defer s.end()
	select {
	case <-done:
		return nil
	case <-time.After(lastWords):
		s.end()
	}
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
