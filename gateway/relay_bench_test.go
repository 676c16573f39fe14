package gateway

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/internal/sse"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// BenchmarkRelayTextDelta measures what one text delta costs on its way from an agent to a
// front end, in all four pairings: parse, check, through the feed and the log, and out as
// an event or a chunk.
func BenchmarkRelayTextDelta(b *testing.B) {
	agents := map[session.Protocol]wire{
		session.AGUI: {
			head: []string{
				`{"type":"RUN_STARTED","threadId":"t","runId":"r1"}`,
				`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
			},
			delta: `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a few words "}`,
			tail:  []string{`{"type":"TEXT_MESSAGE_END","messageId":"m"}`, `{"type":"RUN_FINISHED","threadId":"t","runId":"r1"}`},
		},
		session.AISDK: {
			head:  []string{`{"type":"start","messageId":"m"}`, `{"type":"start-step"}`, `{"type":"text-start","id":"1"}`},
			delta: `{"type":"text-delta","id":"1","delta":"a few words "}`,
			tail:  []string{`{"type":"text-end","id":"1"}`, `{"type":"finish-step"}`, `{"type":"finish"}`},
		},
	}
	fronts := map[session.Protocol]func(*Server) (batches, error){
		session.AGUI: func(s *Server) (batches, error) {
			reader, err := s.submitAGUI(b.Context(), "bench", []byte(input("t", "r1", "go")), "bench")
			return reader.events, err
		},
		session.AISDK: func(s *Server) (batches, error) {
			raw := []byte(`{"id":"t","messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"go"}]}]}`)
			post, err := aisdk.ParseChatPost(raw)
			if err != nil {
				return nil, err
			}
			reader, err := s.submitChat(b.Context(), "bench", post, raw, aisdk.V7, "bench")
			return reader.chunks, err
		},
	}
	protocols := []session.Protocol{session.AGUI, session.AISDK}
	for _, front := range protocols {
		for _, agent := range protocols {
			b.Run(string(agent)+" to "+string(front), func(b *testing.B) { relay(b, agent, agents[agent], fronts[front]) })
		}
	}
}

// batches is what a reader of a run gives.
type batches func(context.Context) iter.Seq2[[][]byte, error]

// A wire is what an agent sends: one delta, any number of times.
type wire struct {
	head  []string
	delta string
	tail  []string
}

func relay(b *testing.B, protocol session.Protocol, w wire, ask func(*Server) (batches, error)) {
	begin := make(chan struct{})
	agent := stub{name: "bench", protocol: protocol, run: func(_ context.Context, _ session.Call, yield func(session.Output, error) bool) {
		check := checker(protocol)
		say := func(text string) bool {
			data := []byte(text) // a reader of SSE hands out bytes of its own, too
			if err := check(data); err != nil {
				return yield(session.Output{}, err)
			}
			return yield(session.Output{Frame: data}, nil)
		}
		for _, text := range w.head {
			say(text)
		}
		<-begin
		for range b.N {
			if !say(w.delta) {
				return
			}
		}
		for _, text := range w.tail {
			say(text)
		}
		yield(session.Output{End: &session.End{Status: session.Success, Spoken: true}}, nil)
	}}
	r := newRig(b, func(h *session.Options, _ *Options) { h.Agents = []session.Agent{agent} })
	read, err := ask(r.server)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	b.SetBytes(int64(len(w.delta)))
	b.ResetTimer()
	close(begin)
	var buf []byte
	events := 0
	for batch, err := range read(b.Context()) {
		if err != nil {
			b.Fatal(err)
		}
		buf = buf[:0]
		for _, e := range batch {
			buf = sse.Append(buf, e)
		}
		if _, err := io.Discard.Write(buf); err != nil {
			b.Fatal(err)
		}
		events += len(batch)
	}
	b.StopTimer()
	if events < b.N+4 {
		b.Fatalf("%d events for %d deltas", events, b.N)
	}
}

// checker checks the frames of one run as package upstream does.
func checker(p session.Protocol) func([]byte) error {
	if p == session.AGUI {
		var v agui.Verifier
		return func(raw []byte) error {
			f, _, err := agui.ParseFrame(raw)
			if err != nil {
				return err
			}
			return v.Next(f)
		}
	}
	var r aisdk.Reducer
	return func(raw []byte) error {
		f, _, err := aisdk.ParseFrame(raw)
		if err != nil {
			return err
		}
		return r.Apply(f)
	}
}

// BenchmarkIdleSocket reports what a socket costs that nothing happens on. The other
// end is a bare TCP connection, which costs next to nothing.
func BenchmarkIdleSocket(b *testing.B) {
	const sockets = 400
	var used uint64
	for range b.N {
		used += idle(b, sockets)
	}
	b.ReportMetric(float64(used)/float64(b.N*sockets), "B/socket")
}

func idle(b *testing.B, sockets int) uint64 {
	r := newRig(b)
	conns := make([]net.Conn, 0, sockets)
	before := memory()
	for range sockets {
		conns = append(conns, upgrade(b, r))
	}
	after := memory()
	for _, c := range conns {
		c.Close()
	}
	return max(after, before) - before
}

func upgrade(b *testing.B, r *rig) net.Conn {
	b.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(r.web.URL, "http://"))
	if err != nil {
		b.Fatal(err)
	}
	const request = "GET /v1/agents/demo/agui HTTP/1.1\r\nHost: bench\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
	if _, err := fmt.Fprint(c, request); err != nil {
		b.Fatal(err)
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil || resp.StatusCode != http.StatusSwitchingProtocols {
		b.Fatalf("upgrade: %v, %v", resp, err)
	}
	resp.Body.Close()
	return c
}

// memory is what the heap and the stacks hold once the garbage is gone.
func memory() uint64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc + m.StackInuse
}
