package agui

import (
	"errors"
	"strconv"
	"testing"
)

func TestItemsBelongToTheirOwner(t *testing.T) {
	for _, f := range families {
		if f.what == "step" {
			continue // told apart by owner, see TestStepsBelongToTheirOwner
		}
		open := func(owner string) string { return with(item(f.open, f.member, "a"), tagged(owner)) }
		end := func(owner string) string { return with(item(f.end, f.member, "a"), tagged(owner)) }
		delta := func(owner string) string {
			if f.delta == "" {
				return raw0
			}
			return with(item(f.delta, f.member, "a"), tagged(owner))
		}
		for _, tc := range []struct {
			rule  string
			lines []string
			bad   bool
		}{
			{"its owner goes on with it", []string{open("s"), delta("s"), end("s"), finished}, false},
			{"its owner may be left out", []string{open("s"), delta(""), end(""), finished}, false},
			{"nobody else ends it", []string{open("s"), end("u")}, true},
			{"no subagent ends the agent's", []string{open(""), end("s")}, true},
			{"it keeps its owner when it is opened again", []string{open("s"), end("s"), open("s"), end(""), finished}, false},
			{"also when the owner is left out", []string{open("s"), end("s"), open(""), end("s"), finished}, false},
			{"nobody else opens it again", []string{open("s"), end("s"), open("u")}, true},
			{"no subagent opens the agent's again", []string{open(""), end(""), open("s")}, true},
			{"the owner left out does not make it the agent's", []string{open("s"), end("s"), open(""), end("u")}, true},
			{"the next run knows of no owner", []string{open("s"), end("s"), finished, started, open("u"), end("u"), finished}, false},
			{"an owner without a name is not the agent", []string{open(""), with(end(""), `,"subagentRunId":""`)}, true},
		} {
			check(t, f.what+": "+tc.rule, append([]string{started}, tc.lines...), tc.bad)
		}
		if f.delta != "" {
			check(t, f.what+": nobody else adds to it", []string{started, open("s"), delta("u")}, true)
			check(t, f.what+": no subagent adds to the agent's", []string{started, open(""), delta("s")}, true)
		}
	}
}

func callOf(id, parent, owner string) string {
	return `{"type":"TOOL_CALL_START","toolCallId":"` + id + `","toolCallName":"f","parentMessageId":"` + parent + `"` + tagged(owner) + `}`
}

func result(message, owner string) string {
	return `{"type":"TOOL_CALL_RESULT","messageId":"` + message + `","toolCallId":"c","content":""` + tagged(owner) + `}`
}

func said(id, owner string) []string {
	return []string{with(item(TypeTextMessageStart, "messageId", id), tagged(owner)), item(TypeTextMessageEnd, "messageId", id)}
}

func thought(kind EventType, owner string) string {
	return with(item(kind, "messageId", "a"), tagged(owner))
}

func encryptedFor(subtype, id, owner string) string {
	return `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"` + subtype + `","entityId":"` + id + `","encryptedValue":"x"` + tagged(owner) + `}`
}

func activityOf(owner, more string) string {
	return `{"type":"ACTIVITY_SNAPSHOT","messageId":"a","activityType":"x","content":{}` + more + tagged(owner) + `}`
}

func activityChange(owner string) string {
	return `{"type":"ACTIVITY_DELTA","messageId":"a","activityType":"x","patch":[]` + tagged(owner) + `}`
}

func TestWhatBelongsTogetherHasOneOwner(t *testing.T) {
	endCall := func(owner string) string { return with(item(TypeToolCallEnd, "toolCallId", "c"), tagged(owner)) }
	ofS, ofAgent := said("m", "s"), said("m", "")
	for _, tc := range []struct {
		rule  string
		lines []string
		bad   bool
	}{
		{"a call is its message's owner's", append(ofS, callOf("c", "m", "s"), endCall("s"), finished), false},
		{"which may be left out", append(ofS, callOf("c", "m", ""), endCall("s"), finished), false},
		{"a call does not belong to another subagent", append(ofS, callOf("c", "m", "u")), true},
		{"nor to a subagent when its message is the agent's", append(ofAgent, callOf("c", "m", "s")), true},
		{"the owner it takes over is its own", append(ofS, callOf("c", "m", ""), endCall("u")), true},
		{"a call whose message nobody knows says its own", []string{callOf("c", "m", "s"), endCall("s"), finished}, false},
		{"a message may still be open", []string{ofS[0], callOf("c", "m", ""), endCall("s"), ofS[1], finished}, false},
		{"a call opened again is not moved to another owner's message", append(ofS, callOf("c", "x", ""), endCall(""), callOf("c", "m", "")), true},
		{"but may be opened again under its own", append(ofS, callOf("c", "m", "s"), endCall("s"), callOf("c", "m", ""), endCall("s"), finished), false},
		{"a message without an id is a message", append(said("", "s"), callOf("c", "", "u")), true},
		{"a call without a parent is not of the message without an id", append(said("", "s"), with(item(TypeToolCallStart, "toolCallId", "c"), tagged("u")), endCall("u"), finished), false},

		{"a result is a message", []string{result("m", "s"), with(item(TypeTextMessageStart, "messageId", "m"), tagged("u"))}, true},
		{"that its owner may go on with", []string{result("m", "s"), with(item(TypeTextMessageStart, "messageId", "m"), tagged("s")), ofS[1], finished}, false},
		{"and that an encrypted value is for", []string{result("m", "s"), encryptedFor("message", "m", "u")}, true},
		{"a result needs no call", []string{result("m", ""), finished}, false},

		{"a reasoning message is its span's owner's", []string{thought(TypeReasoningStart, "s"), thought(TypeReasoningMessageStart, "u")}, true},
		{"which may be left out", []string{thought(TypeReasoningStart, "s"), thought(TypeReasoningMessageStart, ""), thought(TypeReasoningMessageEnd, "s"), thought(TypeReasoningEnd, ""), finished}, false},
		{"and stays so when it is left out", []string{thought(TypeReasoningStart, "s"), thought(TypeReasoningMessageStart, ""), thought(TypeReasoningMessageEnd, "u")}, true},
		{"a span is its message's owner's", []string{thought(TypeReasoningMessageStart, "s"), thought(TypeReasoningStart, "u")}, true},
		{"and takes it over", []string{thought(TypeReasoningMessageStart, "s"), thought(TypeReasoningStart, ""), thought(TypeReasoningEnd, "u")}, true},
		{"no subagent thinks in the agent's span", []string{thought(TypeReasoningStart, ""), thought(TypeReasoningMessageStart, "s")}, true},
		{"of another id, it does", []string{thought(TypeReasoningStart, ""), with(item(TypeReasoningMessageStart, "messageId", "b"), tagged("s")), item(TypeReasoningMessageEnd, "messageId", "b"), thought(TypeReasoningEnd, ""), finished}, false},
		{"text of the same id is another matter", append([]string{thought(TypeReasoningStart, "s"), thought(TypeReasoningEnd, "s")}, append(said("a", "u"), finished)...), false},

		{"an encrypted value is for its owner's message", append(ofS, encryptedFor("message", "m", "s"), encryptedFor("message", "m", ""), finished), false},
		{"and for nobody else's", append(ofS, encryptedFor("message", "m", "u")), true},
		{"nor a subagent's for the agent's", append(ofAgent, encryptedFor("message", "m", "s")), true},
		{"nor for another's call", []string{with(item(TypeToolCallStart, "toolCallId", "c"), tagged("s")), encryptedFor("tool-call", "c", "u")}, true},
		{"nor for another's reasoning", []string{thought(TypeReasoningMessageStart, "s"), encryptedFor("message", "a", "u")}, true},
		{"nor for another's span", []string{thought(TypeReasoningStart, "s"), encryptedFor("message", "a", "u")}, true},
		{"a message is no call", append(ofS, encryptedFor("tool-call", "m", "u"), finished), false},
		{"a call is no message", []string{with(item(TypeToolCallStart, "toolCallId", "c"), tagged("s")), encryptedFor("message", "c", "u"), endCall(""), finished}, false},
		{"what nobody knows has no owner", []string{encryptedFor("message", "m", "s"), encryptedFor("tool-call", "c", "u"), finished}, false},

		{"an activity is changed by its owner", []string{activityOf("s", ""), activityChange("s"), activityChange(""), finished}, false},
		{"and by nobody else", []string{activityOf("s", ""), activityChange("u")}, true},
		{"no subagent changes the agent's", []string{activityOf("", ""), activityChange("s")}, true},
		{"a snapshot makes it new and takes it over", []string{activityOf("s", ""), activityOf("u", ""), activityChange("u"), finished}, false},
		{"from then on it is not the old owner's", []string{activityOf("s", ""), activityOf("u", ""), activityChange("s")}, true},
		{"also when the new owner is left out", []string{activityOf("s", ""), activityOf("", `,"replace":true`), activityChange("s")}, true},
		{"one that replaces nothing takes nothing over", []string{activityOf("s", ""), activityOf("u", `,"replace":false`), activityChange("u")}, true},
		{"unless it is the first", []string{activityOf("s", `,"replace":false`), activityChange("u")}, true},
		{"an activity that nobody knows has no owner", []string{activityChange("s"), finished}, false},
	} {
		check(t, tc.rule, append([]string{started}, tc.lines...), tc.bad)
	}
}

// MESSAGES_SNAPSHOT and the input that RUN_STARTED repeats say whose messages are.
func TestHistorySaysWhoseMessagesAre(t *testing.T) {
	const history = `[{"id":"m","role":"assistant","subagentRunId":"s","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]},` +
		`{"id":"a","role":"reasoning","content":"","subagentRunId":"s"},{"id":"v","role":"activity","activityType":"x","content":{},"subagentRunId":"s"},` +
		`{"id":"r","role":"tool","toolCallId":"c","content":"","subagentRunId":"s"},{"id":"q","role":"user","content":""}]`
	snapshot := `{"type":"MESSAGES_SNAPSHOT","messages":` + history + `}`
	echo := `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":` + history + `}}`
	const empty = `{"type":"MESSAGES_SNAPSHOT","messages":[]}`
	delta := `{"type":"ACTIVITY_DELTA","messageId":"v","activityType":"x","patch":[]` + tagged("u") + `}`
	for _, tc := range []struct{ rule, line string }{
		{"text", with(item(TypeTextMessageStart, "messageId", "m"), tagged("u"))},
		{"what the user said", with(item(TypeTextMessageStart, "messageId", "q"), tagged("u"))},
		{"a result", with(item(TypeTextMessageStart, "messageId", "r"), tagged("u"))},
		{"a call", with(item(TypeToolCallStart, "toolCallId", "c"), tagged("u"))},
		{"a new call of a message", callOf("d", "m", "u")},
		{"reasoning", thought(TypeReasoningMessageStart, "u")},
		{"the span of reasoning", thought(TypeReasoningStart, "u")},
		{"an activity", delta},
		{"an encrypted value", encryptedFor("message", "m", "u")},
	} {
		check(t, tc.rule+" of a snapshot", []string{started, snapshot, tc.line}, true)
		check(t, tc.rule+" of an input that was repeated", []string{echo, tc.line}, true)
		check(t, tc.rule+" stays its owner's when a snapshot leaves it out", []string{started, snapshot, empty, tc.line}, true)
	}
	check(t, "its owner goes on", []string{echo, with(item(TypeTextMessageStart, "messageId", "m"), tagged("s")), item(TypeTextMessageEnd, "messageId", "m"), finished}, false)
	check(t, "history opens nothing", []string{echo, item(TypeTextMessageContent, "messageId", "m")}, true)
	check(t, "nor does a snapshot", []string{started, snapshot, item(TypeToolCallArgs, "toolCallId", "c")}, true)
	check(t, "a snapshot closes nothing", []string{started, item(TypeTextMessageStart, "messageId", "m"), snapshot, item(TypeTextMessageEnd, "messageId", "m"), finished}, false)
	check(t, "a snapshot has the last word", []string{started, with(item(TypeTextMessageStart, "messageId", "m"), tagged("u")), snapshot, with(item(TypeTextMessageEnd, "messageId", "m"), tagged("u"))}, true)
	check(t, "also on the span of reasoning", []string{started, thought(TypeReasoningStart, "u"), snapshot, thought(TypeReasoningEnd, "u")}, true)
	check(t, "the next run starts from nothing", []string{echo, finished, started, with(item(TypeTextMessageStart, "messageId", "m"), tagged("u")), item(TypeTextMessageEnd, "messageId", "m"), finished}, false)
	twice := `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[` +
		`{"id":"m","role":"user","content":"","subagentRunId":"s"},{"id":"m","role":"user","content":"","subagentRunId":"u"}]}}`
	check(t, "of two messages of one id, the first counts in an input", []string{twice, with(item(TypeTextMessageStart, "messageId", "m"), tagged("u"))}, true)
}

// A producer may not make its reader remember any number of ids.
func TestIDsOfARunAreLimited(t *testing.T) {
	id := func(n int) string { return "id" + strconv.Itoa(n) }
	for what, line := range map[string]func(n int) string{
		"messages":           func(n int) string { return item(TypeTextMessageStart, "messageId", id(n)) },
		"calls":              func(n int) string { return item(TypeToolCallStart, "toolCallId", id(n)) },
		"reasoning messages": func(n int) string { return item(TypeReasoningMessageStart, "messageId", id(n)) },
		"spans":              func(n int) string { return item(TypeReasoningStart, "messageId", id(n)) },
		"steps":              func(n int) string { return item(TypeStepStarted, "stepName", id(n)) },
		"results":            func(n int) string { return result(id(n), "") },
		"subagents":          func(n int) string { return begun(id(n), "") },
		"activities": func(n int) string {
			return `{"type":"ACTIVITY_SNAPSHOT","messageId":"` + id(n) + `","activityType":"x","content":{}}`
		},
		"snapshots": func(n int) string {
			return `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"` + id(n) + `","role":"user","content":""}]}`
		},
	} {
		v := Verifier{Limit: 3}
		lines := []string{started}
		for n := range 4 {
			lines = append(lines, line(n))
		}
		n, err := feed(&v, frames(t, lines...))
		var limit *LimitError
		if n != 4 || !errors.Is(err, ErrLimit) || errors.Is(err, ErrSequence) || !errors.As(err, &limit) || limit.Limit != 3 || limit.Type == "" {
			t.Errorf("%s: took %d, %v", what, n, err)
		}
	}
	again := Verifier{Limit: 1}
	lines := append([]string{started}, said("m", "")...)
	lines = append(lines, said("m", "")...)
	lines = append(append(lines, finished, started), said("n", "")...)
	if n, err := feed(&again, frames(t, append(lines, finished)...)); err != nil {
		t.Errorf("an id counts once, and each run anew: took %d, %v", n, err)
	}
	history := `{"type":"RUN_STARTED","threadId":"t","runId":"r","input":{"threadId":"t","runId":"r","messages":[` +
		`{"id":"1","role":"user","content":""},{"id":"2","role":"user","content":""}]}}`
	if err := (&Verifier{Limit: 1}).Next(frames(t, history)[0]); !errors.Is(err, ErrLimit) {
		t.Errorf("an input that was repeated counts: %v", err)
	}
	byDefault := Verifier{phase: inRun, named: DefaultLimit - 1}
	if n, err := feed(&byDefault, frames(t, item(TypeTextMessageStart, "messageId", "a"), item(TypeTextMessageStart, "messageId", "b"))); n != 1 || !errors.Is(err, ErrLimit) {
		t.Errorf("by default: took %d, %v", n, err)
	}
}
