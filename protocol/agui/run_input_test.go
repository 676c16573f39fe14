package agui

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

const smallInput = `{"threadId":"t","runId":"r","messages":[]}`

// fullInput takes the input that the full fixture of RUN_STARTED carries.
func fullInput(t testing.TB) []byte {
	t.Helper()
	f, _, err := ParseFrame(fixtures(t, TypeRunStarted)[1])
	if err != nil {
		t.Fatal(err)
	}
	return f.Member("input")
}

func TestRunInputIsRead(t *testing.T) {
	raw := fullInput(t)
	in, warnings, err := ParseRunInput(raw)
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	if in.ThreadID != "t1" || in.RunID != "r1" || in.ParentRunID.String() != "r0" || in.ProtocolVersion.String() != "1.1" || !bytes.Equal(in.Raw, raw) {
		t.Errorf("got %+v", in)
	}
	if len(in.Messages) != 9 || len(in.Resume) != 2 || in.Resume[1].Status != ResumeCancelled || len(in.Context) != 1 {
		t.Errorf("got %d messages, %+v, %+v", len(in.Messages), in.Resume, in.Context)
	}
	if !in.OffersTool("w") || in.OffersTool("send") {
		t.Error("tools are not told apart")
	}
	if m, ok := in.LastUserMessage(); !ok || m.ID != "3b" || m.Text() != "hi" {
		t.Errorf("the last user message is %+v", m)
	}
	if m := in.Messages[2]; m.Text() != "a" || len(m.Parts()) != 3 {
		t.Errorf("parts of %s: %+v", m.Content, m.Parts())
	}
	small, _, err := ParseRunInput([]byte(smallInput))
	if _, ok := small.LastUserMessage(); err != nil || ok || small.State != nil {
		t.Errorf("got %+v, %v", small, err)
	}
}

func TestMalformedRunInputNamesThePlace(t *testing.T) {
	message := func(m string) string { return `"messages":[` + m + `]` }
	for _, tc := range []struct{ replace, path string }{
		{`"threadId":1`, "/threadId"}, {`"threadId":null`, "/threadId"}, {`"threadId":""`, "/threadId"},
		{`"runId":[]`, "/runId"}, {`"runId":""`, "/runId"},
		{`"protocolVersion":1.1`, "/protocolVersion"}, {`"parentRunId":null`, "/parentRunId"},
		{`"state":null`, "/state"}, {`"forwardedProps":null`, "/forwardedProps"},
		{`"messages":{}`, "/messages"}, {message(`1`), "/messages/0"}, {message(`{"id":"1"}`), "/messages/0/role"},
		{message(`{"id":1,"role":"user","content":""}`), "/messages/0/id"},
		{message(`{"id":"1","role":"user"}`), "/messages/0/content"},
		{message(`{"id":"1","role":"user","content":null}`), "/messages/0/content"},
		{message(`{"id":"1","role":"system","content":[]}`), "/messages/0/content"},
		{message(`{"id":"1","role":"user","content":[{"type":"text"}]}`), "/messages/0/content/0/text"},
		{message(`{"id":"1","role":"user","content":[{"type":"image","source":{"type":"url"}}]}`), "/messages/0/content/0/source/value"},
		{message(`{"id":"1","role":"assistant","toolCalls":{}}`), "/messages/0/toolCalls"},
		{message(`{"id":"1","role":"tool","content":"x"}`), "/messages/0/toolCallId"},
		{message(`{"id":"1","role":"tool","content":"x","toolCallId":"c","error":null}`), "/messages/0/error"},
		{message(`{"id":"1","role":"activity","activityType":"a","content":""}`), "/messages/0/content"},
		{message(`{"id":"1","role":"reasoning","content":"x","metadata":null}`), "/messages/0/metadata"},
		{`"tools":{}`, "/tools"}, {`"tools":[1]`, "/tools/0"}, {`"tools":[{"description":"d"}]`, "/tools/0/name"},
		{`"context":null`, "/context"}, {`"context":[{"value":"v"}]`, "/context/0/description"},
		{`"resume":null`, "/resume"}, {`"resume":[{"interruptId":"i"}]`, "/resume/0/status"},
	} {
		name, _, _ := strings.Cut(tc.replace, ":")
		var members []string
		for _, m := range []string{`"threadId":"t"`, `"runId":"r"`, `"messages":[]`} {
			if !strings.HasPrefix(m, name) {
				members = append(members, m)
			}
		}
		raw := "{" + strings.Join(append(members, tc.replace), ",") + "}"
		_, _, err := ParseRunInput([]byte(raw))
		var v *shape.Violation
		if !errors.Is(err, ErrMalformed) || !errors.As(err, &v) || v.Path != tc.path {
			t.Errorf("%s: %v, want %s", raw, err, tc.path)
		}
	}
	for _, raw := range []string{`{"runId":"r","messages":[]}`, `{"threadId":"t","messages":[]}`, `{"threadId":"t","runId":"r"}`, `[]`, ``, smallInput + "1"} {
		if _, _, err := ParseRunInput([]byte(raw)); !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestUnknownInRunInputIsReported(t *testing.T) {
	in, warnings, err := ParseRunInput([]byte(`{"threadId":"t","runId":"r","future":1,"messages":[{"id":"1","role":"narrator"},{"id":"2","role":"user","content":[{"type":"smell"}],"x":0}]}`))
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, w := range warnings {
		paths = append(paths, w.Path)
	}
	if diff := cmp.Diff([]string{"/future", "/messages/0", "/messages/1/content/0", "/messages/1/x"}, paths); diff != "" {
		t.Errorf("warnings (-want +got)\n%s", diff)
	}
	if want := `{"threadId":"t","runId":"r","messages":[{"id":"2","role":"user","content":[]}]}`; string(in.Raw) != want {
		t.Errorf("kept %s, want %s", in.Raw, want)
	}
}

func FuzzParseRunInput(f *testing.F) {
	f.Add([]byte(smallInput))
	f.Add(bytes.Clone(fullInput(f)))
	f.Add([]byte(`{"threadId":"t","runId":"r","messages":[{"id":"1","role":"user","content":[{"type":"binary","mimeType":"a/b"}]}]}`))
	f.Add([]byte(`{"threadId":"t"`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		before := bytes.Clone(raw)
		in, warnings, err := ParseRunInput(raw)
		if !bytes.Equal(before, raw) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Fatalf("%v is not ErrMalformed", err)
			}
			return
		}
		if in.ThreadID == "" || in.RunID == "" || len(warnings) == 0 && !bytes.Equal(in.Raw, before) {
			t.Fatalf("got %+v", in)
		}
		var c Calls
		c.Seed(in.Messages)
		for _, m := range in.Messages {
			_, _ = m.Text(), m.Parts() // no panic
		}
	})
}
