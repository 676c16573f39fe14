package gateway

import (
	"errors"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// errNotObject: a frame that is not one JSON object; the socket is closed for it.
var errNotObject = errors.New("a frame must be one JSON object")

// A clientFrame is what a client sent over an AG-UI socket: an input, or a control
// frame, which is told apart by its member "type".
type clientFrame struct {
	input   []byte // the whole frame, if it is a RunAgentInput
	control controlType
	thread  string
	refused *refusal // a control frame that is malformed or unknown
}

type controlType string

const controlCancel controlType = "cancel"

var (
	text        = &shape.Shape{Type: shape.String}
	anyFrame    = &shape.Shape{Type: shape.Struct, Open: true, Members: []shape.Member{{Name: "type", Shape: &shape.Shape{Type: shape.Any}}}}
	cancelFrame = &shape.Shape{Type: shape.Struct, Open: true, Members: []shape.Member{
		{Name: "type", Shape: text, Required: true}, {Name: "threadId", Shape: text, Required: true},
	}}
)

// readClientFrame tells what a frame is. The error is errNotObject.
func readClientFrame(raw []byte) (clientFrame, error) {
	record, _, err := shape.Parse(raw, anyFrame)
	if err != nil {
		return clientFrame{}, errNotObject
	}
	if record.Member("type") == nil {
		return clientFrame{input: raw}, nil
	}
	if !record.Is("type", string(controlCancel)) {
		return clientFrame{refused: invalid("/type", `expected "cancel" for a control frame; a RunAgentInput has no type`)}, nil
	}
	if record, _, err = shape.Parse(raw, cancelFrame); err != nil {
		return clientFrame{refused: invalidFrame(err)}, nil
	}
	return clientFrame{control: controlCancel, thread: record.Text("threadId")}, nil
}
