package protobuf

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

func TestWhatIsLostIsReported(t *testing.T) {
	const snapshot, state = `{"type":"MESSAGES_SNAPSHOT","messages":[`, `{"type":"STATE_SNAPSHOT","snapshot":`
	const noPlace = "the binary form has no place for it"
	for name, tc := range map[string]struct {
		json string
		lost []Loss
		left string // what is decoded of it, if not the same
	}{
		"nothing": {json: state + `{"a":[0.1,-0,1e21,1.50,9007199254740992,5e-324,"x"]}}`},
		"the type of an encrypted value": {
			json: `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"e","encryptedValue":"v","encryptedValueType":"t"}`,
			lost: []Loss{{Path: "/encryptedValueType", Detail: noPlace}},
			left: `{"type":"REASONING_ENCRYPTED_VALUE","subtype":"message","entityId":"e","encryptedValue":"v"}`,
		},
		"the type of an encrypted value in a message and in a tool call": {
			json: snapshot + `{"id":"a","role":"assistant","encryptedValueType":"t","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""},"encryptedValueType":"t"}]}]}`,
			lost: []Loss{{Path: "/messages/0/encryptedValueType", Detail: noPlace}, {Path: "/messages/0/toolCalls/0/encryptedValueType", Detail: noPlace}},
			left: snapshot + `{"id":"a","role":"assistant","toolCalls":[{"id":"c","type":"function","function":{"name":"f","arguments":""}}]}]}`,
		},
		"members of an operation": {
			json: `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a","no/te":1}]}`,
			lost: []Loss{{Path: "/delta/0/no~1te", Detail: noPlace}},
			left: `{"type":"STATE_DELTA","delta":[{"op":"remove","path":"/a"}]}`,
		},

		"a name that JavaScript cannot hold": {
			json: state + `{"a":[{"__proto__":{"b":1},"c":2}]}}`,
			lost: []Loss{{Path: "/snapshot/a/0/__proto__", Detail: "the reference cannot carry a member of this name"}},
			left: state + `{"a":[{"c":2}]}}`,
		},
		"digits": {
			json: state + `[9007199254740993,{"n":0.1000000000000000055511151231257827},1e-400]}`,
			lost: []Loss{
				{Path: "/snapshot/0", Detail: "the number 9007199254740993 is rounded to a 64-bit float"},
				{Path: "/snapshot/1/n", Detail: "the number 0.1000000000000000055511151231257827 is rounded to a 64-bit float"},
				{Path: "/snapshot/2", Detail: "the number 1e-400 is rounded to a 64-bit float"},
			},
			left: state + `[9007199254740992,{"n":0.1},0]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			var lost []Loss
			raw, err := Encoder{Lost: func(w Loss) { lost = append(lost, w) }}.Append(nil, frame(t, tc.json))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.lost, lost); diff != "" {
				t.Errorf("lost (-want +got):\n%s", diff)
			}
			got, err := Decode(raw)
			if err != nil {
				t.Fatal(err)
			}
			want := tc.left
			if want == "" {
				want = tc.json
			}
			if canonical(t, got) != canonical(t, []byte(want)) {
				t.Errorf("\n got %s\nwant %s", got, want)
			}
		})
	}
}

func TestOnlySoManyLossesAreReported(t *testing.T) {
	n := 0
	json := `{"type":"RAW","event":[` + strings.Repeat("9007199254740993,", 1000) + `0]}`
	if _, err := (Encoder{Lost: func(Loss) { n++ }}).Append(nil, frame(t, json)); err != nil || n != maxTold {
		t.Errorf("%d losses are reported, %v", n, err)
	}
}

func TestWhatCannotBeCarriedIsAnError(t *testing.T) {
	deep := func(n int) string { return strings.Repeat(`{"a":`, n) + "1" + strings.Repeat("}", n) }
	for name, tc := range map[string]struct{ json, path, reason string }{
		"a number beyond the range": {`{"type":"RAW","event":{"a/b":[0,-1e400]}}`, "/event/a~1b/1", "the number -1e400 is beyond the range of a 64-bit float"},
		"in an interrupt": {
			`{"type":"RUN_FINISHED","threadId":"t","runId":"r","outcome":{"type":"interrupt","interrupts":[{"id":"i","reason":"r","responseSchema":{"maximum":1e999}}]}}`,
			"/outcome/interrupts/0/responseSchema/maximum", "the number 1e999 is beyond the range of a 64-bit float",
		},
		"too deep":              {`{"type":"STEP_STARTED","stepName":"s","metadata":{"x":` + deep(MaxDepth) + `}}`, "", "it nests too deep"},
		"too deep, in an array": {`{"type":"RAW","event":` + strings.Repeat("[", MaxDepth+1) + strings.Repeat("]", MaxDepth+1) + `}`, "", "it nests too deep"},
	} {
		t.Run(name, func(t *testing.T) {
			f, _, err := agui.ParseFrame([]byte(tc.json))
			if err != nil {
				t.Skip("agui.ParseFrame has refused it already")
			}
			for _, write := range []func([]byte, agui.Frame) ([]byte, error){Append, AppendFramed} {
				out, err := write([]byte("before"), f)
				fault, ok := errors.AsType[*FieldError](err)
				if !ok || !errors.Is(err, ErrUnencodable) || errors.Is(err, ErrMalformed) || string(out) != "before" {
					t.Fatalf("got %q, %v", out, err)
				}
				if fault.Type != f.Type || fault.Reason != tc.reason || tc.path != "" && fault.Path != tc.path {
					t.Errorf("got %v", err)
				}
			}
		})
	}
	for _, just := range []string{
		`{"type":"STATE_SNAPSHOT","snapshot":` + deep(MaxDepth-1) + `}`,
		`{"type":"STEP_STARTED","stepName":"s","metadata":` + deep(MaxDepth-1) + `}`,
	} {
		raw, err := Append(nil, frame(t, just))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := Decode(raw); err != nil || canonical(t, got) != canonical(t, []byte(just)) {
			t.Errorf("got %.100s, %v", got, err)
		}
	}
}

func TestAnUnknownTypeHasAnErrorOfItsOwn(t *testing.T) {
	f := frame(t, `{"type":"WEATHER_CHANGED","to":"rain"}`)
	if out, err := Append(nil, f); !errors.Is(err, ErrUnknown) || out != nil {
		t.Errorf("got %q, %v", out, err)
	}
}

// What is unknown in an event is agui.ParseFrame's to take out. Where it is not, the
// event is refused as a whole.
func TestNothingUnknownIsWritten(t *testing.T) {
	for _, json := range []string{
		`{"type":"STATE_DELTA","delta":[{"op":"Add","path":"/a","value":1}]}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"x"}]}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"image","source":{"type":"tape"}}]}`,
		`{"type":"TOOL_CALL_RESULT","messageId":"m","toolCallId":"c","content":[{"type":"binary","mimeType":"a/b","data":"QQ=="}]}`,
		`{"type":"MESSAGES_SNAPSHOT","messages":[{"id":1,"role":"oracle","content":{},"toolCalls":[5]}]}`,
	} {
		f, _, err := agui.ParseFrame([]byte(json))
		if err != nil {
			t.Fatal(err)
		}
		raw, err := Append(nil, f)
		if err != nil && !errors.Is(err, ErrUnencodable) && !errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %v", json, err)
		}
		if err == nil && len(raw) > 20 {
			t.Errorf("%s is written as %x", json, raw)
		}
	}
	if _, err := Append(nil, agui.Frame{Type: agui.TypeRunError}); !errors.Is(err, ErrUnknown) {
		t.Errorf("an event of which nothing is known: %v", err)
	}
	if _, _, err := agui.ParseFrame([]byte(`{"type":"RAW","event":"\ud800"}`)); err == nil {
		t.Error("a lone surrogate is text")
	}
}
