package aisdk

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func read(t *testing.T, o ReducerOptions, lines ...string) *Reducer {
	t.Helper()
	r := NewReducer(o)
	reduce(t, r, lines...)
	return r
}

// A step that nothing was written in is not published: a chat does not know of it.
func TestWhatAChatShows(t *testing.T) {
	for _, tc := range []struct {
		rule  string
		lines []string
		parts int // that are shown, -1 for no message
		held  int
	}{
		{"nothing", nil, -1, 0},
		{"a start that says nothing", []string{`{"type":"start"}`}, -1, 0},
		{"a start that says something", []string{`{"type":"start","messageId":""}`}, 0, 0},
		{"a step alone", []string{call, step, `{"type":"finish-step"}`, `{"type":"finish"}`}, 1, 2},
		{"a step with transient data", []string{call, step, `{"type":"data-x","data":1,"transient":true}`}, 1, 2},
		{"a step with text", []string{call, step, opened}, 3, 3},
		{"a step and metadata", []string{call, step, `{"type":"finish","messageMetadata":{}}`}, 2, 2},
		{"a step and another start", []string{call, step, `{"type":"start","messageId":"m"}`}, 2, 2},
		{"a step and an abort", []string{call, step, `{"type":"abort"}`}, 1, 2},
	} {
		r := read(t, ReducerOptions{Profile: V7}, tc.lines...)
		shown, shows := r.Shown()
		if shows != (tc.parts >= 0) || shows && len(shown.Parts) != tc.parts || len(r.Message().Parts) != tc.held {
			t.Errorf("%s: shows %v, %d parts of %d", tc.rule, shows, len(shown.Parts), len(r.Message().Parts))
		}
	}
}

func TestAStartWithAnotherID(t *testing.T) {
	lines := []string{`{"type":"start","messageId":"a","messageMetadata":{"n":1}}`, call, `{"type":"start","messageId":"b"}`}
	m := read(t, ReducerOptions{}, lines...).Message()
	if m.ID != "b" || len(m.Parts) != 1 || len(m.Metadata) == 0 {
		t.Errorf("renamed: %+v", m)
	}
	m = read(t, ReducerOptions{Separate: true}, lines...).Message()
	if m.ID != "b" || len(m.Parts) != 0 || len(m.Metadata) != 0 {
		t.Errorf("another message: %+v", m)
	}
}

func TestProfilesReadDifferently(t *testing.T) {
	const bad = `{"type":"tool-input-error","toolCallId":"c","toolName":"send","input":{"a":1},"errorText":""}`
	six, seven := read(t, ReducerOptions{Profile: V6}, bad), read(t, ReducerOptions{Profile: V7}, bad)
	if p := six.Message().Parts[0]; p.Input != nil || string(p.RawInput) != `{"a":1}` {
		t.Errorf("ai 6: %+v", p)
	}
	if p := seven.Message().Parts[0]; p.RawInput != nil || string(p.Input) != `{"a":1}` {
		t.Errorf("ai 7: %+v", p)
	}
	late := frames(t, opened, `{"type":"finish-step"}`, `{"type":"text-delta","id":"0","delta":"x"}`)
	for p, want := range map[Profile]error{0: ErrSequence, V6: ErrSequence, V7: nil} {
		r := NewReducer(ReducerOptions{Profile: p})
		var err error
		for _, f := range late {
			err = r.Apply(f)
		}
		if !errors.Is(err, want) {
			t.Errorf("%s: text after its step: %v", p, err)
		}
	}
	// What ai 6 does not know builds nothing there.
	if m := read(t, ReducerOptions{Profile: V6}, onlyIn7...).Message(); len(m.Parts) != 0 {
		t.Errorf("ai 6: %+v", m.Parts)
	}
}

// A message that goes on is not changed under the hands of whoever gave it.
func TestTheGivenMessageStays(t *testing.T) {
	given := message(t, call, ask)
	before := encoded(t, *given)
	read(t, ReducerOptions{Message: given}, `{"type":"tool-approval-response","approvalId":"a1","approved":true}`, opened)
	if diff := cmp.Diff(string(before), string(encoded(t, *given))); diff != "" {
		t.Errorf("(-before +after)\n%s", diff)
	}
}

// An explicit false takes back what was said of who runs a call.
func TestProviderExecutedIsTakenBack(t *testing.T) {
	r := read(t, ReducerOptions{Profile: V7},
		`{"type":"tool-input-available","toolCallId":"c1","toolName":"send","input":1,"providerExecuted":true}`,
		`{"type":"tool-output-available","toolCallId":"c1","output":1}`)
	if r.Message().Parts[0].ProviderExecuted != On {
		t.Error("what is not said again is forgotten")
	}
	reduce(t, r, `{"type":"tool-output-available","toolCallId":"c1","output":1,"providerExecuted":false}`)
	if r.Message().Parts[0].ProviderExecuted != Off {
		t.Error("it stays")
	}
}
