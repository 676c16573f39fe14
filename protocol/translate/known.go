package translate

import (
	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// KnownToChat returns the calls that a chat holds, in order. Of a message that a run goes
// on with, goesOn, only those count that have come to an end: what is open is what the run
// goes on with. goesOn may be nil.
func KnownToChat(messages []aisdk.Message, goesOn *aisdk.Message) []KnownCall {
	var known []KnownCall
	for i := range messages {
		known = appendCalls(known, &messages[i], false)
	}
	if goesOn != nil {
		known = appendCalls(known, goesOn, true)
	}
	return known
}

func appendCalls(known []KnownCall, m *aisdk.Message, settled bool) []KnownCall {
	for i := range m.Parts {
		if p := &m.Parts[i]; p.IsTool() && (!settled || p.Settled()) {
			known = append(known, KnownCall{Own: ownCallID(p), Given: p.ToolCallID.String()})
		}
	}
	return known
}

// KnownToClient returns the calls that an AG-UI client holds, in order. Those after the
// newest message of the user count if they have a result: a run that is asked for with such
// messages goes on with what is open in them.
func KnownToClient(messages []agui.Message) []KnownCall {
	turn, ended := len(beforeTurn(messages)), map[string]bool{}
	for _, m := range messages {
		if m.Role == agui.RoleTool {
			ended[m.ToolCallID.String()] = true
		}
	}
	var known []KnownCall
	for i, m := range messages {
		for _, call := range m.ToolCalls {
			if i >= turn && !ended[call.ID] {
				continue
			}
			own := call.ID
			if said, _, _ := parted(call.Metadata, aisdkKey); said.has("toolCallId") {
				own = unquoted(said.get("toolCallId"))
			}
			known = append(known, KnownCall{Own: own, Given: call.ID})
		}
	}
	return known
}

// ownCallID is what the agent calls the call that a chat holds.
func ownCallID(p *aisdk.Part) string {
	if tag, _, _ := parted(p.CallProviderMetadata, aguiKey); tag.has("toolCallId") {
		return unquoted(tag.get("toolCallId"))
	}
	return p.ToolCallID.String()
}

// AsHeld returns the request as the chat that holds the message knows it: with the id that
// its call has there. held is what the bridge has told, never what a chat has sent.
func AsHeld(held *aisdk.Message, q hitl.Request) hitl.Request {
	if held == nil || q.Call == nil || !ownCall(q) {
		return q
	}
	for i := len(held.Parts) - 1; i >= 0; i-- {
		p := &held.Parts[i]
		if !p.IsTool() || ownCallID(p) != q.Call.ID {
			continue
		}
		call := *q.Call
		call.ID = p.ToolCallID.String()
		q.Call = &call
		return q
	}
	return q
}
