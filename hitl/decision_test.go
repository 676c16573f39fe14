package hitl_test

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func raw(s string) jsontext.Value { return jsontext.Value(s) }

// paths lists where an answer is wrong; nil if it is not.
func paths(t *testing.T, err error) []string {
	t.Helper()
	if err == nil {
		return nil
	}
	e, ok := errors.AsType[*hitl.AnswerError](err)
	if !ok || !errors.Is(err, hitl.ErrInvalidPayload) {
		t.Fatalf("got %T %v, want an AnswerError of ErrInvalidPayload", err, err)
	}
	found := []string{}
	for _, issue := range e.Issues {
		found = append(found, issue.Path)
	}
	return found
}

func TestWellFormedDecisionIsTakenAsItIs(t *testing.T) {
	for payload, want := range map[string]hitl.ToolDecision{
		`{"approved":true}`:                                                 {Approved: true},
		` { "approved" : true } `:                                           {Approved: true},
		`{"approved":false}`:                                                {},
		`{"approved":false,"reason":"too risky"}`:                           {Reason: "too risky"},
		`{"approved":true,"reason":"fine by me"}`:                           {Approved: true, Reason: "fine by me"},
		`{"approved":true,"editedArgs":{"to":"b"}}`:                         {Approved: true, EditedArgs: raw(`{"to":"b"}`)},
		`{"approved":true,"editedArgs":{}}`:                                 {Approved: true, EditedArgs: raw(`{}`)},
		`{"approved":true,"remember":true}`:                                 {Approved: true, Remember: true},
		`{"approved":true,"remember":false}`:                                {Approved: true},
		`{"approved":true,"reason":null,"editedArgs":null,"remember":null}`: {Approved: true},
		`{"approved":true,"level":3,"note":{"x":[null]}}`:                   {Approved: true},
		`{"approved":true,"edited_args":null}`:                              {Approved: true},
		`{"approved":false,"edited_args":{"to":"b"}}`:                       {},
	} {
		got, err := hitl.ParseDecision(raw(payload))
		if err != nil {
			t.Errorf("%s: %v", payload, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", payload, diff)
		}
	}
}

func TestMalformedDecisionIsADenial(t *testing.T) {
	for payload, want := range map[string][]string{
		``:                                   {""},
		`null`:                               {""},
		`true`:                               {""},
		`"yes"`:                              {""},
		`1`:                                  {""},
		`[{"approved":true}]`:                {""},
		`{"approved":true`:                   {""},
		`{"approved":true}x`:                 {""},
		`{"approved":true}{"approved":true}`: {""},
		"{\"approved\":true,\"reason\":\"\xff\"}":                     {"/reason"},
		`{"approved":false,"approved":true}`:                          {"/approved"},
		`{"approved":true,"approved":true}`:                           {"/approved"},
		`{}`:                                                          {"/approved"},
		`{"Approved":true}`:                                           {"/approved"},
		`{"approved":null}`:                                           {"/approved"},
		`{"approved":1}`:                                              {"/approved"},
		`{"approved":0}`:                                              {"/approved"},
		`{"approved":1.0}`:                                            {"/approved"},
		`{"approved":"true"}`:                                         {"/approved"},
		`{"approved":"false"}`:                                        {"/approved"},
		`{"approved":"yes"}`:                                          {"/approved"},
		`{"approved":{}}`:                                             {"/approved"},
		`{"approved":true,"reason":1}`:                                {"/reason"},
		`{"approved":true,"reason":["x"]}`:                            {"/reason"},
		`{"approved":true,"editedArgs":[]}`:                           {"/editedArgs"},
		`{"approved":true,"editedArgs":"{}"}`:                         {"/editedArgs"},
		`{"approved":true,"editedArgs":false}`:                        {"/editedArgs"},
		`{"approved":true,"remember":"yes"}`:                          {"/remember"},
		`{"approved":true,"edited_args":{"to":"b"}}`:                  {"/edited_args"},
		`{"approved":true,"EditedArgs":{"to":"b"}}`:                   {"/EditedArgs"},
		`{"approved":true,"edited-args":"x"}`:                         {"/edited-args"},
		`{"approved":true,"editedArgs":{},"edited_args":{}}`:          {"/edited_args"},
		`{"approved":"y","reason":1,"editedArgs":1,"remember":"yes"}`: {"/approved", "/reason", "/editedArgs", "/remember"},
	} {
		got, err := hitl.ParseDecision(raw(payload))
		if err == nil {
			t.Errorf("%s: no error", payload)
			continue
		}
		if diff := cmp.Diff(hitl.ToolDecision{}, got); diff != "" {
			t.Errorf("%s: not the zero decision: %s", payload, diff)
		}
		if diff := cmp.Diff(want, paths(t, err)); diff != "" {
			t.Errorf("%s: places (-want +got)\n%s", payload, diff)
		}
	}
}

func TestPayloadCarriesWhatTheAgentTakes(t *testing.T) {
	full := hitl.ToolDecision{Approved: true, Reason: "r", EditedArgs: raw(`{"a":1}`), Remember: true}
	denial := full
	denial.Approved = false
	for _, tc := range []struct {
		decision hitl.ToolDecision
		takes    hitl.ApprovalAnswers
		want     string
	}{
		{full, hitl.ApprovalAnswers{}, `{"approved":true}`},
		{full, hitl.ApprovalAnswers{Remember: true}, `{"approved":true}`},
		{full, hitl.ApprovalAnswers{Reason: true}, `{"approved":true,"reason":"r"}`},
		{full, hitl.ApprovalAnswers{Reason: true, EditedArgs: true}, `{"approved":true,"reason":"r","editedArgs":{"a":1}}`},
		{denial, hitl.ApprovalAnswers{Reason: true, EditedArgs: true}, `{"approved":false,"reason":"r"}`},
		{hitl.ToolDecision{Approved: true, EditedArgs: raw(`{`)}, hitl.ApprovalAnswers{EditedArgs: true}, `{"approved":false}`},
	} {
		if got := string(tc.decision.Payload(tc.takes)); got != tc.want {
			t.Errorf("%+v for %+v: got %s, want %s", tc.decision, tc.takes, got, tc.want)
		}
	}
}

func FuzzParseDecision(f *testing.F) {
	for _, seed := range []string{
		`{"approved":true}`, `{"approved":false,"reason":"no"}`, `{"approved":1}`, `{"approved":true,"reason":null}`,
		`{"approved":true,"editedArgs":{"a":[1]},"remember":true}`, `{"approved":true,"edited_args":{}}`,
		`{"approved":true,"approved":false}`, `{"\u0061pproved":true}`, `[true]`, ``, `{"approved":true}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, payload []byte) {
		d, err := hitl.ParseDecision(payload)
		if err != nil {
			if !cmp.Equal(d, hitl.ToolDecision{}) || len(paths(t, err)) == 0 {
				t.Fatalf("a refused payload gave %+v, %v", d, err)
			}
			return
		}
		checkAgainstTokens(t, payload, d)
		again, err := hitl.ParseDecision(d.Payload(hitl.ApprovalAnswers{Reason: true, EditedArgs: true}))
		if err != nil || again.Approved != d.Approved || again.Reason != d.Reason || again.Edits() != d.Edits() {
			t.Fatalf("%+v reads back as %+v, %v", d, again, err)
		}
	})
}

// checkAgainstTokens reads payload in another way than the code does, token by token,
// and compares.
func checkAgainstTokens(t *testing.T, payload []byte, d hitl.ToolDecision) {
	t.Helper()
	kinds := topLevelKinds(t, payload)
	if want := kinds["approved"] == jsontext.KindTrue; d.Approved != want {
		t.Fatalf("approved is %q in %s, yet the decision is %+v", kinds["approved"], payload, d)
	}
	allowed := map[string][]jsontext.Kind{
		"approved":   {jsontext.KindTrue, jsontext.KindFalse},
		"reason":     {0, jsontext.KindNull, jsontext.KindString},
		"editedArgs": {0, jsontext.KindNull, jsontext.KindBeginObject},
		"remember":   {0, jsontext.KindNull, jsontext.KindTrue, jsontext.KindFalse},
	}
	if d.Approved {
		allowed["edited_args"] = []jsontext.Kind{0, jsontext.KindNull}
	}
	for name, kinds2 := range allowed {
		ok := false
		for _, k := range kinds2 {
			ok = ok || kinds[name] == k
		}
		if !ok {
			t.Fatalf("%s is %q in %s and was accepted", name, kinds[name], payload)
		}
	}
}

func topLevelKinds(t *testing.T, payload []byte) map[string]jsontext.Kind {
	t.Helper()
	kinds := map[string]jsontext.Kind{}
	dec := jsontext.NewDecoder(newReader(payload))
	if tok, err := dec.ReadToken(); err != nil || tok.Kind() != jsontext.KindBeginObject {
		t.Fatalf("%s was accepted and is no object", payload)
	}
	for dec.PeekKind() != jsontext.KindEndObject {
		name, err := dec.ReadToken()
		if err != nil {
			t.Fatalf("%s was accepted: %v", payload, err)
		}
		member := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			t.Fatalf("%s was accepted: %v", payload, err)
		}
		kinds[member] = value.Kind()
	}
	return kinds
}
