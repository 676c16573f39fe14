package hitl

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Gate is what has to happen before a tool call runs.
type Gate string

// The gates, from open to shut.
const (
	GateAllow Gate = "allow" // it runs
	GateAsk   Gate = "ask"   // a person approves it first
	GateDeny  Gate = "deny"  // it does not run, and nobody is asked
)

// A PolicyDefault is the gate of the tools that no rule of a [Policy] names.
type PolicyDefault string

// The defaults. Any other value means DefaultAsk.
const (
	DefaultAllowReads PolicyDefault = ""      // ask, unless the tool only reads
	DefaultAsk        PolicyDefault = "ask"   // always ask
	DefaultAllow      PolicyDefault = "allow" // never ask: the user opted out
	DefaultDeny       PolicyDefault = "deny"  // only what a rule lets through
)

// A Policy says which tools need approval. Its rules name tools exactly, by letter and
// case; a tool in several lists gets the strictest gate. The zero Policy asks before
// every tool that is not known to only read.
type Policy struct {
	Deny    []string      `json:"deny,omitzero"`
	Ask     []string      `json:"ask,omitzero"`
	Allow   []string      `json:"allow,omitzero"`
	Default PolicyDefault `json:"default,omitzero"`
}

// Gate is the gate of the named tool. readOnly is what [ReadOnly] says of it; it only
// ever counts for DefaultAllowReads. A call without a name is never allowed.
func (p Policy) Gate(tool string, readOnly bool) Gate {
	switch {
	case slices.Contains(p.Deny, tool):
		return GateDeny
	case slices.Contains(p.Ask, tool):
		return GateAsk
	case tool != "" && slices.Contains(p.Allow, tool):
		return GateAllow
	case p.Default == DefaultDeny:
		return GateDeny
	case tool == "":
		return GateAsk
	case p.Default == DefaultAllow, p.Default == DefaultAllowReads && readOnly:
		return GateAllow
	}
	return GateAsk
}

// ReadOnly reads a tool's annotations (MCP 2026-07-28, ToolAnnotations). They are the
// word of whoever offers the tool and prove nothing; of them all, a readOnlyHint that is
// literally true relaxes a [Policy]. Anything else, malformed annotations included, does not.
func ReadOnly(annotations jsontext.Value) bool {
	var m members
	if annotations.Kind() != jsontext.KindBeginObject || json.Unmarshal(annotations, &m) != nil {
		return false
	}
	return m["readOnlyHint"].Kind() == jsontext.KindTrue
}
