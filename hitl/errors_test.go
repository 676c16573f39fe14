package hitl_test

import (
	"errors"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func TestAnswerErrorSaysWhatToDoBetter(t *testing.T) {
	settled := decided(hitl.ToolDecision{Approved: true})
	settled.Actor, settled.At = "ada", now
	cancelled, declined, accepted := input(hitl.Cancel()), input(hitl.Decline()), input(hitl.Accept(nil))
	denied, ran := decided(hitl.ToolDecision{}), output(`1`)
	failed := hitl.Response{ToolOutput: &hitl.ToolOutput{Error: "x"}}
	for want, err := range map[string]*hitl.AnswerError{
		`request q1: no such request`:                                              {RequestID: "q1", Rule: hitl.ErrUnknown},
		`other requests are still open`:                                            {Rule: hitl.ErrIncomplete},
		`request q1: the request has expired`:                                      {RequestID: "q1", Rule: hitl.ErrExpired},
		`the answer was refused`:                                                   {},
		`request q1: the answer is not valid: /a: expected x; whole`:               {RequestID: "q1", Rule: hitl.ErrInvalidPayload, Issues: []hitl.Issue{{Path: "/a", Message: "expected x"}, {Message: "whole"}}},
		`the request is already settled (approved by ada at 2026-12-01T12:00:00Z)`: {Rule: hitl.ErrAlreadySettled, By: &settled},
		`the request is already settled (denied)`:                                  {Rule: hitl.ErrAlreadySettled, By: &denied},
		`the request is already settled (cancelled)`:                               {Rule: hitl.ErrAlreadySettled, By: &cancelled},
		`the request is already settled (declined)`:                                {Rule: hitl.ErrAlreadySettled, By: &declined},
		`the request is already settled (accepted)`:                                {Rule: hitl.ErrAlreadySettled, By: &accepted},
		`the request is already settled (answered)`:                                {Rule: hitl.ErrAlreadySettled, By: &ran},
		`the request is already settled (failed)`:                                  {Rule: hitl.ErrAlreadySettled, By: &failed},
	} {
		if got := err.Error(); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if err.Rule != nil && !errors.Is(err, err.Rule) {
			t.Errorf("%v does not match its rule", err)
		}
	}
}
