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
type ToAGUI struct {
	run     Run
	started bool
	priming bool

	base    string // id of the AI SDK message
	count   int    // AG-UI messages made of it
	reasons int    // reasoning spans made of it

	current         string // the AG-UI message of this step, "" if there is none yet
	hasText, hasUse bool   // what that message holds already

	text      map[string]jsontext.Value // open text parts: chunk id → quoted message id
	reasoning map[string]jsontext.Value
	order     []openPart // what is open, in order, so that closing is deterministic
	calls     map[string]*toolCall

	out [][]byte
	err error
}

type openPart struct {
	id        string
	reasoning bool
}

type toolCall struct {
	streamed []byte // the text of its input so far
	open     bool
}

// NewToAGUI makes a translator for one run.
func NewToAGUI(run Run) *ToAGUI {
	return &ToAGUI{
		run: run, base: run.messageID(),
		text: map[string]jsontext.Value{}, reasoning: map[string]jsontext.Value{}, calls: map[string]*toolCall{},
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
	return nil
}

// Next translates one frame. It returns AG-UI events, each one line of JSON. The
// error matches aisdk.ErrMalformed.
func (t *ToAGUI) Next(f aisdk.Frame) ([][]byte, error) {
	t.out = nil
	t.start()
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

func (t *ToAGUI) start() {
	if t.started {
		return
	}
	t.started = true
	t.emit(&agui.RunStarted{
		Base: base(agui.TypeRunStarted), ThreadID: t.run.ThreadID, RunID: t.run.RunID, ProtocolVersion: agui.Set(agui.PlainVersion),
	})
}

func base(t agui.EventType) agui.Base { return agui.Base{Kind: t} }

func (t *ToAGUI) emit(e agui.Event) {
	if t.priming || t.err != nil {
		return
	}
	f, err := agui.Encode(e)
	if err != nil {
		t.err = err
		return
	}
	t.out = append(t.out, f.Raw)
}

func (t *ToAGUI) chunk(f aisdk.Frame, c aisdk.Chunk) {
	switch c := c.(type) {
	case *aisdk.Start:
		if id := c.MessageID.String(); id != "" {
			t.base = id
		}
		t.metadata(c.MessageMetadata)
	case *aisdk.Finish:
		t.metadata(c.MessageMetadata)
	case *aisdk.MessageMetadata:
		t.metadata(c.MessageMetadata)
	case *aisdk.StartStep, *aisdk.FinishStep:
		t.closeParts()
		t.current = ""
	case *aisdk.TextStart:
		t.textStart(c.ID)
	case *aisdk.TextEnd:
		t.textEnd(c.ID)
	case *aisdk.ReasoningStart:
		t.reasoningStart(c.ID)
	case *aisdk.ReasoningEnd:
		t.reasoningEnd(c.ID)
	case *aisdk.Abort, *aisdk.Error, *aisdk.ToolApprovalRequest: // said by Finish
	default:
		if !t.toolChunk(c) {
			t.custom(string(f.Type), f.Raw)
		}
	}
}

// metadata passes message metadata on; AG-UI's messages have none that events could set.
func (t *ToAGUI) metadata(v jsontext.Value) {
	if len(v) > 0 {
		t.custom("message-metadata", v)
	}
}

func (t *ToAGUI) custom(name string, value jsontext.Value) {
	t.emit(&agui.Custom{Base: base(agui.TypeCustom), Name: "ai-sdk/" + name, Value: value})
}

// message returns the AG-UI message of this step, made now if there is none.
func (t *ToAGUI) message() string {
	if t.current == "" {
		t.current, t.hasText, t.hasUse = t.derived(), false, false
	}
	return t.current
}

func (t *ToAGUI) derived() string {
	id := t.base
	if t.count > 0 {
		id += "#" + strconv.Itoa(t.count)
	}
	t.count++
	return id
}

func (t *ToAGUI) textStart(id string) {
	t.textEnd(id) // an id that is used again opens another part
	if t.hasText || t.hasUse {
		t.current = "" // one text per message, and none after its calls: order is kept
	}
	messageID := t.message()
	t.hasText = true
	t.text[id] = quoted(messageID)
	t.order = append(t.order, openPart{id: id})
	t.emit(&agui.TextMessageStart{Base: base(agui.TypeTextMessageStart), MessageID: messageID, Role: agui.RoleAssistant})
}

func (t *ToAGUI) textEnd(id string) {
	messageID, open := t.text[id]
	if !open {
		return
	}
	t.close(openPart{id: id})
	delete(t.text, id)
	t.emit(&agui.TextMessageEnd{Base: base(agui.TypeTextMessageEnd), MessageID: unquoted(messageID)})
}

func (t *ToAGUI) reasoningStart(id string) {
	t.reasoningEnd(id)
	messageID := t.base + "#r" + strconv.Itoa(t.reasons)
	t.reasons++
	t.reasoning[id] = quoted(messageID)
	t.order = append(t.order, openPart{id: id, reasoning: true})
	t.emit(&agui.ReasoningStart{Base: base(agui.TypeReasoningStart), MessageID: messageID})
	t.emit(&agui.ReasoningMessageStart{Base: base(agui.TypeReasoningMessageStart), MessageID: messageID, Role: agui.RoleReasoning})
}

func (t *ToAGUI) reasoningEnd(id string) {
	messageID, open := t.reasoning[id]
	if !open {
		return
	}
	t.close(openPart{id: id, reasoning: true})
	delete(t.reasoning, id)
	t.emit(&agui.ReasoningMessageEnd{Base: base(agui.TypeReasoningMessageEnd), MessageID: unquoted(messageID)})
	t.emit(&agui.ReasoningEnd{Base: base(agui.TypeReasoningEnd), MessageID: unquoted(messageID)})
}

func (t *ToAGUI) close(p openPart) {
	for i, open := range t.order {
		if open == p {
			t.order = append(t.order[:i], t.order[i+1:]...)
			return
		}
	}
}

// closeParts closes what a step, or the run, leaves open.
func (t *ToAGUI) closeParts() {
	for len(t.order) > 0 {
		if p := t.order[0]; p.reasoning {
			t.reasoningEnd(p.id)
		} else {
			t.textEnd(p.id)
		}
	}
}

// delta forwards a fragment as it is quoted already: this is what runs once a token.
func (t *ToAGUI) delta(open map[string]jsontext.Value, head string, f aisdk.Frame) {
	messageID, ok := lookup(open, f, "id")
	if !ok || t.priming {
		return
	}
	t.out = append(t.out, event(head, messageID, f.Member("delta")))
}

// event builds {"type":…,"<id>":id,"delta":delta} from parts that are JSON already.
func event(head string, id, delta jsontext.Value) []byte {
	const middle = `,"delta":`
	out := make([]byte, 0, len(head)+len(id)+len(middle)+len(delta)+1)
	out = append(out, head...)
	out = append(out, id...)
	out = append(out, middle...)
	out = append(out, delta...)
	return append(out, '}')
}

// Finish says how the run ended and closes what is still open.
func (t *ToAGUI) Finish(o Outcome) ([][]byte, error) {
	t.out = nil
	if o.Status == Failed {
		t.emit(&agui.RunError{Base: base(agui.TypeRunError), Message: o.Message, Code: agui.NotEmpty(o.Code)})
		return t.out, t.err
	}
	t.start()
	t.closeParts()
	t.closeCalls()
	t.snapshots(o)
	t.emit(&agui.RunFinished{
		Base: base(agui.TypeRunFinished), ThreadID: t.run.ThreadID, RunID: t.run.RunID, Outcome: t.outcome(o),
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
			out.Interrupts = append(out.Interrupts, agui.InterruptFor(q))
		}
		return out
	}
	return &agui.Outcome{Type: agui.OutcomeSuccess, PendingToolCallIDs: clientTools(o)}
}

// clientTools names the calls that a successful run leaves to the application.
func clientTools(o Outcome) []string {
	var ids []string
	for _, q := range o.Requests {
		if q.Call != nil {
			ids = append(ids, q.Call.ID)
		}
	}
	return ids
}
