package main

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const sseStream = "data: {\"type\":\"RUN_STARTED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\ndata: {\"type\":\"RUN_FINISHED\",\"threadId\":\"t\",\"runId\":\"r\"}\n\n"

// respond answers as an endpoint of the binding does.
func respond(w http.ResponseWriter, stream string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	_, _ = io.WriteString(w, stream)
}

// endpoints are agents of all sorts.
func endpoints(t *testing.T) *httptest.Server {
	t.Helper()
	mux := http.NewServeMux()
	mux.HandleFunc("POST /good", func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil || string(body) != smallInput || r.Header.Get("Accept") != "text/event-stream" || r.Header.Get("Content-Type") != "application/json" ||
			r.Header.Get("Authorization") != "s3cret: x" {
			http.Error(w, "not what is expected", http.StatusTeapot)
			return
		}
		respond(w, sseStream)
	})
	mux.HandleFunc("POST /bad", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, strings.Replace(sseStream, "RUN_STARTED", "CUSTOM", 1))
	})
	mux.HandleFunc("POST /unfinished", func(w http.ResponseWriter, _ *http.Request) { respond(w, strings.TrimSpace(sseStream)) })
	mux.HandleFunc("POST /empty", func(w http.ResponseWriter, _ *http.Request) { respond(w, "") })
	mux.HandleFunc("POST /json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, "{}")
	})
	mux.HandleFunc("POST /untyped", func(w http.ResponseWriter, _ *http.Request) { w.Header()["Content-Type"] = nil })
	mux.HandleFunc("POST /refuses", func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusUnprocessableEntity) })
	mux.HandleFunc("POST /breaks", func(w http.ResponseWriter, _ *http.Request) {
		respond(w, sseStream[:strings.Index(sseStream, "data: {\"type\":\"RUN_FINISHED")])
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	})
	mux.HandleFunc("POST /hangs", func(w http.ResponseWriter, r *http.Request) {
		respond(w, sseStream[:10])
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("POST /moved", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/good", http.StatusTemporaryRedirect)
	})
	mux.HandleFunc("POST /get", func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/good", http.StatusFound) })
	mux.HandleFunc("POST /circle", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "/circle", http.StatusPermanentRedirect)
	})
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("a redirect to another host was followed") }))
	mux.HandleFunc("POST /elsewhere", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL+"/?s3cret", http.StatusTemporaryRedirect)
	})
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		other.Close()
		http.DefaultClient.CloseIdleConnections()
	})
	return server
}

func TestCheckLive(t *testing.T) {
	server := endpoints(t)
	for _, tc := range []struct {
		path   string
		status int
		says   string
	}{
		{"/good", 0, "2 events, 0 errors"},
		{"/moved", 0, "2 events, 0 errors"},
		{"/bad", 1, "/bad:1: error missing_member event 0 CUSTOM"},
		{"/unfinished", 1, "/unfinished:3: error unfinished_event event 1: "},
		{"/empty", 1, "/empty:1: error truncated: the stream has no events"},
		{"/json", 1, `/json:1: error wrong_content_type: expected text/event-stream, got "application/json"`},
		{"/untyped", 1, "got no Content-Type"},
		{"/breaks", 1, "/breaks:1: error truncated event 0 RUN_STARTED"},
		{"/refuses", 2, "/refuses: answered 422 Unprocessable Entity"},
		{"/hangs", 2, "/hangs: the stream did not end within --timeout 200ms"},
		{"/get", 2, "makes the request a GET"},
		{"/circle", 2, "redirected more than"},
		{"/elsewhere", 2, "redirected to another host"},
		{"/none", 2, "answered 404 Not Found"},
	} {
		args := []string{strings.Replace(server.URL, "://", "://user:s3cret@", 1) + tc.path + "?key=s3cret", "--input", "-", "--header", "Authorization: s3cret: x"}
		if tc.path == "/hangs" {
			args = append(args, "--timeout", "200ms")
		}
		got := runCheckCommand(t, strings.NewReader(smallInput), args...)
		text := got.out + got.stderr
		if got.err != nil {
			text += got.err.Error()
		}
		if got.status != tc.status || !strings.Contains(text, tc.says) {
			t.Errorf("%s: status %d, want %d with %q:\n%s", tc.path, got.status, tc.status, tc.says, text)
		}
		if strings.Contains(text, "s3cret") {
			t.Errorf("%s: the secret is shown:\n%s", tc.path, text)
		}
	}
}

func TestCheckLiveFailures(t *testing.T) {
	server := endpoints(t)
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	for _, tc := range []struct{ name, url, input, header, says string }{
		{"nobody listens", gone.URL + "/?s3cret", smallInput, "X: s3cret", "refused"},
		{"a bad URL", "http://[s3cret", smallInput, "X: s3cret", "want a URL"},
		{"a bad header", server.URL + "/good", smallInput, "s3cret", "Name: value"},
		{"a bad header name", server.URL + "/good", smallInput, "a b: s3cret", "Name: value"},
		{"a bad input is not sent", server.URL + "/good", `{"threadId":"t","runId":"r"}`, "X: s3cret", "missing_member RunAgentInput /messages"},
	} {
		got := runCheckCommand(t, strings.NewReader(tc.input), tc.url, "--input", "-", "--header", tc.header)
		if got.err == nil {
			t.Errorf("%s: %+v", tc.name, got)
			continue
		}
		text := got.out + got.stderr + got.err.Error()
		if got.status != statusUnusable || !strings.Contains(text, tc.says) || strings.Contains(text, "s3cret") {
			t.Errorf("%s: status %d\n%s", tc.name, got.status, text)
		}
	}
}

// Whoever interrupts is heard, also while nothing comes.
func TestCheckIsInterrupted(t *testing.T) {
	server := endpoints(t)
	r, w := io.Pipe()
	defer w.Close()
	for name, tc := range map[string]struct {
		stdin io.Reader
		args  []string
	}{
		"live":           {strings.NewReader(smallInput), []string{server.URL + "/hangs", "--input", "-"}},
		"standard input": {r, []string{"--format", "jsonl"}},
	} {
		ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errors.New("too long"))
		time.AfterFunc(100*time.Millisecond, cancel)
		err := checkStream(ctx, tc.args, tc.stdin, io.Discard, io.Discard)
		var v *verdict
		if !errors.As(err, &v) || v.status != statusUnusable || !strings.Contains(err.Error(), "interrupted") {
			t.Errorf("%s: %v", name, err)
		}
		cancel()
	}
}

// The bridge itself has nothing to hide.
func TestCheckTheBridge(t *testing.T) {
	b := startBridge(t)
	for _, agent := range []string{"demo", "demo-aisdk"} {
		for _, word := range []string{"hello", "email", "ask", "think", "state", "parallel", "fail"} {
			input := strings.Replace(strings.Replace(smallInput, `"hello"`, `"`+word+`"`, 1), `"t"`, `"`+agent+word+`"`, 1)
			got := runCheckCommand(t, strings.NewReader(input), "http://"+b.addr+"/v1/agents/"+agent+"/agui", "--input", "-", "--strict")
			if got.status != 0 || got.out != "" {
				t.Errorf("%s, %s: status %d, %v\n%s%s", agent, word, got.status, got.err, got.out, got.stderr)
			}
		}
	}
	b.stopped(t)
}
