package aisdk

import "github.com/go-json-experiment/json/jsontext"

// Data carries application data, of type data-<name>.
type Data struct {
	Head
	ID        string         `json:"id,omitzero"`
	Data      jsontext.Value `json:"data"`
	Transient bool           `json:"transient,omitzero"` // shown once, never stored
}
