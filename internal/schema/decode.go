package schema

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	maxDepth        = 64  // objects and lists inside each other
	maxNumberLength = 400 // characters
	maxExponent     = 999
)

var (
	errDepth  = fmt.Errorf("expected a value nested at most %d levels deep", maxDepth)
	errNumber = fmt.Errorf("expected numbers of at most %d characters and exponents of at most %d", maxNumberLength, maxExponent)
	errSyntax = errors.New("expected well-formed JSON")
)

// decode parses a value the way the library wants it: numbers keep their text.
func decode(text jsontext.Value) (any, error) {
	if err := inspect(text); err != nil {
		return nil, err
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errSyntax, err)
	}
	return v, nil
}

// inspect refuses what the library would accept: duplicate names, bad UTF-8,
// deep nesting, and numbers that take much time and memory to compute with.
func inspect(text jsontext.Value) error {
	d := jsontext.NewDecoder(bytes.NewReader(text))
	for {
		token, err := d.ReadToken()
		switch {
		case errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF):
			return nil
		case err != nil:
			return fmt.Errorf("%w: %w", errSyntax, err)
		case d.StackDepth() > maxDepth:
			return errDepth
		case token.Kind() == jsontext.KindNumber && !inRange(token.String()):
			return errNumber
		}
	}
}

func inRange(number string) bool {
	mantissa, exponent, _ := strings.Cut(strings.ToLower(number), "e")
	exponent = strings.TrimLeft(exponent, "+-0")
	return len(mantissa) <= maxNumberLength && len(exponent) <= len(fmt.Sprint(maxExponent))
}
