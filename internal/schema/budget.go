package schema

import (
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// maxSteps is what one check may spend. A form of a hundred fields takes
	// some hundred steps; these take about half a second and 200 MB.
	maxSteps = 500_000

	textRate    = 256   // bytes of text that are looked at in one step
	patternRate = 1_024 // bytes of text times instructions of a pattern in one step
	uniqueRate  = 20    // steps for each part of a list whose elements must differ
)

var errBudget = errors.New("it takes too long to check")

// A budget counts the steps of a check and stops it when they are spent. The
// library has no means of its own to stop, so the end is a panic that run
// recovers.
type budget struct{ left int }

// run calls f with a full budget. Any panic of f is an error.
func (b *budget) run(f func() error) (err error) {
	defer func() {
		switch p := recover(); p {
		case nil:
		case errBudget:
			err = errBudget
		default:
			err = fmt.Errorf("it cannot be checked: %v", p)
		}
	}()
	b.left = maxSteps
	return f()
}

func (b *budget) spend(steps int) {
	if b.left -= steps; b.left < 0 {
		panic(errBudget)
	}
}

// watch makes every visit of s cost steps: for each of its children, and for
// each part of the value. The format of a schema is what is looked at before
// its parts, so the price is paid there.
func (b *budget) watch(s *jsonschema.Schema, children []*jsonschema.Schema) {
	price := 1 + enums(children)
	perPart := 1 + enums(childrenOfParts(s))
	format, unique := s.Format, s.UniqueItems
	watched := &jsonschema.Format{Validate: func(v any) error {
		b.spend(price + perPart*size(v))
		if unique {
			b.spend(uniqueRate * deepSize(v))
		}
		if format == nil {
			return nil
		}
		return format.Validate(v)
	}}
	if format != nil {
		watched.Name = format.Name
	}
	s.Format = watched
}

// enums is what it costs to see that a value is of none of these.
func enums(schemas []*jsonschema.Schema) int {
	n := len(schemas)
	for _, s := range schemas {
		if s.Enum != nil {
			n += len(s.Enum.Values)
		}
	}
	return n
}

// size is how many parts a value has.
func size(v any) int {
	switch v := v.(type) {
	case string:
		return len(v) / textRate
	case []any:
		return len(v)
	case map[string]any:
		return len(v)
	}
	return 0
}

// deepSize is how many steps a value is with all its parts.
func deepSize(v any) int {
	n := 1 + size(v)
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			n += deepSize(element)
		}
	case map[string]any:
		for name, member := range v {
			n += 1 + size(name) + deepSize(member)
		}
	}
	return n
}
