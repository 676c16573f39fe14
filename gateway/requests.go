package gateway

import (
	"fmt"
	"net/http"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// answerShape is the body of an answer: one of its members.
var answerShape = &shape.Shape{Type: shape.Struct, Members: []shape.Member{
	{Name: "decision", Shape: &shape.Shape{Type: shape.Object}},
	{Name: "input", Shape: &shape.Shape{Type: shape.Object}},
	{Name: "output", Shape: &shape.Shape{Type: shape.Any}},
	{Name: "outputError", Shape: text},
}}

// answer settles one open request of a thread. When it was the last one, the run goes on,
// whoever is attached to it. The answer is the thread as it is then.
func (s *Server) answer(w http.ResponseWriter, r *http.Request) {
	raw, refused := s.body(w, r)
	if refused != nil {
		refuse(w, refused)
		return
	}
	read, refused := readAnswer(raw)
	if refused != nil {
		refuse(w, refused)
		return
	}
	thread := r.PathValue("thread")
	err := s.opts.Hub.Answer(r.Context(), thread, session.Answer{RequestID: r.PathValue("request"), Read: read}, actor(r))
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	s.thread(w, r)
}

// readAnswer reads the body of an answer. A member that it does not know is refused: it
// could be a condition that would be lost.
func readAnswer(raw []byte) (func(hitl.Request) (hitl.Response, error), *refusal) {
	record, warnings, err := shape.Parse(raw, answerShape)
	if err != nil {
		return nil, invalidFrame(err)
	}
	if len(warnings) > 0 {
		return nil, invalid(warnings[0].Path, "expected decision, input, output or outputError and nothing else")
	}
	given := ""
	for _, m := range answerShape.Members {
		if record.Member(m.Name) == nil {
			continue
		}
		if given != "" {
			return nil, invalid("/"+m.Name, "expected one answer, and there is "+given+" already")
		}
		given = m.Name
	}
	if given == "" {
		return nil, invalid("", "expected decision, input, output or outputError")
	}
	return func(hitl.Request) (hitl.Response, error) {
		r, err := response(given, record)
		if err != nil {
			return r, fmt.Errorf("/%s: %w", given, err)
		}
		return r, nil
	}, nil
}

// response gives the neutral answer. Its payload is what an AG-UI agent would be sent, so
// that the schema of a request holds for every way to answer it.
func response(given string, record shape.Record) (r hitl.Response, err error) {
	switch given {
	case "decision":
		d, err := hitl.ParseDecision(record.Member(given))
		if err != nil {
			return hitl.Response{}, err
		}
		r.Decision = &d
		r.Payload, err = agui.DecisionPayload(d)
		return r, err
	case "input":
		in, err := hitl.ParseInput(record.Member(given))
		if err != nil {
			return hitl.Response{}, err
		}
		r.Input = &in
		if in.Action == hitl.ActionAccept {
			r.Payload = in.Content
		}
	case "output":
		r.ToolOutput = &hitl.ToolOutput{Output: record.Member(given).Clone()}
	default:
		r.ToolOutput = &hitl.ToolOutput{Error: record.Text(given)}
	}
	return r, nil
}
