package aisdk

import (
	"bufio"
	"bytes"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
)

// held wraps parts into an assistant's message.
func held(parts string) string { return `{"id":"m","role":"assistant","parts":[` + parts + `]}` }

const approvalPart = `{"type":"tool-send","toolCallId":"c","state":"approval-responded","input":{},"approval":{"id":"a","approved":true`

// A history is read whatever is in it, and what is in it travels on.
func TestHistoriesSurvive(t *testing.T) {
	for _, part := range []string{
		`{"type":"future-part","text":5,"x":[1.0,null]}`,
		`{"type":"text","text":"a","title":7}`,
		`{"type":"tool-send","toolCallId":"c","state":"output-available","title":7,"providerExecuted":"yes","approval":{"id":1}}`,
		`{"type":"text","text":"a","future":{"b":[1.0,null],"a":"A"}}`,
		`{"type":"file","mediaType":"m","url":"u","filename":"","providerReference":{"acme":"f"}}`,
		approvalPart + `,"reason":"","requestReason":"why","isAutomatic":false,"signature":"s","descriptor":null,"inputSchemaInput":0,"future":1}}`,
		`{"type":"dynamic-tool","toolCallId":"","toolName":"","state":"output-error","dynamic":false,"rawInput":{"q":1},"errorText":""}`,
		`{"type":"data-x","data":null,"id":""}`,
		`{"type":"steering-message","id":"s","parts":[{"type":"text","text":"t"}]}`,
		`{"type":"custom","kind":"acme.x"}`, `{"type":"source-url","url":"u","sourceId":"s"}`,
	} {
		m, err := ParseMessage([]byte(held(part)))
		if err != nil {
			t.Errorf("%s: %v", part, err)
			continue
		}
		out, err := json.Marshal(m)
		if err != nil {
			t.Errorf("%s: %v", part, err)
			continue
		}
		if diff := cmp.Diff(jsValue(t, []byte(held(part))), jsValue(t, out)); diff != "" {
			t.Errorf("%s: (-in +out)\n%s", part, diff)
		}
	}
	if _, err := ParseMessages([]byte(`[{"id":"m","role":"assistant","metadata":null,"parts":[{"type":"text","text":"a","state":null,"providerMetadata":null}]}]`)); err != nil {
		t.Errorf("null optionals: %v", err)
	}
	for _, raw := range []string{`[`, `{}`, `[{"parts":[1]}]`, `[{"parts":[{}]}]`, `[{"parts":[{"type":5}]}]`} {
		if m, err := ParseMessages([]byte(raw)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v, %v", raw, m, err)
		}
	}
}

// What is acted on is exact: a decision that is none in every word decides nothing.
func TestOddDecisionsDecideNothing(t *testing.T) {
	for _, approval := range []string{`{"id":"a","approved":"true"}`, `{"id":"a","approved":1}`, `{"id":5,"approved":true}`, `[]`, `true`, `null`} {
		raw := held(`{"type":"tool-send","toolCallId":"c","state":"approval-responded","input":{},"approval":` + approval + `}`)
		m, err := ParseMessage([]byte(raw))
		if err != nil {
			t.Errorf("%s: %v", approval, err)
			continue
		}
		if a := m.Parts[0].Approval; a != nil && a.Approved != nil {
			t.Errorf("%s decides %v", approval, *a.Approved)
		}
	}
}

func TestCheckMessage(t *testing.T) {
	for _, tc := range []struct{ rule, raw, place6, place7 string }{
		{"nothing", held(``), "", ""},
		{"a user says something", `{"id":"m","role":"user","parts":[]}`, "/parts", "/parts"},
		{"no other role", `{"id":"m","role":"tool","parts":[]}`, "/role", "/role"},
		{"an id", `{"role":"user","parts":[]}`, "/id", "/id"},
		{"an unknown part", held(`{"type":"future"}`), "/parts/0/type", "/parts/0/type"},
		{"a part of ai 7", held(`{"type":"custom","kind":"k"}`), "/parts/0/type", ""},
		{"an unknown state", held(`{"type":"tool-x","toolCallId":"c","state":"new"}`), "/parts/0/state", "/parts/0/state"},
		{"no null", held(`{"type":"text","text":"a","state":null}`), "/parts/0/state", "/parts/0/state"},
		{"an input", held(`{"type":"tool-x","toolCallId":"c","state":"input-available"}`), "/parts/0/input", "/parts/0/input"},
		{"no output yet", held(`{"type":"tool-x","toolCallId":"c","state":"input-available","input":1,"output":null}`), "/parts/0/output", "/parts/0/output"},
		{"no approval yet", held(`{"type":"tool-x","toolCallId":"c","state":"input-available","input":1,"approval":{"id":"a"}}`), "/parts/0/approval", "/parts/0/approval"},
		{"a decision", held(approvalPart + `}}`), "", ""},
		{"a request without one", held(strings.Replace(approvalPart, "responded", "requested", 1) + `}}`), "/parts/0/approval/approved", "/parts/0/approval/approved"},
		{"a reason that is none", held(approvalPart + `,"requestReason":1}}`), "", "/parts/0/approval/requestReason"},
		{"an output without a decision", held(`{"type":"tool-x","toolCallId":"c","state":"output-available","input":1,"output":1,"approval":{"id":"a"}}`), "/parts/0/approval/approved", "/parts/0/approval/approved"},
		{"a denial without a request", held(`{"type":"tool-x","toolCallId":"c","state":"output-denied","input":1}`), "/parts/0/approval", "/parts/0/approval"},
		{"a title that is none", held(`{"type":"tool-x","toolCallId":"c","state":"input-available","input":1,"title":1}`), "", "/parts/0/title"},
		{"a dynamic tool has a name", held(`{"type":"dynamic-tool","toolCallId":"c","state":"input-available","input":1}`), "/parts/0/toolName", "/parts/0/toolName"},
		{"and says nothing of it", held(`{"type":"dynamic-tool","toolName":"n","dynamic":true,"toolCallId":"c","state":"input-available","input":1}`), "/parts/0/dynamic", "/parts/0/dynamic"},
	} {
		for p, place := range map[Profile]string{V6: tc.place6, V7: tc.place7} {
			err := p.CheckMessage([]byte(tc.raw))
			if place == "" && err != nil || place != "" && (!errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), place+":")) {
				t.Errorf("%s: %s: %v, want %q", tc.rule, p, err, place)
			}
		}
	}
}

func FuzzParseMessages(f *testing.F) {
	f.Add([]byte(`[` + held(approvalPart+`}},{"type":"future","text":1}`) + `]`))
	f.Add([]byte(`[` + held(`{"type":"text","text":"a"},{"type":"dynamic-tool","toolName":"n","title":1}`) + `]`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		messages, err := ParseMessages(raw)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v is not ErrMalformed", err)
			}
			return
		}
		for i := range messages {
			out, err := json.Marshal(messages[i])
			if err != nil {
				t.Fatal(err)
			}
			again, err := ParseMessage(out)
			if err != nil {
				t.Fatalf("%s: %v", out, err)
			}
			_, _ = again.Check(V6), again.Check(V7)
			_ = Continue(again).Message()
		}
	})
}

// What a chat makes of a text that is cut off anywhere is JSON, or nothing.
func FuzzPartialJSON(f *testing.F) {
	for _, text := range []string{`{"a":[1,{"b":"\u00e9","c":tr`, `[-`, `"\ud83d`, `{"a":1,"a":2`, `{"__proto__":1`, `12e`, `nul`, `[1,]`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, p := range []Profile{V6, V7} {
			if v := partialJSON(text, p); v != nil && !v.IsValid() {
				t.Fatalf("%q became %q", text, v)
			}
		}
	})
}

// FuzzReduce gives every reader whatever frames it can be given.
func FuzzReduce(f *testing.F) {
	file, err := os.Open("testdata/vectors-v7.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		f.Add([]byte(strings.Join(readCompared(f, lines.Bytes()).Lines, "\n")))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, p := range []Profile{0, V6, V7} {
			r := NewReducer(ReducerOptions{Profile: p, Separate: p == V7})
			for line := range bytes.SplitSeq(text, []byte("\n")) {
				frame, _, err := ParseFrame(line)
				if err != nil || r.Apply(frame) != nil {
					break
				}
			}
			shown, _ := r.Shown()
			for _, m := range []Message{shown, *r.Message()} {
				raw, err := json.Marshal(m)
				if err != nil {
					t.Fatal(err)
				}
				if _, err := ParseMessage(raw); err != nil {
					t.Fatalf("%s: %v", raw, err)
				}
			}
		}
	})
}
