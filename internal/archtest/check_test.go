package archtest

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
)

// A file is one Go file of a package, without its tests.
type file struct {
	name string
	*ast.File
}

// violations returns what a package does that its rule forbids.
func violations(pkg string, files []file, rules map[string]rule) []string {
	r, ok := rules[pkg]
	if !ok {
		return []string{pkg + ": the package has no entry in the rules; say what it may import"}
	}
	var found []string
	for _, f := range files {
		for _, spec := range f.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				found = append(found, err.Error())
			} else if !r.allows(name, f.name) {
				found = append(found, fmt.Sprintf("%s/%s: imports %s, which the rules do not allow", pkg, f.name, name))
			}
		}
		if !r.clock {
			for _, call := range clockUses(f.File) {
				found = append(found, fmt.Sprintf("%s/%s: uses time.%s; time comes in as an argument", pkg, f.name, call))
			}
		}
	}
	return found
}

// allows reports whether a file of the package may import a path.
func (r rule) allows(name, file string) bool {
	if inside, ok := strings.CutPrefix(name, module+"/"); ok {
		return slices.Contains(r.project, inside) || slices.Contains(r.project, "*")
	}
	if names, ok := r.only[name]; ok {
		return slices.Contains(names, file)
	}
	return name != module && !covered(name, r.std) && !covered(name, everywhere)
}

// covered reports whether a list has a path, or path/* for one above it.
func covered(name string, list []string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		if above, ok := strings.CutSuffix(entry, "*"); ok {
			return strings.HasPrefix(name, above)
		}
		return name == entry
	})
}

// clock holds what package time has that depends on when it is called.
var clock = []string{"Now", "Since", "Until", "Sleep", "After", "AfterFunc", "Tick", "NewTimer", "NewTicker"}

// clockUses returns the members of clock that a file uses.
func clockUses(f *ast.File) (uses []string) {
	name := ""
	for _, spec := range f.Imports {
		if spec.Path.Value != `"time"` {
			continue
		}
		if name = "time"; spec.Name != nil {
			name = spec.Name.Name
		}
	}
	if name == "." {
		return []string{"* without its name"}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok && slices.Contains(clock, sel.Sel.Name) {
			if id, ok := sel.X.(*ast.Ident); ok && name != "" && id.Name == name {
				uses = append(uses, sel.Sel.Name)
			}
		}
		return true
	})
	return uses
}

const maxLines = 600

// tooLong says so if a file has too many lines. Generated files may.
func tooLong(set *token.FileSet, f *ast.File) string {
	position := set.File(f.FileStart)
	if n := position.LineCount(); n > maxLines && !ast.IsGenerated(f) {
		return fmt.Sprintf("%s has %d lines, more than %d; split it", path.Base(position.Name()), n, maxLines)
	}
	return ""
}
