package aisdk

import "github.com/go-json-experiment/json/jsontext"

// Data carries application data, of type data-<name>. Data is a required key; null is
// a value.
type Data struct {
	Head
	ID        Text           `json:"id,omitzero"`
	Data      jsontext.Value `json:"data"`
	Transient Flag           `json:"transient,omitzero"` // shown once, never stored
}
