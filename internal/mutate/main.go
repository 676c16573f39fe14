// Command mutate changes the guards of Go files, one at a time, and sees whether a test of
// their package fails each time. It prints the guards whose change no test notices, and
// fails if there are any.
//
//	mutate dir file…
//
// A guard is the condition of an if or of a case: it is turned into its opposite, each side
// of an && or || in it is left out, and a comparison gets or loses its limit.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(1)
	}
}

// A mutant is one change of a file.
type mutant struct {
	file       string
	at         token.Position
	start, end int // what is replaced
	was, by    string
}

func (m mutant) String() string { return fmt.Sprintf("%s: %s → %s", m.at, m.was, m.by) }

func run(ctx context.Context, args []string) error {
	if len(args) < 2 {
		return errors.New("usage: mutate dir file…")
	}
	dir := args[0]
	var all []mutant
	for _, name := range args[1:] {
		found, err := mutants(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		all = append(all, found...)
	}
	work, err := os.MkdirTemp("", "mutate-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(work) }()

	var mu sync.Mutex
	var survived []mutant
	killed, broken := 0, 0
	next := make(chan mutant)
	var workers sync.WaitGroup
	for n := range max(1, runtime.NumCPU()) {
		own := filepath.Join(work, fmt.Sprint(n))
		workers.Go(func() {
			for m := range next {
				noticed, builds, err := try(ctx, dir, own, m)
				mu.Lock()
				switch {
				case err != nil:
					fmt.Println("FAILED", m, err)
					survived = append(survived, m)
				case !builds:
					broken++
				case noticed:
					killed++
				default:
					fmt.Println("SURVIVED", m)
					survived = append(survived, m)
				}
				mu.Unlock()
			}
		})
	}
	for _, m := range all {
		next <- m
	}
	close(next)
	workers.Wait()
	fmt.Printf("%d changes noticed, %d do not compile, %d survived\n", killed, broken, len(survived))
	if len(survived) > 0 {
		return fmt.Errorf("no test notices %d changes", len(survived))
	}
	return nil
}

// try tests the package with one change. The file itself stays as it is.
func try(ctx context.Context, dir, work string, m mutant) (noticed, builds bool, err error) {
	src, err := os.ReadFile(m.file)
	if err != nil {
		return false, false, err
	}
	path, err := filepath.Abs(m.file)
	if err != nil {
		return false, false, err
	}
	if err := os.MkdirAll(work, 0o700); err != nil {
		return false, false, err
	}
	changed := slices.Concat(src[:m.start], []byte(m.by), src[m.end:])
	file, overlay := filepath.Join(work, "mutant.go"), filepath.Join(work, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{path: file}})
	if err != nil {
		return false, false, err
	}
	if err := errors.Join(os.WriteFile(file, changed, 0o600), os.WriteFile(overlay, text, 0o600)); err != nil { //nolint:gosec // in a directory of its own
		return false, false, err
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "go", "test", "-overlay", overlay, "-count=1", "-failfast", "-timeout", "60s", "./"+dir).CombinedOutput() //nolint:gosec // a developer's own tool
	var failed *exec.ExitError
	switch {
	case err == nil:
		return false, true, nil
	case errors.As(err, &failed):
		return true, !bytes.Contains(out, []byte("[build failed]")), nil
	}
	return false, false, err
}

// mutants finds the guards of a file.
func mutants(path string) ([]mutant, error) {
	src, err := os.ReadFile(path) //nolint:gosec // the file that the developer names
	if err != nil {
		return nil, err
	}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, path, src, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	var found []mutant
	text := func(n ast.Node) string {
		return string(src[files.Position(n.Pos()).Offset:files.Position(n.End()).Offset])
	}
	change := func(n ast.Node, by string) {
		at := files.Position(n.Pos())
		found = append(found, mutant{
			file: path, at: at, start: at.Offset, end: files.Position(n.End()).Offset, was: text(n), by: by,
		})
	}
	var inside func(e ast.Expr)
	inside = func(e ast.Expr) {
		switch e := e.(type) {
		case *ast.ParenExpr:
			inside(e.X)
		case *ast.UnaryExpr:
			inside(e.X)
		case *ast.BinaryExpr:
			if e.Op == token.LAND || e.Op == token.LOR {
				change(e, "("+text(e.X)+")")
				change(e, "("+text(e.Y)+")")
				inside(e.X)
				inside(e.Y)
			}
			if other, ok := limits[e.Op]; ok {
				change(e, "("+text(e.X)+" "+other.String()+" "+text(e.Y)+")")
			}
		}
	}
	guard := func(e ast.Expr) {
		change(e, "!("+text(e)+")")
		inside(e)
	}
	ast.Inspect(tree, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			guard(n.Cond)
		case *ast.SwitchStmt:
			for _, clause := range n.Body.List {
				for _, e := range clause.(*ast.CaseClause).List {
					if n.Tag == nil {
						guard(e)
					}
				}
			}
		}
		return true
	})
	return found, nil
}

// limits are comparisons with the limit and without it.
var limits = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
}
