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
// them, also against what came before. An answer that leaves to people what nobody can be
// shown is posted back to the agent, once, and goes on with what the agent says to that.
func (a *aisdkHTTP) Run(ctx context.Context, call session.Call) iter.Seq2[session.Output, error] {
	return func(yield func(session.Output, error) bool) {
		chat, body, err := asked.Chat(call)
		for again := false; err == nil; again = true {
			reader := newAISDKReader(chat)
			reader.log, reader.again, reader.call = a.log, again, call
			if !a.answer(ctx, body, reader, yield) {
				return
			}
			if !reader.refused {
				yield(session.Output{End: reader.end()}, nil)
				return
			}
			chat, body, err = asked.Again(chat, *reader.reduce.Message(), call)
		}
		yield(session.Output{}, err)
	}
}

// answer reads one answer to its end, and reports whether the run goes on after it.
func (a *aisdkHTTP) answer(ctx context.Context, body []byte, reader *aisdkReader, yield func(session.Output, error) bool) bool {
	done := false
	for data, err := range a.post(ctx, body) {
		if cancelled(ctx) {
			yield(aborted())
			return false
		}
		if err != nil {
			if reader.ended() { // the connection broke after all was said
				break
			}
			yield(session.Output{}, err)
			return false
		}
		if string(data) == aisdk.Done {
			done = true
			break
		}
		if err := reader.next(data); err != nil {
			yield(session.Output{}, a.malformed(err))
			return false
		}
		if !reader.say(yield) {
			return false
		}
	}
	// Agents may leave out finish, and say that they are done all the same.
	if !reader.ended() {
		if !done || !reader.reduce.Whole() {
			yield(session.Output{}, a.truncated())
			return false
		}
		if err := reader.refuse(); err != nil {
			yield(session.Output{}, err)
			return false
		}
	}
	return reader.say(yield)
}

func aborted() (session.Output, error) {
	f, err := aisdk.Encode(&aisdk.Abort{Head: aisdk.Head{Kind: aisdk.TypeAbort}})
	return session.Output{Frame: f.Raw, End: &session.End{Status: session.Cancelled, Spoken: true}}, err
}

// An aisdkReader checks the chunks of one answer and finds out what it asks.
type aisdkReader struct {
	log     *zap.Logger
	call    session.Call
	reduce  *aisdk.Reducer
	out     [][]byte // what is to be passed on
	again   bool     // it goes on with an answer of the same run
	refused bool     // it asked what nobody can answer, and the agent is to hear of that
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

// ended reports whether the answer said that it is over.
func (r *aisdkReader) ended() bool { return r.refused || r.reduce.Ended() }

// say passes on what there is, and reports whether more is wanted.
func (r *aisdkReader) say(yield func(session.Output, error) bool) bool {
	for _, f := range r.out {
		if !yield(session.Output{Frame: f}, nil) {
			return false
		}
	}
	r.out = r.out[:0]
	return true
}

func (r *aisdkReader) next(data []byte) error {
	f, warnings, err := aisdk.ParseFrame(data)
	if err != nil {
		return err
	}
	for _, w := range warnings {
		r.log.Warn("agent sent something unknown", zap.String("chunk", string(f.Type)), zap.String("path", w.Path), zap.String("detail", w.Detail))
	}
	switch {
	case r.refused: // its end is the next answer's
		return nil
	case f.Type == aisdk.TypeStart && r.again:
		return r.metadata(f)
	case f.Type == aisdk.TypeFinish && r.status == session.Success && !r.reduce.Ended():
		if err := r.refuse(); err != nil {
			return err
		}
		if r.refused {
			return r.metadata(f)
		}
	}
	return r.take(f)
}

// take applies a chunk and passes it on.
func (r *aisdkReader) take(f aisdk.Frame) error {
	if err := r.reduce.Apply(f); err != nil {
		return err
	}
	r.out = append(r.out, f.Raw)
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
