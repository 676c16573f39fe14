package schema

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agui-bridge/agui-bridge/hitl"
)

const (
	// root is the name of every schema. A relative reference names something
	// beside it, which is nothing. (Under a name without slashes, the library
	// takes a relative reference for one to the schema itself.)
	root = "schema://untrusted/root"

	maxObjects = 2_000
)

var drafts = regexp.MustCompile(`^https?://json-schema\.org/(draft-0[467]|draft/2019-09|draft/2020-12)/schema#?$`)

var errOutside = errors.New("it refers to something outside itself")

// A schema is compiled when it is first used.
type schema struct {
	key  key
	text jsontext.Value
	once sync.Once

	mu     sync.Mutex // one check at a time: they share the budget
	budget budget
	root   *jsonschema.Schema
	fault  []hitl.Issue // why root is nil
}

func (s *schema) check(v any) []hitl.Issue {
	s.once.Do(s.compile)
	if s.root == nil {
		return slices.Clone(s.fault)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.budget.run(func() error { return s.root.Validate(v) })
	return issuesOf(err)
}

func (s *schema) compile() {
	err := s.budget.run(func() (err error) {
		s.root, err = compile(s.text, &s.budget)
		return err
	})
	if err != nil {
		s.root, s.fault = nil, unusable(fault(err))
	}
}

func compile(text jsontext.Value, b *budget) (*jsonschema.Schema, error) {
	doc, err := decode(text)
	if err != nil {
		return nil, err
	}
	if err := survey(doc, new(int)); err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	c.UseLoader(noLoader{})
	p := &patterns{budget: b}
	c.UseRegexpEngine(p.compile)
	if err := c.AddResource(root, doc); err != nil {
		return nil, err
	}
	s, err := c.Compile(root)
	if err != nil {
		return nil, err
	}
	p.sealed, p.steps = true, 0
	return s, prepare(s, b)
}

// fault says in plain words why a schema or a value cannot be used.
func fault(err error) string {
	if invalid, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		return "it is not a JSON Schema: " + issuesOf(invalid.Err)[0].String()
	}
	if load, ok := errors.AsType[*jsonschema.LoadURLError](err); ok {
		return errOutside.Error() + ": " + quote(load.URL)
	}
	if part := missingPart(err); part != "" {
		return "it refers to a part of itself that is not there: " + shorten(part)
	}
	for _, known := range []error{errSyntax, errDepth, errNumber, errOutside, errBudget} {
		if errors.Is(err, known) {
			return known.Error()
		}
	}
	return strings.ReplaceAll(err.Error(), root, "")
}

// missingPart returns the reference that leads nowhere inside the schema.
func missingPart(err error) string {
	if pointer, ok := errors.AsType[*jsonschema.JSONPointerNotFoundError](err); ok {
		return strings.TrimPrefix(pointer.URL, root)
	}
	if anchor, ok := errors.AsType[*jsonschema.AnchorNotFoundError](err); ok {
		return strings.TrimPrefix(anchor.Reference, root)
	}
	return ""
}

// survey bounds what compiling costs, which is more than linear, and refuses
// dialects of the schema's own: some would ignore the rules it has.
func survey(v any, objects *int) error {
	switch v := v.(type) {
	case map[string]any:
		if *objects++; *objects > maxObjects {
			return fmt.Errorf("it has more than %d objects", maxObjects)
		}
		if dialect, ok := v["$schema"].(string); ok && !drafts.MatchString(dialect) {
			return fmt.Errorf("$schema is not a draft that is known: %s", quote(dialect))
		}
		for _, member := range v {
			if err := survey(member, objects); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range v {
			if err := survey(element, objects); err != nil {
				return err
			}
		}
	}
	return nil
}

// noLoader loads nothing, wherever it may be.
type noLoader struct{}

// Load implements [jsonschema.URLLoader].
func (noLoader) Load(string) (any, error) { return nil, errOutside }

// prepare looks at every schema that a check can reach: it must be part of the
// document, and counts as a step of the budget when a value comes by.
func prepare(s *jsonschema.Schema, b *budget) error {
	seen := map[*jsonschema.Schema]bool{s: true}
	for todo := []*jsonschema.Schema{s}; len(todo) > 0; {
		s, todo = todo[len(todo)-1], todo[:len(todo)-1]
		if !strings.HasPrefix(s.Location, root+"#") {
			return errOutside // a metaschema, which the library has at hand
		}
		if s.DynamicRef != nil || s.RecursiveRef != nil {
			return errors.New("it uses $dynamicRef or $recursiveRef")
		}
		next := children(s)
		b.watch(s, next)
		for _, child := range next {
			if !seen[child] {
				seen[child] = true
				todo = append(todo, child)
			}
		}
	}
	return nil
}

// children returns the schemas that s applies to a value or to parts of it.
func children(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{s.Ref, s.Not, s.If, s.Then, s.Else, s.ContentSchema}
	for _, list := range [][]*jsonschema.Schema{s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems} {
		all = append(all, list...)
	}
	for _, members := range []map[string]*jsonschema.Schema{s.Properties, s.DependentSchemas} {
		all = slices.AppendSeq(all, maps.Values(members))
	}
	for _, child := range s.Dependencies {
		all = append(all, loose(child)...)
	}
	return append(present(all), childrenOfParts(s)...)
}

// childrenOfParts returns the schemas that s may apply to every part of a value.
func childrenOfParts(s *jsonschema.Schema) []*jsonschema.Schema {
	all := []*jsonschema.Schema{s.PropertyNames, s.Contains, s.Items2020, s.UnevaluatedProperties, s.UnevaluatedItems}
	for _, child := range []any{s.AdditionalProperties, s.AdditionalItems, s.Items} {
		all = append(all, loose(child)...)
	}
	return present(slices.AppendSeq(all, maps.Values(s.PatternProperties)))
}

// loose returns the schemas in a field that may hold several kinds of things.
func loose(v any) []*jsonschema.Schema {
	switch v := v.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{v}
	case []*jsonschema.Schema:
		return v
	}
	return nil
}

func present(all []*jsonschema.Schema) []*jsonschema.Schema {
	return slices.DeleteFunc(all, func(s *jsonschema.Schema) bool { return s == nil })
}
