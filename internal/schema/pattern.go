package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxPattern      = 1_000  // bytes of one pattern
	maxPatternSteps = 50_000 // instructions of all patterns, repetitions written out
)

// patterns compiles the regular expressions of one schema, and later those
// that values of the format "regex" are, which count each for itself.
type patterns struct {
	budget *budget
	steps  int
	sealed bool
}

func (p *patterns) compile(text string) (jsonschema.Regexp, error) {
	if len(text) > maxPattern {
		return nil, fmt.Errorf("a pattern longer than %d bytes", maxPattern)
	}
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, err
	}
	program, err := syntax.Compile(tree.Simplify())
	if err != nil {
		return nil, err
	}
	size := len(program.Inst)
	if p.sealed {
		p.budget.spend(size)
	} else {
		p.steps += size
	}
	if max(p.steps, size) > maxPatternSteps {
		return nil, errors.New("patterns that are too large")
	}
	re, err := regexp.Compile(text)
	return pattern{Regexp: re, size: size, budget: p.budget}, err
}

// A pattern pays for its matches.
type pattern struct {
	*regexp.Regexp
	size   int
	budget *budget
}

// MatchString implements [jsonschema.Regexp].
func (p pattern) MatchString(s string) bool {
	p.budget.spend(1 + len(s)*p.size/patternRate)
	return p.Regexp.MatchString(s)
}
