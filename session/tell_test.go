package session

import (
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

func TestEntriesAreTold(t *testing.T) {
	input := rememberable("q")
	input.Input = &hitl.InputRequest{Message: "Send it?"}
	input.ExpiresAt = now
	cancel := hitl.Cancel()
	yes := &hitl.ToolDecision{Approved: true, Remember: true, Reason: "fine", EditedArgs: []byte(`{"n":1}`)}
	for _, tc := range []struct {
		record Record
		want   string
		frames int // that are told verbatim
	}{
		{Input{sub("r")}, "asks for run r of a (agui, 2 bytes)", 1},
		{Queued{sub("r")}, "waits for run r of a (agui, 2 bytes)", 1},
		{Released{RunID: "r"}, "run r waits no longer", 0},
		{Started{RunID: "r", Agent: "a"}, "run r at a", 0},
		{Started{RunID: "r", Agent: "a", Resumes: "p"}, "run r at a, goes on with p", 0},
		{Sent{RunID: "r", By: "me"}, "run r is sent by process me", 0},
		{Sent{RunID: "r"}, "run r is to be sent again", 0},
		{Frames{RunID: "r", Frames: [][]byte{{'a'}, {'b'}}}, "run r: 2 frames", 2},
		{Asked{RunID: "r", Requests: []hitl.Request{input, {ID: "p", Kind: hitl.KindInput}}}, `run r asks q (approval): tool {}: "Send it?", until 2027-01-02 03:04:05.000; p (input)`, 0},
		{Answered{Settled{Request: approvalOf("q"), Response: hitl.Response{Decision: yes, Actor: "ada"}}}, `q is approved by ada for the rest of the thread, "fine", with {"n":1}`, 0},
		{Answered{Settled{Request: approvalOf("q"), Response: hitl.Response{Decision: &hitl.ToolDecision{Approved: true}, Actor: "ada"}, Automatic: true}}, "q is approved, as ada said before", 0},
		{Answered{Settled{Request: approvalOf("q"), Response: hitl.Response{Input: &cancel}, Expired: true}}, "q is cancelled, it ran out", 0},
		{Withdrawn{Settled: []Settled{{Request: approvalOf("q"), Response: hitl.Response{Input: &cancel, Actor: "ada"}}, {Request: approvalOf("p"), Response: hitl.Response{Input: &cancel}}}}, "q is cancelled by ada; p is cancelled", 0},
		{Ended{RunID: "r", Status: Success}, "run r: success", 0},
		{Ended{RunID: "r", Status: Failed, Failure: &Failure{Code: CodeRunLost, Message: "gone"}, Waiting: 2}, "run r: failed, run_lost: gone, 2 wait", 0},
		{Ended{RunID: "r", Status: Cancelled, Held: true}, "run r never began: cancelled", 0},
		{Snapshot{State: awaiting(t, "q")}, "the thread is awaiting, with 1 runs, 0 answers and 1 open requests", 0},
	} {
		e, err := encode(tc.record, now)
		if err != nil {
			t.Fatal(err)
		}
		gist, frames, err := Tell(e)
		if err != nil || gist != tc.want || len(frames) != tc.frames {
			t.Errorf("%s is told as %q with %d frames, %v; want %q", e.Kind, gist, len(frames), err, tc.want)
		}
	}
	if gist, _, err := Tell(store.Entry{Kind: "of tomorrow"}); err != nil || gist != "of a kind that this version does not know" {
		t.Errorf("%q, %v", gist, err)
	}
	if _, _, err := Tell(store.Entry{Kind: store.KindEnded, Body: []byte("{")}); err == nil {
		t.Error("a damaged entry is told")
	}
}
