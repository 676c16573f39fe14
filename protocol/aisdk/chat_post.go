package aisdk

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A ChatPost is a chat request as it came over HTTP. Applications may post the newest
// message alone, in place of the conversation: then Alone is set, and Messages holds it.
type ChatPost struct {
	ChatRequest
	Alone bool
}

var chatPostShape = open(
	req("id", aString), opt("messages", &shape.Shape{Type: shape.Array, Item: historyShape, MinItems: 1}), opt("message", historyShape),
	opt("trigger", words(string(TriggerSubmit), string(TriggerRegenerate))), opt("messageId", aString),
)

// ParseChatPost reads the body of a POST. It demands what is acted upon and is lenient
// about what the messages hold. Without a trigger a message was submitted. The error
// matches ErrMalformed and names the member that is wrong.
func ParseChatPost(raw []byte) (ChatPost, error) {
	p, err := parseChatPost(raw)
	if err != nil {
		return ChatPost{}, fmt.Errorf("%w: chat request: %w", ErrMalformed, err)
	}
	return p, nil
}

func parseChatPost(raw []byte) (ChatPost, error) {
	record, warnings, err := shape.Parse(raw, chatPostShape)
	if err != nil {
		return ChatPost{}, err
	}
	for _, w := range warnings {
		if w.Code == shape.UnknownValue {
			return ChatPost{}, &shape.Violation{Path: w.Path, Want: "a known value", Got: w.Detail}
		}
	}
	if record.Text("id") == "" {
		return ChatPost{}, &shape.Violation{Path: "/id", Want: "the id of the chat", Got: "none"}
	}
	var p ChatPost
	if err := json.Unmarshal(raw, &p.ChatRequest); err != nil {
		return ChatPost{}, err
	}
	if p.Trigger == "" {
		p.Trigger = TriggerSubmit
	}
	if len(p.Messages) > 0 {
		return p, nil
	}
	alone := record.Member("message")
	if alone == nil {
		return ChatPost{}, &shape.Violation{Path: "/messages", Want: "an array of messages, or one as message", Got: "none"}
	}
	m, err := ParseMessage(alone)
	if err != nil {
		return ChatPost{}, err
	}
	p.Messages, p.Alone = []Message{m}, true
	p.Extra, err = without(p.Extra, "message")
	return p, err
}

// without returns the object, which may be absent, without the named member.
func without(object jsontext.Value, name string) (jsontext.Value, error) {
	if len(object) == 0 {
		return nil, nil
	}
	out := []byte{'{'}
	for m, err := range shape.Fields(object) {
		if err != nil {
			return nil, err
		}
		if shape.Unquote(m.Name) == name {
			continue
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(append(out, m.Name...), ':'), m.Value...)
	}
	return append(out, '}'), nil
}

// Post returns what the turn of a socket is over HTTP: what the application put beside it
// stands in the body.
func (r *SocketSendRequest) Post() ChatPost {
	post := ChatPost{ChatRequest: ChatRequest{
		ID: r.ID, Messages: r.Messages, Trigger: r.Trigger, MessageID: r.MessageID.String(),
	}}
	extra := []byte{'{'}
	for m, err := range shape.Fields(r.Body) {
		if err != nil {
			break // cannot be: it was checked
		}
		switch shape.Unquote(m.Name) {
		case "id", "messages", "message", "trigger", "messageId":
			continue // the frame's own win, as they do over HTTP
		}
		if len(extra) > 1 {
			extra = append(extra, ',')
		}
		extra = append(append(append(extra, m.Name...), ':'), m.Value...)
	}
	if len(extra) > 1 {
		post.Extra = append(extra, '}')
	}
	return post
}

// Continued returns the assistant's message that the request goes on with, or nil if it
// begins a new one.
func (r *ChatRequest) Continued() *Message {
	n := len(r.Messages)
	if n == 0 || r.Trigger == TriggerRegenerate || r.Messages[n-1].Role != RoleAssistant {
		return nil
	}
	return &r.Messages[n-1]
}

// Before returns the messages before the one that the request goes on with.
func (r *ChatRequest) Before() []Message {
	if r.Continued() == nil {
		return r.Messages
	}
	return r.Messages[:len(r.Messages)-1]
}
