package upstream

import (
	"context"
	"iter"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/upstream/asked"
)

// aisdkHTTP is an agent that answers chat requests with a UI message stream over SSE.
type aisdkHTTP struct{ caller }

// Protocol is the AI SDK's.
func (a *aisdkHTTP) Protocol() session.Protocol { return session.AISDK }

// Run posts the conversation as a chat would and passes the chunks on after checking
// them, also against what came before.
func (a *aisdkHTTP) Run(ctx context.Context, call session.Call) iter.Seq2[session.Output, error] {
	return func(yield func(session.Output, error) bool) {
		chat, body, err := asked.Chat(call)
		if err != nil {
			yield(session.Output{}, err)
			return
		}
		reader := newAISDKReader(chat)
		reader.log = a.log
		done := false
		for data, err := range a.post(ctx, body) {
			if cancelled(ctx) {
				yield(aborted())
				return
			}
			if err != nil {
				if reader.reduce.Ended() { // the connection broke after all was said
					break
				}
				yield(session.Output{}, err)
				return
			}
			if string(data) == aisdk.Done {
				done = true
				break
			}
			if err := reader.next(data); err != nil {
				yield(session.Output{}, a.malformed(err))
				return
			}
			if !yield(session.Output{Frame: data}, nil) {
				return
			}
		}
		// Agents may leave out finish, and say that they are done all the same.
		if !reader.reduce.Ended() && (!done || !reader.reduce.Whole()) {
			yield(session.Output{}, a.truncated())
			return
		}
		yield(session.Output{End: reader.end()}, nil)
	}
}

func aborted() (session.Output, error) {
	f, err := aisdk.Encode(&aisdk.Abort{Head: aisdk.Head{Kind: aisdk.TypeAbort}})
	return session.Output{Frame: f.Raw, End: &session.End{Status: session.Cancelled, Spoken: true}}, err
}

// An aisdkReader checks the chunks of one answer and finds out what it asks.
type aisdkReader struct {
	log     *zap.Logger
	reduce  *aisdk.Reducer
	status  session.Status
	failure string // the text of the first error
}

// newAISDKReader begins where the posted conversation ends: an answer that goes on
// with the last message may settle its calls.
func newAISDKReader(chat aisdk.ChatRequest) *aisdkReader {
	r := &aisdkReader{reduce: &aisdk.Reducer{}, status: session.Success}
	if held := chat.Continued(); held != nil {
		r.reduce = aisdk.Continue(*held)
	}
	return r
}

func (r *aisdkReader) next(data []byte) error {
	f, warnings, err := aisdk.ParseFrame(data)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		r.log.Warn("agent sent something unknown", zap.String("chunk", string(f.Type)), zap.String("path", w.Path), zap.String("detail", w.Detail))
	}
	if err := r.reduce.Apply(f); err != nil {
		return err
	}
	switch {
	case r.status == session.Failed: // a chat ends at the first error; whatever follows changes nothing
	case f.Type == aisdk.TypeAbort:
		r.status = session.Cancelled
	case f.Type == aisdk.TypeError:
		r.status, r.failure = session.Failed, r.reduce.Failure()
	}
	return nil
}

// end says how the answer ended. What it still asks a person stops the run; calls left
// to the browser do not: their results come with the next input.
func (r *aisdkReader) end() *session.End {
	end := &session.End{Status: r.status, Spoken: true}
	switch r.status {
	case session.Failed:
		end.Failure = &session.Failure{Message: r.failure}
	case session.Success:
		all := r.reduce.Message().Requests()
		for _, q := range all {
			if q.Kind != hitl.KindClientTool {
				end.Status = session.Interrupted
				end.Requests = append(end.Requests, q)
			}
		}
		if end.Status == session.Success {
			end.Requests = all
		}
	}
	return end
}
