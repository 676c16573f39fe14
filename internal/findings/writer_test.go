package findings

import (
	"bytes"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/agui/check"
)

var update = flag.Bool("update", false, "write the golden files")

// found is one of each kind of finding.
var found = []struct {
	file string
	check.Finding
}{
	{"input.json", check.Finding{Severity: check.Warning, Rule: "unknown_property", Index: -1, Line: 1, Type: "RunAgentInput", Path: "/x", Message: "unknown property"}},
	{"runs/a b.jsonl", check.Finding{Severity: check.Error, Rule: "not_open", Index: 3, Line: 4, Offset: 210, Type: agui.TypeTextMessageContent, Path: "/messageId", Message: "message m is not open"}},
	{"runs/a b.jsonl", check.Finding{Severity: check.Error, Rule: "invalid_json", Index: 4, Line: 5, Offset: 300, Message: `not valid JSON near byte 7: "quoted" <&> ü`}},
	{"http://127.0.0.1:8080/v1/agents/demo/agui", check.Finding{Severity: check.Warning, Rule: "unknown_event", Index: 5, Line: 9, Offset: 400, Type: "FUTURE", Path: "/type", Message: "unknown event type FUTURE"}},
	{"stdin", check.Finding{Severity: check.Note, Rule: check.FindingsCut, Index: -1, Line: 1, Message: "2 more findings are not shown"}},
}

func write(t *testing.T, w Writer) {
	t.Helper()
	for _, f := range found {
		if err := w.Write(f.file, f.Finding); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestGolden(t *testing.T) {
	var text, lines, sarif bytes.Buffer
	write(t, NewText(&text))
	write(t, NewJSON(&lines))
	write(t, NewSARIF(&sarif, "v1.2.3"))
	for name, got := range map[string]string{"findings.txt": text.String(), "findings.jsonl": lines.String(), "findings.sarif": sarif.String()} {
		name = filepath.Join("testdata", name)
		if *update {
			if err := os.WriteFile(name, []byte(got), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got); go test -update writes it\n%s", name, diff)
		}
	}
}

// What SARIF demands beyond the form: every result names a rule that is described.
func TestSARIFRefersToItsRules(t *testing.T) {
	var out bytes.Buffer
	write(t, NewSARIF(&out, "dev"))
	var doc sarifDocument
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	rules := doc.Runs[0].Tool.Driver.Rules
	if len(rules) != len(check.Rules()) {
		t.Errorf("%d rules are described, of %d", len(rules), len(check.Rules()))
	}
	for _, r := range doc.Runs[0].Results {
		if rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %d is %s, not %s", r.RuleIndex, rules[r.RuleIndex].ID, r.RuleID)
		}
	}
}

func TestSARIFWithoutFindings(t *testing.T) {
	var out bytes.Buffer
	if err := NewSARIF(&out, "dev").Close(); err != nil || !strings.Contains(out.String(), `"results": []`) {
		t.Errorf("got %v, %s", err, &out)
	}
}

func TestArtifacts(t *testing.T) {
	for file, want := range map[string]string{
		"a.jsonl": "a.jsonl", "dir/a b%.jsonl": "dir/a%20b%25.jsonl", "/abs/x": "file:///abs/x", "https://h/p": "https://h/p", "a:b": "./a:b",
	} {
		if got := artifact(file); got != want {
			t.Errorf("%s is %s, want %s", file, got, want)
		}
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("full") }

func TestErrorsOfTheOutput(t *testing.T) {
	for _, w := range []Writer{NewText(full{}), NewJSON(full{}), NewSARIF(full{}, "v")} {
		if errors.Join(w.Write("f", check.Finding{}), w.Close()) == nil {
			t.Errorf("%T hides that the output is full", w)
		}
	}
}
