package aisdk

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestParseChatPost(t *testing.T) {
	const user, old = `{"id":"u","role":"user","parts":[]}`, `{"id":"a","role":"assistant","parts":[{"type":"hologram","n":1}]}`
	for _, tc := range []struct {
		rule, raw string
		fault     string // what the error names, "" if there is none
		messages  int
		alone     bool
	}{
		{"messages", `{"id":"c","messages":[` + user + `]}`, "", 1, false},
		{"a message alone", `{"id":"c","message":` + user + `}`, "", 1, true},
		{"messages count if there is both", `{"id":"c","messages":[` + user + `,` + old + `],"message":` + user + `}`, "", 2, false},
		{"unknown parts of a history are kept", `{"id":"c","messages":[` + old + `]}`, "", 1, false},
		{"unknown members are the application's", `{"id":"c","messages":[` + user + `],"model":"big"}`, "", 1, false},
		{"no id", `{"messages":[` + user + `]}`, "/id", 0, false},
		{"an empty id", `{"id":"","messages":[` + user + `]}`, "/id", 0, false},
		{"an id that is none", `{"id":7,"messages":[` + user + `]}`, "/id", 0, false},
		{"nothing said", `{"id":"c"}`, "/messages", 0, false},
		{"no messages", `{"id":"c","messages":[]}`, "/messages", 0, false},
		{"messages that are none", `{"id":"c","messages":{}}`, "/messages", 0, false},
		{"a message without a role", `{"id":"c","messages":[{"id":"u","parts":[]}]}`, "/messages/0/role", 0, false},
		{"a message alone without parts", `{"id":"c","message":{"id":"u","role":"user"}}`, "/message/parts", 0, false},
		{"an unknown trigger", `{"id":"c","messages":[` + user + `],"trigger":"stop"}`, "/trigger", 0, false},
		{"a member twice", `{"id":"c","id":"d","messages":[` + user + `]}`, "id", 0, false},
		{"no object", `[]`, "object", 0, false},
		{"no JSON", `{`, "", -1, false},
	} {
		p, err := ParseChatPost([]byte(tc.raw))
		if tc.fault != "" || tc.messages < 0 {
			if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), tc.fault) {
				t.Errorf("%s: error %v does not name %q", tc.rule, err, tc.fault)
			}
			continue
		}
		if err != nil || len(p.Messages) != tc.messages || p.Alone != tc.alone || p.Trigger != TriggerSubmit {
			t.Errorf("%s: %+v, %v", tc.rule, p, err)
		}
		if strings.Contains(tc.raw, "hologram") && tc.messages == 1 && p.Messages[0].Parts[0].Type != "hologram" {
			t.Errorf("%s: the part is gone: %+v", tc.rule, p.Messages[0])
		}
		if strings.Contains(tc.raw, "big") && !bytes.Contains(p.Extra, []byte(`"model":"big"`)) {
			t.Errorf("%s: extra is %s", tc.rule, p.Extra)
		}
		if tc.alone && bytes.Contains(p.Extra, []byte(`"message"`)) {
			t.Errorf("%s: the message would reach the agent twice", tc.rule)
		}
	}
}

// What was read and is written again reads the same: the log holds it so.
func FuzzParseChatPost(f *testing.F) {
	f.Add([]byte(`{"id":"c","messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"hi"}]}],"trigger":"submit-message"}`))
	f.Add([]byte(`{"id":"c","message":{"id":"a","role":"assistant","parts":[{"type":"tool-x","toolCallId":"t","state":"approval-responded","input":{},"approval":{"id":"q","approved":true}}]}}`))
	f.Add([]byte(`{"id":"c","messages":[{"id":"a","role":"assistant","parts":[{"type":"hologram"}]}],"trigger":"regenerate-message","messageId":"a"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		p, err := ParseChatPost(raw)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v is not ErrMalformed", err)
			}
			return
		}
		if p.ID == "" || len(p.Messages) == 0 || p.Alone && len(p.Messages) != 1 {
			t.Fatalf("accepted %+v", p)
		}
		again, err := json.Marshal(p.ChatRequest)
		if err != nil {
			t.Fatalf("cannot be written again: %v", err)
		}
		q, err := ParseChatPost(again)
		if err != nil {
			t.Fatalf("%s cannot be read again: %v", again, err)
		}
		twice, err := json.Marshal(q.ChatRequest)
		if err != nil || !bytes.Equal(again, twice) {
			t.Fatalf("%s became %s (%v)", again, twice, err)
		}
	})
}
