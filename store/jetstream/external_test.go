package jetstream

import (
	"fmt"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	js "github.com/nats-io/nats.go/jetstream"

	"github.com/agui-bridge/agui-bridge/store"
)

// An external is a server that listens on loopback. It can be stopped and
// started again on the same port and directory.
type external struct {
	t    testing.TB
	opts server.Options
	s    *server.Server
}

func startExternal(t testing.TB) *external {
	t.Helper()
	x := &external{t: t, opts: server.Options{Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true}}
	x.start()
	t.Cleanup(x.stop)
	return x
}

func (x *external) start() {
	x.t.Helper()
	opts := x.opts
	s, err := server.NewServer(&opts)
	if err != nil {
		x.t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(10 * time.Second) {
		x.t.Fatal("the server does not start")
	}
	x.opts.Port = s.Addr().(*net.TCPAddr).Port
	x.s = s
}

func (x *external) stop() {
	x.s.Shutdown()
	x.s.WaitForShutdown()
}

func (x *external) url() string { return fmt.Sprintf("nats://127.0.0.1:%d", x.opts.Port) }

// Two processes race for each place: one gets it, and both see the same log.
func TestTwoLogsRace(t *testing.T) {
	t.Parallel()
	s := startExternal(t)
	race(t, connected(t, s.url(), Options{}), connected(t, s.url(), Options{}), 100, entry)
}

func race(t *testing.T, a, b *Log, places uint64, made func(string) store.Entry) {
	t.Helper()
	won := [2]map[uint64]bool{{}, {}}
	var wg sync.WaitGroup
	for i, l := range []*Log{a, b} {
		wg.Go(func() {
			for place := range places {
				if _, err := l.Append(t.Context(), "t", place, made(fmt.Sprint(i))); err == nil {
					won[i][place] = true
				} else if !isConflict(err) {
					t.Errorf("append after %d: %v", place, err)
					return
				}
			}
		})
	}
	wg.Wait()
	for _, l := range []*Log{a, b} {
		got := bodies(t, l, "t", 0)
		if uint64(len(got)) != places {
			t.Errorf("%d entries, want %d", len(got), places)
		}
		for place, body := range got {
			if winner := body[0] - '0'; !won[winner][uint64(place)] || won[1-winner][uint64(place)] {
				t.Errorf("place %d holds %q, won by %v and %v", place, body[:1], won[0][uint64(place)], won[1][uint64(place)])
			}
		}
	}
}

// What another process appends rings here.
func TestDoorbellAcrossProcesses(t *testing.T) {
	s := startExternal(t)
	a, b := connected(t, s.url(), Options{}), connected(t, s.url(), Options{})
	for i := range uint64(50) {
		ch, stop := a.Watch("t")
		mustAppend(t, b, "t", i, entry("x"))
		select {
		case <-ch:
		case <-time.After(5 * time.Second):
			t.Fatal("it does not ring")
		}
		if n := len(bodies(t, a, "t", i)); n != 1 {
			t.Errorf("%d entries after it rang, want 1", n)
		}
		stop()
	}
}

// A stream that would drop entries is refused, with the reason.
func TestUnsuitableStream(t *testing.T) {
	s := startExternal(t)
	l := connected(t, s.url(), Options{})
	api, err := js.New(l.conn)
	if err != nil {
		t.Fatal(err)
	}
	c := l.wanted()
	c.MaxAge = time.Hour
	if _, err := api.UpdateStream(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if _, err := Connect(t.Context(), s.url(), Options{}); err == nil {
		t.Error("a stream with a maximum age is accepted")
	} else {
		t.Log(err)
	}
}

// In a cluster of three, entries are on a majority before they are acknowledged,
// and any node serves them.
func TestCluster(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("starts three servers")
	}
	urls := startCluster(t)
	a := connected(t, urls[0], Options{})
	b := connected(t, urls[1], Options{})
	if a.replicas != 3 {
		t.Fatalf("%d replicas", a.replicas)
	}
	race(t, a, b, 50, entry)
	for i := uint64(50); i < 150; i++ {
		ch, stop := b.Watch("t")
		mustAppend(t, a, "t", i, entry("0"))
		if got := bodies(t, a, "t", i); len(got) != 1 {
			t.Fatalf("who appended entry %d does not read it: %q", i+1, got)
		}
		select {
		case <-ch:
		case <-time.After(5 * time.Second):
			t.Fatal("it does not ring")
		}
		if got := bodies(t, b, "t", i); len(got) != 1 {
			t.Fatalf("who was told of entry %d does not read it: %q", i+1, got)
		}
		stop()
	}
}

func startCluster(t *testing.T) (urls [3]string) {
	t.Helper()
	var servers [3]*server.Server
	var routes []string
	var listeners []net.Listener // all open at once, so that the ports differ
	for range servers {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		routes = append(routes, "nats://"+l.Addr().String())
		listeners = append(listeners, l)
	}
	for _, l := range listeners {
		l.Close()
	}
	for i := range servers {
		_, port, _ := net.SplitHostPort(routes[i][len("nats://"):])
		opts := &server.Options{
			ServerName: fmt.Sprint("n", i), Host: "127.0.0.1", Port: -1, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true,
			Cluster: server.ClusterOpts{Name: "c", Host: "127.0.0.1"}, Routes: server.RoutesFromStr(routes[0] + "," + routes[1] + "," + routes[2]),
		}
		fmt.Sscan(port, &opts.Cluster.Port)
		s, err := server.NewServer(opts)
		if err != nil {
			t.Fatal(err)
		}
		servers[i] = s
	}
	t.Cleanup(func() {
		for _, s := range servers {
			s.Shutdown()
			s.WaitForShutdown()
		}
	})
	return startAll(t, servers)
}

func startAll(t *testing.T, servers [3]*server.Server) (urls [3]string) {
	t.Helper()
	for _, s := range servers {
		s.Start()
	}
	for i, s := range servers {
		if !s.ReadyForConnections(10 * time.Second) {
			t.Fatal("a server does not start")
		}
		urls[i] = s.ClientURL()
	}
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		for _, s := range servers {
			if s.JetStreamIsLeader() && len(s.JetStreamClusterPeers()) == len(servers) {
				return urls
			}
		}
		if time.Now().After(deadline) {
			t.Fatal("the cluster does not elect a leader")
		}
	}
}
