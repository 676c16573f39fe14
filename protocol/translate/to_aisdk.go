package translate

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// ToAISDK reads the events of one run of an AG-UI agent and writes AI SDK chunks, in
// the vocabulary of the reader's profile. Give it the frames of the runs this one
// continues by Prime, then the run's own frames by Next, and its end by Finish. Frames
// must have passed an agui.Pipeline; chunk events may be among them.
//
// Steps are made where the agent is heard again after its calls have got their results,
// and at the end, so that no chat posts by itself what was answered already. An event
// that no chunk can say is a part data-ag-ui; what a chunk has no member for stands under
// "ag-ui" in its provider metadata.
type ToAISDK struct {
	run    Run
	expand agui.Expander
	narrow *Narrow
	ids    *CallIDs

	started    bool
	priming    bool
	continuing bool   // the message has parts of earlier runs
	born       bool   // the events were chunks before, and say where their steps are
	message    string // id of the chat's message

	inStep  bool
	stepped bool // this run has opened a step
	shown   bool // the step has something that makes a chat show it
	danger  bool // while it has not, the chat shows calls that it would post

	text, reasoning map[string]*chatText // by message id
	order           []*chatText          // what is open
	foreign         map[string]bool      // messages that are not the assistant's
	calls           map[string]*chatCall // the newest call of each id
	ofStep          []*chatCall
	asked           map[string]bool // approval ids that the message holds
	denials         []string        // denied calls that nobody has settled, by the agent's id

	ended  *agui.RunFinished
	failed *agui.RunError
	last   agui.Frame // of the two

	out [][]byte
	err error
}

// NewToAISDK makes a translator for one run.
func NewToAISDK(run Run) *ToAISDK {
	t := &ToAISDK{run: run, ids: NewCallIDs(run.Known...), calls: map[string]*chatCall{}, asked: map[string]bool{}, message: run.Message}
	t.begin()
	return t
}

func (t *ToAISDK) begin() {
	t.narrow = NewNarrow(t.run.profile())
	t.text, t.reasoning, t.foreign = map[string]*chatText{}, map[string]*chatText{}, map[string]bool{}
}

// Prime reads the frames of the runs that this run continues, without saying them again.
func (t *ToAISDK) Prime(frames []agui.Frame) error {
	t.priming = true
	for _, f := range frames {
		if _, err := t.Next(f); err != nil {
			return err
		}
	}
	*t = ToAISDK{
		run: t.run, ids: t.ids, calls: t.calls, asked: t.asked, message: t.message, continuing: len(frames) > 0 || t.run.Message != "",
	}
	for _, c := range t.calls {
		c.old, c.open = true, false
	}
	t.begin()
	return nil
}

// Next translates one frame. It returns chunks, each one line of JSON. The error
// matches agui.ErrMalformed, agui.ErrSequence or aisdk.ErrMalformed.
func (t *ToAISDK) Next(f agui.Frame) ([][]byte, error) {
	t.out = nil
	t.start(f)
	frames, err := t.expand.Next(f)
	if err != nil {
		return nil, err
	}
	for _, f := range frames {
		t.next(f)
	}
	return t.out, t.err
}

func (t *ToAISDK) next(f agui.Frame) {
	switch f.Type {
	case agui.TypeTextMessageContent:
		t.delta(t.text, `{"type":"text-delta","id":`, f)
	case agui.TypeReasoningMessageContent:
		t.delta(t.reasoning, `{"type":"reasoning-delta","id":`, f)
	case agui.TypeToolCallArgs:
		t.args(f)
	default:
		t.event(f)
	}
}

// say writes a chunk. It takes care of the names that a chat would choke on.
func (t *ToAISDK) say(kind aisdk.ChunkType, n note) {
	all := note{}
	all.set("type", quoted(string(kind)))
	all.all(n)
	t.pass(harmless(all.object()))
}

// pass writes a chunk as it is, as far as the reader's profile knows it.
func (t *ToAISDK) pass(raw jsontext.Value) {
	if t.priming || t.err != nil {
		return
	}
	f, _, err := aisdk.ParseFrame(raw)
	if err == nil {
		var out [][]byte
		if out, err = t.narrow.Next(f); err == nil {
			t.out = append(t.out, out...)
		}
	}
	if err != nil {
		t.err = err
		return
	}
	switch f.Type {
	case aisdk.TypeStart, aisdk.TypeStartStep, aisdk.TypeFinishStep, aisdk.TypeFinish, aisdk.TypeAbort:
	default:
		if string(f.Member("transient")) != "true" {
			t.shown = true
		}
	}
}

func head(t aisdk.ChunkType) aisdk.Head { return aisdk.Head{Kind: t} }

// start opens the message, or goes on with it. A chat of ai 7 is told what was decided
// somewhere else; one that took the decision itself holds the same already.
func (t *ToAISDK) start(f agui.Frame) {
	if f.Type == agui.TypeRunStarted {
		t.hello(f)
	}
	if t.started {
		return
	}
	t.started = true
	n := note{}
	said := note{}
	if f.Type == agui.TypeRunStarted {
		said, _, t.born = parted(f.Member("metadata"), aisdkKey)
	}
	n.set("messageId", quoted(t.messageID(said)))
	said.take("messageId")
	said.take("steps")
	n.all(said)
	t.say(aisdk.TypeStart, n)
	if t.born || t.priming {
		return
	}
	t.decisions()
}

func (t *ToAISDK) messageID(said note) string {
	if t.message == "" {
		t.message = t.run.messageID()
		if id := unquoted(said.get("messageId")); id != "" {
			t.message = id
		}
	}
	return t.message
}

// hello passes on what RUN_STARTED says beside the ids.
func (t *ToAISDK) hello(f agui.Frame) {
	if !t.started {
		defer t.greet(f)
		return
	}
	t.greet(f)
}

func (t *ToAISDK) greet(f agui.Frame) {
	_, rest, born := parted(f.Member("metadata"), aisdkKey)
	if f.Member("parentRunId") != nil || f.Member("input") != nil || f.Member("rawEvent") != nil || !born && rest != nil {
		t.say(dataEvent, eventNote(f))
	}
}

func eventNote(f agui.Frame) note {
	n := note{}
	n.set("data", f.Raw)
	return n
}

// data says an event as a data part.
func (t *ToAISDK) data(f agui.Frame) {
	t.step()
	t.say(dataEvent, eventNote(f))
}

// heard parts the metadata of an event into what this package put there and the rest, and
// begins the steps that are noted.
func (t *ToAISDK) heard(metadata jsontext.Value) (own note, rest jsontext.Value) {
	if !t.born {
		return note{}, metadata
	}
	own, rest, _ = parted(metadata, aisdkKey)
	for range count(own.take("steps")) {
		t.finishStep()
		t.startStep()
	}
	return own, rest
}

// count reads a small number, 0 if it is none.
func count(v jsontext.Value) int {
	n := 0
	for _, c := range v {
		if c < '0' || c > '9' || n > 1000 {
			return 0
		}
		n = n*10 + int(c-'0')
	}
	return n
}

func (t *ToAISDK) event(f agui.Frame) {
	e, err := f.Event()
	if err != nil {
		t.err = err
		return
	}
	switch e := e.(type) {
	case *agui.RunStarted, *agui.ReasoningStart, *agui.ReasoningEnd: // said by start, and by what is inside
	case *agui.RunFinished:
		t.ended, t.last = e, f
	case *agui.RunError:
		t.failed, t.last = e, f
	case *agui.TextMessageStart:
		t.textStart(f, e)
	case *agui.TextMessageEnd:
		if t.foreign[e.MessageID] {
			t.data(f)
			return
		}
		t.textEnd(t.text[e.MessageID], e.Metadata)
	case *agui.ReasoningMessageStart:
		t.reasoningStart(e)
	case *agui.ReasoningMessageEnd:
		t.textEnd(t.reasoning[e.MessageID], e.Metadata)
	case *agui.ToolCallStart:
		t.callStart(f, e)
	case *agui.ToolCallEnd:
		t.callEnd(f, e)
	case *agui.ToolCallResult:
		t.result(f, e)
	case *agui.Custom:
		t.heard(e.Metadata)
		if !t.carried(e) {
			t.data(f)
		}
	default:
		t.data(f)
	}
}

// step opens a step where none is open, and a new one after results: a chat takes a step
// whose calls are all settled for one that it has to answer. While a call still streams,
// or waits, the step goes on: it could not be asked about in a later one.
func (t *ToAISDK) step() {
	if t.born {
		return
	}
	if t.inStep && t.stepSettled() {
		t.finishStep()
	}
	if !t.inStep {
		t.sayDenials()
		t.startStep()
	}
}

func (t *ToAISDK) startStep() {
	t.danger = t.posts() || t.danger && !t.shown
	t.inStep, t.stepped, t.shown, t.ofStep = true, true, false, nil
	t.say(aisdk.TypeStartStep, note{})
}

func (t *ToAISDK) finishStep() {
	if !t.inStep {
		return
	}
	if !t.born || t.run.profile() == aisdk.V6 {
		t.closeTexts() // ai 6 forgets what is open here
	}
	t.say(aisdk.TypeFinishStep, note{})
	t.inStep = false
}

// stepSettled reports whether the step has calls, and all of them have results.
func (t *ToAISDK) stepSettled() bool {
	for _, c := range t.ofStep {
		if c.open || !c.settled {
			return false
		}
	}
	return len(t.ofStep) > 0
}

// lookupText finds what is known of a message without allocating.
func lookupText(open map[string]*chatText, f agui.Frame) *chatText {
	p, _ := shape.Lookup(open, f.Record, "messageId")
	return p
}
