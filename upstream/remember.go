package upstream

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// maxRemembered is how often one run goes on by itself. Then a person is asked: an agent
// that never ends is not to do so unseen.
const maxRemembered = 50

// Remembering makes an agent that answers approvals of tools that a person allowed for the
// rest of the thread by itself, with one run for its readers. [New] does so; it is for
// agents that are made otherwise. check is as in [Options].
func Remembering(agent session.Agent, check hitl.SchemaCheck) session.Agent {
	return &remembering{Agent: agent, check: check}
}

// A remembering agent answers approvals of tools that were allowed for the rest of the
// thread by itself, and makes one run for its readers of those that the agent needs for it.
type remembering struct {
	session.Agent
	check hitl.SchemaCheck
}

// Withdrawn tells the agent that nobody will answer it, if it wants to know.
func (r *remembering) Withdrawn(threadID string) {
	if w, ok := r.Agent.(session.Withdrawer); ok {
		w.Withdrawn(threadID)
	}
}

// Run runs the agent, and again as long as it stops to ask for nothing but what is
// remembered.
func (r *remembering) Run(ctx context.Context, call session.Call) iter.Seq2[session.Output, error] {
	return func(yield func(session.Output, error) bool) {
		joint := &joint{protocol: r.Protocol(), runID: call.RunID}
		again := call
		for n := 0; ; n++ {
			settled, goesOn := r.part(ctx, again, joint, n < maxRemembered, yield)
			if !goesOn {
				return
			}
			again.RunID = fmt.Sprintf("%s+%d", call.RunID, n+1)
			again.Protocol, again.Input = "", nil // no front end asks for this
			again.Settled = settled
			again.Turn = append(again.Turn[:len(again.Turn):len(again.Turn)], joint.said...)
			joint.said, joint.own = nil, again.RunID
		}
	}
}

// part passes on one run of the agent, and reports whether it goes on by itself, and with
// what.
func (r *remembering) part(ctx context.Context, call session.Call, joint *joint, mayGoOn bool, yield func(session.Output, error) bool) ([]session.Settled, bool) {
	for out, err := range r.Agent.Run(ctx, call) {
		if err != nil {
			yield(out, err)
			return nil, false
		}
		if out.End == nil {
			if len(call.Remembered) > 0 {
				out, err = joint.next(out)
			}
			if err != nil || out.Frame != nil {
				if !yield(out, err) || err != nil {
					return nil, false
				}
			}
			continue
		}
		out.End = r.offering(out.End)
		if settled, ok := r.remembered(call, out.End); ok && mayGoOn {
			return settled, joint.goOn(out, settled, yield)
		}
		outs, err := joint.end(out)
		for _, o := range outs {
			if !yield(o, nil) {
				return nil, false
			}
		}
		if err != nil {
			yield(session.Output{}, err)
		}
		return nil, false
	}
	return nil, false
}

// offering says of each approval that is no more than yes or no that it can be remembered.
func (r *remembering) offering(end *session.End) *session.End {
	if end.Status != session.Interrupted {
		return end
	}
	offer := *end
	offer.Requests = make([]hitl.Request, len(end.Requests))
	for i, q := range end.Requests {
		q.Answers.Remember = q.Kind == hitl.KindApproval && q.Call != nil && q.Call.Name != "" && r.yesOrNo(q)
		offer.Requests[i] = q
	}
	return &offer
}

// yesOrNo reports whether a yes by itself answers the request.
func (r *remembering) yesOrNo(q hitl.Request) bool {
	if r.check == nil {
		return len(q.Schema) == 0
	}
	q.ExpiresAt, q.Input = time.Time{}, nil
	return q.Check(allowed(), time.Time{}, r.check) == nil
}

func allowed() hitl.Response { return hitl.Response{Decision: &hitl.ToolDecision{Approved: true}} }

// remembered returns the answers to what the agent asks, if all of them are remembered.
func (r *remembering) remembered(call session.Call, end *session.End) (settled []session.Settled, all bool) {
	if end.Status != session.Interrupted {
		return nil, false
	}
	for _, q := range end.Requests {
		if _, known := call.Remembered[toolOf(q)]; !known || !q.Answers.Remember || q.Expired(time.Now()) {
			return nil, false
		}
		settled = append(settled, session.Settled{Request: q, Response: allowed()})
	}
	return settled, len(settled) > 0
}

func toolOf(q hitl.Request) string {
	if q.Call == nil {
		return ""
	}
	return q.Call.Name
}

// A joint makes one run of several of the agent's.
type joint struct {
	protocol session.Protocol
	runID    string   // of the run that readers see
	own      string   // run id of the agent's run, in AG-UI
	again    bool     // it is not the first run
	began    bool     // it has said that it begins
	held     [][]byte // what follows a chunk that asks, until it is known whether anybody is asked
	said     [][]byte // by the agent in this run
}

// next is what readers get of one message of the agent.
func (j *joint) next(out session.Output) (session.Output, error) {
	j.said = append(j.said, out.Frame)
	frame := out.Frame
	switch {
	case j.protocol == session.AISDK && (len(j.held) > 0 || aisdk.TypeOf(frame) == aisdk.TypeToolApprovalRequest):
		j.held, frame = append(j.held, frame), nil
	case j.began:
	case j.protocol == session.AISDK && aisdk.TypeOf(frame) == aisdk.TypeStart:
		j.began = true
		if j.again {
			var err error
			if frame, err = metadataFrame(frame); err != nil {
				return session.Output{}, err
			}
		}
	case j.protocol == session.AGUI:
		f, _, err := agui.ParseFrame(frame)
		if err != nil {
			return session.Output{}, err
		}
		if f.Type == agui.TypeRunStarted {
			j.began = true
			if !j.again {
				j.runID = f.Text("runId")
			}
			if j.own = f.Text("runId"); j.again {
				frame = nil
			}
		}
	}
	return session.Output{Frame: frame}, nil
}

// goOn ends a run of the agent in the middle of the one that readers see: they get what it
// said last, and what was decided, but not that it stops.
func (j *joint) goOn(out session.Output, settled []session.Settled, yield func(session.Output, error) bool) bool {
	if out.Frame != nil {
		j.said = append(j.said, out.Frame)
	}
	for _, frame := range j.held {
		frames, err := automatically(frame)
		if err != nil {
			yield(session.Output{}, err)
			return false
		}
		for _, frame := range frames {
			if !yield(session.Output{Frame: frame}, nil) {
				return false
			}
		}
	}
	j.held, j.again, j.began = nil, true, false
	return yield(session.Output{Settled: settled}, nil)
}

// automatically gives the chunks for one that asks, or that ends a message which goes on:
// a chat is told of a decision, and asked nothing.
func automatically(raw []byte) ([][]byte, error) {
	f, _, err := aisdk.ParseFrame(raw)
	if err != nil {
		return nil, err
	}
	switch f.Type {
	case aisdk.TypeFinish:
		f, said, err := metadataOf(f)
		if err != nil || !said {
			return nil, err
		}
		return [][]byte{f.Raw}, nil
	case aisdk.TypeToolApprovalRequest:
		c, err := f.Chunk()
		if err != nil {
			return nil, err
		}
		request := *c.(*aisdk.ToolApprovalRequest)
		request.IsAutomatic = aisdk.On
		asked, err := aisdk.Encode(&request)
		if err != nil {
			return nil, err
		}
		answered, err := aisdk.Encode(&aisdk.ToolApprovalResponse{
			Head: aisdk.Head{Kind: aisdk.TypeToolApprovalResponse}, ApprovalID: request.ApprovalID, Approved: true,
		})
		return [][]byte{asked.Raw, answered.Raw}, err
	}
	return [][]byte{raw}, nil
}

// end is the end of the run that readers see.
func (j *joint) end(out session.Output) ([]session.Output, error) {
	var outs []session.Output
	for _, frame := range j.held {
		outs = append(outs, session.Output{Frame: frame})
	}
	if j.again && j.protocol == session.AGUI && out.Frame != nil {
		frame, err := agui.RenameRun(out.Frame, j.own, j.runID)
		if err != nil {
			return outs, err
		}
		out.Frame = frame
	}
	return append(outs, out), nil
}

func metadataFrame(raw []byte) ([]byte, error) {
	f, _, err := aisdk.ParseFrame(raw)
	if err != nil {
		return nil, err
	}
	f, said, err := metadataOf(f)
	if err != nil || !said {
		return nil, err
	}
	return f.Raw, nil
}
