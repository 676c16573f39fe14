package translate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// The types of both protocols, read from where they are declared, so that a new one
// cannot be forgotten here.
var (
	everyEventType = declared[agui.EventType]("../agui/event_type.go", "EventType")
	everyChunkType = declared[aisdk.ChunkType]("../aisdk/chunk_type.go", "ChunkType")
)

// declared returns the constants of the named type in a file.
func declared[T ~string](file, name string) []T {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		panic(err)
	}
	var out []T
	ast.Inspect(f, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Type") {
			return true
		}
		if id, ok := spec.Type.(*ast.Ident); ok && id.Name == name {
			text, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				panic(err)
			}
			out = append(out, T(text))
		}
		return true
	})
	return out
}
