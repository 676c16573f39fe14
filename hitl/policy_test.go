package hitl_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func TestPolicyGate(t *testing.T) {
	rules := hitl.Policy{Deny: []string{"drop", "both"}, Ask: []string{"send", "two"}, Allow: []string{"list", "both", "two", ""}}
	for _, tc := range []struct {
		rule     string
		policy   hitl.Policy
		tool     string
		readOnly bool
		want     hitl.Gate
	}{
		{"a tool that may change data is asked about", hitl.Policy{}, "send", false, hitl.GateAsk},
		{"a tool that only reads is not", hitl.Policy{}, "list", true, hitl.GateAllow},
		{"a tool without a name always is", hitl.Policy{}, "", true, hitl.GateAsk},
		{"also where the user opted out", hitl.Policy{Default: hitl.DefaultAllow}, "", true, hitl.GateAsk},
		{"also where a rule allows no name", rules, "", true, hitl.GateAsk},
		{"allowed by rule", rules, "list", false, hitl.GateAllow},
		{"asked about by rule, though it only reads", rules, "send", true, hitl.GateAsk},
		{"denied by rule, though it only reads", rules, "drop", true, hitl.GateDeny},
		{"deny beats allow", rules, "both", true, hitl.GateDeny},
		{"ask beats allow", rules, "two", true, hitl.GateAsk},
		{"names are exact", rules, "List", false, hitl.GateAsk},
		{"names are no prefixes", rules, "dropdown", true, hitl.GateAllow},
		{"always ask", hitl.Policy{Default: hitl.DefaultAsk}, "list", true, hitl.GateAsk},
		{"opted out", hitl.Policy{Default: hitl.DefaultAllow}, "send", false, hitl.GateAllow},
		{"opted out, but not of a rule", hitl.Policy{Default: hitl.DefaultAllow, Deny: []string{"drop"}}, "drop", false, hitl.GateDeny},
		{"only what is listed", hitl.Policy{Default: hitl.DefaultDeny, Allow: []string{"list"}}, "send", true, hitl.GateDeny},
		{"a default nobody knows", hitl.Policy{Default: "allow_all"}, "list", true, hitl.GateAsk},
	} {
		if got := tc.policy.Gate(tc.tool, tc.readOnly); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.rule, got, tc.want)
		}
	}
}

func TestOnlyALiteralReadOnlyHintRelaxes(t *testing.T) {
	for annotations, want := range map[string]bool{
		`{"readOnlyHint":true}`: true,
		`{"title":"x","readOnlyHint":true,"destructiveHint":true}`: true,
		``:                        false,
		`null`:                    false,
		`true`:                    false,
		`{}`:                      false,
		`{"readOnlyHint":false}`:  false,
		`{"readOnlyHint":1}`:      false,
		`{"readOnlyHint":"true"}`: false,
		`{"readOnlyHint":null}`:   false,
		`{"readonlyhint":true}`:   false,
		`{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false}`: false,
		`{"readOnlyHint":false,"readOnlyHint":true}`:                            false,
		`{"readOnlyHint":true`: false,
	} {
		if got := hitl.ReadOnly(raw(annotations)); got != want {
			t.Errorf("%s: got %v", annotations, got)
		}
	}
}

// Adding a rule of a stricter list never opens a gate.
func TestStricterRulesNeverOpenAGate(t *testing.T) {
	strictness := map[hitl.Gate]int{hitl.GateAllow: 0, hitl.GateAsk: 1, hitl.GateDeny: 2}
	tools := rapid.SliceOf(rapid.SampledFrom([]string{"a", "b", "c"}))
	defaults := rapid.SampledFrom([]hitl.PolicyDefault{"", "ask", "allow", "deny", "?"})
	rapid.Check(t, func(t *rapid.T) {
		p := hitl.Policy{Deny: tools.Draw(t, "deny"), Ask: tools.Draw(t, "ask"), Allow: tools.Draw(t, "allow"), Default: defaults.Draw(t, "default")}
		tool, readOnly := rapid.SampledFrom([]string{"a", "d"}).Draw(t, "tool"), rapid.Bool().Draw(t, "readOnly")
		before := strictness[p.Gate(tool, readOnly)]
		denied := p
		denied.Deny = append([]string{tool}, p.Deny...)
		if denied.Gate(tool, readOnly) != hitl.GateDeny {
			t.Fatal("a denied tool is not denied")
		}
		if strictness[p.Gate(tool, true)] > strictness[p.Gate(tool, false)] {
			t.Fatal("a hint made a gate stricter")
		}
		p.Allow = nil
		if strictness[p.Gate(tool, readOnly)] < before {
			t.Fatal("taking an allowance away opened a gate")
		}
	})
}
