package schema

import (
	"reflect"
	"slices"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestChildrenMissesNone fills one field of a schema after the other with a
// child. A field that a later version of the library adds fails here, until
// children knows it: what children misses is not part of the budget.
func TestChildrenMissesNone(t *testing.T) {
	refused := []string{"RecursiveRef", "DynamicRef"} // by prepare
	fields := 0
	for field := range reflect.TypeFor[jsonschema.Schema]().Fields() {
		if !field.IsExported() || slices.Contains(refused, field.Name) {
			continue
		}
		for _, content := range holders {
			kind := reflect.TypeOf(content).Kind()
			if !reflect.TypeOf(content).AssignableTo(field.Type) || field.Type.Kind() == reflect.Interface && kind == reflect.Map {
				continue // an any field holds a schema or a list of them
			}
			fields++
			s := &jsonschema.Schema{}
			reflect.ValueOf(s).Elem().FieldByIndex(field.Index).Set(reflect.ValueOf(content))
			if !slices.Contains(children(s), child) {
				t.Errorf("children misses %s as %T", field.Name, content)
			}
		}
	}
	if fields < 25 {
		t.Errorf("only %d fields hold schemas; the test looks at the wrong ones", fields)
	}
}

var (
	child   = &jsonschema.Schema{}
	holders = []any{
		child,
		[]*jsonschema.Schema{child},
		map[string]*jsonschema.Schema{"a": child},
		map[jsonschema.Regexp]*jsonschema.Schema{nil: child},
		map[string]any{"a": child},
	}
)
