package hitl_test

import (
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
)

var _ hitl.Approver = hitl.Unattended{}

func TestWhereNobodyCanBeAskedNothingIsAllowed(t *testing.T) {
	if d, err := (hitl.Unattended{}).Decide(t.Context(), "c1"); err != nil || d.Approved || d.Reason == "" {
		t.Errorf("got %+v, %v", d, err)
	}
	if in, err := (hitl.Unattended{}).Input(t.Context(), hitl.InputRequest{}); err != nil || in.Action != hitl.ActionCancel {
		t.Errorf("got %+v, %v", in, err)
	}
}
