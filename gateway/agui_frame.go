package gateway

import (
	"errors"
	"math"
	"strconv"

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
	run     string   // attach: the run, "" for the thread
	after   int      // attach: how many events of the run the client has got
	refused *refusal // a control frame that is malformed or unknown
}

type controlType string

const (
	controlCancel controlType = "cancel"
	controlAttach controlType = "attach"
	controlDetach controlType = "detach"
)

var (
	text         = &shape.Shape{Type: shape.String}
	anyFrame     = &shape.Shape{Type: shape.Struct, Open: true, Members: []shape.Member{{Name: "type", Shape: &shape.Shape{Type: shape.Any}}}}
	controlFrame = &shape.Shape{Type: shape.Struct, Open: true, Members: []shape.Member{
		{Name: "type", Shape: text, Required: true}, {Name: "threadId", Shape: text, Required: true},
		{Name: "runId", Shape: text}, {Name: "after", Shape: &shape.Shape{Type: shape.Integer, Max: shape.SafeInteger}},
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
	for _, control := range []controlType{controlCancel, controlAttach, controlDetach} {
		if record.Is("type", string(control)) {
			return readControl(control, raw), nil
		}
	}
	return clientFrame{refused: invalid("/type", `expected "attach", "cancel" or "detach" for a control frame; a RunAgentInput has no type`)}, nil
}

func readControl(control controlType, raw []byte) clientFrame {
	record, _, err := shape.Parse(raw, controlFrame)
	if err != nil {
		return clientFrame{refused: invalidFrame(err)}
	}
	f := clientFrame{control: control, thread: record.Text("threadId"), run: record.Text("runId")}
	if after := record.Member("after"); after != nil {
		n, err := strconv.ParseFloat(string(after), 64) // it is whole: it may be written 1e3
		if err != nil || n > math.MaxInt32 {
			return clientFrame{refused: invalid("/after", "expected how many events of the run are there already")}
		}
		f.after = int(n)
	}
	return f
}
