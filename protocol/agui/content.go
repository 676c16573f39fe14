package agui

import "github.com/go-json-experiment/json/jsontext"

// The types of a content part.
const (
	PartText     = "text"
	PartImage    = "image"
	PartAudio    = "audio"
	PartVideo    = "video"
	PartDocument = "document"
)

// A ContentPart is one part of a message's content: text, or media from a source
// (AG-UI 1.1, ContentPart).
type ContentPart struct {
	Type     string         `json:"type"`
	ID       Text           `json:"id,omitzero"`
	Text     Text           `json:"text,omitzero"`     // of a text part
	Source   *Source        `json:"source,omitzero"`   // of every other part
	Metadata jsontext.Value `json:"metadata,omitzero"` // any value but null
	Extra    jsontext.Value `json:",embed"`
}

// The types of a source.
const (
	SourceData = "data" // Value is base64; MimeType is there
	SourceURL  = "url"
	SourceFile = "file" // Value is a handle of the Provider
)

// A Source says where the content of a media part is (AG-UI 1.1, PartSource).
type Source struct {
	Type     string         `json:"type"`
	Value    string         `json:"value"`
	MimeType Text           `json:"mimeType,omitzero"`
	Provider Text           `json:"provider,omitzero"`
	Extra    jsontext.Value `json:",embed"`
}
