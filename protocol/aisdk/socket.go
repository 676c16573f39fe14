package aisdk

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A SocketType names what a frame of WebSocketChatTransport is (ai 7.0.135 and later).
// Each frame is one JSON text frame; all name the request they belong to.
type SocketType string

// What a chat sends over a WebSocket.
const (
	SocketSend   SocketType = "send"   // a turn
	SocketResume SocketType = "resume" // a question for the turn that is going on
	SocketAbort  SocketType = "abort"  // the person has stopped the turn
)

// What a chat is sent over a WebSocket.
const (
	SocketStart    SocketType = "start"     // the turn goes on; confirms a resume
	SocketChunk    SocketType = "chunk"     // one chunk of it, numbered
	SocketEnd      SocketType = "end"       // the turn is over
	SocketError    SocketType = "error"     // the turn failed
	SocketNoActive SocketType = "no-active" // there is no turn that goes on
)

// A SocketRequest is what a chat sends. The set is closed: *SocketSendRequest,
// *SocketResumeRequest and *SocketAbortRequest.
type SocketRequest interface {
	// Request returns the id that the answers to the request have to carry.
	Request() string
}

// A SocketSendRequest is one turn: the whole conversation, and what the application put
// beside it.
type SocketSendRequest struct {
	Type      SocketType        `json:"type"`
	RequestID string            `json:"requestId"`
	ID        string            `json:"id"` // of the chat
	Trigger   Trigger           `json:"trigger"`
	MessageID Text              `json:"messageId,omitzero"`
	Messages  []Message         `json:"messages"`
	Headers   map[string]string `json:"headers"`
	Body      jsontext.Value    `json:"body"`
	Metadata  jsontext.Value    `json:"metadata,omitzero"`
	Extra     jsontext.Value    `json:",embed"`
}

// A SocketResumeRequest asks for the turn that goes on in a chat. The published client
// leaves LastSequence out: it wants everything from the first chunk.
type SocketResumeRequest struct {
	Type         SocketType        `json:"type"`
	RequestID    string            `json:"requestId"`
	ID           string            `json:"id"`
	LastSequence *int64            `json:"lastSequence,omitzero"`
	Headers      map[string]string `json:"headers"`
	Body         jsontext.Value    `json:"body"`
	Metadata     jsontext.Value    `json:"metadata,omitzero"`
	Extra        jsontext.Value    `json:",embed"`
}

// A SocketAbortRequest stops the turn that the request of the same id began or resumed.
type SocketAbortRequest struct {
	Type      SocketType     `json:"type"`
	RequestID string         `json:"requestId"`
	Extra     jsontext.Value `json:",embed"`
}

// Request returns the id of the request.
func (r *SocketSendRequest) Request() string { return r.RequestID }

// Request returns the id of the request.
func (r *SocketResumeRequest) Request() string { return r.RequestID }

// Request returns the id of the request that is stopped.
func (r *SocketAbortRequest) Request() string { return r.RequestID }

// A socketKind is what is known of the requests of one type.
type socketKind struct {
	shape  *shape.Shape
	decode func(raw []byte) (SocketRequest, error)
}

var socketKinds = map[SocketType]socketKind{
	SocketSend: {
		open(
			req("type", word(string(SocketSend))), req("requestId", aString), req("id", aString),
			req("trigger", words(string(TriggerSubmit), string(TriggerRegenerate))), opt("messageId", aString),
			req("messages", &shape.Shape{Type: shape.Array, MinItems: 1, Item: historyShape}),
			req("headers", stringMap), req("body", anObject), opt("metadata", anyValue),
		), decodeRequest[SocketSendRequest],
	},
	SocketResume: {
		open(
			req("type", word(string(SocketResume))), req("requestId", aString), req("id", aString), opt("lastSequence", anIndex),
			req("headers", stringMap), req("body", anObject), opt("metadata", anyValue),
		), decodeRequest[SocketResumeRequest],
	},
	SocketAbort: {
		open(req("type", word(string(SocketAbort))), req("requestId", aString)), decodeRequest[SocketAbortRequest],
	},
}

// historyShape is what is demanded of a message that a chat hands over. The rest of it
// is history.
var historyShape = open(req("id", aString), req("role", words(string(RoleSystem), string(RoleUser), string(RoleAssistant))),
	req("parts", list(open(req("type", aString)))))

func decodeRequest[T any, P interface {
	*T
	SocketRequest
}](raw []byte) (SocketRequest, error) {
	r := P(new(T))
	if err := json.Unmarshal(raw, r); err != nil {
		return nil, err
	}
	return r, nil
}

// ParseSocketRequest reads a frame of a chat. It is as strict as the published server
// side about the frame, and lenient about what the messages hold. The error matches
// ErrMalformed and names the member that is wrong.
func ParseSocketRequest(raw []byte) (SocketRequest, error) {
	r, err := parseSocketRequest(raw)
	if err != nil {
		return nil, fmt.Errorf("%w: socket frame: %w", ErrMalformed, err)
	}
	return r, nil
}

func parseSocketRequest(raw []byte) (SocketRequest, error) {
	name, err := shape.StringMember(raw, "type")
	if err != nil {
		return nil, err
	}
	kind, known := socketKinds[SocketType(name)]
	if !known {
		return nil, &shape.Violation{Path: "/type", Want: "send, resume or abort", Got: name}
	}
	if err := strictly(raw, kind.shape, nil); err != nil {
		return nil, err
	}
	if at, found := forbiddenName(raw); found {
		return nil, &shape.Violation{Path: at, Want: "no name that reaches a prototype", Got: "one"}
	}
	return kind.decode(raw)
}

// EncodeSocketRequest writes a frame as a chat does. The error matches ErrMalformed.
func EncodeSocketRequest(r SocketRequest) ([]byte, error) {
	raw, err := json.Marshal(r)
	if err != nil {
		return nil, fmt.Errorf("%w: socket frame: %w", ErrMalformed, err)
	}
	if _, err := ParseSocketRequest(raw); err != nil {
		return nil, err
	}
	return raw, nil
}
