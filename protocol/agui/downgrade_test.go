package agui

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var writeDowngrades = flag.Bool("update-downgrade", false, "write the golden files of testdata/downgrade")

// Each stream is named after the rule it shows: x.in.jsonl is what an agent sends,
// x.out.jsonl what a peer without a version gets, x.lost.txt what is warned about.
func TestDowngradeGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/downgrade/*.in.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no streams", err)
	}
	for _, path := range paths {
		rule := strings.TrimSuffix(path, ".in.jsonl")
		t.Run(filepath.Base(rule), func(t *testing.T) {
			in := readLines(t, path)
			out, lost := downgraded(t, in)
			golden(t, rule+".out.jsonl", out)
			golden(t, rule+".lost.txt", lost)
			if again, _ := downgraded(t, in); !cmp.Equal(again, out) {
				t.Error("not the same the second time")
			}
			if strings.HasSuffix(rule, "-pass") || strings.HasSuffix(rule, "-passes") {
				if diff := cmp.Diff(in, out); diff != "" || len(lost) > 0 {
					t.Errorf("changed: %s; lost: %v", diff, lost)
				}
			}
		})
	}
}

// What a peer gets must be in order also by today's rules, and lose nothing more when it
// is downgraded again.
func TestDowngradeGivesStreamsInOrderThatStay(t *testing.T) {
	paths, _ := filepath.Glob("testdata/downgrade/*.out.jsonl")
	for _, path := range paths {
		t.Run(filepath.Base(path), func(t *testing.T) {
			lines := readLines(t, path)
			p := NewPipeline(PipelineOptions{})
			for _, line := range lines {
				if _, _, err := p.Next([]byte(line)); err != nil {
					t.Fatalf("%s: %v", line, err)
				}
			}
			if err := p.End(); err != nil {
				t.Fatal(err)
			}
			if strings.Contains(strings.Join(lines, ""), `"binary"`) {
				return // enforcement would take it out
			}
			if again, lost := downgraded(t, lines); !cmp.Equal(again, lines) || len(lost) > 0 {
				t.Errorf("changed again: %s, lost %v", cmp.Diff(lines, again), lost)
			}
		})
	}
}

func TestDowngradedStreamsHaveNothingThatOldPeersRefuse(t *testing.T) {
	paths, _ := filepath.Glob("testdata/downgrade/*.out.jsonl")
	for _, path := range paths {
		for _, line := range readLines(t, path) {
			for _, never := range []string{`SUBAGENT_`, `"subagentRunId"`, `_CHUNK"`, `"protocolVersion"`, `"cancelled"`, `"pendingToolCallIds"`} {
				if strings.Contains(line, never) {
					t.Errorf("%s: %s is left in %s", path, never, line)
				}
			}
		}
	}
}

func TestDowngradeDropsAnEventOfUnknownType(t *testing.T) {
	var d Downgrader
	got, lost, err := d.Next(frames(t, `{"type":"WHO_KNOWS"}`)[0])
	if err != nil || len(got) != 0 || len(lost) != 1 || lost[0].Code != UnknownEventType {
		t.Errorf("got %v, %v, %v", got, lost, err)
	}
}

func TestDowngradeForgetsTheStepsOfARunThatFailed(t *testing.T) {
	in := []string{started, `{"type":"STEP_STARTED","stepName":"a"}`, failed, started, `{"type":"STEP_STARTED","stepName":"a"}`, `{"type":"STEP_FINISHED","stepName":"a"}`, finished}
	if out, lost := downgraded(t, in); !cmp.Equal(out, in) || len(lost) > 0 {
		t.Errorf("got %v, lost %v", out, lost)
	}
}

func TestDowngradeRefusesAStreamThatWasNotChecked(t *testing.T) {
	var d Downgrader
	if _, _, err := d.Next(frames(t, `{"type":"TEXT_MESSAGE_CHUNK","delta":"x"}`)[0]); err == nil {
		t.Error("a chunk of nothing was taken")
	}
}

func TestDowngradeOfATextDeltaIsFree(t *testing.T) {
	f := frames(t, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"some words"}`)[0]
	var d Downgrader
	next := func() {
		got, lost, err := d.Next(f)
		if err != nil || len(lost) > 0 || len(got) != 1 || &got[0].Raw[0] != &f.Raw[0] {
			t.Fatal("a text delta was changed")
		}
	}
	if n := testing.AllocsPerRun(100, next); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func TestPredates(t *testing.T) {
	for _, tc := range []struct {
		rule, declared string
		present, want  bool
	}{
		{"no declaration is one of before 1.0", "", false, true},
		{"major 0 is one of before 1.0", "0.9", true, true},
		{"1.0 is not", "1.0", true, false},
		{"a newer minor is not", "1.10", true, false},
		{"a newer major is not", "2.0", true, false},
		{"what cannot be read is not: it knows the member", "draft", true, false},
		{"the version of a package is no protocol version", "0.0.59", true, false},
		{"an empty declaration is one", "", true, false},
	} {
		if got := Predates(tc.declared, tc.present); got != tc.want {
			t.Errorf("%s: got %v", tc.rule, got)
		}
	}
}

func downgraded(t *testing.T, lines []string) (out, lost []string) {
	t.Helper()
	var d Downgrader
	for _, f := range frames(t, lines...) {
		got, warnings, err := d.Next(f)
		if err != nil {
			t.Fatalf("%s: %v", f.Raw, err)
		}
		for _, f := range got {
			out = append(out, string(f.Raw))
		}
		for _, w := range warnings {
			lost = append(lost, w.String())
		}
	}
	return out, lost
}

func readLines(t *testing.T, path string) []string {
	t.Helper()
	raw, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if text := strings.TrimSpace(string(raw)); text != "" {
		return strings.Split(text, "\n")
	}
	return nil
}

// golden compares lines with a file; a file that is not there stands for no lines.
func golden(t *testing.T, path string, got []string) {
	t.Helper()
	if *writeDowngrades {
		_ = os.Remove(path)
		if len(got) == 0 {
			return
		}
		if err := os.WriteFile(path, []byte(strings.Join(got, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	var want []string
	if _, err := os.Stat(path); err == nil {
		want = readLines(t, path)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", path, diff)
	}
}
