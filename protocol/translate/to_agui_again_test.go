package translate

import (
	"testing"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// What an agent says twice must not hang the translation, nor break the order of events.
func TestChunksThatComeAgain(t *testing.T) {
	const start = `{"type":"start","messageId":"M"}`
	for _, tc := range []struct {
		rule   string
		before []string
		chunks []string
	}{
		{rule: "an open text id is used again", chunks: []string{
			start, `{"type":"text-start","id":"a"}`, `{"type":"text-start","id":"a"}`, `{"type":"text-delta","id":"a","delta":"x"}`, `{"type":"text-end","id":"a"}`,
		}},
		{rule: "an open reasoning id is used again", chunks: []string{
			start, `{"type":"reasoning-start","id":"a"}`, `{"type":"reasoning-start","id":"a"}`, `{"type":"reasoning-end","id":"a"}`,
		}},
		{rule: "an open call is started again", chunks: []string{
			start, `{"type":"tool-input-start","toolCallId":"c","toolName":"n"}`, `{"type":"tool-input-start","toolCallId":"c","toolName":"n"}`,
			`{"type":"tool-input-available","toolCallId":"c","toolName":"n","input":{}}`,
		}},
		{rule: "an input is available twice", chunks: []string{
			start, `{"type":"tool-input-available","toolCallId":"c","toolName":"n","input":{}}`, `{"type":"tool-input-available","toolCallId":"c","toolName":"n","input":{"x":1}}`,
		}},
		{rule: "a call of the stopped run was left open", before: []string{start, `{"type":"tool-input-start","toolCallId":"c","toolName":"n"}`}, chunks: []string{start}},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			tr := NewToAGUI(Run{ThreadID: "t", RunID: "r", First: "r"})
			if err := tr.Prime(chunkFrames(t, tc.before)); err != nil {
				t.Fatal(err)
			}
			var events [][]byte
			for _, f := range chunkFrames(t, tc.chunks) {
				more, err := tr.Next(f)
				if err != nil {
					t.Fatal(err)
				}
				events = append(events, more...)
			}
			last, err := tr.Finish(Outcome{})
			if err != nil {
				t.Fatal(err)
			}
			v := agui.Verifier{ThreadID: "t"}
			for _, raw := range append(events, last...) {
				f, _, err := agui.ParseFrame(raw)
				if err == nil {
					err = v.Next(f)
				}
				if err != nil {
					t.Fatalf("%s: %v", raw, err)
				}
			}
		})
	}
}

func chunkFrames(t *testing.T, chunks []string) []aisdk.Frame {
	t.Helper()
	frames := make([]aisdk.Frame, len(chunks))
	for i, raw := range chunks {
		f, _, err := aisdk.ParseFrame([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		frames[i] = f
	}
	return frames
}
