package translate

import (
	"slices"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

func twoLevels(t *rapid.T) string {
	return rapid.SampledFrom([]string{`{"acme":{"signature":"x\u0000y"}}`, `{"acme":{"~__proto__":1}}`, `{"a":{},"b":{"c":[null]}}`}).Draw(t, "providerMetadata")
}

func yesNo(t *rapid.T) string { return pick(t, "flag", "true", "false") }

// about gives metadata of a message.
func about(t *rapid.T) string {
	return rapid.SampledFrom([]string{`{"m":1}`, `{"n":{"~__proto__":[]}}`, `null`, `{}`}).Draw(t, "about")
}

// legal gives a value that a chat's JSON parser takes.
func legal(t *rapid.T) string {
	v := value(t)
	if string(harmless(jsontext.Value(v))) != v {
		return `{"~__proto__":0}`
	}
	return v
}

// drawChunk gives a chunk of the type; whether it may come now is for the reducer.
func drawChunk(t *rapid.T, kind aisdk.ChunkType) string {
	id := `"id":"` + pick(t, "id", "0", "1", "x#y") + `"`
	call := `"toolCallId":"` + pick(t, "call", "c0", "c1", "c2") + `"`
	tool := call + `,"toolName":"` + pick(t, "tool", "look", "a-b") + `"`
	meta := maybe(t, "providerMetadata", twoLevels)
	shown := maybe(t, "providerExecuted", yesNo) + maybe(t, "title", jsonText) + maybe(t, "toolMetadata", func(*rapid.T) string { return `{"m":1}` })
	media := `"url":"https://a.example/x","mediaType":"image/png"` + meta
	body := map[aisdk.ChunkType]func() string{
		aisdk.TypeMessageMetadata: func() string { return `,"messageMetadata":{"m":` + legal(t) + `}` },
		aisdk.TypeStartStep:       func() string { return "" }, aisdk.TypeFinishStep: func() string { return "" }, aisdk.TypeResetStep: func() string { return "" },
		aisdk.TypeTextStart: func() string { return "," + id + meta }, aisdk.TypeReasoningStart: func() string { return "," + id + meta },
		aisdk.TypeTextDelta:      func() string { return "," + id + `,"delta":` + jsonText(t) + meta },
		aisdk.TypeReasoningDelta: func() string { return "," + id + `,"delta":` + jsonText(t) + meta },
		aisdk.TypeTextEnd: func() string {
			return "," + id + meta + maybe(t, "citations", func(*rapid.T) string {
				return `[{"source":{"type":"source","sourceType":"url","id":"1","url":"u"},"startIndex":0}]`
			})
		},
		aisdk.TypeReasoningEnd: func() string { return "," + id + meta },
		aisdk.TypeToolInputStart: func() string {
			return "," + tool + maybe(t, "inputEncoding", func(*rapid.T) string { return `"text"` }) + shown + meta
		},
		aisdk.TypeToolInputDelta:     func() string { return "," + call + `,"inputTextDelta":` + pick(t, "args", `"{"`, `"}"`, `"[1"`, `""`) },
		aisdk.TypeToolInputAvailable: func() string { return "," + tool + `,"input":` + legal(t) + shown + meta },
		aisdk.TypeToolInputError:     func() string { return "," + tool + `,"input":` + legal(t) + `,"errorText":` + jsonText(t) + meta },
		aisdk.TypeToolApprovalRequest: func() string {
			return `,"approvalId":"` + pick(t, "approval", "p0", "p1") + `",` + call + maybe(t, "signature", jsonText) + maybe(t, "reason", jsonText) +
				maybe(t, "isAutomatic", yesNo) + maybe(t, "approvalDescriptor", legal) + maybe(t, "inputSchemaInput", legal)
		},
		aisdk.TypeToolApprovalResponse: func() string {
			return `,"approvalId":"` + pick(t, "approval", "p0", "p1") + `","approved":` + yesNo(t) + maybe(t, "reason", jsonText) + meta
		},
		aisdk.TypeToolOutputAvailable: func() string { return "," + call + `,"output":` + legal(t) + maybe(t, "preliminary", yesNo) + meta },
		aisdk.TypeToolOutputError:     func() string { return "," + call + `,"errorText":` + jsonText(t) + meta },
		aisdk.TypeToolOutputDenied:    func() string { return "," + call },
		aisdk.TypeSourceURL:           func() string { return `,"sourceId":"s","url":"u"` + meta },
		aisdk.TypeSourceDocument:      func() string { return `,"sourceId":"s","mediaType":"m","title":` + jsonText(t) + meta },
		aisdk.TypeFile:                func() string { return "," + media }, aisdk.TypeReasoningFile: func() string { return "," + media },
		aisdk.TypeCustom:          func() string { return `,"kind":"acme.plan"` + meta },
		aisdk.TypeSteeringMessage: func() string { return `,"id":"w","parts":[{"type":"text","text":` + jsonText(t) + `}]` },
	}[kind]
	if body == nil {
		kind = "data-weather"
		body = func() string {
			return `,"data":` + legal(t) + maybe(t, "id", func(*rapid.T) string { return `"d"` }) + maybe(t, "transient", yesNo)
		}
	}
	return `{"type":"` + string(kind) + `"` + body() + `}`
}

// drawChunks gives an answer that a chat of ai 7 takes, and the message it builds.
func drawChunks(t *rapid.T) ([]aisdk.Frame, *aisdk.Message) {
	r := aisdk.NewReducer(aisdk.ReducerOptions{Profile: aisdk.V7})
	var out []aisdk.Frame
	open := map[string]bool{} // ids in use; one that is used again leaves a part open for ever
	add := func(raw string) {
		f, _, err := aisdk.ParseFrame([]byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		key := f.Text("id")
		switch f.Type {
		case aisdk.TypeTextStart, aisdk.TypeReasoningStart:
			if open[key] {
				return
			}
			open[key] = true
		case aisdk.TypeToolInputStart, aisdk.TypeToolInputAvailable, aisdk.TypeToolInputError, aisdk.TypeToolInputDelta:
			if known := r.Message().ToolPart(f.Text("toolCallId")); known != nil && known.State != aisdk.StateInputStreaming || known != nil && f.Type == aisdk.TypeToolInputStart {
				return // what was said of a call cannot be unsaid
			}
		}
		if f.Type == aisdk.TypeToolOutputAvailable || f.Type == aisdk.TypeToolOutputError || f.Type == aisdk.TypeToolOutputDenied || f.Type == aisdk.TypeToolApprovalRequest {
			if p := r.Message().ToolPart(f.Text("toolCallId")); p == nil || p.Settled() || p.State == aisdk.StateInputStreaming {
				return // what is settled stays so, and what is not whole is not decided
			}
		}
		if f.Type == aisdk.TypeToolApprovalRequest && !ofStep(r.Message(), f.Text("toolCallId")) {
			return // no chat answers what is asked in a later step than its call
		}
		if f.Type == aisdk.TypeToolApprovalRequest && slices.ContainsFunc(r.Message().Parts, func(p aisdk.Part) bool {
			return p.Approval != nil && p.Approval.ID == f.Text("approvalId")
		}) {
			return // an id asks once
		}
		if f.Type == aisdk.TypeStartStep && anyCall(r.Message(), aisdk.StateInputStreaming, aisdk.StateApprovalRequested) {
			return // a call is made in one step, and what is asked is asked in the last one
		}
		if f.Type == aisdk.TypeToolApprovalResponse && !waits(r.Message(), f.Text("approvalId")) {
			return
		}
		if r.Apply(f) != nil {
			return
		}
		if f.Type == aisdk.TypeTextEnd || f.Type == aisdk.TypeReasoningEnd {
			delete(open, key)
		}
		if f.Type == aisdk.TypeResetStep {
			clear(open)
		}
		out = append(out, f)
	}
	add(`{"type":"start","messageId":"M"` + maybe(t, "messageMetadata", about) + `}`)
	for range rapid.IntRange(0, 25).Draw(t, "chunks") {
		add(drawChunk(t, rapid.SampledFrom(everyChunkType).Draw(t, "kind")))
	}
	add(`{"type":"finish"` + maybe(t, "finishReason", func(t *rapid.T) string { return pick(t, "reason", `"stop"`, `"interrupted"`) }) + maybe(t, "messageMetadata", about) + `}`)
	return out, r.Message()
}

// ofStep reports whether the call was made in the last step.
func ofStep(m *aisdk.Message, callID string) bool {
	for i := len(m.Parts) - 1; i >= 0 && m.Parts[i].Type != aisdk.PartStepStart; i-- {
		if m.Parts[i].ToolCallID.Is(callID) {
			return true
		}
	}
	return false
}

// anyCall reports whether one is in one of the states.
func anyCall(m *aisdk.Message, states ...aisdk.PartState) bool {
	return slices.ContainsFunc(m.Parts, func(p aisdk.Part) bool { return slices.Contains(states, p.State) })
}

// waits reports whether the approval is asked of the newest call that has the id.
func waits(m *aisdk.Message, id string) bool {
	n := 0
	for _, p := range m.Parts {
		if p.Approval != nil && p.Approval.ID == id {
			n++
		}
	}
	for _, p := range m.Parts {
		if p.Approval != nil && p.Approval.ID == id {
			return n == 1 && p.State == aisdk.StateApprovalRequested
		}
	}
	return false
}

func outcomeFor(m *aisdk.Message) Outcome {
	o := Outcome{}
	for _, q := range m.Requests() {
		if q.Kind == hitl.KindApproval {
			o.Status = Interrupted
			o.Requests = append(o.Requests, q)
		}
	}
	return o
}

func reduced(t *rapid.T, frames []aisdk.Frame) aisdk.Message {
	r := aisdk.NewReducer(aisdk.ReducerOptions{Profile: aisdk.V7})
	for _, f := range frames {
		if err := r.Apply(f); err != nil {
			t.Fatalf("%s: %v", f.Raw, err)
		}
	}
	return *r.Message()
}

// parts writes the parts of a message, one a line, equal ones alike.
func parts(m aisdk.Message) []string {
	out := []string{"metadata " + canonical(m.Metadata), "id " + m.ID}
	for _, p := range m.Parts {
		raw, err := json.Marshal(p)
		if err != nil {
			panic(err)
		}
		out = append(out, canonical(raw))
	}
	return out
}

func chunksComeBack(t *rapid.T) {
	sent, message := drawChunks(t)
	o := outcomeFor(message)
	events := toEvents(t, Run{ThreadID: "t", RunID: "r", First: "r"}, sent, o)
	// The requests as an AG-UI client's bridge reads them off the stream.
	back := toChunks(t, Run{ThreadID: "t", RunID: "r", First: "r", Profile: aisdk.V7}, events, heardOutcome(t, events, o))
	want, have := loseChunks(parts(*message), parts(reduced(t, back)))
	if diff := cmp.Diff(want, have); diff != "" {
		t.Fatalf("(-sent +came back)\n%s\nsent\n%s\nas events\n%s\nback\n%s", diff, chunkListing(sent), listing(events), chunkListing(back))
	}
}

func TestChunksComeBack(t *testing.T) { rapid.Check(t, chunksComeBack) }
