package agui

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// chunk writes a chunk of the family text, call or think.
func chunk(family, members string) string {
	kind := map[string]EventType{"text": TypeTextMessageChunk, "call": TypeToolCallChunk, "think": TypeReasoningMessageChunk}[family]
	if members != "" {
		members = "," + members
	}
	return `{"type":"` + string(kind) + `"` + members + `}`
}

var signs = map[EventType]string{
	TypeTextMessageStart: "text+", TypeTextMessageContent: "text.", TypeTextMessageEnd: "text-",
	TypeToolCallStart: "call+", TypeToolCallArgs: "call.", TypeToolCallEnd: "call-",
	TypeReasoningMessageStart: "think+", TypeReasoningMessageContent: "think.", TypeReasoningMessageEnd: "think-",
}

// brief writes a frame in a few letters: what it does, to which id, whose, and what it adds.
func brief(f Frame) string {
	out := string(f.Type)
	if sign := signs[f.Type]; sign != "" {
		out = sign + f.Text("messageId") + f.Text("toolCallId")
	}
	if f.Member("subagentRunId") != nil {
		out += "@" + f.Text("subagentRunId")
	}
	if f.Member("delta") != nil && signs[f.Type] != "" {
		out += "=" + f.Text("delta")
	}
	return out
}

// expand feeds the lines to an expander. All but the last must be taken; what the last
// one gives is the second result.
func expand(t testing.TB, lines ...string) (before, last []Frame, err error) {
	t.Helper()
	var e Expander
	for i, f := range frames(t, lines...) {
		out, err := e.Next(f)
		if i == len(lines)-1 {
			return before, append([]Frame(nil), out...), err
		}
		if err != nil {
			t.Fatalf("%s: %v", f.Raw, err)
		}
		before = append(before, out...)
	}
	return before, nil, nil
}

func briefs(in []Frame) string {
	var out []string
	for _, f := range in {
		out = append(out, brief(f))
	}
	return strings.Join(out, " ")
}

const (
	raw0   = `{"type":"RAW","event":0}`
	custom = `{"type":"CUSTOM","name":"n","value":0}`
)

func TestChunksStandForItems(t *testing.T) {
	for _, tc := range []struct {
		rule string
		in   []string
		want string // of all frames
	}{
		{"the first opens", []string{chunk("text", `"messageId":"m","delta":"a"`)}, "text+m text.m=a"},
		{"of every family", []string{chunk("call", `"toolCallId":"c","toolCallName":"f","delta":"{"`), finished}, "call+c call.c={ call-c RUN_FINISHED"},
		{"of reasoning, too", []string{chunk("think", `"messageId":"m","delta":"a"`), finished}, "think+m think.m=a think-m RUN_FINISHED"},
		{"a later one goes on", []string{chunk("text", `"messageId":"m","delta":"a"`), chunk("text", `"delta":"b"`), chunk("text", `"messageId":"m","delta":"c"`)}, "text+m text.m=a text.m=b text.m=c"},
		{"one without a delta only opens", []string{chunk("text", `"messageId":"m"`)}, "text+m"},
		{"an empty delta is a delta", []string{chunk("text", `"messageId":"m","delta":""`)}, "text+m text.m="},
		{"an empty one that goes on says nothing", []string{chunk("text", `"messageId":"m"`), chunk("text", ""), chunk("text", `"messageId":"m"`)}, "text+m"},
		{"nor do a time, or repeated openers", []string{chunk("text", `"messageId":"m","role":"user"`), chunk("text", `"timestamp":1,"role":"user"`)}, "text+m"},
		{"another id ends the one before", []string{chunk("text", `"messageId":"m","delta":"a"`), chunk("text", `"messageId":"n","delta":"b"`)}, "text+m text.m=a text-m text+n text.n=b"},
		{"another family ends the one before", []string{chunk("text", `"messageId":"m"`), chunk("call", `"toolCallId":"m","toolCallName":"f"`), chunk("think", `"messageId":"m"`)}, "text+m text-m call+m call-m think+m"},
		{"what ended may begin again", []string{chunk("text", `"messageId":"m","delta":"a"`), chunk("text", `"messageId":"n"`), chunk("text", `"messageId":"m","delta":"c"`)}, "text+m text.m=a text-m text+n text-n text+m text.m=c"},
		{"escapes do not make another id", []string{chunk("text", `"messageId":"\u006d"`), chunk("text", `"messageId":"m","delta":"a"`)}, "text+m text.m=a"},
		{"an empty id is an id", []string{chunk("text", `"messageId":""`), chunk("text", `"delta":"a"`), custom}, "text+ text.=a text- CUSTOM"},
		{"a start of the same id ends the shorthand", []string{chunk("text", `"messageId":"m"`), item(TypeTextMessageStart, "messageId", "m")}, "text+m text-m text+m"},
		{"and so does its content, to be refused behind it", []string{chunk("text", `"messageId":"m"`), item(TypeTextMessageContent, "messageId", "m")}, "text+m text-m text.m="},
		{"every lane has its own", []string{
			chunk("text", `"messageId":"m"`), chunk("text", `"messageId":"n","subagentRunId":"s"`), chunk("text", `"messageId":"o","subagentRunId":"u"`),
			chunk("text", `"delta":"a"`), chunk("text", `"delta":"b","subagentRunId":"s"`), chunk("text", `"delta":"c","subagentRunId":"u"`),
		}, "text+m text+n@s text+o@u text.m=a text.n@s=b text.o@u=c"},
		{"an id leads to its lane", []string{chunk("text", `"messageId":"m"`), chunk("text", `"messageId":"n","subagentRunId":"s"`), chunk("text", `"messageId":"n","delta":"a"`)}, "text+m text+n@s text.n@s=a"},
		{"without id and owner the agent's own goes on", []string{chunk("text", `"messageId":"n","subagentRunId":"s"`), chunk("text", `"messageId":"m"`), chunk("text", `"delta":"a"`)}, "text+n@s text+m text.m=a"},
		{"or the only one that is open", []string{chunk("text", `"messageId":"n","subagentRunId":"s"`), chunk("text", `"delta":"a"`)}, "text+n@s text.n@s=a"},
		{"of its family, that is", []string{chunk("call", `"toolCallId":"c","toolCallName":"f","subagentRunId":"s"`), chunk("text", `"messageId":"n","subagentRunId":"u"`), chunk("text", `"delta":"a"`)}, "call+c@s text+n@u text.n@u=a"},
		{"also when the agent's own lane holds something else", []string{chunk("call", `"toolCallId":"c","toolCallName":"f"`), chunk("text", `"messageId":"n","subagentRunId":"u"`), chunk("text", `"delta":"a"`)}, "call+c text+n@u text.n@u=a"},
		{"an owner without a name is an owner", []string{chunk("text", `"messageId":"m"`), chunk("text", `"messageId":"n","subagentRunId":""`), chunk("text", `"subagentRunId":"","delta":"a"`)}, "text+m text+n@ text.n@=a"},
		{"a subagent's end ends what it streams and nothing else", []string{
			chunk("text", `"messageId":"m"`), chunk("text", `"messageId":"n","subagentRunId":"s"`), chunk("text", `"messageId":"o","subagentRunId":"u"`),
			`{"type":"SUBAGENT_FINISHED","subagentRunId":"s"}`, `{"type":"SUBAGENT_ERROR","subagentRunId":"u","message":"m"}`, chunk("text", `"delta":"a"`),
		}, "text+m text+n@s text+o@u text-n@s SUBAGENT_FINISHED@s text-o@u SUBAGENT_ERROR@u text.m=a"},
		{"the end of a run ends all, in the order in which they began", []string{
			chunk("text", `"messageId":"n","subagentRunId":"s"`), chunk("call", `"toolCallId":"c","toolCallName":"f"`), chunk("think", `"messageId":"o","subagentRunId":"a"`), finished,
		}, "text+n@s call+c think+o@a text-n@s call-c think-o@a RUN_FINISHED"},
		{"events of unknown types end nothing", []string{chunk("text", `"messageId":"m"`), `{"type":"FUTURE"}`, chunk("text", `"delta":"a"`)}, "text+m FUTURE text.m=a"},
		{"without chunks all passes", []string{started, item(TypeTextMessageStart, "messageId", "m"), custom}, "RUN_STARTED text+m CUSTOM"},
	} {
		before, last, err := expand(t, tc.in...)
		if got := briefs(append(before, last...)); err != nil || got != tc.want {
			t.Errorf("%s: %v\n got %s\nwant %s", tc.rule, err, got, tc.want)
		}
	}
}

func TestChunksThatAreRefused(t *testing.T) {
	const open = `"messageId":"m","role":"user","name":"n"`
	for _, tc := range []struct {
		rule string
		in   []string // the last one is refused
		want string   // part of the error
	}{
		{"a first message without its id", []string{chunk("text", `"delta":"a"`)}, "messageId"},
		{"a first reasoning message without its id", []string{chunk("think", `"delta":"a"`)}, "messageId"},
		{"a first call without its id", []string{chunk("call", `"toolCallName":"f"`)}, "toolCallId"},
		{"a first call without its name", []string{chunk("call", `"toolCallId":"c"`)}, "toolCallName"},
		{"an empty first chunk", []string{chunk("text", "")}, "messageId"},
		{"a second call without its name", []string{chunk("call", `"toolCallId":"c","toolCallName":"f"`), chunk("call", `"toolCallId":"d"`)}, "toolCallName"},
		{"one that goes on with another family", []string{chunk("text", `"messageId":"m"`), chunk("think", `"delta":"a"`)}, "messageId"},
		{"one that goes on behind an end", []string{chunk("text", `"messageId":"m"`), custom, chunk("text", `"delta":"a"`)}, "messageId"},
		{"one that names an owner who streams nothing", []string{chunk("text", `"messageId":"m"`), chunk("text", `"delta":"a","subagentRunId":"s"`)}, "messageId"},
		{"another role", []string{chunk("text", open), chunk("text", `"role":"system"`)}, "role"},
		{"a role where none meant assistant", []string{chunk("text", `"messageId":"m"`), chunk("text", `"role":"user"`)}, "role"},
		{"another name", []string{chunk("text", open), chunk("text", `"name":"o"`)}, "name"},
		{"a name where there was none", []string{chunk("text", `"messageId":"m"`), chunk("text", `"name":"o"`)}, "name"},
		{"another tool", []string{chunk("call", `"toolCallId":"c","toolCallName":"f"`), chunk("call", `"toolCallName":"g"`)}, "toolCallName"},
		{"another parent", []string{chunk("call", `"toolCallId":"c","toolCallName":"f","parentMessageId":"m"`), chunk("call", `"parentMessageId":"n"`)}, "parentMessageId"},
		{"a parent where there was none", []string{chunk("call", `"toolCallId":"c","toolCallName":"f"`), chunk("call", `"parentMessageId":"n"`)}, "parentMessageId"},
		{"another owner", []string{chunk("text", `"messageId":"m","subagentRunId":"s"`), chunk("text", `"messageId":"m","subagentRunId":"u"`)}, "subagent s, not to subagent u"},
		{"a subagent for what is the agent's", []string{chunk("text", `"messageId":"m"`), chunk("text", `"messageId":"m","subagentRunId":"u"`)}, "the agent itself, not to subagent u"},
		{"one that could go on with two", []string{chunk("text", `"messageId":"m","subagentRunId":"s"`), chunk("text", `"messageId":"n","subagentRunId":"u"`), chunk("text", `"delta":"a"`)}, "more than one"},
	} {
		_, last, err := expand(t, tc.in...)
		var seq *SequenceError
		if !errors.Is(err, ErrSequence) || !errors.As(err, &seq) || !strings.Contains(seq.Rule, tc.want) || !strings.HasSuffix(string(seq.Type), "_CHUNK") {
			t.Errorf("%s: %s, %v, want %q", tc.rule, briefs(last), err, tc.want)
		}
	}
	same := []string{
		chunk("text", open), chunk("text", open+`,"delta":"a"`), chunk("text", `"role":"\u0075ser"`),
		chunk("text", `"messageId":"x"`), chunk("text", `"role":"assistant"`),
		chunk("call", `"toolCallId":"c","toolCallName":"f","parentMessageId":"x"`), chunk("call", `"toolCallName":"f","parentMessageId":"x"`), raw0,
	}
	if _, _, err := expand(t, same...); err != nil {
		t.Errorf("what was said may be said again: %v", err)
	}
}

// What each event type ends, as the specification lists it (basic/patterns/streaming,
// "Closing a chunk stream").
func TestWhatEndsAStreamOfChunks(t *testing.T) {
	none := map[EventType]bool{
		TypeRaw: true, TypeActivitySnapshot: true, TypeActivityDelta: true, TypeReasoningEncryptedValue: true, TypeSubagentStarted: true,
	}
	all := map[EventType]bool{TypeRunStarted: true, TypeRunFinished: true, TypeRunError: true, TypeMessagesSnapshot: true}
	for _, kind := range sourceTypes(t) {
		if strings.HasSuffix(string(kind), "_CHUNK") {
			continue
		}
		for _, tag := range []string{"", "s", "nobody"} {
			line, ok := attributedTo(t, kind, tag)
			if !ok {
				continue
			}
			want := "text-m"
			switch {
			case all[kind]:
				want = "text-m text-n@s"
			case none[kind] || tag == "nobody":
				want = ""
			case tag == "s":
				want = "text-n@s"
			}
			_, last, err := expand(t, started, chunk("text", `"messageId":"m"`), chunk("text", `"messageId":"n","subagentRunId":"s"`), line)
			if err != nil || len(last) == 0 {
				t.Fatalf("%s: %v", line, err)
			}
			if got := briefs(last[:len(last)-1]); got != want {
				t.Errorf("%s of %q ends %q, want %q", kind, tag, got, want)
			}
			if got := string(last[len(last)-1].Raw); got != line {
				t.Errorf("%s became %s", line, got)
			}
		}
	}
}

// attributedTo gives the smallest example of a type to the tagged owner, if it can have one.
func attributedTo(t testing.TB, kind EventType, tag string) (string, bool) {
	t.Helper()
	line := string(fixtures(t, kind)[0])
	can := eventShapes[kind].Index("subagentRunId") >= 0
	switch f := frames(t, line)[0]; {
	case f.Member("subagentRunId") != nil && tag == "":
		return "", false
	case f.Member("subagentRunId") != nil:
		was := `"subagentRunId":` + string(f.Member("subagentRunId"))
		return strings.Replace(line, was, `"subagentRunId":"`+tag+`"`, 1), true
	case tag == "":
		return line, true
	}
	return strings.TrimSuffix(line, "}") + `,"subagentRunId":"` + tag + `"}`, can
}

// What a chunk carries besides its delta reaches the events made of it.
func TestWhatAChunkCarries(t *testing.T) {
	for _, tc := range []struct {
		rule, in string
		want     []string
	}{
		{"a message says all that a start may say, but not when", chunk("text", `"delta":"\u0041","name":"n","role":"user","messageId":"\u006d","subagentRunId":"\u0073\"","timestamp":1.0,"rawEvent":[1.0],"metadata":{"a": null}`), []string{
			`{"type":"TEXT_MESSAGE_START","messageId":"\u006d","role":"user","name":"n","subagentRunId":"s\"","metadata":{"a": null}}`,
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"\u006d","delta":"\u0041","subagentRunId":"s\"","rawEvent":[1.0],"metadata":{"a": null}}`,
		}},
		{"a role left out means assistant", chunk("text", `"messageId":"m"`), []string{`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`}},
		{"a call says its name and parent", chunk("call", `"toolCallId":"c","toolCallName":"f","parentMessageId":"m","delta":""`), []string{
			`{"type":"TOOL_CALL_START","toolCallId":"c","toolCallName":"f","parentMessageId":"m"}`,
			`{"type":"TOOL_CALL_ARGS","toolCallId":"c","delta":""}`,
		}},
		{"reasoning has its role", chunk("think", `"messageId":"m"`), []string{`{"type":"REASONING_MESSAGE_START","messageId":"m","role":"reasoning"}`}},
		{"metadata needs no delta", chunk("text", `"messageId":"m","metadata":{}`), []string{`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant","metadata":{}}`}},
		{"the provider's event is never lost", chunk("text", `"messageId":"m","rawEvent":0`), []string{
			`{"type":"TEXT_MESSAGE_START","messageId":"m","role":"assistant"}`,
			`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"","rawEvent":0}`,
		}},
	} {
		_, last, err := expand(t, tc.in)
		if diff := cmp.Diff(tc.want, raws(last)); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got)\n%s", tc.rule, err, diff)
		}
	}
	_, last, err := expand(t, chunk("text", `"messageId":"m","role":"user","subagentRunId":"s"`), chunk("text", `"metadata":{"usage":1},"rawEvent":{}`))
	want := []string{`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"","subagentRunId":"s","rawEvent":{},"metadata":{"usage":1}}`}
	if diff := cmp.Diff(want, raws(last)); err != nil || diff != "" {
		t.Errorf("a later chunk carries metadata alone: %v (-want +got)\n%s", err, diff)
	}
	_, last, err = expand(t, chunk("think", `"messageId":"m"`), chunk("think", `"metadata":{"usage":1}`))
	want = []string{`{"type":"REASONING_MESSAGE_CONTENT","messageId":"m","delta":"","metadata":{"usage":1}}`}
	if diff := cmp.Diff(want, raws(last)); err != nil || diff != "" {
		t.Errorf("also without anything else: %v (-want +got)\n%s", err, diff)
	}
	_, last, err = expand(t, chunk("text", `"messageId":"\u006d","subagentRunId":"s"`), `{"type":"CUSTOM","name":"n","value":0,"subagentRunId":"s","timestamp":5,"metadata":{"a":1}}`)
	if diff := cmp.Diff(`{"type":"TEXT_MESSAGE_END","messageId":"\u006d","subagentRunId":"s"}`, raws(last)[0]); err != nil || diff != "" {
		t.Errorf("an end carries nothing of what ended it: %v (-want +got)\n%s", err, diff)
	}
}

// Whether something ends by itself is asked by relays that cancel a stream.
func TestOpenedByChunks(t *testing.T) {
	var e Expander
	for _, f := range frames(t, chunk("text", `"messageId":"\u006d"`), chunk("call", `"toolCallId":"c","toolCallName":"f","subagentRunId":"s"`)) {
		if _, err := e.Next(f); err != nil {
			t.Fatal(err)
		}
	}
	for _, tc := range []struct {
		end  EventType
		id   string
		want bool
	}{
		{TypeTextMessageEnd, "m", true}, {TypeToolCallEnd, "c", true}, {TypeTextMessageEnd, "c", false},
		{TypeReasoningMessageEnd, "m", false}, {TypeTextMessageEnd, "other", false},
	} {
		if got := e.opened(tc.end, tc.id); got != tc.want {
			t.Errorf("%s of %s ends by itself: %v", tc.end, tc.id, got)
		}
	}
}
