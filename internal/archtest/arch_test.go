package archtest

import (
	"bytes"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

const top = "../.."

// TestImports holds the project against its rules.
func TestImports(t *testing.T) {
	packages := list(t)
	if len(packages) < 10 {
		t.Fatalf("go list names %d packages; the test looks at the wrong place", len(packages))
	}
	for _, p := range packages {
		name := strings.TrimPrefix(p.ImportPath, module+"/")
		var files []file
		for _, base := range slices.Concat(p.GoFiles, p.CgoFiles, p.IgnoredGoFiles) {
			if !strings.HasSuffix(base, "_test.go") {
				files = append(files, file{base, parse(t, token.NewFileSet(), filepath.Join(p.Dir, base))})
			}
		}
		for _, v := range violations(name, files, rules) {
			t.Error(v)
		}
	}
	for name := range rules {
		if !slices.ContainsFunc(packages, func(p listed) bool { return p.ImportPath == module+"/"+name }) {
			t.Errorf("%s: the rules name a package that is not there", name)
		}
	}
}

// A listed package is what go list says of one.
type listed struct {
	ImportPath                        string
	Dir                               string
	GoFiles, CgoFiles, IgnoredGoFiles []string
}

func list(t *testing.T) (packages []listed) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-json=ImportPath,Dir,GoFiles,CgoFiles,IgnoredGoFiles", "./...")
	cmd.Dir = top
	var out, fault bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &fault
	if err := cmd.Run(); err != nil {
		t.Fatalf("go list: %v\n%s", err, &fault)
	}
	for d := jsontext.NewDecoder(&out); ; {
		var p listed
		err := json.UnmarshalDecode(d, &p)
		if errors.Is(err, io.EOF) {
			return packages
		}
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		packages = append(packages, p)
	}
}

func parse(t *testing.T, set *token.FileSet, name string) *ast.File {
	t.Helper()
	f, err := parser.ParseFile(set, name, nil, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestFileSizes looks at every Go file, tests included. It reads the tree
// itself, which tells go test what the results of this package depend on.
func TestFileSizes(t *testing.T) {
	n := 0
	err := filepath.WalkDir(top, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "node_modules" || strings.HasPrefix(d.Name(), ".") && name != top) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(name, ".go") {
			return nil
		}
		n++
		set := token.NewFileSet()
		if fault := tooLong(set, parse(t, set, name)); fault != "" {
			t.Errorf("%s: %s", name, fault)
		}
		return nil
	})
	if err != nil || n < 50 {
		t.Errorf("looked at %d files: %v", n, err)
	}
}

// TestNoExperiment refuses GOEXPERIMENT. With jsonv2 set, this release of Go
// swaps the JSON package for one that drops unknown members without a word.
func TestNoExperiment(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "env", "GOEXPERIMENT").Output()
	if err != nil {
		t.Fatal(err)
	}
	if set := strings.TrimSpace(string(out)); set != "" {
		t.Errorf("GOEXPERIMENT is %q; build without it", set)
	}
}
