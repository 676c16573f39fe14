package hitl

import "github.com/go-json-experiment/json/jsontext"

// A Render is a hint which widget shows a [Request]. Nothing is decided by it: a kind
// that no front end knows is shown by the request's message and schema.
type Render struct {
	Kind  string         `json:"kind"`
	Extra jsontext.Value `json:",embed"` // every other member, a JSON object
}
