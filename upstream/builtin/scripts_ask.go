package builtin

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

// The tools the demo agents call.
const (
	toolSendEmail      = "send_email"
	toolDeleteDatabase = "delete_database"
	toolGetLocation    = "get_location"
	toolRequestInput   = "request_input"
)

// An email is what send_email takes.
type email struct {
	To      string `json:"to"`
	Subject string `json:"subject"`
	Body    string `json:"body"`
}

// toolArgs writes the arguments of a demo call.
func toolArgs(v any) jsontext.Value {
	raw, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		panic("demo arguments cannot be encoded: " + err.Error()) // literals of this package
	}
	return raw
}

// propose makes a call and the request to approve it.
func (s scene) propose(tool, message string, args any) hitl.Request {
	id := s.newCallID()
	raw := toolArgs(args)
	s.call(id, tool, raw)
	q := hitl.Request{
		ID: "approve-" + id, Kind: hitl.KindApproval,
		Call:    &hitl.ToolCall{ID: id, Name: tool, Args: raw, Executor: hitl.ExecutorAgent},
		Answers: hitl.ApprovalAnswers{Reason: true, EditedArgs: s.canEdit()},
		Input:   &hitl.InputRequest{ID: "approve-" + id, Message: message, ToolCallID: id},
	}
	q.Schema = hitl.ApprovalSchema(q.Answers)
	return q
}

func (s scene) email() {
	s.text("I would like to send this email.")
	q := s.propose(toolSendEmail, "Send this email?", email{To: "ada@example.com", Subject: "Hello", Body: "How are you?"})
	s.out.setEnd(asking(q))
}

func (s scene) deleteDatabase() {
	s.text("This needs your permission.")
	q := s.propose(toolDeleteDatabase, "Delete the database production?", map[string]string{"name": "production"})
	s.out.setEnd(asking(q))
}

func (s scene) parallel() {
	s.text("Three things at once.")
	s.out.setEnd(asking(
		s.propose(toolSendEmail, "Send the email to Ada?", email{To: "ada@example.com", Subject: "One", Body: "First"}),
		s.propose(toolSendEmail, "Send the email to Grace?", email{To: "grace@example.com", Subject: "Two", Body: "Second"}),
		s.propose(toolDeleteDatabase, "Delete the database staging?", map[string]string{"name": "staging"}),
	))
}

func (s scene) book() {
	const message = "Please complete your booking."
	if s.asksInput() {
		s.text("I need some details for the booking.")
		id := "book-" + s.newCallID()
		s.out.setEnd(asking(hitl.Request{
			ID: id, Kind: hitl.KindInput, Schema: bookingSchema(),
			Input: &hitl.InputRequest{ID: id, Kind: hitl.InputForm, Message: message, Schema: bookingSchema()},
		}))
		return
	}
	s.text("I need some details for the booking.")
	q := s.leaving(toolRequestInput, "elicitation", map[string]any{"message": message, "requestedSchema": bookingSchema()})
	q.Kind, q.Schema = hitl.KindInput, bookingSchema()
	q.Input = &hitl.InputRequest{ID: q.ID, Kind: hitl.InputForm, Message: message, Schema: bookingSchema(), ToolCallID: q.ID}
	s.out.setEnd(asking(q))
}

func (s scene) ask() {
	s.text("Two questions before I go on.")
	args := questions()
	q := s.leaving(hitl.AskUserTool, "question", args)
	asked, err := hitl.ParseAskUser(q.Call.Args)
	if err != nil {
		s.out.frame(nil, err)
		return
	}
	input := asked.InputRequest(q.ID)
	q.Kind, q.Schema, q.Input = hitl.KindInput, input.Schema, &input
	if s.asksInput() {
		q.Call.Executor, q.Render = hitl.ExecutorAgent, nil
	}
	s.out.setEnd(asking(q))
}

func (s scene) locate() {
	s.text("Let me see where you are.")
	s.out.setEnd(leaving(s.leaving(toolGetLocation, "", map[string]any{})))
}

// leaving makes a call that is left to the client; the run ends with it open.
func (s scene) leaving(tool, render string, args any) hitl.Request {
	id, raw := s.newCallID(), toolArgs(args)
	s.call(id, tool, raw)
	q := hitl.Request{ID: id, Kind: hitl.KindClientTool, Call: &hitl.ToolCall{ID: id, Name: tool, Args: raw, Executor: hitl.ExecutorBrowser}}
	if render != "" {
		q.Render = &hitl.Render{Kind: render}
	}
	return q
}

// resume goes on with what was answered: results first, then what there is to say.
func (s scene) resume(settled []session.Settled) {
	var said []string
	for _, a := range settled {
		said = append(said, s.settle(a.Request, a.Response))
	}
	s.text(strings.Join(said, " "))
}

func (s scene) settle(q hitl.Request, r hitl.Response) string {
	switch {
	case r.Cancelled():
		return s.given(q)
	case r.Decision != nil && q.Call != nil:
		return s.decided(*q.Call, *r.Decision)
	case r.Input != nil:
		return s.answered(q, *r.Input)
	}
	return s.given(q)
}

// given says that a request was given up. Only a call that waited to be allowed is denied:
// the others have run, in the front end, and this is what came of them.
func (s scene) given(q hitl.Request) string {
	const nothing = "The request was cancelled; nothing was decided."
	switch {
	case q.Call == nil:
	case q.Kind == hitl.KindApproval:
		s.denied(q.Call.ID, nothing)
	case q.Kind == hitl.KindInput && q.Call.Name != hitl.AskUserTool:
		s.result(q.Call.ID, toolArgs(hitl.Cancel()))
	default:
		s.failed(q.Call.ID, nothing)
	}
	return "You gave the request up, so I did nothing."
}

func (s scene) decided(call hitl.ToolCall, d hitl.ToolDecision) string {
	if !d.Approved {
		s.denied(call.ID, d.Reason)
		if d.Reason == "" {
			return "You denied " + call.Name + ", so I did not run it."
		}
		return "You denied " + call.Name + ", so I did not run it. Your reason: " + d.Reason
	}
	args := call.Args
	if len(d.EditedArgs) > 0 {
		args = d.EditedArgs
	}
	return s.execute(call, args)
}

// execute does what a tool of the demo does: nothing, and reports it with the
// arguments that were really used.
func (s scene) execute(call hitl.ToolCall, args jsontext.Value) string {
	switch call.Name {
	case toolSendEmail:
		var mail email
		if err := json.Unmarshal(args, &mail, json.RejectUnknownMembers(true)); err != nil || mail.To == "" {
			s.failed(call.ID, "the arguments are not an email; nothing was sent")
			return "The email could not be sent: its arguments were not valid."
		}
		s.result(call.ID, toolArgs(struct {
			Sent bool `json:"sent"`
			email
		}{Sent: true, email: mail}))
		return "I sent the email to " + mail.To + "."
	default:
		s.result(call.ID, toolArgs(map[string]any{"done": true, "args": args}))
		return "Done: " + call.Name + "."
	}
}

func (s scene) answered(q hitl.Request, in hitl.InputResponse) string {
	if q.Call != nil && q.Call.Name == hitl.AskUserTool {
		return s.answeredQuestions(*q.Call, in)
	}
	if q.Call != nil { // the call by which it was asked returns the answer
		s.result(q.Call.ID, toolArgs(in))
	}
	if in.Action != hitl.ActionAccept {
		return "You declined, so I go on without."
	}
	return "Your booking is confirmed: " + string(in.Content)
}

// answeredQuestions gives the model what the tool returns: the picked labels, or the
// sentence that the user declined.
func (s scene) answeredQuestions(call hitl.ToolCall, in hitl.InputResponse) string {
	asked, err := hitl.ParseAskUser(call.Args)
	if err != nil {
		s.failed(call.ID, err.Error())
		return "The questions were not valid."
	}
	result, err := asked.Result(in)
	if err != nil {
		s.failed(call.ID, err.Error())
		return "Your answers do not fit the questions."
	}
	s.result(call.ID, result)
	if in.Action != hitl.ActionAccept {
		return "You declined, so I go on without."
	}
	return "Thank you. You answered: " + string(result)
}
