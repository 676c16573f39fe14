package archtest

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	namedGoTest = regexp.MustCompile("`((?:Test|Fuzz)[A-Za-z0-9]+)`")
	namedFile   = regexp.MustCompile("`([a-z-]+\\.test\\.ts)`((?:,? ?“[^”]+”)*)")
	namedTitle  = regexp.MustCompile("“([^”]+)”")
	goTest      = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)[A-Za-z0-9]+)\(`)
)

// TestCasesAreHeld holds docs/cases.md against the tests: every row of it names tests that
// exist, or says why it needs none.
func TestCasesAreHeld(t *testing.T) {
	tests := goTests(t)
	rows := 0
	for line := range strings.Lines(read(t, "docs/cases.md")) {
		line = strings.TrimSpace(line)
		if !strings.HasPrefix(line, "| ") || strings.HasSuffix(line, "| Held by |") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		held := cells[len(cells)-1]
		if strings.Contains(line, "| n/a: ") {
			continue
		}
		found := 0
		for _, m := range namedGoTest.FindAllStringSubmatch(held, -1) {
			found++
			if !tests[m[1]] {
				t.Errorf("there is no %s, which is to hold: %s", m[1], line)
			}
		}
		for _, m := range namedFile.FindAllStringSubmatch(held, -1) {
			text, err := os.ReadFile(filepath.Join(top, "e2e/test", m[1]))
			if err != nil {
				t.Errorf("%v, which is to hold: %s", err, line)
			}
			for _, title := range namedTitle.FindAllStringSubmatch(m[2], -1) {
				found++
				if !titled(string(text), title[1]) {
					t.Errorf("%s has no test %q, which is to hold: %s", m[1], title[1], line)
				}
			}
		}
		if found == 0 {
			t.Errorf("names no test and gives no reason: %s", line)
		}
	}
	if rows < 100 {
		t.Errorf("only %d rows were read", rows)
	}
}

// titled reports whether a test file has a title with these words, as a string, as the
// start of one that goes on with a parameter, or as a bare key.
func titled(text, title string) bool {
	for _, mark := range []string{`"` + title, `: ` + title, "  " + title + ": async"} {
		if strings.Contains(text, mark) {
			return true
		}
	}
	return false
}

func goTests(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != top && (strings.HasPrefix(d.Name(), ".") || d.Name() == "node_modules") {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(path)
		for _, m := range goTest.FindAllStringSubmatch(string(text), -1) {
			names[m[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
