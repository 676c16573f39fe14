package upstream

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/upstream/asked"

	"go.uber.org/zap"
)

// aguiHTTP is an AG-UI agent behind the standard HTTP + SSE binding.
type aguiHTTP struct{ caller }

// Protocol is AG-UI.
func (a *aguiHTTP) Protocol() session.Protocol { return session.AGUI }

// Run posts the input as the front end sent it, without activity messages, and passes
// the events on after checking them.
func (a *aguiHTTP) Run(ctx context.Context, call session.Call) iter.Seq2[session.Output, error] {
	return func(yield func(session.Output, error) bool) {
		call, err := asked.AGUI(call, session.AGUI)
		if err != nil {
			yield(session.Output{}, err)
			return
		}
		in, _, err := agui.ParseRunInput(call.Input)
		if err != nil {
			yield(session.Output{}, err)
			return
		}
		body, _, err := agui.Outgoing(call.Input)
		if err != nil {
			yield(session.Output{}, err)
			return
		}
		r := newAGUIReader(a.log, in)
		if body, err = resumeBody(body, call.Settled); err != nil {
			if errors.Is(err, errGivenUp) {
				r.closeAll(call, yield)
				return
			}
			yield(session.Output{}, err)
			return
		}
		for data, err := range a.post(ctx, body) {
			if cancelled(ctx) {
				r.closeAll(call, yield)
				return
			}
			if err != nil {
				yield(session.Output{}, err)
				return
			}
			out, err := r.next(data)
			if err != nil {
				yield(session.Output{}, a.malformed(err))
				return
			}
			if out.Frame == nil {
				continue // nothing of it is known; that has been logged
			}
			if !yield(out, nil) || out.End != nil {
				return
			}
		}
		yield(session.Output{}, a.truncated())
	}
}

// errGivenUp: what was asked was cancelled, and the agent has no way to hear of it.
var errGivenUp = errors.New("the request was given up")

// resumeBody makes sure that the agent is told all answers, also those that came from
// elsewhere. One that has asked in the form of before is answered in that form. It can
// only be told what was accepted: a request that was given up does not reach it.
func resumeBody(body []byte, settled []session.Settled) ([]byte, error) {
	entries, names := make([]agui.ResumeEntry, len(settled)), map[string]string{}
	for i, s := range settled {
		e, err := agui.ResumeEntryFor(s.Request.Own(), s.Response)
		if err != nil {
			return nil, err
		}
		entries[i] = e
		if s.Request.Token != "" {
			names[s.Request.ID] = s.Request.Token
		}
	}
	body, err := agui.RenameResume(body, names)
	if err != nil {
		return nil, err
	}
	body, err = agui.CoverResume(body, entries)
	if err != nil {
		return nil, err
	}
	for _, s := range settled {
		if !agui.IsRetiredInterrupt(s.Request.Own().ID) {
			continue
		}
		if s.Response.Input == nil || s.Response.Input.Action != hitl.ActionAccept {
			return nil, errGivenUp
		}
		return agui.AnswerRetired(body, s.Response.Input.Content)
	}
	return body, nil
}

// An aguiReader reads the events of one run as a consumer must, and finds out what the
// run asks.
type aguiReader struct {
	log      *zap.Logger
	pipeline *agui.Pipeline
	calls    agui.Calls
}

func newAGUIReader(log *zap.Logger, in agui.RunInput) *aguiReader {
	r := &aguiReader{log: log, pipeline: agui.NewPipeline(agui.PipelineOptions{ThreadID: in.ThreadID})}
	r.calls.Seed(in.Messages)
	return r
}

// next yields what one event of the agent becomes for those who read the run: the event
// itself, byte for byte, unless it has something that the protocol of the version that
// the agent declares does not have.
func (r *aguiReader) next(data []byte) (session.Output, error) {
	frames, warnings, err := r.pipeline.Next(data)
	for _, w := range warnings {
		r.log.Warn("agent sent something the protocol does not know",
			zap.String("code", string(w.Code)), zap.String("path", w.Path), zap.String("detail", w.Detail))
	}
	if err != nil {
		return session.Output{}, err
	}
	var out session.Output
	for _, f := range frames {
		r.calls.Observe(f)
		if out.End, err = r.end(f); err != nil {
			return session.Output{}, err
		}
	}
	for _, f := range r.pipeline.Clean() {
		out.Frame = f.Raw
	}
	if r.pipeline.Newer() && !translated(warnings) {
		out.Frame = data // its readers may know what the bridge does not
	}
	return out, nil
}

// translated reports whether an event was of a retired shape.
func translated(warnings []agui.Warning) bool {
	return slices.ContainsFunc(warnings, func(w agui.Warning) bool { return w.Code == agui.RetiredShape })
}

func (r *aguiReader) end(f agui.Frame) (*session.End, error) {
	switch f.Type {
	case agui.TypeRunError:
		failure := &session.Failure{Code: session.Code(f.Text("code")), Message: f.Text("message")}
		return &session.End{Status: session.Failed, Failure: failure, Spoken: true}, nil
	case agui.TypeRunFinished:
		e, err := f.Event()
		if err != nil {
			return nil, err
		}
		return r.finished(e.(*agui.RunFinished)), nil
	}
	return nil, nil
}

func (r *aguiReader) finished(e *agui.RunFinished) *session.End {
	end := &session.End{Status: session.Success, Spoken: true}
	switch {
	case e.Outcome == nil:
	case e.Outcome.Type == agui.OutcomeCancelled:
		end.Status = session.Cancelled
	case e.Outcome.Type == agui.OutcomeInterrupt:
		end.Status = session.Interrupted
		end.Requests, end.Rename = r.requests(e.Outcome.Interrupts), agui.RenameInterrupts
	}
	return end
}

func (r *aguiReader) requests(interrupts []agui.Interrupt) []hitl.Request {
	requests := make([]hitl.Request, len(interrupts))
	for i, interrupt := range interrupts {
		requests[i] = interrupt.Request(r.calls.Call(interrupt.About()))
	}
	return requests
}

// closeAll ends a run that somebody stopped: what is open is closed, then the run.
func (r *aguiReader) closeAll(call session.Call, yield func(session.Output, error) bool) {
	frames, err := r.pipeline.Cancel(call.ThreadID, call.RunID)
	if err != nil {
		yield(session.Output{}, err)
		return
	}
	for i, f := range frames {
		out := session.Output{Frame: f.Raw}
		if i == len(frames)-1 {
			out.End = &session.End{Status: session.Cancelled, Spoken: true}
		}
		if !yield(out, nil) {
			return
		}
	}
}
