package builtin

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/upstream/asked"
)

// Names lists the demo agents.
func Names() []string { return []string{"demo", "demo-aisdk"} }

// Has reports whether there is a demo agent of that name.
func Has(name string) bool { return slices.Contains(Names(), name) }

// New makes the demo agent called target, configured under the given name.
func New(name, target string) (session.Agent, error) {
	switch target {
	case "demo":
		return &agent{name: name, protocol: session.AGUI, speak: newAGUIVoice}, nil
	case "demo-aisdk":
		return &agent{name: name, protocol: session.AISDK, speak: newAISDKVoice}, nil
	}
	return nil, fmt.Errorf("no built-in agent %q", target)
}

type agent struct {
	name     string
	protocol session.Protocol
	speak    func(session.Call, *outlet) voice
}

// Name is the name the agent is configured under.
func (a *agent) Name() string { return a.name }

// Protocol is what the agent speaks.
func (a *agent) Protocol() session.Protocol { return a.protocol }

// Run plays the script that the call asks for.
func (a *agent) Run(ctx context.Context, call session.Call) iter.Seq2[session.Output, error] {
	return func(yield func(session.Output, error) bool) {
		call, err := asked.AGUI(call, a.protocol)
		if err != nil {
			yield(session.Output{}, err)
			return
		}
		said, err := heard(call)
		if err != nil {
			yield(session.Output{}, err)
			return
		}
		out := &outlet{ctx: ctx, yield: yield}
		v := a.speak(call, out)
		v.start()
		play(ctx, v, call, said, out)
		out.finish(v)
	}
}

// A hearing is what a script needs of the input.
type hearing struct {
	text   string // the user's last message
	result string // what the client tool that was left to the application returned
	hasRes bool
}

func heard(call session.Call) (hearing, error) {
	in, _, err := agui.ParseRunInput(call.Input)
	if err != nil {
		return hearing{}, err
	}
	var h hearing
	if m, ok := in.LastUserMessage(); ok {
		h.text = strings.TrimSpace(m.Text())
	}
	if n := len(in.Messages); n > 0 && in.Messages[n-1].Role == agui.RoleTool {
		last := in.Messages[n-1]
		h.result, h.hasRes = last.Text(), true
		if last.Error.Present() {
			h.result = last.Error.String()
		}
	}
	return h, nil
}

// An outlet passes frames on, and keeps the end that came before anything else.
type outlet struct {
	ctx   context.Context
	yield func(session.Output, error) bool
	gone  bool // the reader stopped listening
	end   *session.End
	err   error
}

// frame passes one frame on; scripts go on silently when nobody listens any more.
func (o *outlet) frame(raw []byte, err error) {
	if o.stopped() {
		return
	}
	if err != nil {
		o.err = err
		return
	}
	if !o.yield(session.Output{Frame: raw}, nil) {
		o.gone = true
	}
}

// stopped reports whether the script may stop talking.
func (o *outlet) stopped() bool { return o.gone || o.end != nil || o.err != nil || o.ctx.Err() != nil }

// abandon ends the run as a failure that the agent itself does not speak of.
func (o *outlet) abandon(f *session.Failure) {
	if o.err == nil {
		o.err = f
	}
}

func (o *outlet) finish(v voice) {
	switch {
	case o.gone:
		return
	case o.err != nil:
		o.yield(session.Output{}, o.err)
		return
	case o.ctx.Err() != nil:
		o.interrupted(v)
		return
	}
	frames, err := v.closing(*o.end)
	o.last(frames, err, o.end)
}

// interrupted ends a run from outside: somebody stopped it, or the process goes down.
func (o *outlet) interrupted(v voice) {
	if !errors.Is(context.Cause(o.ctx), session.ErrCancelled) {
		o.yield(session.Output{}, &session.Failure{Code: session.CodeRunLost, Message: "the bridge went down while the run was going on"})
		return
	}
	end := &session.End{Status: session.Cancelled}
	frames, err := v.closing(*end)
	o.last(frames, err, end)
}

// last yields the closing frames, the very last one together with the end.
func (o *outlet) last(frames [][]byte, err error, end *session.End) {
	if err != nil {
		o.yield(session.Output{}, err)
		return
	}
	end.Spoken = len(frames) > 0
	for i, raw := range frames {
		out := session.Output{Frame: raw}
		if i == len(frames)-1 {
			out.End = end
		}
		if !o.yield(out, nil) {
			return
		}
	}
	if len(frames) == 0 {
		o.yield(session.Output{End: end}, nil)
	}
}
