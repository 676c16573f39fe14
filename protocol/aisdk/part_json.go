package aisdk

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// UnmarshalJSONFrom reads a part of a history, which may be of any age and make. A member
// that is not what it should be is kept in Extra, as if it were unknown, so that it
// travels on and nobody acts on it.
func (p *Part) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	raw, err := d.ReadValue()
	if err != nil {
		return err
	}
	type plain Part
	var whole plain
	if err := json.Unmarshal(raw, &whole); err == nil && whole.Type != "" {
		*p = Part(whole)
		return nil
	}
	if raw.Kind() != '{' {
		return fmt.Errorf("%w: a part that is no object", ErrMalformed)
	}
	kind, err := shape.StringMember(raw, "type")
	if err != nil {
		return err
	}
	whole = plain{}
	var odd []byte
	for m, err := range shape.Fields(raw) {
		if err != nil {
			return err
		}
		member := append(append(m.Name, ':'), m.Value...)
		one := append(append([]byte{'{'}, member...), '}')
		var alone plain
		if json.Unmarshal(one, &alone) != nil || len(alone.Extra) > 0 {
			odd = append(append(odd, ','), member...)
			continue
		}
		if err := json.Unmarshal(one, &whole); err != nil {
			return err
		}
	}
	whole.Type = kind
	if len(odd) > 0 {
		odd[0] = '{'
		whole.Extra = append(odd, '}')
	}
	*p = Part(whole)
	return nil
}
