package agui

import "github.com/go-json-experiment/json/jsontext"

// StateSnapshot replaces the agent's state (events/state).
type StateSnapshot struct {
	Base
	Snapshot jsontext.Value `json:"snapshot"`
	Attributable
}

// StateDelta changes the agent's state by a JSON Patch (RFC 6902).
type StateDelta struct {
	Base
	Delta jsontext.Value `json:"delta"`
	Attributable
}

// MessagesSnapshot restates the conversation.
type MessagesSnapshot struct {
	Base
	Messages []Message `json:"messages"`
}
