package hitl_test

import (
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func decided(d hitl.ToolDecision) hitl.Response { return hitl.Response{Decision: &d} }
func input(in hitl.InputResponse) hitl.Response { return hitl.Response{Input: &in} }
func output(s string) hitl.Response {
	return hitl.Response{ToolOutput: &hitl.ToolOutput{Output: raw(s)}}
}
func with(r hitl.Response, payload string) hitl.Response { r.Payload = raw(payload); return r }

func TestSameAnswerHoweverItIsWritten(t *testing.T) {
	yes, no := hitl.ToolDecision{Approved: true}, hitl.ToolDecision{}
	edited := func(args string) hitl.Response {
		return decided(hitl.ToolDecision{Approved: true, EditedArgs: raw(args)})
	}
	for name, pair := range map[string][2]hitl.Response{
		"actor and time":               {{Decision: &yes, Actor: "ada", At: time.Unix(1, 0)}, {Decision: &yes, Actor: "bob"}},
		"order, space, numbers":        {edited(`{"a":1.0,"b":[2]}`), edited(` {"b":[2e0], "a":1}`)},
		"escapes":                      {input(hitl.Accept(raw(`"a\u0062"`))), input(hitl.Accept(raw(`"ab"`)))},
		"edits of a denial":            {decided(no), decided(hitl.ToolDecision{EditedArgs: raw(`{"a":1}`), Remember: true})},
		"content of a refusal":         {input(hitl.Decline()), input(hitl.InputResponse{Action: hitl.ActionDecline, Content: raw(`1`)})},
		"payload that adds nothing":    {decided(yes), with(decided(yes), `{"reason":null,"approved":true}`)},
		"payload in another order":     {with(decided(yes), `{"approved":true,"x":1,"y":2}`), with(decided(yes), `{"y":2.0,"x":1,"approved":true}`)},
		"payload of an input":          {with(input(hitl.Accept(raw(`1`))), `1`), input(hitl.Accept(raw(`1`)))},
		"absent content, both ways":    {input(hitl.Accept(nil)), input(hitl.InputResponse{Action: hitl.ActionAccept, Content: raw(``)})},
		"malformed to the same letter": {output(`{`), output(`{`)},
	} {
		if !hitl.Same(pair[0], pair[1]) {
			t.Errorf("%s: %+v and %+v count as different", name, pair[0], pair[1])
		}
	}
}

func TestDifferentAnswersAreNeverTheSame(t *testing.T) {
	yes := hitl.ToolDecision{Approved: true}
	all := map[string]hitl.Response{
		"nothing":           {},
		"approved":          decided(yes),
		"denied":            decided(hitl.ToolDecision{}),
		"denied, reason":    decided(hitl.ToolDecision{Reason: "no"}),
		"approved, reason":  decided(hitl.ToolDecision{Approved: true, Reason: "no"}),
		"remembered":        decided(hitl.ToolDecision{Approved: true, Remember: true}),
		"edited to nothing": decided(hitl.ToolDecision{Approved: true, EditedArgs: raw(`{}`)}),
		"edited, big":       decided(hitl.ToolDecision{Approved: true, EditedArgs: raw(`{"n":12345678901234567890}`)}),
		"edited, bigger":    decided(hitl.ToolDecision{Approved: true, EditedArgs: raw(`{"n":12345678901234567891}`)}),
		"more than yes":     with(decided(yes), `{"approved":true,"level":1}`),
		"more than that":    with(decided(yes), `{"approved":true,"level":2}`),
		"two more":          with(decided(yes), `{"approved":true,"a":1,"b":2}`),
		"one odd name":      with(decided(yes), `{"approved":true,"a 1\n/b":2}`),
		"payload no object": with(decided(yes), `"yes"`),
		"accepted":          input(hitl.Accept(nil)),
		"accepted null":     input(hitl.Accept(raw(`null`))),
		"accepted text":     input(hitl.Accept(raw(`"1"`))),
		"accepted number":   input(hitl.Accept(raw(`1`))),
		"declined":          input(hitl.Decline()),
		"cancelled":         input(hitl.Cancel()),
		"no action":         input(hitl.InputResponse{}),
		"output":            output(`{"x":0.1}`),
		"output, closer":    output(`{"x":0.1000000000000000000001}`),
		"output, malformed": output(`{`),
		"output in words":   output(`"approved"`),
		"failed":            {ToolOutput: &hitl.ToolOutput{Error: "no"}},
		"failed otherwise":  {ToolOutput: &hitl.ToolOutput{Error: "yes"}},
		"output of nothing": {ToolOutput: &hitl.ToolOutput{}},
	}
	for name, a := range all {
		for other, b := range all {
			if got := hitl.Same(a, b); got != (name == other) {
				t.Errorf("%q and %q: same is %v", name, other, got)
			}
		}
	}
}

// genAnswer draws from few answers, in many spellings, so that equal ones are common.
func genAnswer() *rapid.Generator[hitl.Response] {
	values := []value{
		{kind: '{'}, {kind: '0', numbers: equalNumbers[1]}, {kind: '0', numbers: equalNumbers[4]},
		{kind: '{', names: []string{"a", "b"}, items: []value{{kind: '0', numbers: equalNumbers[7]}, {kind: '"', text: "é\n"}}},
		{kind: '{', names: []string{"a", "b"}, items: []value{{kind: '0', numbers: equalNumbers[8]}, {kind: '"', text: "é\n"}}},
	}
	return rapid.Custom(func(t *rapid.T) hitl.Response {
		v := rapid.SampledFrom(values).Draw(t, "value").write(t)
		word := rapid.SampledFrom([]string{"", "because"}).Draw(t, "word")
		r := hitl.Response{Actor: rapid.SampledFrom([]string{"", "ada"}).Draw(t, "actor"), At: time.Unix(int64(rapid.IntRange(1, 3).Draw(t, "at")), 0).UTC()}
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			r.Decision = &hitl.ToolDecision{Approved: rapid.Bool().Draw(t, "approved"), Reason: word}
			if rapid.Bool().Draw(t, "edited") {
				r.Decision.EditedArgs = v
			}
			if rapid.Bool().Draw(t, "raw") {
				r.Payload = v
			}
		case 1:
			r.Input = &hitl.InputResponse{Action: rapid.SampledFrom([]hitl.InputAction{"accept", "decline", "cancel", "x"}).Draw(t, "action"), Content: v}
		case 2:
			r.ToolOutput = &hitl.ToolOutput{Output: v}
		case 3:
			r.ToolOutput = &hitl.ToolOutput{Error: word}
		}
		return r
	})
}

func TestSameIsAnEquivalence(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := genAnswer().Draw(t, "a"), genAnswer().Draw(t, "b"), genAnswer().Draw(t, "c")
		if !hitl.Same(a, a) {
			t.Fatal("not reflexive")
		}
		if hitl.Same(a, b) != hitl.Same(b, a) {
			t.Fatal("not symmetric")
		}
		if hitl.Same(a, b) && hitl.Same(b, c) && !hitl.Same(a, c) {
			t.Fatal("not transitive")
		}
	})
}

// What is kept in a journal and read back must still be recognized as the same answer.
func TestSameSurvivesStorage(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := genAnswer().Draw(t, "answer")
		stored, err := json.Marshal(a)
		if err != nil {
			t.Fatal(err)
		}
		var b hitl.Response
		if err := json.Unmarshal(stored, &b); err != nil {
			t.Fatal(err)
		}
		if !hitl.Same(a, b) || a.Cancelled() != b.Cancelled() || a.Actor != b.Actor || !a.At.Equal(b.At) {
			t.Fatalf("%s came back as %+v", stored, b)
		}
	})
}
