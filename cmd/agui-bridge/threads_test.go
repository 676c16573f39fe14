package main

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/session"
)

// kept runs a bridge in which the thread "mail" asks, was answered, and is at rest, and
// returns its settings after it has stopped.
func kept(t *testing.T) []string {
	t.Helper()
	vars := []string{"STORE=embedded", "DATA_DIR=" + t.TempDir()}
	b := startBridge(t, vars...)
	post := func(path, body string) {
		t.Helper()
		res, err := http.Post("http://"+b.addr+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		if text, err := io.ReadAll(res.Body); err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %v, %d %s", path, err, res.StatusCode, text)
		}
	}
	post("/v1/agents/demo/agui", `{"threadId":"mail","runId":"r1","messages":[{"id":"u","role":"user","content":"email"}]}`)
	post("/v1/agents/demo/agui", `{"threadId":"other\u001b[2J","runId":"r1","messages":[{"id":"u","role":"user","content":"hello"}]}`)
	look := func() []byte {
		t.Helper()
		res, err := http.Get("http://" + b.addr + "/v1/threads/mail")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text, err := io.ReadAll(res.Body)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	text := look()
	id := regexp.MustCompile(`"pending":\[\{"id":"([^"]+)"`).FindSubmatch(text)
	if id == nil {
		t.Fatalf("nothing is open: %s", text)
	}
	post("/v1/threads/mail/requests/"+string(id[1]), `{"decision":{"approved":false,"reason":"not today"}}`)
	for begun := time.Now(); !bytes.Contains(look(), []byte(`"phase":"idle"`)); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("the run that goes on does not end: %s", look())
		}
	}
	b.stopped(t)
	return vars
}

func threads(t *testing.T, vars []string, args ...string) (string, error) {
	t.Helper()
	var out bytes.Buffer
	err := run(t.Context(), append([]string{"threads"}, args...), environ(append([]string(nil), vars...)...), &out, io.Discard)
	return out.String(), err
}

func TestThreadsAreListedAndTold(t *testing.T) {
	vars := kept(t)
	list, err := threads(t, vars)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`LAST ENTRY +ENTRIES +PHASE +OPEN +HELD +RUNS +THREAD`, `\d+ +idle +0 +0 +2 +mail\n`, `\d+ +idle +0 +0 +1 +other\x{FFFD}\[2J\n`} {
		if !regexp.MustCompile(want).MatchString(list) {
			t.Errorf("the list has no %s:\n%s", want, list)
		}
	}
	told, err := threads(t, vars, "mail")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`1  .*  input +asks for run r1 of demo \(agui, \d+ bytes\)`, `started +run r1 at demo\n`, `frames +run r1: \d+ frames`,
		`ended +run r1: interrupted`, `asked +run r1 asks .*\(approval\): send_email \{`, `answered +.* is denied by .*, "not today"`,
		`started +run .* at demo, goes on with r1\n`, `resume-sent +run .* is sent by process`, `ended +run .*: success`,
	} {
		if !regexp.MustCompile(want).MatchString(told) {
			t.Errorf("the log has no %s:\n%s", want, told)
		}
	}
	if strings.Contains(told, "TEXT_MESSAGE") {
		t.Error("frames are printed without being asked for")
	}
	if whole, err := threads(t, vars, "-v", "mail"); err != nil || !strings.Contains(whole, `{"type":"TEXT_MESSAGE_START"`) || !strings.Contains(whole, `"content":"email"`) {
		t.Errorf("%v:\n%s", err, whole)
	}
}

func TestThreadsRefuses(t *testing.T) {
	dir := t.TempDir()
	embedded := []string{"STORE=embedded", "DATA_DIR=" + dir}
	for _, tc := range []struct {
		rule, want string
		vars, args []string
	}{
		{"a store that keeps nothing", "STORE=memory", []string{"STORE=memory"}, nil},
		{"a directory that is not there", "DATA_DIR", []string{"DATA_DIR=" + filepath.Join(dir, "none")}, nil},
		{"two threads", "one thread at a time", embedded, []string{"a", "b"}},
		{"a thread that is not there", `unknown thread: "nobody"`, embedded, []string{"nobody"}},
		{"an unknown flag", "-x", embedded, []string{"-x"}},
	} {
		if _, err := threads(t, tc.vars, tc.args...); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.rule, err)
		}
	}
	if _, err := threads(t, embedded, "nobody"); !errors.Is(err, session.ErrUnknownThread) {
		t.Error(err)
	}
	b := startBridge(t, embedded...)
	if _, err := threads(t, embedded); err == nil || !strings.Contains(err.Error(), dir) {
		t.Errorf("while a bridge runs: %v", err)
	}
	b.stopped(t)
}

func TestOldThreadsAreDeleted(t *testing.T) {
	vars := kept(t)
	b := startBridge(t, append(vars[:2:2], "RETENTION=1ns")...)
	for begun := time.Now(); !strings.Contains(b.log.String(), "old threads deleted"); time.Sleep(5 * time.Millisecond) {
		if time.Since(begun) > 10*time.Second {
			t.Fatalf("nothing is deleted:\n%s", b.log)
		}
	}
	b.stopped(t)
	if list, err := threads(t, vars); err != nil || strings.Count(list, "\n") != 1 {
		t.Errorf("%v, left are:\n%s", err, list)
	}
}
