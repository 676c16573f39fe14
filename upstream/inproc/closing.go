package inproc

import (
	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// closeOpen closes the messages that are being written; who goes on writing opens a
// new one in the next run.
func (f *function) closeOpen() {
	for len(f.open) > 0 {
		f.open[0].end()
	}
}

// spoken makes the move that ends the run with what was pushed last.
func (f *function) spoken(frames [][]byte, end *session.End) move {
	frames = append(frames, f.take()...)
	if f.fault != nil { // the end itself could not be said
		return move{frames: frames, err: f.fault}
	}
	end.Spoken = true
	return move{frames: frames, end: end}
}

func (f *function) finish(outcome *agui.Outcome) {
	f.push(&agui.RunFinished{Base: head(agui.TypeRunFinished), ThreadID: f.thread, RunID: f.runID, Outcome: outcome})
}

func (f *function) succeeded(frames [][]byte) move {
	f.closeOpen()
	f.finish(&agui.Outcome{Type: agui.OutcomeSuccess})
	return f.spoken(frames, &session.End{Status: session.Success})
}

// interrupted also restates what a client holds: whoever resumes finds all of it there.
func (f *function) interrupted(requests []hitl.Request) move {
	f.closeOpen()
	f.push(&agui.StateSnapshot{Base: head(agui.TypeStateSnapshot), Snapshot: f.held.State()})
	f.push(&agui.MessagesSnapshot{Base: head(agui.TypeMessagesSnapshot), Messages: f.held.Messages()})
	o := &agui.Outcome{Type: agui.OutcomeInterrupt}
	for _, q := range requests {
		o.Interrupts = append(o.Interrupts, agui.InterruptFor(q))
	}
	f.finish(o)
	return f.spoken(nil, &session.End{Status: session.Interrupted, Requests: requests, Rename: agui.RenameInterrupts})
}

func (f *function) cancelled(frames [][]byte) move {
	last, err := f.verify.Cancel(f.thread, f.runID)
	if err != nil {
		return move{frames: frames, err: err}
	}
	for _, frame := range last {
		frames = append(frames, frame.Raw)
	}
	return move{frames: frames, end: &session.End{Status: session.Cancelled, Spoken: true}}
}

// failed closes nothing: RUN_ERROR does. It does without the verifier, which may be what
// refused.
func (f *function) failed(frames [][]byte, why *session.Failure) move {
	frame, err := agui.Encode(&agui.RunError{
		Base: head(agui.TypeRunError), Message: why.Message, Code: agui.NotEmpty(string(why.Code)),
	})
	if err != nil {
		return move{frames: frames, err: err}
	}
	end := &session.End{Status: session.Failed, Failure: why, Spoken: true}
	return move{frames: append(frames, frame.Raw), end: end}
}
