package hitl_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func TestKeyBindsNameAndArguments(t *testing.T) {
	for _, tc := range []struct {
		call hitl.ToolCall
		want string
	}{
		{hitl.ToolCall{ID: "c1", Name: "rm"}, `rm#{}`},
		{hitl.ToolCall{ID: "c2", Name: "rm", Args: raw(`{ }`), Executor: hitl.ExecutorBrowser}, `rm#{}`},
		{hitl.ToolCall{Name: "rm", Args: raw(`{"b":2.0,"a":{"d":1,"c":"x"}}`)}, `rm#{"a":{"c":"x","d":1},"b":2}`},
		{hitl.ToolCall{Name: "rm", Args: raw(`"not an object"`)}, `rm#"not an object"`},
		{hitl.ToolCall{Name: "rm", Args: raw(`null`)}, `rm#null`},
	} {
		if got, err := tc.call.Key(); err != nil || got != tc.want {
			t.Errorf("%+v: got %s, %v; want %s", tc.call, got, err, tc.want)
		}
	}
}

func TestSomeCallsHaveNoKey(t *testing.T) {
	for _, call := range []hitl.ToolCall{
		{}, {Args: raw(`{}`)}, {Name: "rm", Args: raw(`{`)}, {Name: "rm", Args: raw(`{"a":1,"a":2}`)}, {Name: "rm", Args: raw(`NaN`)},
	} {
		if key, err := call.Key(); err == nil {
			t.Errorf("%+v: got %s, want an error", call, key)
		}
	}
}

// Names may hold any text, "#" too; still no two calls share a key by accident.
func TestKeysTellCallsApart(t *testing.T) {
	names := rapid.SampledFrom([]string{"a", "a#", `a#"`, "a#{}", `a#"b`})
	args := rapid.SampledFrom([]string{`{}`, `"#"`, `"b#{}"`, `"#1"`, `1`, `"b\"#1"`, `["#",""]`})
	rapid.Check(t, func(t *rapid.T) {
		a := hitl.ToolCall{Name: names.Draw(t, "a"), Args: raw(args.Draw(t, "args of a"))}
		b := hitl.ToolCall{Name: names.Draw(t, "b"), Args: raw(args.Draw(t, "args of b"))}
		left, err := a.Key()
		if err != nil {
			t.Fatal(err)
		}
		right, err := b.Key()
		if err != nil {
			t.Fatal(err)
		}
		if same := a.Name == b.Name && string(a.Args) == string(b.Args); same != (left == right) {
			t.Fatalf("%+v and %+v: %s and %s", a, b, left, right)
		}
	})
}
