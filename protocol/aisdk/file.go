package aisdk

import "github.com/go-json-experiment/json/jsontext"

// File carries a file that the model made; the URL may be a data URL.
type File struct {
	Head
	URL              string         `json:"url"`
	MediaType        string         `json:"mediaType"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// ReasoningFile carries a file that belongs to the reasoning (ai 7).
type ReasoningFile struct {
	Head
	URL              string         `json:"url"`
	MediaType        string         `json:"mediaType"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// Custom carries what only one provider knows, under a kind such as acme.plan (ai 7).
type Custom struct {
	Head
	CustomKind       string         `json:"kind"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// SteeringMessage carries what the user said into the run while it went on (ai 7, experimental).
type SteeringMessage struct {
	Head
	ID    string         `json:"id"`
	Parts jsontext.Value `json:"parts"` // text and file parts
}
