package agui

import "github.com/go-json-experiment/json/jsontext"

// ActivitySnapshot reports structured progress that is not conversation (events/activity).
type ActivitySnapshot struct {
	Base
	MessageID    string         `json:"messageId"`
	ActivityType string         `json:"activityType"`
	Content      jsontext.Value `json:"content"` // an object
	Replace      *bool          `json:"replace,omitzero"`
	Attributable
}

// ActivityDelta changes an activity's content by a JSON Patch (RFC 6902).
type ActivityDelta struct {
	Base
	MessageID    string         `json:"messageId"`
	ActivityType string         `json:"activityType"`
	Patch        jsontext.Value `json:"patch"`
	Attributable
}
