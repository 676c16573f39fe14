package agui

import (
	"errors"
	"testing"
)

func TestInterruptsGetOtherIds(t *testing.T) {
	names := map[string]string{"q": "q@2", "id": "id@2"}
	for _, tc := range []struct{ rule, raw, want string }{
		{
			"the ids of interrupts, and nothing else",
			`{"type":"RUN_FINISHED","runId":"q","outcome":{"type":"interrupt","interrupts":[{"id":"q","toolCallId":"q","message":"q","metadata":{"id":"q","n":1.50,"s":"\u0041\/"}},{"id":"p"}]}}`,
			`{"type":"RUN_FINISHED","runId":"q","outcome":{"type":"interrupt","interrupts":[{"id":"q@2","toolCallId":"q","message":"q","metadata":{"id":"q","n":1.50,"s":"\u0041\/"}},{"id":"p"}]}}`,
		},
		{
			"one that is named like its member",
			`{"outcome":{"interrupts":[{"id":"id"}]}}`, `{"outcome":{"interrupts":[{"id":"id@2"}]}}`,
		},
		{"no interrupts", `{"type":"RUN_FINISHED","outcome":{"type":"success"}}`, `{"type":"RUN_FINISHED","outcome":{"type":"success"}}`},
	} {
		got, err := RenameInterrupts([]byte(tc.raw), names)
		if err != nil || string(got) != tc.want {
			t.Errorf("%s: %v\n%s", tc.rule, err, got)
		}
	}
	if same, err := RenameInterrupts([]byte(`{ }`), nil); err != nil || string(same) != `{ }` {
		t.Errorf("without names %v %s", err, same)
	}
	if _, err := RenameInterrupts([]byte(`{"outcome":`), names); !errors.Is(err, ErrMalformed) {
		t.Error(err)
	}
}

func TestResumeEntriesGetOtherIds(t *testing.T) {
	got, err := RenameResume([]byte(`{"runId":"q@2","resume":[{"interruptId":"q@2","status":"resolved","payload":{"interruptId":"q@2"}},{"interruptId":"p"}]}`), map[string]string{"q@2": "q"})
	if err != nil || string(got) != `{"runId":"q@2","resume":[{"interruptId":"q","status":"resolved","payload":{"interruptId":"q@2"}},{"interruptId":"p"}]}` {
		t.Errorf("%v\n%s", err, got)
	}
}
