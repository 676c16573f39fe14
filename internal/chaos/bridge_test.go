package chaos

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// A bridge is the real program, which is killed and started again on the same directory
// and address.
type bridge struct {
	bin, dir, addr, agent string

	mu  sync.Mutex
	cmd *exec.Cmd
	out bytes.Buffer
}

// build makes the program under test.
func build(t *testing.T) string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "agui-bridge")
	if out, err := exec.Command("go", "build", "-o", bin, "../../cmd/agui-bridge").CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	return bin
}

func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// start starts the program and waits until it answers.
func (b *bridge) start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.out.Reset()
	cmd := exec.Command(b.bin)
	cmd.Env = []string{
		"AGUI_BRIDGE_ADDR=" + b.addr, "AGUI_BRIDGE_DATA_DIR=" + b.dir, "AGUI_BRIDGE_STORE=embedded",
		"AGUI_BRIDGE_AGENTS=fake=agui+" + b.agent, "AGUI_BRIDGE_LOG_LEVEL=warn",
	}
	cmd.Stdout, cmd.Stderr = &b.out, &b.out
	if err := cmd.Start(); err != nil {
		return err
	}
	b.cmd = cmd
	for range 1000 {
		res, err := http.Get("http://" + b.addr + "/healthz")
		if err == nil {
			res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait()
	return fmt.Errorf("the bridge does not come up:\n%s", b.out.String())
}

// kill ends the program without a word.
func (b *bridge) kill() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.cmd == nil {
		return nil
	}
	err := b.cmd.Process.Kill()
	_ = b.cmd.Wait()
	b.cmd = nil
	if bytes.Contains(b.out.Bytes(), []byte("panic:")) || bytes.Contains(b.out.Bytes(), []byte("DATA RACE")) {
		return fmt.Errorf("before it was killed:\n%s", b.out.String())
	}
	return err
}

// do asks the bridge something; the body of what it says is to be closed.
func (b *bridge) do(ctx context.Context, method, path string, body []byte) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, method, "http://"+b.addr+path, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "text/event-stream, application/json")
	return http.DefaultClient.Do(req)
}
