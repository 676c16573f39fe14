package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/internal/findings"
	"github.com/agui-bridge/agui-bridge/protocol/agui/check"
)

var update = flag.Bool("update", false, "write the golden files")

const (
	cleanStream   = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n" + `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n"
	warningStream = `{"type":"RUN_STARTED","threadId":"t","runId":"r","x":1}` + "\n" + `{"type":"RUN_FINISHED","threadId":"t","runId":"r"}` + "\n"
	badStream     = `{"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n"
	smallInput    = `{"threadId":"t","runId":"r","messages":[{"id":"m","role":"user","content":"hello"}]}`
)

// checked is what one call of the command gave.
type checked struct {
	status      int
	err         error
	out, stderr string
}

func runCheckCommand(t testing.TB, stdin io.Reader, args ...string) checked {
	t.Helper()
	var out, stderr bytes.Buffer
	err := checkStream(t.Context(), args, stdin, &out, &stderr)
	c := checked{out: out.String(), stderr: stderr.String()}
	if err != nil {
		var v *verdict
		if !errors.As(err, &v) {
			t.Fatalf("%v does not decide the exit status", err)
		}
		c.status, c.err = v.status, v.err
	}
	return c
}

func writeFile(t *testing.T, name, text string) string {
	t.Helper()
	name = filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// The outputs for one broken stream. go test -update writes them.
func TestCheckGolden(t *testing.T) {
	for _, tc := range []struct{ flag, golden string }{{"", "broken.txt"}, {"--json", "broken.json.txt"}} {
		args := []string{filepath.Join("testdata", "check", "broken.jsonl")}
		if tc.flag != "" {
			args = append(args, tc.flag)
		}
		got := runCheckCommand(t, nil, args...)
		if got.status != statusViolations || got.err != nil {
			t.Errorf("%s: status %d, %v", tc.flag, got.status, got.err)
		}
		golden := filepath.Join("testdata", "check", tc.golden)
		if *update {
			if err := os.WriteFile(golden, []byte(got.out), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got.out); diff != "" {
			t.Errorf("%s (-want +got)\n%s", golden, diff)
		}
		if want := "agui-bridge check: 10 events, 5 errors, 2 warnings\n"; got.stderr != want {
			t.Errorf("summary %q, want %q", got.stderr, want)
		}
	}
}

func TestCheckSARIF(t *testing.T) {
	got := runCheckCommand(t, strings.NewReader(badStream), "--sarif")
	var doc struct {
		Version string `json:"version"`
		Runs    []struct {
			Results []struct {
				RuleID string `json:"ruleId"`
			} `json:"results"`
		} `json:"runs"`
	}
	if err := json.Unmarshal([]byte(got.out), &doc); err != nil || doc.Version != "2.1.0" || doc.Runs[0].Results[0].RuleID != "truncated" || got.status != statusViolations {
		t.Errorf("status %d, %v, %+v", got.status, err, doc)
	}
	if got := runCheckCommand(t, strings.NewReader("hello"), "--sarif"); got.status != statusUnusable || !strings.Contains(got.out, `"results": []`) {
		t.Errorf("input that cannot be used: status %d, %s", got.status, got.out)
	}
}

func TestCheckStatus(t *testing.T) {
	input := writeFile(t, "input.json", smallInput)
	badInput := writeFile(t, "bad.json", `{"threadId":1,"runId":"r","messages":[]}`)
	otherInput := writeFile(t, "other.json", `{"threadId":"other","runId":"r","messages":[],"y":1}`)
	sse := strings.ReplaceAll(cleanStream, "\n", "\n\n")
	sse = strings.ReplaceAll(sse, "{\"type", "data: {\"type")
	for _, tc := range []struct {
		name, stdin, args string
		status            int
		says              string // in one of the outputs
	}{
		{"clean", cleanStream, "", 0, "2 events, 0 errors, 0 warnings"},
		{"clean, by name", cleanStream, "-", 0, "2 events"},
		{"an array", "[" + strings.Replace(cleanStream, "\n", ",", 1) + "]", "", 0, "2 events"},
		{"server-sent events", sse, "", 0, "2 events"},
		{"an object that holds them", `{"name":"x","stream":[` + strings.Replace(cleanStream, "\n", ",", 1) + `],"input":{"threadId":"u"}}`, "", 1, "thread_mismatch"},
		{"the format is given", sse, "--format=jsonl", 1, "invalid_json"},
		{"a warning", warningStream, "", 0, "stdin:1: warning unknown_property event 0 RUN_STARTED /x: unknown property\n"},
		{"a warning counts", warningStream, "--strict", 1, "unknown_property"},
		{"a violation", badStream, "", 1, "stdin:1: error truncated event 0 RUN_STARTED: "},
		{"nothing", "", "", 1, "no events"},
		{"an input", cleanStream, "--input " + input, 0, "2 events"},
		{"an input of another thread", cleanStream, "--input " + otherInput, 1, "thread_mismatch"},
		{"a bad input", cleanStream, "--input " + badInput, 2, "bad.json:1: error malformed_value RunAgentInput /threadId"},
		{"an input that is not there", cleanStream, "--input /none", 2, "/none"},
		{"large events", cleanStream, "--max-event-bytes 10", 1, "event_too_large"},
		{"no format", "hello\n", "", 2, "--format"},
		{"no file", "", "/none", 2, "/none"},
		{"a directory", "", ".", 2, "directory"},
		{"two files", "", "a b", 2, "one stream"},
		{"another format", "", "--format xml", 2, "jsonl, sse or json"},
		{"no such flag", "", "--dance", 2, "-dance"},
		{"two outputs", "", "--json --sarif", 2, "not both"},
		{"no size", "", "--max-event-bytes 0", 2, "--max-event-bytes"},
		{"few findings", "", "--max-findings -1", 2, "--max-findings"},
		{"no time", "", "--timeout 0s", 2, "--timeout"},
		{"a URL without input", "", "http://127.0.0.1:1/", 2, "--input"},
		{"a URL with a format", "", "http://127.0.0.1:1/ --input x --format json", 2, "--format"},
		{"a header for a file", "", "--header X:1 x", 2, "--header"},
		{"standard input twice", "", "- --input -", 2, "both"},
		{"a file with a dash", "", "-- --x", 2, "--x"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := runCheckCommand(t, strings.NewReader(tc.stdin), strings.Fields(tc.args)...)
			text := got.out + got.stderr
			if got.err != nil {
				text += got.err.Error()
			}
			if got.status != tc.status || !strings.Contains(text, tc.says) {
				t.Errorf("status %d, want %d with %q:\n%s", got.status, tc.status, tc.says, text)
			}
			if (got.err != nil) != (tc.status == statusUnusable) {
				t.Errorf("says %v", got.err)
			}
		})
	}
}

func TestCheckQuiet(t *testing.T) {
	if got := runCheckCommand(t, strings.NewReader(warningStream), "--quiet"); got.out+got.stderr != "" || got.status != 0 {
		t.Errorf("warnings: %+v", got)
	}
	if got := runCheckCommand(t, strings.NewReader(warningStream), "--quiet", "--strict"); !strings.Contains(got.out, "unknown_property") || got.stderr != "" || got.status != 1 {
		t.Errorf("warnings that count: %+v", got)
	}
}

// What is not shown is counted, and decides the status.
func TestCheckCutsFindings(t *testing.T) {
	stream := strings.Repeat(`{"type":"FUTURE"}`+"\n", 20)
	got := runCheckCommand(t, strings.NewReader(cleanStream[:strings.Index(cleanStream, "\n")+1]+stream), "--max-findings", "3")
	if strings.Count(got.out, "unknown_event") != 3 || !strings.Contains(got.out, "note findings_cut: 18 more findings are not shown") ||
		got.status != statusViolations || !strings.Contains(got.stderr, "1 error, 20 warnings; 18 not shown") {
		t.Errorf("status %d\n%s%s", got.status, got.out, got.stderr)
	}
}

func TestCheckTellsAboutItself(t *testing.T) {
	got := runCheckCommand(t, nil, "--rules")
	docs, err := os.ReadFile(filepath.Join("..", "..", "docs", "check.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range check.Rules() {
		if !strings.Contains(got.out, "\n"+r.ID+" ") || !strings.Contains(got.out, r.Help) {
			t.Errorf("--rules does not list %s", r.ID)
		}
		if row := fmt.Sprintf("\n| `%s` | %s | %s |\n", r.ID, r.Severity, r.Help); !strings.Contains(string(docs), row) {
			t.Errorf("docs/check.md does not have the row%s", row)
		}
	}
	help := runCheckCommand(t, nil, "--help")
	for _, name := range []string{"format", "input", "header", "timeout", "max-event-bytes", "max-findings", "json", "sarif", "quiet", "strict", "rules"} {
		if !strings.Contains(help.out, "-"+name) || !strings.Contains(string(docs), "--"+name) {
			t.Errorf("--%s is not in the help or not in docs/check.md", name)
		}
	}
	if help.status != 0 || !strings.Contains(help.out, "exit status") {
		t.Errorf("help: %+v", help)
	}
}

// The binary itself: what a script sees.
func TestCheckProcess(t *testing.T) {
	binary := filepath.Join(t.TempDir(), "agui-bridge")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", binary, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, tc := range []struct {
		stdin  string
		args   []string
		status int
		stderr string
	}{
		{cleanStream, nil, 0, "agui-bridge check: 2 events, 0 errors, 0 warnings\n"},
		{badStream, []string{"-"}, 1, "agui-bridge check: 1 event, 1 error, 0 warnings\n"},
		{badStream, []string{"--quiet"}, 1, ""},
		{"hello", []string{"--quiet"}, 2, "agui-bridge: check: stdin: cannot tell the format of the stream; want JSON lines, JSON or server-sent events, or say which with --format\n"},
		{"", []string{"--dance"}, 2, "agui-bridge: check: flag provided but not defined: -dance; see agui-bridge check --help\n"},
	} {
		cmd := exec.CommandContext(t.Context(), binary, append([]string{"check"}, tc.args...)...)
		var stderr bytes.Buffer
		cmd.Stdin, cmd.Stderr = strings.NewReader(tc.stdin), &stderr
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if got := cmd.ProcessState.ExitCode(); got != tc.status || stderr.String() != tc.stderr {
			t.Errorf("%q: exit status %d, want %d; %q", tc.args, got, tc.status, &stderr)
		}
	}
}

// endless gives a stream of a given size without holding it, and looks at the memory.
type endless struct {
	left int
	next func(i int) string
	i    int
	rest string
	peak uint64
}

// Read implements [io.Reader].
func (e *endless) Read(p []byte) (int, error) {
	if e.rest == "" {
		if e.left <= 0 {
			return 0, io.EOF
		}
		e.rest = e.next(e.i)
		if e.i++; e.i%4000 == 0 {
			var m runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&m)
			e.peak = max(e.peak, m.HeapAlloc)
		}
	}
	n := copy(p, e.rest)
	e.rest, e.left = e.rest[n:], e.left-n
	return n, nil
}

func TestCheckHoldsNoStream(t *testing.T) {
	delta := strings.Repeat("text ", 200)
	for _, tc := range []struct {
		name string
		size int
		next func(i int) string
	}{
		{"one long message", 64 << 20, func(i int) string {
			switch i {
			case 0:
				return `{"type":"RUN_STARTED","threadId":"t","runId":"r"}` + "\n"
			case 1:
				return `{"type":"TEXT_MESSAGE_START","messageId":"m"}` + "\n"
			}
			return `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"` + delta + "\"}\n"
		}},
		{"a violation each", 16 << 20, func(int) string {
			return `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":1,"x":"` + delta + "\"}\n"
		}},
	} {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		stream := &endless{left: tc.size, next: tc.next}
		if got := runCheckCommand(t, stream); got.status != statusViolations {
			t.Errorf("%s: status %d", tc.name, got.status)
		}
		if grown := int64(stream.peak) - int64(m.HeapAlloc); grown > 4<<20 {
			t.Errorf("%s: the memory grows by %d bytes", tc.name, grown)
		}
	}
}

// allFindings reads a stream and returns the findings as text.
func allFindings(in io.Reader) (string, error) {
	var out bytes.Buffer
	r := &report{out: findings.NewText(&out), file: "f", max: 1000}
	err := r.events(check.New(check.Options{}), in, checkOptions{maxEventBytes: 200})
	return out.String(), err
}

// What is found does not depend on how the bytes come.
func FuzzCheckStream(f *testing.F) {
	for _, seed := range []string{cleanStream, warningStream, badStream, "[" + badStream + ",{}]", "data: {}\n\ndata: 1", `{"stream":[` + badStream + "]}", ""} {
		f.Add([]byte(seed), uint64(1))
	}
	broken, err := os.ReadFile(filepath.Join("testdata", "check", "broken.jsonl"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(broken, uint64(2))
	f.Fuzz(func(t *testing.T, raw []byte, seed uint64) {
		want, wantErr := allFindings(bytes.NewReader(raw))
		random := rand.New(rand.NewPCG(seed, 1))
		var parts []io.Reader
		for rest := raw; len(rest) > 0; {
			n := 1 + random.IntN(len(rest))
			parts = append(parts, bytes.NewReader(rest[:n]))
			rest = rest[n:]
		}
		for _, in := range []io.Reader{iotest.OneByteReader(bytes.NewReader(raw)), iotest.HalfReader(bytes.NewReader(raw)), io.MultiReader(parts...)} {
			got, err := allFindings(in)
			if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (wantErr == nil) {
				t.Fatalf("%q, %v and %v (-whole +chunked)\n%s", raw, wantErr, err, diff)
			}
		}
	})
}
