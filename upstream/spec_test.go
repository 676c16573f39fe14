package upstream

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/session"
)

func TestParseSpecs(t *testing.T) {
	for _, test := range []struct {
		list string
		want []Spec
	}{
		{"demo=builtin:demo", []Spec{{Name: "demo", Scheme: "builtin", Target: "demo"}}},
		{" a=agui+http://x:1/y?z=1 ,, b=aisdk+https://x/y, ", []Spec{
			{Name: "a", Scheme: "agui+http", Target: "http://x:1/y?z=1"}, {Name: "b", Scheme: "aisdk+https", Target: "https://x/y"},
		}},
		{"a=agui+https://x/a+b", []Spec{{Name: "a", Scheme: "agui+https", Target: "https://x/a+b"}}},
		{"A.b_c-9=aisdk+http://x", []Spec{{Name: "A.b_c-9", Scheme: "aisdk+http", Target: "http://x"}}},
	} {
		got, err := ParseSpecs(test.list)
		if err != nil {
			t.Errorf("%s: %v", test.list, err)
			continue
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.list, diff)
		}
	}
}

func TestParseSpecsRefuses(t *testing.T) {
	for _, test := range []struct{ list, words string }{
		{"", "empty"},
		{" , ", "empty"},
		{"demo", "name=agui+http"},
		{"=builtin:demo", "the name"},
		{"a b=builtin:demo", "the name"},
		{"-a=builtin:demo", "the name"},
		{"a/b=builtin:demo", "the name"},
		{strings.Repeat("a", 65) + "=builtin:demo", "the name"},
		{"a=builtin:other", "demo and demo-aisdk"},
		{"a=builtin:", "demo and demo-aisdk"},
		{"a=http://x", "name=agui+http"},
		{"a=agui+ftp://x", "name=agui+http"},
		{"a=other+http://x", "name=agui+http"},
		{"a=agui+http:", "name=agui+http"},
		{"a=agui+http:///path", "name=agui+http"},
		{"a=agui+", "name=agui+http"},
		{"a=agui+http://x y", "name=agui+http"},
		{"a=builtin:demo,a=builtin:demo-aisdk", "used twice"},
	} {
		_, err := ParseSpecs(test.list)
		if !errors.Is(err, ErrSpec) || !strings.Contains(err.Error(), test.words) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, want one line with %q", test.list, err, test.words)
		}
	}
}

func TestNew(t *testing.T) {
	for scheme, want := range map[string]session.Protocol{
		"agui+http": session.AGUI, "agui+https": session.AGUI, "aisdk+http": session.AISDK, "aisdk+https": session.AISDK,
	} {
		a, err := New(Spec{Name: "n", Scheme: scheme, Target: "http://x"}, Options{})
		if err != nil || a.Name() != "n" || a.Protocol() != want {
			t.Errorf("%s: %v, %v", scheme, a, err)
		}
	}
	if a, err := New(Spec{Name: "n", Scheme: "builtin", Target: "demo-aisdk"}, Options{}); err != nil || a.Name() != "n" || a.Protocol() != session.AISDK {
		t.Errorf("builtin: %v, %v", a, err)
	}
	if _, err := New(Spec{Scheme: "ftp"}, Options{}); !errors.Is(err, ErrSpec) {
		t.Errorf("unknown scheme: %v", err)
	}
	if _, err := New(Spec{Scheme: "builtin", Target: "other"}, Options{}); err == nil {
		t.Error("an unknown demo agent was made")
	}
}
