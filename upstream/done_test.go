package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/agui-bridge/agui-bridge/session"
)

// [DONE] ends a stream that left out finish, but makes no half message whole.
func TestDoneWithoutFinish(t *testing.T) {
	const open = `{"type":"start"} {"type":"start-step"} {"type":"text-start","id":"1"} {"type":"text-delta","id":"1","delta":"hi"}`
	for _, tc := range []struct {
		rule, chunks string
		want         session.Code
	}{
		{"a whole message", open + ` {"type":"text-end","id":"1"}`, ""},
		{"a half message", open, CodeTruncated},
		{"nothing", "", CodeTruncated},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				for _, chunk := range splitChunks(tc.chunks) {
					_, _ = fmt.Fprintf(w, "data: %s\n\n", chunk)
				}
				_, _ = fmt.Fprint(w, "data: [DONE]\n\n")
			}))
			defer server.Close()
			agent, err := New(Spec{Name: "a", Scheme: "aisdk+http", Target: server.URL}, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var code session.Code
			for out, err := range agent.Run(t.Context(), session.Call{
				ThreadID: "t", RunID: "r", First: "r", Protocol: session.AGUI,
				Input: []byte(`{"threadId":"t","runId":"r","messages":[]}`),
			}) {
				var f *session.Failure
				if errors.As(err, &f) {
					code = f.Code
				}
				_ = out
			}
			if code != tc.want {
				t.Errorf("got code %q, want %q", code, tc.want)
			}
		})
	}
}

func splitChunks(list string) []string {
	var chunks []string
	depth, from := 0, 0
	for i, c := range list {
		switch c {
		case '{':
			if depth == 0 {
				from = i
			}
			depth++
		case '}':
			if depth--; depth == 0 {
				chunks = append(chunks, list[from:i+1])
			}
		}
	}
	return chunks
}
