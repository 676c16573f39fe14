package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/go-json-experiment/json"
)

// differing are streams of the public corpus whose expected outcome does not hold here,
// and why. protocol/agui says the same of them.
var differing = map[string]string{
	"truncated-run-reported-as-completed": "contradicts truncated-stream-fails-the-run, which holds",
	"unknown-enum-value-role-fatal":       "a gap of the reference client; the specification wants the unknown role stripped with a warning",
}

// The verdict on every public stream is the one that the corpus expects.
func TestCheckConformanceStreams(t *testing.T) {
	dir := os.Getenv("AGUI_CONFORMANCE_DIR")
	if dir == "" {
		dir = filepath.Join("..", "..", "..", "shared", "conformance")
	}
	files, err := filepath.Glob(filepath.Join(dir, "agui", "streams", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		if os.Getenv("CI") == "true" {
			t.Fatalf("no conformance data in %s; set AGUI_CONFORMANCE_DIR", dir)
		}
		t.Logf("no conformance data in %s: nothing was checked", dir)
		return
	}
	found := 0
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var s struct {
			Name   string `json:"name"`
			Expect struct {
				Outcome    string `json:"outcome"`
				NoWarnings bool   `json:"noWarnings"`
			} `json:"expect"`
		}
		if err := json.Unmarshal(text, &s); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		want := 0
		if s.Expect.Outcome != "completed" {
			want = statusViolations
		}
		why, differs := differing[s.Name]
		if differs {
			found++
		}
		got := runCheckCommand(t, nil, file)
		if (got.status == want) == differs || got.status == statusUnusable {
			t.Errorf("%s: status %d for an outcome of %s (%s)\n%s", s.Name, got.status, s.Expect.Outcome, why, got.out)
		}
		if s.Expect.NoWarnings && !differs && got.out != "" {
			t.Errorf("%s: expected to be quiet\n%s", s.Name, got.out)
		}
	}
	if found != len(differing) {
		t.Errorf("the list of what differs names streams that do not exist")
	}
}
