package gateway

import (
	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// chatAnswers finds what a chat has answered to what the thread asks or has asked. Chats
// send no answers as such: they send the message with the parts as the person left them,
// and everything they sent before again.
//
// The last message, if it is the assistant's, is what the person has just acted on:
// a decision in it that names nothing the thread ever asked is refused, since an agent that
// trusts it would run the call. In messages before it only what is still open counts.
func chatAnswers(chat *aisdk.ChatRequest, state session.State) ([]session.Answer, error) {
	var answers []session.Answer
	acted := chat.Continued()
	for i := range chat.Messages {
		m := &chat.Messages[i]
		if m.Role != aisdk.RoleAssistant {
			continue
		}
		for n := range m.Parts {
			p := &m.Parts[n]
			id, answered := answerOf(p)
			if !answered {
				continue
			}
			request, pending, known := requestOf(state, id)
			switch {
			case pending, known && m == acted:
				answers = append(answers, session.Answer{RequestID: request, Read: readPart(p)})
			case m == acted && p.State == aisdk.StateApprovalResponded:
				return nil, &hitl.AnswerError{RequestID: id, Rule: hitl.ErrUnknown, Issues: []hitl.Issue{{Message: "this chat never asked for this approval"}}}
			}
		}
	}
	return lastOfEach(answers), nil
}

// lastOfEach keeps the newest answer to each request: a message may hold a call twice.
func lastOfEach(answers []session.Answer) []session.Answer {
	at := map[string]int{}
	var out []session.Answer
	for _, a := range answers {
		if i, twice := at[a.RequestID]; twice {
			out[i] = a
			continue
		}
		at[a.RequestID] = len(out)
		out = append(out, a)
	}
	return out
}

// answerOf tells which request a tool part answers. A result on a call that has an approval
// answers nothing: only the decision does.
func answerOf(p *aisdk.Part) (id string, answered bool) {
	switch {
	case !p.IsTool():
		return "", false
	case p.State == aisdk.StateApprovalResponded:
		if p.Approval == nil {
			return "", true // it names nothing, and is refused
		}
		return p.Approval.ID, true
	case p.Approval != nil || p.ProviderExecuted.True():
		return "", false
	case p.State == aisdk.StateOutputAvailable && !p.Preliminary.True(), p.State == aisdk.StateOutputError:
		return p.ToolCallID.String(), true
	}
	return "", false
}

// requestOf finds what the thread asks, or has asked, under the id of an approval or of the
// call that a client answers.
func requestOf(state session.State, id string) (request string, pending, known bool) {
	for _, q := range state.Pending {
		if named(q, id) {
			return q.ID, true, true
		}
	}
	for i := len(state.Settled) - 1; i >= 0; i-- {
		if q := state.Settled[i].Request; named(q, id) {
			return q.ID, false, true
		}
	}
	return "", false, false
}

func named(q hitl.Request, id string) bool {
	return q.ID == id || q.Kind != hitl.KindApproval && q.Call != nil && q.Call.ID == id
}

// readPart gives what a part answers to the request it names. A decision binds the call it
// is about, its id and its input: a part that shows the person another call, or other
// arguments, decides nothing.
func readPart(p *aisdk.Part) func(hitl.Request) (hitl.Response, error) {
	return func(q hitl.Request) (hitl.Response, error) {
		switch q.Kind {
		case hitl.KindApproval:
			return p.Decision(q)
		case hitl.KindInput:
			return p.InputAnswer(q)
		default:
			return p.ToolAnswer(q)
		}
	}
}
