package aisdk

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	sendFrame = `{"type":"send","requestId":"r1","id":"c1","trigger":"submit-message","messageId":"m1",` +
		`"messages":[{"id":"u","role":"user","parts":[{"type":"text","text":"hi"},{"type":"future-part","x":1}]}],"headers":{"x-key":"k"},"body":{"a":1},"metadata":null}`
	resumeFrame = `{"type":"resume","requestId":"r1","id":"c1","lastSequence":4,"headers":{},"body":{}}`
	abortFrame  = `{"type":"abort","requestId":"r1"}`
)

func TestSocketRequestsSurvive(t *testing.T) {
	for _, raw := range []string{sendFrame, resumeFrame, abortFrame} {
		r, err := ParseSocketRequest([]byte(raw))
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if r.Request() != "r1" {
			t.Errorf("%s: of request %q", raw, r.Request())
		}
		out, err := EncodeSocketRequest(r)
		if err != nil {
			t.Fatalf("%s: %v", raw, err)
		}
		if diff := cmp.Diff(raw, string(out)); diff != "" {
			t.Errorf("(-in +out)\n%s", diff)
		}
	}
}

func TestBadSocketRequestsNameTheMember(t *testing.T) {
	without := func(member string) string { return strings.Replace(sendFrame, member, "", 1) }
	with := func(old, changed string) string { return strings.Replace(sendFrame, old, changed, 1) }
	for _, tc := range []struct{ in, place string }{
		{`{`, "not valid JSON"}, {`[]`, "an object"}, {`{}`, "/type"}, {`{"type":"ping"}`, "/type"}, {`{"type":"start","requestId":"r"}`, "/type"},
		{`{"type":"abort"}`, "/requestId"}, {`{"type":"abort","requestId":null}`, "/requestId"},
		{without(`"requestId":"r1",`), "/requestId"}, {without(`"id":"c1",`), "/id"}, {without(`"headers":{"x-key":"k"},`), "/headers"}, {without(`"body":{"a":1},`), "/body"},
		{with(`{"x-key":"k"}`, `{"x-key":1}`), "/headers/x-key"}, {with(`{"a":1}`, `[]`), "/body"}, {with(`"m1"`, `null`), "/messageId"},
		{with("submit-message", "resume-stream"), "/trigger"}, {with(`"user"`, `"tool"`), "/messages/0/role"}, {with(`"type":"text",`, ``), "/messages/0/parts/0/type"},
		{with(`"x":1`, `"__proto__":1`), "/messages/0/parts/1/__proto__"},
		{`{"type":"send","requestId":"r","id":"c","trigger":"submit-message","messages":[],"headers":{},"body":{}}`, "/messages"},
		{strings.Replace(resumeFrame, "4", "null", 1), "/lastSequence"}, {strings.Replace(resumeFrame, "4", "-1", 1), "/lastSequence"},
		{strings.Replace(resumeFrame, "4", "1.5", 1), "/lastSequence"}, {strings.Replace(resumeFrame, "4", "9007199254740992", 1), "/lastSequence"},
	} {
		if r, err := ParseSocketRequest([]byte(tc.in)); !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), tc.place) {
			t.Errorf("%s: %v, %v, want %q", tc.in, r, err, tc.place)
		}
	}
}

func TestSocketResponsesSurvive(t *testing.T) {
	chunk := frames(t, `{"type":"text-delta","id":"t","delta":"\n"}`)[0]
	for _, tc := range []struct {
		response SocketResponse
		want     string
	}{
		{SocketResponse{Type: SocketStart, RequestID: "r\""}, `{"type":"start","requestId":"r\""}`},
		{SocketResponse{Type: SocketChunk, RequestID: "r", Chunk: chunk}, `{"type":"chunk","requestId":"r","sequence":0,"chunk":{"type":"text-delta","id":"t","delta":"\n"}}`},
		{SocketResponse{Type: SocketChunk, RequestID: "r", Sequence: 12, Chunk: chunk}, `{"type":"chunk","requestId":"r","sequence":12,"chunk":{"type":"text-delta","id":"t","delta":"\n"}}`},
		{SocketResponse{Type: SocketEnd, RequestID: "r"}, `{"type":"end","requestId":"r"}`},
		{SocketResponse{Type: SocketError, RequestID: "r"}, `{"type":"error","requestId":"r"}`},
		{SocketResponse{Type: SocketError, RequestID: "r", ErrorText: Set("")}, `{"type":"error","requestId":"r","errorText":""}`},
		{SocketResponse{Type: SocketNoActive, RequestID: ""}, `{"type":"no-active","requestId":""}`},
	} {
		out, err := tc.response.Append([]byte("> "))
		if err != nil || string(out) != "> "+tc.want {
			t.Errorf("%s, %v, want %s", out, err, tc.want)
			continue
		}
		back, err := ParseSocketResponse(out[len("> "):])
		if err != nil {
			t.Errorf("%s: %v", out, err)
			continue
		}
		again, err := back.Append(nil)
		if err != nil || string(again) != tc.want {
			t.Errorf("%s became %s, %v", tc.want, again, err)
		}
	}
	for _, r := range []SocketResponse{{}, {Type: "ping"}, {Type: SocketChunk}, {Type: SocketChunk, Sequence: -1, Chunk: chunk}, {Type: SocketStart, RequestID: "\xff"}} {
		if out, err := r.Append(nil); !errors.Is(err, ErrMalformed) {
			t.Errorf("%+v became %s, %v", r, out, err)
		}
	}
}

func TestBadSocketResponsesNameTheMember(t *testing.T) {
	for _, tc := range []struct{ in, place string }{
		{`{"type":"ping","requestId":"r"}`, "/type"}, {`{"type":"end"}`, "/requestId"}, {`{"requestId":"r"}`, "/type"},
		{`{"type":"error","requestId":"r","errorText":null}`, "/errorText"},
		{`{"type":"chunk","requestId":"r","chunk":{"type":"start"}}`, "/sequence"}, {`{"type":"chunk","requestId":"r","sequence":-1,"chunk":{"type":"start"}}`, "/sequence"},
		{`{"type":"chunk","requestId":"r","sequence":0}`, "/chunk"}, {`{"type":"chunk","requestId":"r","sequence":0,"chunk":[]}`, "/chunk"},
		{`{"type":"chunk","requestId":"r","sequence":0,"chunk":{"type":"text-delta","id":"t"}}`, "/delta"},
		{`{"type":"chunk","requestId":"r","sequence":0,"chunk":{"type":"future"}}`, "/type"},
		{`{"type":"end","requestId":"r","x":{"__proto__":1}}`, "/x/__proto__"},
	} {
		if r, err := ParseSocketResponse([]byte(tc.in)); !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), tc.place) {
			t.Errorf("%s: %v, %v, want %q", tc.in, r, err, tc.place)
		}
	}
}

func FuzzParseSocketRequest(f *testing.F) {
	for _, raw := range []string{sendFrame, resumeFrame, abortFrame} {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		r, err := ParseSocketRequest(raw)
		if !bytes.Equal(before, raw) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v is not ErrMalformed", err)
			}
			return
		}
		if out, err := EncodeSocketRequest(r); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	})
}

func FuzzParseSocketResponse(f *testing.F) {
	f.Add([]byte(`{"type":"chunk","requestId":"r","sequence":0,"chunk":{"type":"text-delta","id":"t","delta":"x"}}`))
	f.Add([]byte(`{"type":"error","requestId":"r","errorText":"x"}`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ParseSocketResponse(raw)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v is not ErrMalformed", err)
			}
			return
		}
		out, err := r.Append(nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseSocketResponse(out); err != nil {
			t.Fatalf("%s: %v", out, err)
		}
	})
}

func BenchmarkSocketChunk(b *testing.B) {
	r := SocketResponse{Type: SocketChunk, RequestID: "r1", Chunk: frames(b, `{"type":"text-delta","id":"txt-0","delta":" and some more words"}`)[0]}
	var buf []byte
	b.ReportAllocs()
	for b.Loop() {
		r.Sequence++
		out, err := r.Append(buf[:0])
		if err != nil {
			b.Fatal(err)
		}
		buf = out
	}
}
