package gateway

import (
	"errors"
	"net/http"
	"strings"

	"github.com/coder/websocket"
)

// The subprotocols, accepted when a client offers them, and not required.
const (
	textSubprotocol   = "ag-ui.v1"       // events are text frames, as without a subprotocol
	binarySubprotocol = "ag-ui.v1.proto" // events are binary frames; all else is text
)

// offered returns the first subprotocol a client offers that the bridge speaks, so that
// the client's order decides; the library goes by the server's. It is returned as it is
// written here, which a client compares with what it has offered.
func offered(h http.Header) []string {
	for _, line := range h.Values("Sec-WebSocket-Protocol") {
		for name := range strings.SplitSeq(line, ",") {
			switch name = strings.TrimSpace(name); name {
			case textSubprotocol, binarySubprotocol:
				return []string{name}
			}
		}
	}
	return nil
}

// errNoForm: an event that the socket's form cannot carry, which the client was told.
var errNoForm = errors.New("an event has no binary form")

// events sends events, one in a frame, in the form that was agreed on.
func (c *socket) events(events [][]byte) error {
	if c.binary == nil {
		return c.write(events)
	}
	frames := make([][]byte, 0, len(events))
	for _, e := range events {
		frame, bad := c.binary.encode(nil, e)
		if len(frame) > 0 {
			frames = append(frames, frame)
		}
		if bad != nil {
			if err := c.send(websocket.MessageBinary, frames); err != nil {
				return err
			}
			return errNoForm
		}
	}
	return c.send(websocket.MessageBinary, frames)
}
