package gateway

import (
	"slices"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/protocol/translate"
	"github.com/agui-bridge/agui-bridge/session"
)

// chatAnswers finds what a chat has answered to what the thread asks or has asked. Chats
// send no answers as such: they send the message with the parts as the person left them,
// and everything they sent before again. What the thread asks is answered in the message
// that asks it, and nowhere else: agents use the ids of calls and of approvals again, and
// an old answer is no answer to a new question. asking is that message, as the bridge has
// told it, nil if the thread asks nothing.
//
// The last message, if it is the assistant's, is what the person has just acted on:
// a decision in it that names nothing the thread ever asked is refused, since an agent that
// trusts it would run the call.
func chatAnswers(chat *aisdk.ChatRequest, state session.State, asking *aisdk.Message) ([]session.Answer, error) {
	var answers []session.Answer
	acted := chat.Continued()
	for i := range chat.Messages {
		m := &chat.Messages[i]
		asks := asking != nil && m.ID == asking.ID
		if m.Role != aisdk.RoleAssistant || !asks && m != acted {
			continue
		}
		for n := range m.Parts {
			p := &m.Parts[n]
			id, answered := answerOf(p)
			if !answered {
				continue
			}
			if asks {
				if q, pending := asked(state.Pending, id, asking); pending {
					answers = append(answers, session.Answer{RequestID: q.ID, Read: readPart(p, asking)})
					continue
				}
			}
			switch done, known := settled(state, p, id); {
			case known && m == acted && isPending(state, done.Request.Own().ID):
				return nil, &hitl.AnswerError{RequestID: id, Rule: hitl.ErrAlreadySettled, By: &done.Response}
			case known && m == acted:
				answers = append(answers, session.Answer{RequestID: done.Request.ID, Read: readPart(p, m)})
			case m == acted && p.State == aisdk.StateApprovalResponded:
				return nil, &hitl.AnswerError{RequestID: id, Rule: hitl.ErrUnknown, Issues: []hitl.Issue{{Message: "this chat did not ask for this approval in this message"}}}
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

// asked finds what a message asks under the id of an approval or of the call that a client
// answers.
func asked(pending []hitl.Request, id string, asking *aisdk.Message) (hitl.Request, bool) {
	for _, q := range pending {
		if named(translate.AsHeld(asking, q), id) {
			return q, true
		}
	}
	return hitl.Request{}, false
}

// settled finds what the thread has asked under the id, newest first.
func settled(state session.State, p *aisdk.Part, id string) (session.Settled, bool) {
	alone := &aisdk.Message{Parts: []aisdk.Part{*p}}
	for i := len(state.Settled) - 1; i >= 0; i-- {
		if done := state.Settled[i]; named(translate.AsHeld(alone, done.Request), id) {
			return done, true
		}
	}
	return session.Settled{}, false
}

// isPending reports whether an agent asks under an id again.
func isPending(state session.State, request string) bool {
	return slices.ContainsFunc(state.Pending, func(q hitl.Request) bool { return q.Named(request) })
}

func named(q hitl.Request, id string) bool {
	return q.Named(id) || q.Kind != hitl.KindApproval && q.Call != nil && q.Call.ID == id
}

// readPart gives what a part answers to the request it names. A decision binds the call it
// is about, its id in the message that holds it and its input: a part that shows the person
// another call, or other arguments, decides nothing.
func readPart(p *aisdk.Part, held *aisdk.Message) func(hitl.Request) (hitl.Response, error) {
	return func(q hitl.Request) (hitl.Response, error) {
		switch q.Kind {
		case hitl.KindApproval:
			return p.Decision(translate.AsHeld(held, q))
		case hitl.KindInput:
			return p.InputAnswer(q)
		default:
			return p.ToolAnswer(q)
		}
	}
}
