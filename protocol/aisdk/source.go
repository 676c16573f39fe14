package aisdk

import "github.com/go-json-experiment/json/jsontext"

// SourceURL names a page that the answer rests on.
type SourceURL struct {
	Head
	SourceID         string         `json:"sourceId"`
	URL              string         `json:"url"`
	Title            Text           `json:"title,omitzero"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// SourceDocument names a document that the answer rests on.
type SourceDocument struct {
	Head
	SourceID         string         `json:"sourceId"`
	MediaType        string         `json:"mediaType"`
	Title            string         `json:"title"`
	Filename         Text           `json:"filename,omitzero"`
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}

// A Citation says which stretch of a text rests on which source (ai 7).
type Citation struct {
	Source     CitationSource `json:"source"`
	StartIndex *int64         `json:"startIndex,omitzero"`
	EndIndex   *int64         `json:"endIndex,omitzero"`
	CitedText  Text           `json:"citedText,omitzero"`
}

// A CitationSource is a page, of SourceType "url", or a "document".
type CitationSource struct {
	Type             string         `json:"type"` // "source"
	SourceType       string         `json:"sourceType"`
	ID               string         `json:"id"`
	URL              Text           `json:"url,omitzero"`       // url
	MediaType        Text           `json:"mediaType,omitzero"` // document
	Title            Text           `json:"title,omitzero"`
	Filename         Text           `json:"filename,omitzero"` // document
	ProviderMetadata jsontext.Value `json:"providerMetadata,omitzero"`
}
