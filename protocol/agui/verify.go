package agui

import "github.com/agui-bridge/agui-bridge/internal/shape"

// A Verifier checks that the events of a stream come in an order the protocol allows
// (AG-UI 1.1, events/*). It is fed frames that ParseFrame accepted and an Expander has
// seen: it knows no chunks. Several runs may follow each other on a stream. The zero
// value is ready; set ThreadID to hold the stream to a thread from its first run on.
//
// Which rules it holds:
//
//	lifecycle     RUN_STARTED or RUN_ERROR first; what may follow an end; no run in a run
//	identity      one thread, and RUN_FINISHED names the run that RUN_STARTED opened
//	items         verify_item.go: what is open, and that all is closed at RUN_FINISHED
//	steps         by name within their owner
//	attribution   verify_owner.go: an item belongs to one owner, whoever goes on with it
//	subagents     verify_subagent.go
//	interrupts    an id asks once in a run
type Verifier struct {
	ThreadID string // what every run must carry; "" takes the first run's
	Limit    int    // how many ids a run may name; 0 is DefaultLimit

	hasThread bool // the thread is known; it may be ""
	phase     runPhase
	runID     string
	named     int // ids of this run so far

	text      items
	calls     items
	reasoning items // reasoning messages
	spans     items // reasoning spans, a namespace of their own
	activity  items // never open; only their owners are kept
	steps     map[step]struct{}
	subagents map[string]bool // by id, whether it is at work
}

// DefaultLimit is how many ids a run may name unless it is told otherwise.
const DefaultLimit = 1 << 17

type runPhase uint8

const (
	beforeRun runPhase = iota
	inRun
	runFinished
	runFailed
)

// Next takes the next frame. An error matches ErrSequence or ErrLimit; the verifier must
// not be used after one.
func (v *Verifier) Next(f Frame) error {
	switch f.Type {
	case TypeRunStarted:
		return v.started(f)
	case TypeRunError:
		if v.phase == runFailed {
			return broken(f, v.phase.outsideID(), v.phase.outside())
		}
		v.phase = runFailed
		return nil
	case TypeRunFinished:
		return v.finished(f)
	}
	if !f.Known() {
		return nil
	}
	if v.phase != inRun {
		return broken(f, v.phase.outsideID(), v.phase.outside())
	}
	return v.item(f)
}

// Ended reports whether the last event was a terminal one.
func (v *Verifier) Ended() bool { return v.phase == runFinished || v.phase == runFailed }

func (p runPhase) outsideID() SequenceRule {
	switch p {
	case beforeRun:
		return RunNotStarted
	case runFinished:
		return AfterRunFinished
	default:
		return AfterRunError
	}
}

func (p runPhase) outside() string {
	switch p {
	case beforeRun:
		return "a stream opens with RUN_STARTED or RUN_ERROR"
	case runFinished:
		return "after RUN_FINISHED only RUN_STARTED or RUN_ERROR may follow"
	default:
		return "after RUN_ERROR only RUN_STARTED may follow"
	}
}

func broken(f Frame, id SequenceRule, rule string) error {
	return &SequenceError{Type: f.Type, ID: id, Rule: rule}
}

func (v *Verifier) started(f Frame) error {
	if v.phase == inRun {
		return broken(f, NestedRun, "a run may not start inside a run")
	}
	if v.ThreadID == "" && !v.hasThread {
		v.ThreadID = f.Text("threadId")
	}
	if err := v.thread(f); err != nil {
		return err
	}
	*v = Verifier{ThreadID: v.ThreadID, hasThread: true, Limit: v.Limit, runID: f.Text("runId"), phase: inRun}
	return v.history(f)
}

func (v *Verifier) thread(f Frame) error {
	if !f.Is("threadId", v.ThreadID) {
		return broken(f, ThreadMismatch, "threadId must be the input's, "+v.ThreadID+", not "+f.Text("threadId"))
	}
	return nil
}

func (v *Verifier) finished(f Frame) error {
	if v.phase != inRun {
		return broken(f, v.phase.outsideID(), v.phase.outside())
	}
	if err := v.thread(f); err != nil {
		return err
	}
	if !f.Is("runId", v.runID) {
		return broken(f, RunMismatch, "runId must be that of RUN_STARTED, "+v.runID+", not "+f.Text("runId"))
	}
	if err := v.allClosed(f); err != nil {
		return err
	}
	if err := uniqueInterrupts(f); err != nil {
		return err
	}
	v.phase = runFinished
	return nil
}

func uniqueInterrupts(f Frame) error {
	outcome := f.Member("outcome")
	if outcome == nil {
		return nil
	}
	seen := map[string]bool{}
	for i, err := range interruptsOf(outcome) {
		if err != nil {
			return err
		}
		id, err := shape.StringMember(i, "id")
		if err != nil {
			return err
		}
		if seen[id] {
			return broken(f, DuplicateInterrupt, "interrupt id "+id+" is used twice")
		}
		seen[id] = true
	}
	return nil
}

// name counts an id that the run had not named before.
func (v *Verifier) name(f Frame) error {
	limit := v.Limit
	if limit == 0 {
		limit = DefaultLimit
	}
	if v.named++; v.named > limit {
		return &LimitError{Type: f.Type, What: "ids in one run", Limit: limit}
	}
	return nil
}
