package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

// TestDependenciesAreExplained holds docs/dependencies.md against what the
// project depends on directly.
func TestDependenciesAreExplained(t *testing.T) {
	text := read(t, "docs/dependencies.md")
	for _, name := range append(goModules(t), npmPackages(t)...) {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("docs/dependencies.md does not say why %s is there", name)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// goModules returns the modules that go.mod requires directly.
func goModules(t *testing.T) (names []string) {
	t.Helper()
	for line := range strings.Lines(read(t, "go.mod")) {
		fields := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require "))
		if len(fields) == 2 && strings.HasPrefix(fields[1], "v") && !strings.Contains(line, "// indirect") {
			names = append(names, fields[0])
		}
	}
	return names
}

// npmPackages returns the packages that the package.json files name.
func npmPackages(t *testing.T) (names []string) {
	t.Helper()
	for _, pattern := range []string{"*/package.json", "clients/*/package.json"} {
		files, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			var p struct {
				Dependencies     map[string]string `json:"dependencies"`
				DevDependencies  map[string]string `json:"devDependencies"`
				PeerDependencies map[string]string `json:"peerDependencies"`
			}
			if err := json.Unmarshal([]byte(read(t, strings.TrimPrefix(file, top))), &p); err != nil {
				t.Fatalf("%s: %v", file, err)
			}
			for _, set := range []map[string]string{p.Dependencies, p.DevDependencies, p.PeerDependencies} {
				for name := range set {
					names = append(names, name)
				}
			}
		}
	}
	return names
}
