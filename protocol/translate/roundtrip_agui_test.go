package translate

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// awkward holds values in which something may get lost.
var awkward = []string{
	`"plain"`, `""`, `"q\"\\ \n \ud83d\ude00 \u2028"`, `"__proto__"`, `{"__proto__":1,"~__proto__":{"~~__proto__":2}}`,
	`{"constructor":{"prototype":{"x":1},"~prototype":2},"prototype":3}`, `[null,[{}],true]`, `{}`, `null`, `12345678901234567890`, `{"a":{"b":[1]}}`,
}

func value(t *rapid.T) string { return rapid.SampledFrom(awkward).Draw(t, "value") }

func jsonText(t *rapid.T) string { return rapid.SampledFrom(awkward[:4]).Draw(t, "text") }

func jsonObject(t *rapid.T) string {
	return rapid.SampledFrom([]string{`{}`, awkward[4], awkward[5], awkward[10]}).Draw(t, "object")
}

func pick(t *rapid.T, label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(t, label)
}

// maybe gives one more member, or none.
func maybe(t *rapid.T, name string, v func(*rapid.T) string) string {
	if !rapid.Bool().Draw(t, name) {
		return ""
	}
	return fmt.Sprintf(`,%q:%s`, name, v(t))
}

func eventMetadata(t *rapid.T) string {
	return rapid.SampledFrom([]string{`{"a":1}`, `{"b":"x"}`, `{"__proto__":{"x":[]}}`, `{"ai-sdk":7}`, `{"ai-sdk":{"steps":3,"id":"x"}}`}).Draw(t, "metadata")
}

func subagentID(t *rapid.T) string { return `"` + pick(t, "subagent", "s0", "s1") + `"` }

// drawEvent gives an event of the type; whether it may come now is for the verifier.
func drawEvent(t *rapid.T, kind agui.EventType) string {
	m := `"messageId":"` + pick(t, "message", "m0", "m1", "m#1", "") + `"`
	r := `"messageId":"` + pick(t, "reasoning", "r0", "r1", "m0") + `"`
	c := `"toolCallId":"` + pick(t, "call", "c0", "c1", "c2") + `"`
	meta := maybe(t, "metadata", eventMetadata)
	who := maybe(t, "subagentRunId", subagentID)
	patch := `[{"op":"add","path":"/` + pick(t, "path", "a", "b", "__proto__") + `","value":` + value(t) + `}]`
	body := map[agui.EventType]func() string{
		agui.TypeTextMessageStart: func() string {
			return m + pick(t, "role", "", `,"role":"assistant"`, `,"role":"user"`, `,"role":"system"`, `,"role":"developer"`) + maybe(t, "name", jsonText) + who
		},
		agui.TypeTextMessageContent: func() string { return m + `,"delta":` + jsonText(t) },
		agui.TypeTextMessageEnd:     func() string { return m },
		agui.TypeTextMessageChunk:   func() string { return `"messageId":"k0","delta":` + jsonText(t) },
		agui.TypeToolCallStart: func() string {
			return c + `,"toolCallName":"` + pick(t, "tool", "look", "a b") + `"` + maybe(t, "parentMessageId", func(t *rapid.T) string { return `"` + pick(t, "parent", "m0", "m1", "p", "") + `"` }) + who
		},
		agui.TypeToolCallArgs: func() string {
			return c + `,"delta":` + pick(t, "args", `"{"`, `"}"`, `"{\"__proto__\":1}"`, `""`, `"1"`)
		},
		agui.TypeToolCallEnd:   func() string { return c },
		agui.TypeToolCallChunk: func() string { return `"toolCallId":"k1","toolCallName":"look","delta":` + jsonText(t) },
		agui.TypeToolCallResult: func() string {
			return `"messageId":"` + pick(t, "result", "x0", "x1", "x2") + `",` + c + `,"content":` +
				pick(t, "content", jsonText(t), `[]`, `[{"type":"text","text":"__proto__"},{"type":"image","source":{"type":"url","value":"u"}}]`) + who
		},
		agui.TypeStateSnapshot: func() string { return `"snapshot":` + value(t) + who },
		agui.TypeStateDelta:    func() string { return `"delta":` + patch + who },
		agui.TypeMessagesSnapshot: func() string {
			return `"messages":[{"id":"u","role":"user","content":` + jsonText(t) + `},{"id":"m0","role":"assistant","content":"restated"}]`
		},
		agui.TypeActivitySnapshot: func() string { return `"messageId":"a0","activityType":"plan","content":` + jsonObject(t) + who },
		agui.TypeActivityDelta:    func() string { return `"messageId":"a0","activityType":"plan","patch":` + patch },
		agui.TypeRaw:              func() string { return `"event":` + value(t) + maybe(t, "source", jsonText) },
		agui.TypeCustom: func() string {
			return `"name":` + pick(t, "name", jsonText(t), `"ai-sdk/unheard-of"`, `"ai-sdk/text-delta"`) + `,"value":` + value(t)
		},
		agui.TypeStepStarted:             func() string { return `"stepName":` + jsonText(t) },
		agui.TypeStepFinished:            func() string { return `"stepName":` + jsonText(t) },
		agui.TypeReasoningStart:          func() string { return r + who },
		agui.TypeReasoningMessageStart:   func() string { return r + `,"role":"reasoning"` + who },
		agui.TypeReasoningMessageContent: func() string { return r + `,"delta":` + jsonText(t) },
		agui.TypeReasoningMessageEnd:     func() string { return r },
		agui.TypeReasoningMessageChunk:   func() string { return `"messageId":"k2","delta":` + jsonText(t) },
		agui.TypeReasoningEnd:            func() string { return r },
		agui.TypeReasoningEncryptedValue: func() string {
			return `"subtype":` + pick(t, "subtype", `"message","entityId":"m0"`, `"tool-call","entityId":"c0"`) + `,"encryptedValue":` + jsonText(t)
		},
		agui.TypeSubagentStarted: func() string { return `"subagentRunId":` + subagentID(t) + `,"name":` + jsonText(t) },
		agui.TypeSubagentFinished: func() string {
			return `"subagentRunId":` + subagentID(t) + maybe(t, "result", func(*rapid.T) string { return `{"n":1}` })
		},
		agui.TypeSubagentError: func() string { return `"subagentRunId":` + subagentID(t) + `,"message":` + jsonText(t) },
	}[kind]()
	return `{"type":"` + string(kind) + `",` + body + meta + `}`
}

// drawRun gives the frames of a run that a pipeline would deliver.
func drawRun(t *rapid.T) []agui.Frame {
	var v agui.Verifier
	var x agui.Expander
	held := agui.NewConversation(agui.RunInput{})
	var out []agui.Frame
	add := func(raw string) {
		f, _, err := agui.ParseFrame([]byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		expanded, err := x.Next(f)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		for _, e := range expanded {
			if v.Next(e) != nil {
				continue
			}
			// Text for a message that a snapshot took away is nobody's.
			if warnings, err := held.Apply(e); err == nil && len(warnings) == 0 || e.Type != agui.TypeTextMessageContent {
				out = append(out, e)
			}
		}
	}
	add(runStarted)
	kinds := eventTypesInARun()
	for range rapid.IntRange(0, 25).Draw(t, "events") {
		add(drawEvent(t, rapid.SampledFrom(kinds).Draw(t, "kind")))
	}
	add(`{"type":"STEP_STARTED","stepName":"the last"}`) // ends what chunks have opened
	for _, e := range v.Closing() {
		f, err := agui.Encode(e)
		if err != nil {
			t.Fatal(err)
		}
		add(string(f.Raw))
	}
	add(pick(t, "end", runFinished, strings.TrimSuffix(runFinished, "}")+`,"result":{"n":[1]},"metadata":{"a":1},"usage":[{"inputTokens":3}]}`))
	return out
}

func eventTypesInARun() []agui.EventType {
	var kinds []agui.EventType
	for _, kind := range everyEventType {
		switch kind {
		case agui.TypeRunStarted, agui.TypeRunFinished, agui.TypeRunError:
		default:
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// A heldRun is what a consumer has of a run: its messages, its state, and what it is
// shown besides.
type heldRun struct {
	Messages []agui.Message
	State    string
	Shown    []string
}

func holds(t interface{ Fatalf(string, ...any) }, frames []agui.Frame) heldRun {
	c := agui.NewConversation(agui.RunInput{})
	var h heldRun
	for _, f := range frames {
		if _, err := c.Apply(f); err != nil {
			t.Fatalf("%s: %v", f.Raw, err)
		}
		switch f.Type {
		case agui.TypeCustom, agui.TypeRaw, agui.TypeStepStarted, agui.TypeStepFinished, agui.TypeStateSnapshot, agui.TypeStateDelta,
			agui.TypeMessagesSnapshot, agui.TypeActivitySnapshot, agui.TypeActivityDelta, agui.TypeSubagentStarted, agui.TypeSubagentFinished,
			agui.TypeSubagentError, agui.TypeReasoningEncryptedValue, agui.TypeReasoningStart, agui.TypeReasoningEnd:
			h.Shown = append(h.Shown, string(f.Raw))
		case agui.TypeRunFinished:
			h.Shown = append(h.Shown, string(f.Member("result"))+string(f.Member("usage")))
		}
	}
	h.State = canonical(c.State())
	h.Messages = c.Messages()
	for i := range h.Messages {
		h.Messages[i].Metadata = jsontext.Value(canonical(h.Messages[i].Metadata))
		for j := range h.Messages[i].ToolCalls {
			k := &h.Messages[i].ToolCalls[j]
			k.Metadata = jsontext.Value(canonical(k.Metadata))
		}
		h.Messages[i].Content = jsontext.Value(canonical(h.Messages[i].Content))
	}
	return h
}

// canonical writes equal values alike.
func canonical(v jsontext.Value) string {
	if len(v) == 0 {
		return ""
	}
	c := v.Clone()
	if err := c.Canonicalize(jsontext.CanonicalizeRawInts(false), jsontext.CanonicalizeRawFloats(false)); err != nil {
		return string(v)
	}
	return string(c)
}

// toChunks translates a run for a chat, and holds the chunks to its profile.
func toChunks(t *rapid.T, run Run, frames []agui.Frame, o Outcome) []aisdk.Frame {
	tr := NewToAISDK(run)
	r := aisdk.NewReducer(aisdk.ReducerOptions{Profile: run.profile()})
	var out []aisdk.Frame
	add := func(chunks [][]byte, err error) {
		if err != nil {
			t.Fatalf("to chunks: %v", err)
		}
		for _, raw := range chunks {
			f, _, err := aisdk.ParseFrame(raw)
			if err == nil {
				err = run.profile().Check(f)
			}
			if err == nil {
				err = r.Apply(f)
			}
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			out = append(out, f)
		}
	}
	for _, f := range frames {
		add(tr.Next(f))
	}
	add(tr.Finish(o))
	return out
}

// toEvents translates chunks for a client, and holds the events to their order.
func toEvents(t *rapid.T, run Run, frames []aisdk.Frame, o Outcome) []agui.Frame {
	tr := NewToAGUI(run)
	var v agui.Verifier
	var out []agui.Frame
	add := func(events [][]byte, err error) {
		if err != nil {
			t.Fatalf("to events: %v", err)
		}
		for _, raw := range events {
			f, warnings, err := agui.ParseFrame(raw)
			if err == nil {
				err = v.Next(f)
			}
			if err != nil || len(warnings) > 0 {
				t.Fatalf("%s: %v %v", raw, err, warnings)
			}
			out = append(out, f)
		}
	}
	for _, f := range frames {
		add(tr.Next(f))
	}
	add(tr.Finish(o))
	return out
}

func eventsComeBack(t *rapid.T) {
	run := Run{ThreadID: "t", RunID: "r", First: "r", Profile: rapid.SampledFrom([]aisdk.Profile{aisdk.V6, aisdk.V7}).Draw(t, "profile")}
	sent := drawRun(t)
	chunks := toChunks(t, run, sent, Outcome{})
	got := toEvents(t, run, chunks, Outcome{})
	want, have := holds(t, sent), holds(t, got)
	want.Shown, have.Shown = loseSpans(want.Shown, have.Shown)
	if diff := cmp.Diff(want, have); diff != "" {
		t.Fatalf("(-sent +came back)\n%s\nsent\n%s\nas chunks\n%s\nback\n%s", diff, listing(sent), chunkListing(chunks), listing(got))
	}
}

func listing(frames []agui.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.Write(append(f.Raw[:len(f.Raw):len(f.Raw)], '\n'))
	}
	return b.String()
}

func chunkListing(frames []aisdk.Frame) string {
	var b strings.Builder
	for _, f := range frames {
		b.Write(append(f.Raw[:len(f.Raw):len(f.Raw)], '\n'))
	}
	return b.String()
}

func TestEventsComeBack(t *testing.T) { rapid.Check(t, eventsComeBack) }
