package asked

import (
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/protocol/translate"
	"github.com/agui-bridge/agui-bridge/session"
)

// Chat returns what an AI SDK agent is posted for the call, and the body of it. Nothing in
// it can make an agent run a call that was not allowed: whatever the history leaves open
// is settled as denied or failed, and the message of the stopped runs, with the decisions
// on it, is built from the log. A body in which nothing had to be changed is the one that
// the chat posted, byte for byte. The error matches agui.ErrMalformed, aisdk.ErrMalformed
// or aisdk.ErrSequence.
func Chat(call session.Call) (chat aisdk.ChatRequest, body []byte, err error) {
	origin := originOf(call)
	chat, err = chatOf(call, origin)
	if err != nil {
		return chat, nil, err
	}
	changed := false
	if len(call.Turn) > 0 {
		if err := goOn(&chat, call); err != nil {
			return chat, nil, err
		}
		changed = true
	}
	settled := len(chat.Messages)
	if len(call.Turn) > 0 {
		settled-- // the last message is the log's own
	}
	for i := range chat.Messages[:settled] {
		if chat.Messages[i].Disarm() {
			changed = true
		}
	}
	if origin.Protocol == session.AISDK && !changed {
		return chat, origin.Input, nil
	}
	body, err = chat.Encode()
	return chat, body, err
}

// chatOf is what the turn was asked for by, as a chat would post it.
func chatOf(call session.Call, origin session.Asking) (aisdk.ChatRequest, error) {
	if origin.Protocol == session.AISDK {
		post, err := aisdk.ParseChatPost(origin.Input)
		return post.ChatRequest, err
	}
	in, _, err := agui.ParseRunInput(origin.Input)
	if err != nil {
		return aisdk.ChatRequest{}, err
	}
	return translate.ChatRequest(in, nil, translate.Run{ThreadID: call.ThreadID, RunID: call.RunID, First: call.First})
}

// Again returns what the agent is posted to go on with a message of this run, in which all
// that was open is settled, and the body of it.
func Again(chat aisdk.ChatRequest, message aisdk.Message, call session.Call) (aisdk.ChatRequest, []byte, error) {
	before := chat.Messages
	if chat.Continued() != nil {
		before = before[:len(before)-1]
	}
	end(&chat, before, message, call)
	body, err := chat.Encode()
	return chat, body, err
}

// end makes chat the post that goes on with message.
func end(chat *aisdk.ChatRequest, before []aisdk.Message, message aisdk.Message, call session.Call) {
	if message.ID == "" {
		message.ID = "msg-" + call.First
	}
	chat.Messages = append(before[:len(before):len(before)], message)
	chat.Trigger, chat.MessageID = aisdk.TriggerSubmit, message.ID
}

// goOn puts the message of the stopped runs, with the answers in it, at the end.
func goOn(chat *aisdk.ChatRequest, call session.Call) error {
	held := chat.Continued()
	before := chat.Messages
	reducer := &aisdk.Reducer{}
	if held != nil {
		before = before[:len(before)-1]
		reducer = aisdk.Continue(*held)
	}
	for _, raw := range call.Turn {
		f, _, err := aisdk.ParseFrame(raw)
		if err != nil {
			return err
		}
		if err := reducer.Apply(f); err != nil {
			return err
		}
	}
	asked := *reducer.Message()
	if held != nil && held.ID != "" { // it is known to chats by the name under which it began
		asked.ID = held.ID
	}
	for _, a := range call.Settled {
		asked.Respond(a.Request, a.Response)
	}
	fulfil(&asked, toldOf(call))
	end(chat, before, asked, call)
	if call.Protocol == session.AISDK { // what the application sends with this post
		if post, err := aisdk.ParseChatPost(call.Input); err == nil {
			chat.Extra = post.Extra
		}
	}
	return nil
}
