package protobuf

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// lump makes a field that holds bytes: a message, or text.
func lump(num protowire.Number, parts ...[]byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, num, protowire.BytesType), bytes.Join(parts, nil))
}

func say(num protowire.Number, text string) []byte { return lump(num, []byte(text)) }

func count(num protowire.Number, n uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, num, protowire.VarintType), n)
}

func double(num protowire.Number, n uint64) []byte {
	return protowire.AppendFixed64(protowire.AppendTag(nil, num, protowire.Fixed64Type), n)
}

// wire is an event with the common members of its type.
func wire(typ agui.EventType, parts ...[]byte) []byte {
	ev := events[typ]
	head := lump(commonField)
	if ev.number > 0 {
		head = lump(commonField, count(1, uint64(ev.number)))
	}
	return lump(protowire.Number(ev.arm), append([][]byte{head}, parts...)...)
}

func TestDecodeTakesWhatProtobufAllows(t *testing.T) {
	empty := []byte(nil)
	for name, tc := range map[string]struct {
		raw  []byte
		want string
	}{
		"fields in any order, the last one counts": {
			wire(agui.TypeTextMessageContent, say(3, "x"), say(2, "m"), say(3, "y")), `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"y"}`},
		"unknown fields, and fields of another wire type": {
			wire(agui.TypeTextMessageEnd, count(99, 1), count(2, 1), say(2, "m"), []byte{0xa3, 6, 0x08, 1, 0xa4, 6}), `{"type":"TEXT_MESSAGE_END","messageId":"m"}`},
		"something of a later protocol beside the event": {
			append(lump(200, empty), wire(agui.TypeTextMessageEnd)...), `{"type":"TEXT_MESSAGE_END","messageId":""}`},
		"an event in pieces": {
			append(wire(agui.TypeTextMessageEnd), lump(3, say(2, "m"))...), `{"type":"TEXT_MESSAGE_END","messageId":"m"}`},
		"a value in pieces": {
			wire(agui.TypeRaw, lump(2, lump(valueList, lump(1, count(valueNull, 0)))), lump(2, lump(valueList, lump(1, count(valueBool, 1))))),
			`{"type":"RAW","event":[null,true]}`},
		"a value of several kinds is the last": {
			wire(agui.TypeRaw, lump(2, lump(valueList), say(valueText, "a"), say(valueText, "b"))), `{"type":"RAW","event":"b"}`},
		"a member that comes twice, one without value, one with the name that JavaScript cannot hold": {
			wire(agui.TypeStateSnapshot, lump(2, lump(valueObject,
				lump(1, say(1, "a"), lump(2, count(valueBool, 0))), lump(1, say(1, "b")), lump(1, say(1, "c"), lump(2)),
				lump(1, say(1, "__proto__"), lump(2, count(valueBool, 0))), lump(1, say(1, "a"), lump(2, count(valueBool, 1)))))),
			`{"type":"STATE_SNAPSHOT","snapshot":{"a":true}}`},
		"a value without a kind is absent": {wire(agui.TypeCustom, lump(3)), `{"type":"CUSTOM","name":""}`},
		"an operation without a name": {
			wire(agui.TypeStateDelta, lump(2, count(1, 12))), `{"type":"STATE_DELTA","delta":[{"op":"12","path":""}]}`},
		"a negative operation": {
			wire(agui.TypeStateDelta, lump(2, count(1, 1<<64-1))), `{"type":"STATE_DELTA","delta":[{"op":"-1","path":""}]}`},
		"parts and sources of unknown forms": {
			wire(agui.TypeToolCallResult, lump(7, lump(9)), lump(7, lump(2, lump(1, lump(9)))), lump(7), lump(7, lump(1, say(1, "t")))),
			`{"type":"TOOL_CALL_RESULT","messageId":"","toolCallId":"","content":[{"type":"text","text":"t"}]}`},
		"lists that their outcome does not have": {
			wire(agui.TypeRunFinished, say(5, "later"), lump(6, say(1, "i")), say(8, "c")),
			`{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"later","interrupts":[{"id":"i","reason":""}],"pendingToolCallIds":["c"]}}`},
		"lists without an outcome": {
			wire(agui.TypeSubagentFinished, say(5, "c")), `{"type":"SUBAGENT_FINISHED","subagentRunId":"","interruptIds":["c"]}`},
		"an interrupt outcome without interrupts": {
			wire(agui.TypeRunFinished, say(5, "interrupt")), `{"type":"RUN_FINISHED","threadId":"","runId":"","outcome":{"type":"interrupt","interrupts":[]}}`},
		"a message of an unknown role, with a map": {
			wire(agui.TypeMessagesSnapshot, lump(2, say(2, "oracle"), lump(contentMap))), `{"type":"MESSAGES_SNAPSHOT","messages":[{"id":"","role":"oracle","content":{}}]}`},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Decode(tc.raw)
			if err != nil {
				t.Fatal(err)
			}
			if canonical(t, got) != canonical(t, []byte(tc.want)) {
				t.Errorf("%x\n got %s\nwant %s", tc.raw, got, tc.want)
			}
		})
	}
}

func TestDecodeRefuses(t *testing.T) {
	const nan, infinite = 0x7ff8000000000000, 0x7ff0000000000000
	nested := []byte(nil)
	for range MaxDepth + 1 {
		nested = lump(valueList, lump(listItem, nested))
	}
	for name, tc := range map[string]struct {
		raw  []byte
		path string
	}{
		"nothing":                         {nil, ""},
		"no protobuf":                     {[]byte{0xff}, ""},
		"a cut event":                     {wire(agui.TypeRaw)[:3], ""},
		"an end without a beginning":      {[]byte{0x0c}, ""},
		"two events":                      {append(wire(agui.TypeRaw), wire(agui.TypeCustom)...), ""},
		"an event that is no message":     {count(1, 1), ""},
		"something later that is nothing": {say(200, "\xff"), ""},
		"no common members":               {lump(1, say(2, "m")), ""},
		"another type":                    {lump(1, lump(1, count(1, 5))), ""},
		"no UTF-8":                        {wire(agui.TypeTextMessageEnd, say(2, "\xff")), "/messageId"},
		"no UTF-8 in a name":              {wire(agui.TypeRaw, lump(2, lump(valueObject, lump(1, say(1, "\xff"), lump(2, count(1, 0)))))), "/event"},
		"a timestamp too far":             {lump(1, lump(1, count(2, 1<<53))), "/timestamp"},
		"not a number":                    {wire(agui.TypeRaw, lump(2, double(valueNumber, nan))), "/event"},
		"an infinite number":              {wire(agui.TypeRaw, lump(2, lump(valueObject, lump(1, say(1, "a/b"), lump(2, double(valueNumber, infinite)))))), "/event/a~1b"},
		"an element without a value":      {wire(agui.TypeRaw, lump(2, lump(valueList, lump(1, count(1, 0)), lump(1)))), "/event/1"},
		"too deep":                        {wire(agui.TypeRaw, lump(2, nested)), "-"},
		"two forms of a part":             {wire(agui.TypeToolCallResult, lump(7, lump(1), lump(2))), "/content/0"},
		"two forms of a result":           {wire(agui.TypeToolCallResult, say(5, ""), lump(7, lump(1))), ""},
		"two forms of content":            {wire(agui.TypeMessagesSnapshot, lump(2, say(2, "user"), say(3, ""), lump(8, lump(1)))), "/messages/0"},
		"two forms of content, unknown role": {
			wire(agui.TypeMessagesSnapshot, lump(2, say(2, "oracle"), say(3, ""), lump(13))), "/messages/0"},
		"a form that the role does not have": {wire(agui.TypeMessagesSnapshot, lump(2), lump(2, say(2, "assistant"), lump(8, lump(1)))), "/messages/1"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Decode(tc.raw)
			fault, ok := errors.AsType[*FieldError](err)
			if !ok || !errors.Is(err, ErrMalformed) || got != nil {
				t.Fatalf("got %s, %v", got, err)
			}
			if tc.path != "-" && fault.Path != tc.path {
				t.Errorf("the path is %q: %v", fault.Path, err)
			}
		})
	}
}

func TestAnEventOfALaterProtocolHasAnErrorOfItsOwn(t *testing.T) {
	if _, err := Decode(lump(200, say(1, "x"))); !errors.Is(err, ErrUnknownEvent) || errors.Is(err, ErrMalformed) {
		t.Errorf("got %v", err)
	}
}

func TestDecodingPiecesIsLinear(t *testing.T) {
	piece := lump(10, lump(2, lump(valueList, lump(1, count(valueNull, 0)))))
	raw := append(wire(agui.TypeRaw), bytes.Repeat(piece, 200_000)...)
	got, err := Decode(raw)
	if err != nil || strings.Count(string(got), "null") != 200_000 {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func FuzzDecode(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add(v.bytes(f))
	}
	for _, seed := range []string{"", "08", "c203020a00", "0a020a00", "520a0a02080912040a020800"} {
		raw, err := hex.DecodeString(seed)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := Decode(raw)
		if err != nil {
			if _, ok := errors.AsType[*FieldError](err); !ok && !errors.Is(err, ErrUnknownEvent) {
				t.Fatalf("an error without a type: %v", err)
			}
			return
		}
		if !got.IsValid() {
			t.Fatalf("no JSON: %s", got)
		}
		if len(got) > 20*len(raw)+200 {
			t.Fatalf("%d bytes of %d", len(got), len(raw))
		}
		parsed, warnings, err := agui.ParseFrame(got)
		if err != nil || len(warnings) > 0 {
			return
		}
		written, err := Append(nil, parsed)
		if err != nil {
			t.Fatalf("%s cannot be written: %v", got, err)
		}
		again, err := Decode(written)
		if err != nil {
			t.Fatal(err)
		}
		if canonical(t, again) != canonical(t, got) {
			t.Fatalf("%s comes back as %s", got, again)
		}
	})
}

func FuzzAppend(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.JSON))
	}
	f.Add([]byte(`{"type":"MESSAGES_SNAPSHOT","messages":[{"role":"x","content":{"1":[1e400]},"toolCalls":[1]}]}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		parsed, _, err := agui.ParseFrame(raw)
		if err != nil {
			return
		}
		// Reporting what is lost must not change what is written.
		written, err := Encoder{Lost: func(Loss) {}}.Append(nil, parsed)
		if err != nil {
			if !errors.Is(err, ErrUnencodable) && !errors.Is(err, ErrUnknown) {
				t.Fatalf("an error without a type: %v", err)
			}
			return
		}
		if len(written) > 20*len(raw)+200 {
			t.Fatalf("%d bytes of %d", len(written), len(raw))
		}
		got, err := Decode(written)
		if err != nil {
			t.Fatalf("%s: %x: %v", raw, written, err)
		}
		again, _, err := agui.ParseFrame(got)
		if err != nil {
			t.Fatalf("%s becomes %s: %v", raw, got, err)
		}
		rewritten, err := Append(nil, again)
		if err != nil || !bytes.Equal(rewritten, written) {
			t.Fatalf("%s becomes %s and other bytes, %v", raw, got, err)
		}
	})
}
