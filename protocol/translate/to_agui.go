package translate

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// ToAGUI reads the chunks of one run of an AI SDK agent and writes AG-UI events.
// Give it the frames of the runs this one continues by Prime, then the run's own
// frames by Next, and its end by Finish. Frames must have passed aisdk.Reducer.
//
// What an event has no member for stands in its metadata under "ai-sdk", and what has no
// event is a CUSTOM one; ToAISDK gives both back. Chunks that were AG-UI events before
// say so under "ag-ui" in their provider metadata, and become what they were.
type ToAGUI struct {
	run     Run
	started bool
	priming bool
	verify  agui.Verifier // of what is said, so that no chunk can break the order of events

	base    string // id of the AI SDK message
	count   int    // AG-UI messages made of it
	reasons int    // reasoning spans made of it
	steps   int    // steps that were started and not said yet

	current         string // the AG-UI message of this step, "" if there is none yet
	hasText, hasUse bool   // what that message holds already

	text      map[string]*openText // open text parts, by chunk id
	reasoning map[string]*openText
	order     []openPart // what is open, in order, so that closing is deterministic

	ids       *CallIDs
	calls     map[string]*toolCall      // the newest call of each id
	ofStep    map[string]bool           // calls of this step
	results   map[string]int            // how many results each call has got
	answers   map[string]jsontext.Value // the results that the run's answers are, by the call's id
	approvals []*askedApproval
	unnamed   map[string]bool // ids that parts of a history were given on the way, and do not hold

	finish ending

	out [][]byte
	err error
}

type openPart struct {
	id        string
	reasoning bool
}

// An openText is a text or reasoning part that is open.
type openText struct {
	id     string         // of the AG-UI message
	quoted jsontext.Value // as JSON
	note   note
}

// An ending is what is known of a run's end beside its outcome.
type ending struct {
	note          note // what the chunks said
	result, usage jsontext.Value
	metadata      jsontext.Value
	code          string
}

// NewToAGUI makes a translator for one run.
func NewToAGUI(run Run) *ToAGUI {
	return &ToAGUI{
		run: run, base: run.messageID(), ids: NewCallIDs(run.Known...),
		text: map[string]*openText{}, reasoning: map[string]*openText{},
		calls: map[string]*toolCall{}, ofStep: map[string]bool{}, results: map[string]int{}, answers: map[string]jsontext.Value{},
	}
}

// Prime reads the frames of the runs that this run continues, without saying them again.
func (t *ToAGUI) Prime(frames []aisdk.Frame) error {
	t.priming, t.started = true, true
	for _, f := range frames {
		if _, err := t.Next(f); err != nil {
			return err
		}
	}
	t.closeParts()
	t.closeCalls()
	t.priming, t.started, t.out, t.current = false, false, nil, ""
	t.steps, t.finish = 0, ending{}
	clear(t.ofStep)
	for _, a := range t.approvals {
		a.said = true // as an interrupt
	}
	return nil
}

// Next translates one frame. It returns AG-UI events, each one line of JSON. The
// error matches aisdk.ErrMalformed.
func (t *ToAGUI) Next(f aisdk.Frame) ([][]byte, error) {
	t.out = nil
	t.start(f)
	switch f.Type {
	case aisdk.TypeTextDelta:
		t.delta(t.text, `{"type":"TEXT_MESSAGE_CONTENT","messageId":`, f)
	case aisdk.TypeReasoningDelta:
		t.delta(t.reasoning, `{"type":"REASONING_MESSAGE_CONTENT","messageId":`, f)
	case aisdk.TypeToolInputDelta:
		t.inputDelta(f)
	default:
		c, err := f.Chunk()
		if err != nil {
			return nil, err
		}
		t.chunk(f, c)
	}
	return t.out, t.err
}

// start opens the run. What the first chunk says of the message is said by it.
func (t *ToAGUI) start(f aisdk.Frame) {
	if t.started {
		return
	}
	t.started = true
	said := note{}
	if f.Type == aisdk.TypeStart {
		said = members(f)
	}
	t.emit(&agui.RunStarted{
		Base: agui.Base{Kind: agui.TypeRunStarted, Metadata: marked(said)}, ThreadID: t.run.ThreadID, RunID: t.run.RunID,
		ProtocolVersion: agui.Set(agui.PlainVersion),
	})
	t.answered()
}

// marked is metadata under the key of this package, also when it says nothing: that
// tells that the run's steps are an AI SDK agent's own.
func marked(n note) jsontext.Value {
	var m note
	m.set(aisdkKey, n.object())
	return m.object()
}

func base(t agui.EventType) agui.Base { return agui.Base{Kind: t} }

// annotated is the base of an event whose chunk had more to say than the event can. Steps
// that began before it are noted with it, unless AG-UI is where it comes from.
func (t *ToAGUI) annotated(kind agui.EventType, n note, tag note, tagged bool) agui.Base {
	if tagged {
		t.steps = 0
	}
	if t.steps > 0 {
		n.set("steps", jsontext.Value(strconv.Itoa(t.steps)))
		t.steps = 0
	}
	return agui.Base{Kind: kind, Metadata: under(aisdkKey, n, tag.get("metadata"))}
}

func (t *ToAGUI) emit(e agui.Event) {
	if t.priming || t.err != nil {
		return
	}
	f, err := agui.Encode(e)
	if err == nil {
		err = t.verify.Next(f)
	}
	if err != nil {
		t.err = err
		return
	}
	t.out = append(t.out, f.Raw)
}

func (t *ToAGUI) chunk(f aisdk.Frame, c aisdk.Chunk) {
	switch c := c.(type) {
	case *aisdk.Start:
		t.begin(c)
	case *aisdk.Finish:
		t.finish.note.all(members(f))
	case *aisdk.Abort:
		t.finish.note.all(members(f))
	case *aisdk.Error: // said by Finish
	case *aisdk.StartStep:
		t.current = ""
		t.steps++
		clear(t.ofStep)
	case *aisdk.FinishStep:
		t.current = ""
	case *aisdk.ResetStep:
		t.reset(f)
	case *aisdk.TextStart:
		t.textStart(f, c.ID)
	case *aisdk.TextEnd:
		t.textEnd(c.ID, members(f, "id"))
	case *aisdk.ReasoningStart:
		t.reasoningStart(f, c.ID)
	case *aisdk.ReasoningEnd:
		t.reasoningEnd(c.ID, members(f, "id"))
	case *aisdk.Data:
		if c.Kind != dataEvent || !t.restored(c) {
			t.custom(string(f.Type), f.Raw)
		}
	default:
		if !t.toolChunk(f, c) {
			t.custom(string(f.Type), f.Raw)
		}
	}
}

// begin names the message. What the first chunk says is said by RUN_STARTED; one that
// comes later can only add to the message's metadata.
func (t *ToAGUI) begin(c *aisdk.Start) {
	if id := c.MessageID.String(); id != "" && t.run.Message == "" {
		t.base = id
	}
	if len(t.out) > 0 || len(c.MessageMetadata) == 0 {
		return
	}
	n := note{}
	n.text("type", string(aisdk.TypeMessageMetadata))
	n.set("messageMetadata", c.MessageMetadata)
	t.custom(string(aisdk.TypeMessageMetadata), n.object())
}

// reset takes back a step. AG-UI cannot unsay it, so that what was open is closed, what
// was asked is said while its call is still there, and what comes now is said anew.
func (t *ToAGUI) reset(f aisdk.Frame) {
	t.closeParts()
	t.closeCalls()
	for _, a := range t.approvals {
		if t.ofStep[a.call] {
			t.tell(a)
		}
	}
	t.custom(string(f.Type), f.Raw)
	t.current = ""
	clear(t.ofStep)
}

func (t *ToAGUI) custom(name string, value jsontext.Value) {
	t.emit(&agui.Custom{Base: t.annotated(agui.TypeCustom, note{}, note{}, false), Name: customPrefix + name, Value: value})
}

// customPrefix begins the name of a CUSTOM event whose value is a chunk.
const customPrefix = "ai-sdk/"

// message returns the AG-UI message of this step, made now if there is none.
func (t *ToAGUI) message() string {
	if t.current == "" {
		t.current, t.hasText, t.hasUse = t.derived(), false, false
	}
	return t.current
}

func (t *ToAGUI) derived() string {
	t.count++
	return derivedID(t.base, t.count-1)
}

// Finish says how the run ended and closes what is still open.
func (t *ToAGUI) Finish(o Outcome) ([][]byte, error) {
	t.out = nil
	if o.Status == Failed {
		return t.fail(o)
	}
	t.start(aisdk.Frame{})
	t.closeParts()
	t.closeCalls()
	t.unasked(o)
	t.closeRestored()
	t.snapshots(o)
	n := t.finish.note
	b := t.annotated(agui.TypeRunFinished, n, note{}, false)
	b.Metadata = merged(t.finish.metadata, b.Metadata)
	t.emit(&agui.RunFinished{
		Base: b, ThreadID: t.run.ThreadID, RunID: t.run.RunID, Outcome: t.outcome(o),
		Result: t.finish.result, Usage: usageOf(t.finish.usage),
	})
	return t.out, t.err
}

func (t *ToAGUI) fail(o Outcome) ([][]byte, error) {
	code := o.Code
	if code == "" {
		code = t.finish.code
	}
	t.emit(&agui.RunError{
		Base: agui.Base{Kind: agui.TypeRunError, Metadata: t.finish.metadata}, Message: o.Message, Code: agui.NotEmpty(code), Usage: usageOf(t.finish.usage),
	})
	return t.out, t.err
}

func (t *ToAGUI) snapshots(o Outcome) {
	if o.Status != Interrupted || o.Held == nil {
		return
	}
	t.emit(&agui.StateSnapshot{Base: base(agui.TypeStateSnapshot), Snapshot: o.Held.State()})
	t.emit(&agui.MessagesSnapshot{Base: base(agui.TypeMessagesSnapshot), Messages: o.Held.Messages()})
}

func (t *ToAGUI) outcome(o Outcome) *agui.Outcome {
	switch o.Status {
	case Cancelled:
		return &agui.Outcome{Type: agui.OutcomeCancelled}
	case Interrupted:
		out := &agui.Outcome{Type: agui.OutcomeInterrupt}
		for _, q := range o.Requests {
			out.Interrupts = append(out.Interrupts, t.interrupt(q))
		}
		return out
	}
	return &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: t.clientTools(o)}
}

// clientTools names the calls that a successful run leaves to the application.
func (t *ToAGUI) clientTools(o Outcome) []string {
	var ids []string
	for _, q := range o.Requests {
		if q.Call != nil {
			ids = append(ids, t.ids.Given(q.Call.ID))
		}
	}
	return ids
}
