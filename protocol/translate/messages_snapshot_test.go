package translate

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// An agent that restates the conversation before it stops to ask has no result yet for the
// call it asks about. A chat keeps the result with the call, before that snapshot.
func TestASnapshotBeforeAResultDoesNotTakeTheResult(t *testing.T) {
	snapshot := `{"type":"data-ag-ui","data":{"type":"MESSAGES_SNAPSHOT","messages":[` +
		`{"id":"u","role":"user","content":"pay"},` +
		`{"id":"m1","role":"assistant","toolCalls":[{"id":"c1","type":"function","function":{"name":"pay","arguments":"{}"}},{"id":"c2","type":"function","function":{"name":"pay","arguments":"{}"}}]},` +
		`{"id":"r2","role":"tool","toolCallId":"c2","content":"paid before"}]}}`
	call := func(id, output string) string {
		return `{"type":"tool-pay","toolCallId":"` + id + `","state":"output-available","input":{},"output":"` + output + `","approval":{"id":"a` + id + `","approved":true}}`
	}
	messages, err := aisdk.ParseMessages([]byte(`[{"id":"u","role":"user","parts":[{"type":"text","text":"pay"}]},
		{"id":"M","role":"assistant","parts":[{"type":"step-start"},` + call("c1", "paid") + `,` + call("c2", "paid before") + `,` + call("gone", "paid") + `,` + snapshot + `,
		{"type":"text","text":"Done."}]}]`))
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := Messages(messages)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, m := range got {
		said = append(said, string(m.Role)+" "+m.ToolCallID.String()+" "+m.Text())
	}
	want := []string{"user  pay", "assistant  ", "tool c2 paid before", "tool c1 paid", "assistant  Done."}
	if diff := cmp.Diff(want, said); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
