package upstream

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
)

// Questions that nobody can be shown go back to the agent as a failed call, in the same
// run and message, once a turn; a person is never asked them.
func TestQuestionsThatNobodyCanBeShownGoBackOnce(t *testing.T) {
	const (
		start    = `{"type":"start","messageId":"m"}`
		step     = `{"type":"start-step"}`
		stepEnd  = `{"type":"finish-step"}`
		bad      = `{"type":"tool-input-available","toolCallId":"c","toolName":"ask_user_question","input":{}}`
		badAgain = `{"type":"tool-input-available","toolCallId":"d","toolName":"ask_user_question","input":{}}`
		good     = `{"type":"tool-input-available","toolCallId":"g","toolName":"ask_user_question","input":{"questions":[{"header":"H","question":"Q","options":[{"label":"a"},{"label":"b"}]}]}}`
		where    = `{"type":"tool-input-available","toolCallId":"w","toolName":"where","input":{}}`
		ask      = `{"type":"tool-approval-request","approvalId":"a","toolCallId":"w"}`
		settled  = `{"type":"tool-output-error","toolCallId":"c","errorText":"nobody was asked: ask_user_question: the arguments are not valid: /questions: expected an array"}`
		again    = `{"type":"tool-output-error","toolCallId":"d","errorText":"nobody was asked: ask_user_question: the arguments are not valid: /questions: expected an array"}`
		text1    = `{"type":"text-start","id":"1"}`
		text2    = `{"type":"text-delta","id":"1","delta":"I see."}`
		text3    = `{"type":"text-end","id":"1"}`
	)
	for _, tc := range []struct {
		rule    string
		answers [][]string // of the agent, one a post
		frames  []string
		status  session.Status
		asks    []string
	}{
		{
			"the agent goes on",
			[][]string{{start, step, bad, stepEnd, finish}, {`{"type":"start","messageId":"other"}`, step, text1, text2, text3, stepEnd, finish}},
			[]string{start, step, bad, stepEnd, settled, step, text1, text2, text3, stepEnd, finish},
			session.Success, nil,
		},
		{
			"without finish",
			[][]string{{start, step, bad, stepEnd}, {start, finish}},
			[]string{start, step, bad, stepEnd, settled, finish},
			session.Success, nil,
		},
		{
			"metadata is kept",
			[][]string{{start, bad, `{"type":"finish","messageMetadata":{"n":1}}`}, {`{"type":"start","messageMetadata":{"k":2}}`, finish}},
			[]string{
				start, bad, settled, `{"type":"message-metadata","messageMetadata":{"n":1}}`,
				`{"type":"message-metadata","messageMetadata":{"k":2}}`, finish,
			},
			session.Success, nil,
		},
		{
			"what is said after the end is not the run's",
			[][]string{{start, bad, finish, text1, text2}, {start, finish}},
			[]string{start, bad, settled, finish},
			session.Success, nil,
		},
		{
			"it asks better",
			[][]string{{start, bad, finish}, {start, step, good, stepEnd, finish}},
			[]string{start, bad, settled, step, good, stepEnd, finish},
			session.Interrupted, []string{"g"},
		},
		{
			"it does the same again",
			[][]string{{start, bad, finish}, {start, step, badAgain, stepEnd, finish}},
			[]string{start, bad, settled, step, badAgain, stepEnd, again, finish},
			session.Success, nil,
		},
		{
			"beside an approval, the person comes first",
			[][]string{{start, bad, where, ask, finish}},
			[]string{start, bad, where, ask, settled, finish},
			session.Interrupted, []string{"a"},
		},
		{
			"beside a call of the browser, its result comes first",
			[][]string{{start, bad, where, finish}},
			[]string{start, bad, where, settled, finish},
			session.Success, []string{"w"},
		},
		{
			"an answer that failed is left alone",
			[][]string{{start, bad, `{"type":"error","errorText":"no"}`}},
			[]string{start, bad, `{"type":"error","errorText":"no"}`},
			session.Failed, nil,
		},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			var bodies []string
			a := newAgent(t, "aisdk", Options{}, func(w http.ResponseWriter, r *http.Request) {
				body, _ := io.ReadAll(r.Body)
				bodies = append(bodies, string(body))
				if len(bodies) > len(tc.answers) {
					t.Errorf("post %d: %s", len(bodies), body)
					events(w, finish, aisdk.Done)
					return
				}
				events(w, append(slices.Clone(tc.answers[len(bodies)-1]), aisdk.Done)...)
			})
			got := listen(t.Context(), a, call(), nil)
			if got.err != nil {
				t.Fatal(got.err)
			}
			if diff := cmp.Diff(tc.frames, got.frames); diff != "" {
				t.Error(diff)
			}
			var asks []string
			for _, q := range got.end.Requests {
				asks = append(asks, q.ID)
			}
			if got.end.Status != tc.status || !slices.Equal(asks, tc.asks) {
				t.Errorf("ended %s and asks %q", got.end.Status, asks)
			}
			if len(bodies) != len(tc.answers) {
				t.Fatalf("%d posts, want %d", len(bodies), len(tc.answers))
			}
			for _, body := range bodies[1:] {
				for _, want := range []string{`"id":"m","role":"assistant"`, `"toolCallId":"c","state":"output-error"`, `"messageId":"m"`} {
					if !strings.Contains(body, want) {
						t.Errorf("the agent was posted %s, want in it %s", body, want)
					}
				}
			}
		})
	}
}

// What the log holds of a run that went on like that is a turn to go on with.
func TestATurnWithRefusedQuestionsGoesOn(t *testing.T) {
	var body []byte
	a := newAgent(t, "aisdk", Options{}, func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		events(w, `{"type":"start","messageId":"m"}`, `{"type":"tool-input-available","toolCallId":"d","toolName":"ask_user_question","input":{}}`, finish, aisdk.Done)
	})
	c := call()
	q := hitl.Request{ID: "a", Kind: hitl.KindApproval, Call: &hitl.ToolCall{ID: "w", Name: "where", Args: []byte(`{}`)}}
	c.RunID, c.Settled = "r2", []session.Settled{{Request: q, Response: hitl.Response{Decision: &hitl.ToolDecision{Approved: true}}, Agent: "far"}}
	for _, chunk := range []string{
		`{"type":"start","messageId":"m"}`, `{"type":"tool-input-available","toolCallId":"c","toolName":"ask_user_question","input":{}}`,
		`{"type":"tool-output-error","toolCallId":"c","errorText":"nobody was asked: because"}`,
		`{"type":"start-step"}`, `{"type":"tool-input-available","toolCallId":"w","toolName":"where","input":{}}`,
		`{"type":"tool-approval-request","approvalId":"a","toolCallId":"w"}`, `{"type":"finish-step"}`, finish,
	} {
		c.Turn = append(c.Turn, []byte(chunk))
	}
	got := listen(t.Context(), a, c, nil)
	if got.err != nil || got.end.Status != session.Success {
		t.Fatal(got.err, got.end)
	}
	if !strings.Contains(string(body), `"toolCallId":"c","state":"output-error"`) || !strings.Contains(string(body), `"state":"approval-responded"`) {
		t.Errorf("the agent was posted %s", body)
	}
	if n := len(got.frames); n != 4 || !strings.Contains(got.frames[2], "nobody was asked") {
		t.Errorf("a second refusal in one turn is to end the run: %q", got.frames)
	}
}

// A call of the browser goes back to the agent if the front end lists its tools and has
// none of that name, beside those that it has.
func TestCallsOfToolsThatTheFrontEndHasNotGoBackOnce(t *testing.T) {
	const (
		start   = `{"type":"start","messageId":"m"}`
		where   = `{"type":"tool-input-available","toolCallId":"c","toolName":"where","input":{}}`
		when    = `{"type":"tool-input-available","toolCallId":"d","toolName":"when","input":{}}`
		settled = `{"type":"tool-output-error","toolCallId":"c","errorText":"nobody was asked: where: no front end has this tool"}`
	)
	tools := func(listed string) session.Call {
		c := call()
		c.Input = []byte(`{"threadId":"t","runId":"r","messages":[{"id":"u","role":"user","content":"hi"}],"tools":[` + listed + `]}`)
		return c
	}
	chat := call()
	chat.Protocol = session.AISDK
	chat.Input = []byte(`{"id":"t","messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"hi"}]}],"tools":[{"name":"when","description":""}]}`)
	const listed = `{"name":"when","description":"","parameters":{}}`
	for _, tc := range []struct {
		rule    string
		call    session.Call
		answers [][]string // of the agent, one a post
		frames  []string
		asks    []string
	}{
		{"not listed", tools(listed), [][]string{{start, where, finish}, {start, finish}}, []string{start, where, settled, finish}, nil},
		{"beside one that is", tools(listed), [][]string{{start, where, when, finish}}, []string{start, where, when, settled, finish}, []string{"d"}},
		{"listed", tools(listed), [][]string{{start, when, finish}}, []string{start, when, finish}, []string{"d"}},
		{"nothing is listed", tools(""), [][]string{{start, where, finish}}, []string{start, where, finish}, []string{"c"}},
		{"a chat lists nothing", chat, [][]string{{start, where, finish}}, []string{start, where, finish}, []string{"c"}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			posts := 0
			a := newAgent(t, "aisdk", Options{}, func(w http.ResponseWriter, _ *http.Request) {
				if posts++; posts > len(tc.answers) {
					t.Errorf("post %d", posts)
					events(w, finish, aisdk.Done)
					return
				}
				events(w, append(slices.Clone(tc.answers[posts-1]), aisdk.Done)...)
			})
			got := listen(t.Context(), a, tc.call, nil)
			if got.err != nil {
				t.Fatal(got.err)
			}
			if diff := cmp.Diff(tc.frames, got.frames); diff != "" {
				t.Error(diff)
			}
			var asks []string
			for _, q := range got.end.Requests {
				asks = append(asks, q.ID)
			}
			if got.end.Status != session.Success || !slices.Equal(asks, tc.asks) || posts != len(tc.answers) {
				t.Errorf("ended %s, asks %q, %d posts", got.end.Status, asks, posts)
			}
		})
	}
}
