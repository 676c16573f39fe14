package main

import (
	"bufio"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
)

const slowInput = `{"threadId":"%","runId":"r","messages":[{"id":"m","role":"user","content":"slow 100"}]}`

// A stop must not look like a success to anybody: some clients take a stream that just
// ends for a finished run.
func TestAStopTellsReadersThatTheirRunIsLost(t *testing.T) {
	b := startBridge(t)
	resp, err := http.Post("http://"+b.addr+"/v1/agents/demo-aisdk/agui", "application/json", strings.NewReader(strings.Replace(slowInput, "%", "sse", 1)))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	conn, _, err := websocket.Dial(t.Context(), "ws://"+b.addr+"/v1/agents/demo/agui", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if err := conn.Write(t.Context(), websocket.MessageText, []byte(strings.Replace(slowInput, "%", "ws", 1))); err != nil {
		t.Fatal(err)
	}
	if _, _, err := conn.Read(t.Context()); err != nil { // the run goes on
		t.Fatal(err)
	}
	go b.stop()

	var lastEvent, lastFrame string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			lastEvent = data
		}
	}
	for {
		_, raw, err := conn.Read(t.Context())
		if err != nil {
			if code := websocket.CloseStatus(err); code != websocket.StatusGoingAway {
				t.Errorf("the socket is closed with %d (%v), want 1001", code, err)
			}
			break
		}
		lastFrame = string(raw)
	}
	for where, last := range map[string]string{"stream": lastEvent, "socket": lastFrame} {
		if !strings.Contains(last, `"RUN_ERROR"`) || !strings.Contains(last, `"run_lost"`) {
			t.Errorf("the last of the %s is %s", where, last)
		}
	}
	b.stopped(t)
}
