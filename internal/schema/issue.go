package schema

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/agui-bridge/agui-bridge/hitl"
)

const maxIssues = 100 // of one check

// unusable is the issue of a schema that cannot be used.
func unusable(why string) []hitl.Issue {
	return []hitl.Issue{{Message: "the schema cannot be used: " + why}}
}

// issuesOf lists what a validation found, each fault once, in the order of paths.
func issuesOf(err error) []hitl.Issue {
	if err == nil {
		return nil
	}
	invalid, ok := errors.AsType[*jsonschema.ValidationError](err)
	if !ok {
		return []hitl.Issue{{Message: "the value cannot be checked: " + err.Error()}}
	}
	issues := explain(invalid)
	slices.SortFunc(issues, func(a, b hitl.Issue) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	issues = slices.Compact(issues)
	return issues[:min(len(issues), maxIssues)]
}

// explain turns a tree of errors into issues: one for each place and rule.
func explain(e *jsonschema.ValidationError) []hitl.Issue {
	switch k := e.ErrorKind.(type) {
	case *kind.Schema, *kind.Group, *kind.AllOf, *kind.Reference:
		return explainAll(e.Causes)
	case *kind.AnyOf:
		return []hitl.Issue{at(e, choice(e))}
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return []hitl.Issue{at(e, "expected a value of one of the allowed forms, this is of several")}
		}
		return []hitl.Issue{at(e, choice(e))}
	case *kind.Required:
		return members(e, k.Missing, "expected a value")
	case *kind.Dependency:
		return members(e, k.Missing, "expected a value, since "+quote(k.Prop)+" has one")
	case *kind.DependentRequired:
		return members(e, k.Missing, "expected a value, since "+quote(k.Prop)+" has one")
	case *kind.AdditionalProperties:
		return members(e, k.Properties, "expected no such member")
	}
	return []hitl.Issue{at(e, expectation(e.ErrorKind))}
}

func explainAll(causes []*jsonschema.ValidationError) []hitl.Issue {
	var issues []hitl.Issue
	for _, cause := range causes {
		issues = append(issues, explain(cause)...)
	}
	if len(issues) == 0 { // never a pass
		issues = []hitl.Issue{{Message: "expected a value that the schema accepts"}}
	}
	return issues
}

func at(e *jsonschema.ValidationError, message string) hitl.Issue {
	return hitl.Issue{Path: string(pointer(e)), Message: message}
}

func members(e *jsonschema.ValidationError, names []string, message string) []hitl.Issue {
	issues := make([]hitl.Issue, len(names))
	for i, name := range names {
		issues[i] = hitl.Issue{Path: string(pointer(e).AppendToken(name)), Message: message}
	}
	return issues
}

func pointer(e *jsonschema.ValidationError) (p jsontext.Pointer) {
	for _, token := range e.InstanceLocation {
		p = p.AppendToken(token)
	}
	return p
}

// choice says what a value that fits no branch could have been: one of some
// constants, or whatever each branch says of the value as a whole.
func choice(e *jsonschema.ValidationError) string {
	if constants := constants(e.Causes); constants != nil {
		return oneOf(constants)
	}
	path := string(pointer(e))
	var said []string
	for _, cause := range e.Causes {
		issues := explain(cause)
		if len(issues) != 1 || issues[0].Path != path {
			return "expected a value of one of the allowed forms"
		}
		if text := strings.TrimPrefix(issues[0].Message, "expected "); !slices.Contains(said, text) {
			said = append(said, text)
		}
	}
	if len(said) == 0 || len(said) > maxChoices {
		return "expected a value of one of the allowed forms"
	}
	return "expected " + strings.Join(said, ", or ")
}

// constants returns what the branches demand if all of them are constants.
func constants(branches []*jsonschema.ValidationError) []any {
	var all []any
	for _, branch := range branches {
		switch k := branch.ErrorKind.(type) {
		case *kind.Const:
			all = append(all, k.Want)
		case *kind.Enum:
			all = append(all, k.Want...)
		default:
			return nil
		}
	}
	return all
}

// expectation says what a single rule expects.
func expectation(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Type:
		return "expected " + types(k.Want)
	case *kind.Enum:
		return oneOf(k.Want)
	case *kind.Const:
		return oneOf([]any{k.Want})
	case *kind.Format:
		return "expected " + format(k.Want)
	case *kind.Pattern:
		return "expected text that matches the pattern " + shorten(k.Want)
	case *kind.FalseSchema:
		return "expected no value here"
	case *kind.Not:
		return "expected a value that is not of the excluded form"
	case *kind.PropertyNames:
		return "expected no member named " + quote(k.Property)
	case *kind.RefCycle:
		return "expected a schema that does not refer to itself without end"
	}
	if text := numberRule(k); text != "" {
		return text
	}
	if text := sizeRule(k); text != "" {
		return text
	}
	return "expected a value that the schema accepts"
}

func numberRule(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.Minimum:
		return "expected at least " + number(k.Want)
	case *kind.Maximum:
		return "expected at most " + number(k.Want)
	case *kind.ExclusiveMinimum:
		return "expected more than " + number(k.Want)
	case *kind.ExclusiveMaximum:
		return "expected less than " + number(k.Want)
	case *kind.MultipleOf:
		return "expected a multiple of " + number(k.Want)
	}
	return ""
}

func sizeRule(k jsonschema.ErrorKind) string {
	switch k := k.(type) {
	case *kind.MinLength:
		return "expected at least " + count(k.Want, "character")
	case *kind.MaxLength:
		return "expected at most " + count(k.Want, "character")
	case *kind.MinItems:
		return "expected at least " + count(k.Want, "item")
	case *kind.MaxItems:
		return "expected at most " + count(k.Want, "item")
	case *kind.AdditionalItems:
		return "expected fewer items, the last " + count(k.Count, "item") + " are too many"
	case *kind.MinProperties:
		return "expected at least " + count(k.Want, "member")
	case *kind.MaxProperties:
		return "expected at most " + count(k.Want, "member")
	case *kind.UniqueItems:
		return fmt.Sprintf("expected items that differ, items %d and %d are the same", k.Duplicates[0]+1, k.Duplicates[1]+1)
	case *kind.Contains:
		return "expected at least 1 item of the required form"
	case *kind.MinContains:
		return "expected at least " + count(k.Want, "item") + " of the required form"
	case *kind.MaxContains:
		return "expected at most " + count(k.Want, "item") + " of the required form"
	}
	return ""
}

// number writes a number of the schema as people do.
func number(r *big.Rat) string {
	if digits, exact := r.FloatPrec(); exact {
		if text := r.FloatString(digits); len(text) <= 30 {
			return text
		}
	}
	f, _ := r.Float64()
	return fmt.Sprint(f)
}

func count(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprint(n, " ", noun, "s")
}
