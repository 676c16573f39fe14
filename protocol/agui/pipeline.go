package agui

import "github.com/agui-bridge/agui-bridge/internal/shape"

// PipelineOptions says how a stream is read.
type PipelineOptions struct {
	ThreadID string // the input's; "" takes the first run's
	Limit    int    // how many ids a run may name; 0 is DefaultLimit
	// Middleware, if there is one, may change, drop or add events between the
	// compatibility boundary and enforcement. What it is given must not be changed.
	Middleware func(event []byte) ([][]byte, error)
}

// A Pipeline reads a stream of events in the order that the protocol lays down for
// every consumer (AG-UI 1.1, basic/processing):
//
//	bytes ─▶ Boundary ─▶ middleware ─▶ ParseFrame ─▶ Expander ─▶ Verifier ─▶ delivered
//	         retired     the caller's  unknown goes,  chunks      the order
//	         shapes                    malformed is                of events
//	                                   fatal
//
// Whoever wants what a consumer holds afterwards applies the delivered frames to a
// Conversation.
type Pipeline struct {
	opts     PipelineOptions
	boundary Boundary
	expand   Expander
	verify   Verifier

	newer    bool
	frames   []Frame
	warnings []Warning
	clean    []Frame
}

// NewPipeline returns a pipeline for one stream.
func NewPipeline(o PipelineOptions) *Pipeline {
	return &Pipeline{opts: o, verify: Verifier{ThreadID: o.ThreadID, Limit: o.Limit}}
}

// Next reads one event. It returns the frames that reach the application, in order,
// which are good until the next call, and what there is to warn about. An error matches
// ErrMalformed, ErrSequence, ErrLimit or is the middleware's; frames that came before the
// fault are returned with it. To a consumer the stream is over, and the pipeline must not
// be used again. To a checker, which looks for more faults, an event that was malformed,
// or out of order itself, has not been taken in; after any other fault it starts anew.
func (p *Pipeline) Next(raw []byte) ([]Frame, []Warning, error) {
	p.frames, p.warnings, p.clean = p.frames[:0], nil, p.clean[:0]
	if p.opts.Middleware == nil {
		err := p.enforce(raw)
		return p.frames, p.warnings, err
	}
	raw, warnings, err := p.boundary.Next(raw)
	if err != nil {
		return nil, nil, err
	}
	p.warnings = warnings
	events, err := p.opts.Middleware(raw)
	if err != nil {
		return nil, p.warnings, err
	}
	for _, event := range events {
		if err := p.enforce(event); err != nil {
			return p.frames, p.warnings, err
		}
	}
	return p.frames, p.warnings, nil
}

// Clean returns the events of the last Next as they passed enforcement and before chunks
// were expanded: what a relay passes on.
func (p *Pipeline) Clean() []Frame { return p.clean }

// Newer reports whether the producer declares a newer minor version of the protocol: it
// may rightly send what is taken out here, and a relay may pass it on.
func (p *Pipeline) Newer() bool { return p.newer }

// Ended reports whether the last event was a terminal one.
func (p *Pipeline) Ended() bool { return p.verify.Ended() }

// End says that the stream is over. The error matches ErrTruncated if its run is not.
func (p *Pipeline) End() error {
	if !p.verify.Ended() {
		return ErrTruncated
	}
	return nil
}

// Cancel returns the frames by which a relay that has passed on Clean ends the stream as
// stopped on purpose; see Verifier.Cancel.
func (p *Pipeline) Cancel(threadID, runID string) ([]Frame, error) {
	return p.verify.cancel(threadID, runID, p.expand.opened)
}

// enforce takes one event from enforcement on. The boundary is the identity on all that
// enforcement leaves alone, so that it is only asked about the rest.
func (p *Pipeline) enforce(raw []byte) error {
	f, warnings, err := ParseFrame(raw)
	if err != nil || len(warnings) > 0 || p.boundary.concerned(f.Type) {
		if f, warnings, err = p.upgraded(raw, f, warnings, err); err != nil {
			p.warnings = append(p.warnings, warnings...)
			return err
		}
	}
	p.warnings = append(p.warnings, warnings...)
	if f.Raw == nil || !f.Known() {
		return nil
	}
	p.clean = append(p.clean, f)
	if f.Type == TypeRunStarted {
		declared := f.Member("protocolVersion")
		v, _ := ParseVersion(shape.Unquote(declared))
		p.newer = v.Major == implemented.Major && v.Minor > implemented.Minor
		p.warnings = append(p.warnings, VersionWarnings("/protocolVersion", shape.Unquote(declared), declared != nil)...)
	}
	frames, err := p.expand.Next(f)
	if err != nil {
		return err
	}
	for _, f := range frames {
		if err := p.verify.Next(f); err != nil {
			return err
		}
		p.frames = append(p.frames, f)
	}
	return nil
}

// upgraded parses an event again if the boundary changes it.
func (p *Pipeline) upgraded(raw []byte, f Frame, warnings []Warning, err error) (Frame, []Warning, error) {
	if p.opts.Middleware != nil {
		return f, warnings, err // it has passed the boundary before the middleware
	}
	now, retired, upgradeErr := p.boundary.Next(raw)
	if upgradeErr != nil {
		return f, warnings, err // the parser says it better
	}
	if len(retired) == 0 {
		return f, warnings, err
	}
	f, warnings, err = ParseFrame(now)
	return f, append(retired, warnings...), err
}
