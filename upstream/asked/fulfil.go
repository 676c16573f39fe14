package asked

import (
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/protocol/translate"
	"github.com/agui-bridge/agui-bridge/session"
)

// notRun is what an agent is told of a call that was left to the browser and that nobody
// ran.
const notRun = "Nobody ran this tool; it has no result."

// fulfil completes the message of the stopped runs with what is not among the answers that
// this run goes on with.
//
// Calls that a step left to the browser get the result that the front end has since sent,
// or else an error: an agent whose step asks a person and the browser at once would run
// what was approved, and fail for want of the rest. What an earlier run of the turn asked
// is known by what became of it: a history with an outcome and no decision is refused.
func fulfil(asked, told *aisdk.Message) {
	for i := range asked.Parts {
		p := &asked.Parts[i]
		if !p.IsTool() {
			continue
		}
		var result *aisdk.Part
		if told != nil {
			result = told.ToolPart(p.ToolCallID.String())
		}
		switch {
		case p.State == aisdk.StateInputAvailable && !p.ProviderExecuted.True():
			p.State, p.ErrorText = aisdk.StateOutputError, aisdk.Set(notRun)
			if result != nil && result.Settled() && result.Approval == nil {
				p.State, p.Output, p.ErrorText = result.State, result.Output, result.ErrorText
			}
		case p.Settled() && p.Approval != nil && p.Approval.Approved == nil:
			decided, approved := *p.Approval, p.State != aisdk.StateOutputDenied
			decided.Approved = &approved
			if result != nil && result.Approval != nil {
				decided.Reason = result.Approval.Reason
			}
			p.Approval = &decided
		}
	}
}

// toldOf is the assistant's message at the end of what the front end sent with the answers,
// nil if there is none.
func toldOf(call session.Call) *aisdk.Message {
	var messages []aisdk.Message
	if call.Protocol == session.AISDK {
		if post, err := aisdk.ParseChatPost(call.Input); err == nil {
			messages = post.Messages
		}
	} else if in, _, err := agui.ParseRunInput(call.Input); err == nil {
		messages = translate.History(in.Messages)
	}
	n := len(messages)
	if n == 0 || messages[n-1].Role != aisdk.RoleAssistant {
		return nil
	}
	return &messages[n-1]
}
