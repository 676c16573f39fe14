package agui

import "github.com/go-json-experiment/json/jsontext"

// Raw passes a provider's own event through (events/passthrough).
type Raw struct {
	Base
	Event  jsontext.Value `json:"event"`
	Source Text           `json:"source,omitzero"`
	Attributable
}

// Custom carries an application's own event.
type Custom struct {
	Base
	Name  string         `json:"name"`
	Value jsontext.Value `json:"value"`
	Attributable
}
