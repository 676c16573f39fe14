package aisdk

import "github.com/go-json-experiment/json/jsontext"

// TextStart opens a text part.
type TextStart struct {
	Head
	ID               string         `json:"id"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// TextDelta appends to an open text part.
type TextDelta struct {
	Head
	ID               string         `json:"id"`
	Delta            string         `json:"delta"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// TextEnd closes a text part, and says what it rests on.
type TextEnd struct {
	Head
	ID               string         `json:"id"`
	Citations        jsontext.Value `json:"citations,omitzero"` // an array of Citation (ai 7)
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// ReasoningStart opens a reasoning part.
type ReasoningStart struct {
	Head
	ID               string         `json:"id"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// ReasoningDelta appends to an open reasoning part.
type ReasoningDelta struct {
	Head
	ID               string         `json:"id"`
	Delta            string         `json:"delta"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// ReasoningEnd closes a reasoning part.
type ReasoningEnd struct {
	Head
	ID               string         `json:"id"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}
