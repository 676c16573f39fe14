package aisdk

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// A SocketResponse is a frame that answers the request of the same id. Chunks are
// numbered from 0 for each request, without a gap: a chat passes over a number it had,
// and gives up on the whole socket over one that is missing.
type SocketResponse struct {
	Type      SocketType
	RequestID string
	Sequence  int64 // of a chunk
	Chunk     Frame // of a chunk
	ErrorText Text  // of an error
}

var socketResponses = map[SocketType]*shape.Shape{
	SocketStart:    socketResponse(SocketStart),
	SocketChunk:    socketResponse(SocketChunk, req("sequence", anIndex), req("chunk", anObject)),
	SocketEnd:      socketResponse(SocketEnd),
	SocketError:    socketResponse(SocketError, opt("errorText", aString)),
	SocketNoActive: socketResponse(SocketNoActive),
}

func socketResponse(t SocketType, m ...shape.Member) *shape.Shape {
	return open(append(members{req("type", word(string(t))), req("requestId", aString)}, m...)...)
}

// ParseSocketResponse reads a frame of an agent as a chat does; a chat closes the socket
// over one that is not as it should be, its chunk included. The error matches
// ErrMalformed and names the member that is wrong.
func ParseSocketResponse(raw []byte) (SocketResponse, error) {
	r, err := parseSocketResponse(raw)
	if err != nil {
		return SocketResponse{}, fmt.Errorf("%w: socket frame: %w", ErrMalformed, err)
	}
	return r, nil
}

func parseSocketResponse(raw []byte) (SocketResponse, error) {
	name, err := shape.StringMember(raw, "type")
	if err != nil {
		return SocketResponse{}, err
	}
	s, known := socketResponses[SocketType(name)]
	if !known {
		return SocketResponse{}, &shape.Violation{Path: "/type", Want: "start, chunk, end, error or no-active", Got: name}
	}
	record, _, err := shape.Parse(raw, s)
	if err != nil {
		return SocketResponse{}, err
	}
	if at, found := forbiddenName(raw); found {
		return SocketResponse{}, &shape.Violation{Path: at, Want: "no name that reaches a prototype", Got: "one"}
	}
	out := SocketResponse{Type: SocketType(name), RequestID: record.Text("requestId")}
	if text := record.Member("errorText"); text != nil {
		out.ErrorText = Set(shape.Unquote(text))
	}
	if out.Type != SocketChunk {
		return out, nil
	}
	number, err := strconv.ParseFloat(string(record.Member("sequence")), 64)
	if err != nil {
		return SocketResponse{}, &shape.Violation{Path: "/sequence", Want: "a whole number", Got: "another"}
	}
	out.Sequence = int64(number)
	if out.Chunk, _, err = ParseFrame(record.Member("chunk")); err != nil {
		return SocketResponse{}, fmt.Errorf("/chunk: %w", err)
	}
	if err := V7.Check(out.Chunk); err != nil {
		return SocketResponse{}, fmt.Errorf("/chunk: %w", err)
	}
	return out, nil
}

// Append writes the frame behind dst. The chunk goes in as the bytes it is; whoever
// made it has seen to it that a chat takes it.
func (r SocketResponse) Append(dst []byte) ([]byte, error) {
	dst = append(dst, `{"type":"`...)
	dst = append(dst, r.Type...)
	dst = append(dst, `","requestId":`...)
	dst, err := jsontext.AppendQuote(dst, r.RequestID)
	if err != nil {
		return nil, fmt.Errorf("%w: socket frame: /requestId: %w", ErrMalformed, err)
	}
	switch r.Type {
	case SocketStart, SocketEnd, SocketNoActive:
	case SocketChunk:
		if r.Sequence < 0 || len(r.Chunk.Raw) == 0 {
			return nil, fmt.Errorf("%w: socket frame: a chunk needs its number and its bytes", ErrMalformed)
		}
		dst = append(dst, `,"sequence":`...)
		dst = strconv.AppendInt(dst, r.Sequence, 10)
		dst = append(dst, `,"chunk":`...)
		dst = append(dst, r.Chunk.Raw...)
	case SocketError:
		if r.ErrorText.Present() {
			dst = append(dst, `,"errorText":`...)
			if dst, err = jsontext.AppendQuote(dst, r.ErrorText.String()); err != nil {
				return nil, fmt.Errorf("%w: socket frame: /errorText: %w", ErrMalformed, err)
			}
		}
	default:
		return nil, fmt.Errorf("%w: socket frame: /type: %q is no answer", ErrMalformed, r.Type)
	}
	return append(dst, '}'), nil
}

// AppendSocketChunk writes a chunk, which has been checked, as a frame behind dst. This is
// what runs once a token.
func AppendSocketChunk(dst []byte, requestID string, sequence int64, chunk []byte) ([]byte, error) {
	r := SocketResponse{Type: SocketChunk, RequestID: requestID, Sequence: sequence}
	r.Chunk.Raw = chunk
	return r.Append(dst)
}
