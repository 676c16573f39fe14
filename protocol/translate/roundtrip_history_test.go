package translate

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// A talk is a conversation that grows.
type talk struct {
	t     *rapid.T
	lines []string
	count int
}

func (k *talk) id(kind string) string {
	k.count++
	return fmt.Sprintf("%s%d", kind, k.count)
}

func (k *talk) pick(label string, from ...string) string {
	return rapid.SampledFrom(from).Draw(k.t, label)
}

func (k *talk) flip(label string) bool { return rapid.Bool().Draw(k.t, label) }

func (k *talk) some(label, member string) string {
	if k.flip(label) {
		return member
	}
	return ""
}

var words = []string{"hi", "", "two words", `a \"quote\" and a \\`, "ünï", "{\\\"n\\\":1}", "1"}

// aguiTalk is the messages of an AG-UI client, each turn as an agent could have said it.
func aguiTalk(t *rapid.T) []string {
	k := &talk{t: t}
	for range rapid.IntRange(1, 3).Draw(t, "turns") {
		if k.flip("instructed") {
			k.lines = append(k.lines, fmt.Sprintf(`{"id":%q,"role":%q,"content":"be kind"}`, k.id("s"), k.pick("role", "system", "developer")))
		}
		k.lines = append(k.lines, fmt.Sprintf(`{"id":%q,"role":"user","content":"%s"%s}`, k.id("u"), k.pick("said", words...), k.some("named", `,"name":"ada"`)))
		for range rapid.IntRange(0, 3).Draw(t, "messages") {
			k.said()
		}
	}
	return k.lines
}

const tagged = `,"metadata":{"k":[1]}`

func (k *talk) said() {
	switch k.pick("kind", "text", "calls", "both", "reasoning") {
	case "reasoning":
		k.lines = append(k.lines, fmt.Sprintf(`{"id":%q,"role":"reasoning","content":"%s"%s%s}`, k.id("r"), k.pick("thought", "hm", "two words"),
			k.some("encrypted", `,"encryptedValue":"e"`), k.some("annotated", tagged)))
	case "text":
		k.lines = append(k.lines, fmt.Sprintf(`{"id":%q,"role":"assistant","content":"%s"%s%s}`, k.id("a"), k.pick("answer", "so", "two words"),
			k.some("named", `,"name":"bob"`), k.some("annotated", tagged)))
	case "calls":
		k.calls("")
	case "both":
		k.calls(`"content":"` + k.pick("answer", "so", "two words") + `",`)
	}
}

func (k *talk) calls(content string) {
	var calls, results []string
	for range rapid.IntRange(1, 2).Draw(k.t, "calls") {
		call := k.id("c")
		calls = append(calls, fmt.Sprintf(`{"id":%q,"type":"function","function":{"name":%q,"arguments":"%s"}%s%s}`, call, k.pick("tool", "look", "pay"),
			k.pick("arguments", `{}`, `{\"n\":1}`, `{ \"n\" : 1.0 }`, ``, `{\"n\":`, `[1]`, `7`),
			k.some("encrypted", `,"encryptedValue":"e"`), k.some("annotated", tagged)))
		results = append(results, fmt.Sprintf(`{"id":%q,"role":"tool","toolCallId":%q,"content":"%s"%s%s}`, k.id("t"), call, k.pick("result", words...),
			k.some("failed", `,"error":"no"`), k.some("annotated", tagged)))
	}
	k.lines = append(k.lines, fmt.Sprintf(`{"id":%q,"role":"assistant",%s"toolCalls":[%s]}`, k.id("a"), content, strings.Join(calls, ",")))
	k.lines = append(k.lines, results...)
}

// What an AG-UI client holds is what it held after a chat has had it.
func TestAGUIHistoriesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lines := aguiTalk(t)
		in, _, err := agui.ParseRunInput([]byte(`{"threadId":"T","runId":"R","messages":[` + strings.Join(lines, ",") + `]}`))
		if err != nil {
			t.Fatal(err)
		}
		back, _, err := Messages(overTheWire(t, History(in.Messages)))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(each(t, in.Messages), each(t, back)); diff != "" {
			t.Fatalf("(-held +came back)\n%s\nas a chat\n%s", diff, strings.Join(each(t, History(in.Messages)), "\n"))
		}
	})
}

// chatTalk is the messages of a chat, each answer as an AI SDK agent could have given it.
func chatTalk(t *rapid.T) []string {
	k := &talk{t: t}
	for range rapid.IntRange(1, 3).Draw(t, "turns") {
		if k.flip("instructed") {
			k.lines = append(k.lines, fmt.Sprintf(`{"id":%q,"role":"system","parts":[{"type":"text","text":"be kind","state":"done"}]}`, k.id("s")))
		}
		file := k.some("file", `,{"type":"file","mediaType":"image/png","url":"https://a.example/i.png"}`)
		k.lines = append(k.lines, fmt.Sprintf(`{"id":%q,"role":"user","parts":[{"type":"text","text":"%s"}%s]}`, k.id("u"), k.pick("said", "hi", "two words"), file))
		var parts []string
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			parts = append(parts, `{"type":"step-start"}`)
			for range rapid.IntRange(1, 3).Draw(t, "parts") {
				parts = append(parts, k.part())
			}
		}
		if len(parts) > 0 {
			k.lines = append(k.lines, fmt.Sprintf(`{"id":%q,"role":"assistant","parts":[%s]}`, k.id("M"), strings.Join(parts, ",")))
		}
	}
	return k.lines
}

const signed = `,"providerMetadata":{"p":{"signature":"s"}}`

func (k *talk) part() string {
	switch k.pick("part", "text", "reasoning", "tool") {
	case "reasoning":
		return fmt.Sprintf(`{"type":"reasoning","text":"%s","state":"done"%s}`, k.pick("thought", "hm", "two words"), k.some("signed", signed))
	case "text":
		return fmt.Sprintf(`{"type":"text","text":"%s","state":"done"%s}`, k.pick("answer", "so", "two words"), k.some("signed", signed))
	}
	kind := k.pick("kind", `"tool-look"`, `"tool-pay"`, `"dynamic-tool","toolName":"look"`)
	call := fmt.Sprintf(`{"type":%s,"toolCallId":%q,"input":%s%s%s%s,`, kind, k.id("c"), k.pick("input", `{}`, `{"n":1.5}`, `[1]`, `"text"`, `7`),
		k.some("titled", `,"title":"Look"`), k.some("signed", `,"callProviderMetadata":{"p":{"signature":"s"}}`), k.some("known", `,"toolMetadata":{"m":1}`))
	switch k.pick("state", "available", "error", "denied") {
	case "error":
		return call + `"state":"output-error","errorText":"no"}`
	case "denied":
		return call + fmt.Sprintf(`"state":"output-denied","approval":{"id":%q,"approved":false%s}}`, k.id("a"), k.some("reasoned", `,"reason":"not today"`))
	}
	return call + fmt.Sprintf(`"state":"output-available","output":%s%s%s}`, k.pick("output", `"text"`, `{"n":1.50}`, `null`, `"{}"`, `7`, `[]`),
		k.some("signed", `,"resultProviderMetadata":{"p":{"signature":"s"}}`), k.some("ran", `,"providerExecuted":true`))
}

// What a chat holds is what it held after an AG-UI client has had it. A step there is a
// message here: where one step holds several of those, several steps come back.
func TestChatHistoriesComeBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		messages, err := aisdk.ParseMessages([]byte(`[` + strings.Join(chatTalk(t), ",") + `]`))
		if err != nil {
			t.Fatal(err)
		}
		said, _, err := Messages(messages)
		if err != nil {
			t.Fatal(err)
		}
		raw, err := json.Marshal(map[string]any{"threadId": "T", "runId": "R", "messages": said})
		if err != nil {
			t.Fatal(err)
		}
		in, _, err := agui.ParseRunInput(raw)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(each(t, stepless(messages)), each(t, stepless(History(in.Messages)))); diff != "" {
			t.Fatalf("(-held +came back)\n%s\nas AG-UI\n%s", diff, raw)
		}
	})
}

// stepless gives messages without the marks between steps.
func stepless(messages []aisdk.Message) []aisdk.Message {
	var out []aisdk.Message
	for _, m := range messages {
		m.Parts = slices.DeleteFunc(slices.Clone(m.Parts), func(p aisdk.Part) bool { return p.Type == aisdk.PartStepStart })
		out = append(out, m)
	}
	return out
}

// overTheWire is what a chat sends that was given the messages.
func overTheWire(t *rapid.T, messages []aisdk.Message) []aisdk.Message {
	raw, err := json.Marshal(messages)
	if err != nil {
		t.Fatal(err)
	}
	back, err := aisdk.ParseMessages(raw)
	if err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return back
}

// each writes messages as lines that compare.
func each[M any](t *rapid.T, messages []M) []string {
	out := make([]string, len(messages))
	for i, m := range messages {
		raw, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		out[i] = bare(t, raw)
	}
	return out
}

// bare writes a message without what the bridge has put beside it under its own keys.
func bare(t *rapid.T, raw []byte) string {
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		t.Fatal(err)
	}
	unnoted(m)
	out, err := json.Marshal(m, json.Deterministic(true))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func unnoted(v any) {
	switch v := v.(type) {
	case []any:
		for _, e := range v {
			unnoted(e)
		}
	case map[string]any:
		for name, e := range v {
			unnoted(e)
			if args, is := e.(string); is && name == "arguments" {
				v[name] = laidOut(args) // a chat keeps the value
			}
			if notes, is := e.(map[string]any); is && strings.HasSuffix(strings.ToLower(name), "metadata") {
				delete(notes, aisdkKey)
				delete(notes, aguiKey)
				if len(notes) == 0 {
					delete(v, name)
				}
			}
		}
	}
}

// laidOut writes JSON in one way, and leaves anything else as it is. No arguments are none.
func laidOut(text string) string {
	if text == "" {
		return "{}"
	}
	if v := jsontext.Value(text); v.Compact() == nil {
		return string(v)
	}
	return text
}
