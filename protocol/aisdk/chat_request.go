package aisdk

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Trigger says why a chat posts.
type Trigger string

// The triggers of a chat request.
const (
	TriggerSubmit     Trigger = "submit-message"
	TriggerRegenerate Trigger = "regenerate-message"
)

// A ChatRequest is what a chat posts: the whole conversation as it holds it.
type ChatRequest struct {
	ID        string         `json:"id"`
	Messages  []Message      `json:"messages"`
	Trigger   Trigger        `json:"trigger"`
	MessageID string         `json:"messageId,omitzero"` // of the message that goes on, absent for a new turn
	Extra     jsontext.Value `json:",embed"`
}

// Encode writes the request as the body of a POST. The error matches ErrMalformed.
func (r ChatRequest) Encode() ([]byte, error) {
	body, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("%w: encode chat request: %w", ErrMalformed, err)
	}
	return body, nil
}
