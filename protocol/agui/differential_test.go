package agui

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The differential test reads streams, generated and mutated, with what the published
// client made of them (see e2e/differential), and compares it with what is made of them
// here: the verdict, the events that reach the application, and the messages and the state
// held in the end.

// compared is one stream, and what became of it there and here.
type compared struct {
	ID     string
	Kinds  []string
	Input  jsontext.Value
	Stream []jsontext.Value

	Verdict   string // the client's: completed, failed or timeout
	Error     string
	Warnings  []string
	delivered []any
	messages  any
	state     any

	ours ourReading
}

// ourReading is what became of a stream here.
type ourReading struct {
	err        error
	at         int // how many events were read
	delivered  []any
	partial    int // how many of delivered came with the error
	warnings   []Warning
	messages   any
	state      any
	unpatched  int      // how many patches do not apply by RFC 6902
	reshaped   int      // how many patches would make an activity's content no object
	mispatched []string // what patches did against RFC 6902
}

// A difference is one way in which the two readings of a stream differ.
type difference struct {
	what         string // patch, verdict, delivered, messages, state or warned
	client, here any
	index        int // of the delivered event
	*compared
}

// differentialLine is a line of cases.jsonl.
type differentialLine struct {
	Case struct {
		ID     string           `json:"id"`
		Input  jsontext.Value   `json:"input"`
		Stream []jsontext.Value `json:"stream"`
		Kinds  []string         `json:"kinds"`
	} `json:"case"`
	Result struct {
		Verdict   string   `json:"verdict"`
		Error     string   `json:"error"`
		Warnings  []string `json:"warnings"`
		Delivered []any    `json:"delivered"`
		Messages  any      `json:"messages"`
		State     any      `json:"state"`
	} `json:"result"`
}

func readCompared(t *testing.T, line []byte) *compared {
	t.Helper()
	var l differentialLine
	if err := json.Unmarshal(line, &l); err != nil {
		t.Fatal(err)
	}
	c := &compared{
		ID: l.Case.ID, Kinds: l.Case.Kinds, Input: l.Case.Input,
		Verdict: l.Result.Verdict, Error: l.Result.Error, Warnings: l.Result.Warnings,
		delivered: l.Result.Delivered, messages: l.Result.Messages, state: l.Result.State,
	}
	c.Stream = l.Case.Stream
	return c
}

// read reads the stream here.
func (c *compared) read(t *testing.T) {
	t.Helper()
	var in RunInput
	if err := json.Unmarshal(c.Input, &in); err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	held := NewConversation(in)
	p := NewPipeline(PipelineOptions{ThreadID: in.ThreadID})
	o := &c.ours
	for _, raw := range c.Stream {
		frames, warnings, err := p.Next(raw)
		o.warnings = append(o.warnings, warnings...)
		for _, f := range frames {
			o.delivered = append(o.delivered, jsValue(t, f.Raw))
			if err != nil {
				// The client loses what the refused event ends.
				o.partial++
				continue
			}
			before := patched(t, held, f)
			more, err := held.Apply(f)
			if err != nil {
				t.Fatalf("%s: %v", c.ID, err)
			}
			if before != nil {
				o.checkPatch(t, f, before, patched(t, held, f), more)
			}
			o.warnings = append(o.warnings, more...)
		}
		if err != nil {
			o.err = err
			break
		}
		o.at++
	}
	if o.err == nil {
		o.err = p.End()
	}
	messages, err := json.Marshal(held.Messages())
	if err != nil {
		t.Fatalf("%s: %v", c.ID, err)
	}
	o.messages, o.state = jsValue(t, messages), jsValue(t, held.State())
}

// patched returns the value that the event's patch is for, if there is one.
func patched(t *testing.T, held *Conversation, f Frame) jsontext.Value {
	t.Helper()
	switch f.Type {
	case TypeStateDelta:
		return held.State()
	case TypeActivityDelta:
		for _, m := range held.Messages() {
			if m.ID == f.Text("messageId") && m.Role == RoleActivity {
				return m.Content
			}
		}
	}
	return nil
}

// checkPatch compares what a patch did here with RFC 6902.
func (o *ourReading) checkPatch(t *testing.T, f Frame, before, after jsontext.Value, warnings []Warning) {
	t.Helper()
	patch := f.Member("delta")
	if f.Type == TypeActivityDelta {
		patch = f.Member("patch")
	}
	want, err := letterPatch(before, patch)
	_, object := want.(map[string]any)
	switch {
	case err != nil:
		o.unpatched++
		want = jsValue(t, before)
	case f.Type == TypeActivityDelta && !object:
		o.reshaped++
		want = jsValue(t, before)
	}
	failed := slices.ContainsFunc(warnings, func(w Warning) bool { return w.Code == PatchFailed })
	if !reflect.DeepEqual(want, jsValue(t, after)) || failed && err == nil && (object || f.Type == TypeStateDelta) {
		o.mispatched = append(o.mispatched, fmt.Sprintf("%s of %s: %s", patch, before, after))
	}
}

// jsValue is a JSON value with its numbers as JavaScript has them.
func jsValue(t *testing.T, raw []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// ids pairs the ids that the client makes up with those that are derived here.
type ids map[string]string

// same compares two values. The order of members is not looked at.
func (m ids) same(theirs, ours any) bool {
	switch theirs := theirs.(type) {
	case map[string]any:
		ours, ok := ours.(map[string]any)
		if !ok || len(ours) != len(theirs) {
			return false
		}
		for name, v := range theirs {
			other, ok := ours[name]
			if !ok || !m.same(v, other) {
				return false
			}
		}
		return true
	case []any:
		ours, ok := ours.([]any)
		if !ok || len(ours) != len(theirs) {
			return false
		}
		for i := range theirs {
			if !m.same(theirs[i], ours[i]) {
				return false
			}
		}
		return true
	case string:
		ours, ok := ours.(string)
		if !ok || !strings.HasPrefix(theirs, "made-up-") {
			return ok && ours == theirs
		}
		known, ok := m[theirs]
		m[theirs] = cmp.Or(known, ours)
		return !ok || known == ours
	}
	return theirs == ours
}

// differences compares the two readings. What comes after the first difference follows
// from it, and is not looked at.
func (c *compared) differences() []difference {
	o := &c.ours
	same := ids{}
	if len(o.mispatched) > 0 {
		return []difference{{"patch", nil, o.mispatched[0], 0, c}}
	}
	for _, v := range []any{c.delivered, o.delivered, c.messages, o.messages} {
		dropMember(v, "encryptedValueType")
	}
	for i := range min(len(c.delivered), len(o.delivered)) {
		if !same.same(c.delivered[i], o.delivered[i]) {
			return []difference{{"delivered", c.delivered[i], o.delivered[i], i, c}}
		}
	}
	// The client may lose, or may yet deliver, what comes of the refused event before
	// the fault.
	failed, refused := c.Verdict != "completed", o.err != nil
	least := len(o.delivered) - o.partial
	if failed != refused || len(c.delivered) < least || len(c.delivered) > len(o.delivered) {
		return []difference{{"verdict", cmp.Or(c.Error, c.Verdict), errorText(o.err), min(len(c.delivered), len(o.delivered)), c}}
	}
	var found []difference
	if !same.same(c.messages, o.messages) {
		found = append(found, difference{"messages", c.messages, o.messages, 0, c})
	}
	if !same.same(c.state, o.state) {
		found = append(found, difference{"state", c.state, o.state, 0, c})
	}
	// How much was warned about before a fault is not laid down.
	warned := slices.DeleteFunc(slices.Clone(c.Warnings), ofOlderVersion)
	if len(found) == 0 && !refused && (len(warned) > 0) != (len(o.warnings) > 0) {
		found = append(found, difference{"warned", warned, fmt.Sprint(o.warnings), 0, c})
	}
	return found
}

// The published client speaks version 1.0. It takes out the one member that 1.1 adds,
// with a warning, and warns of producers that declare 1.1; none of this is compared.
func ofOlderVersion(warning string) bool {
	return strings.Contains(warning, "/encryptedValueType'") || strings.Contains(warning, "speaks protocol 1.1;")
}

func dropMember(v any, name string) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, name)
		for _, child := range v {
			dropMember(child, name)
		}
	case []any:
		for _, child := range v {
			dropMember(child, name)
		}
	}
}

// A decision is a kind of difference that is meant, and the clause of the specification
// (AG-UI 1.1) that decides it.
type decision struct {
	name, clause string
	matches      func(d difference) bool
}

var decided = []decision{
	{
		"a stream without an end is truncated",
		"basic/transports: an end is told from a broken stream, and a consumer does not report a truncated run as a success",
		func(d difference) bool {
			return d.what == "verdict" && errors.Is(d.ours.err, ErrTruncated) && d.Verdict == "completed"
		},
	},
	{
		"the events of a run agree on its ids",
		"events/lifecycle: RUN_FINISHED names the run of RUN_STARTED, and every run the thread of the input",
		func(d difference) bool {
			return d.what == "verdict" && regexp.MustCompile(`^RUN_(STARTED|FINISHED): (run|thread)Id must be`).MatchString(errorText(d.ours.err))
		},
	},
	{
		"an interrupt is asked once",
		"basic/patterns/interrupt-resume: the ids of a run's interrupts are unique",
		func(d difference) bool {
			return d.what == "verdict" && strings.Contains(errorText(d.ours.err), "is used twice")
		},
	},
	{
		"a word of a union that is no string is malformed, and not merely unknown",
		"basic/processing: a field the protocol does describe, carrying a value the schema rejects, is fatal",
		func(d difference) bool {
			return d.what == "verdict" && errors.Is(d.ours.err, ErrMalformed) &&
				regexp.MustCompile(`/(type|op|role): expected a string`).MatchString(d.ours.err.Error())
		},
	},
	{
		"an unknown word goes with its field",
		"basic/processing, its note: that the reference client refuses an unknown role is a gap; what is unknown is stripped",
		func(d difference) bool {
			return d.what == "verdict" && strings.Contains(d.Error, `"invalid_value"`) && strings.Contains(fmt.Sprint(d.ours.warnings), string(UnknownValue))
		},
	},
	{
		"what CUSTOM on_interrupt asked is an interrupt",
		"basic/processing: the compatibility boundary translates retired shapes; the client knows this one no more",
		func(d difference) bool {
			here, _ := d.here.(map[string]any)
			return d.what == "delivered" && here["type"] == "RUN_FINISHED" && strings.Contains(fmt.Sprint(here["outcome"]), "on_interrupt")
		},
	},
	{
		"a patch goes to places that exist",
		"basic/patterns/snapshots and RFC 6902, section 4: a patch applies whole or not at all; the client's library also writes to places that do not exist",
		func(d difference) bool {
			// A value that was moved into itself has no JSON, and the next warning about it
			// fails the client.
			cyclic := d.what == "messages" && d.client == nil || d.what == "verdict" && strings.Contains(d.Error, "circular structure")
			// It also looks at the places of a move before it has taken the value out.
			refused := slices.ContainsFunc(d.Warnings, func(w string) bool { return strings.Contains(w, "Failed to apply") })
			return (d.what == "state" || d.what == "warned" || d.onlyActivities() || cyclic) && (d.ours.unpatched > 0 || refused)
		},
	},
	{
		"the content of an activity stays an object",
		"events/activity: the patched result must still be an object; a consumer may detect that it is not",
		func(d difference) bool {
			return (d.onlyActivities() || d.what == "warned") && d.ours.reshaped > 0
		},
	},
	{
		"no metadata decides which activities a snapshot drops",
		"events/state, MESSAGES_SNAPSHOT: activities stay unless the snapshot carries some; the client's own metadata says otherwise",
		func(d difference) bool {
			declared := slices.ContainsFunc(d.Stream, func(event jsontext.Value) bool {
				return strings.Contains(string(event), "authoritativeActivityTypes")
			})
			return d.what == "messages" && declared && !(ids{}).same(order(d.client), order(d.here))
		},
	},
	{
		"one id names one message",
		"the schema, BaseMessage: an id identifies the message within the conversation; which of two is meant is not laid down",
		func(d difference) bool {
			client, here := elements(d.client), elements(d.here)
			named := map[any]int{}
			for _, m := range client {
				named[m["id"]]++
			}
			for i := range min(len(client), len(here)) {
				if !(ids{}).same(client[i], here[i]) {
					return d.what == "messages" && named[client[i]["id"]] > 1
				}
			}
			return false
		},
	},
	{
		"encryptedValueType is a member of 1.1",
		"events/reasoning: it is new in 1.1, so that a wrong value is fatal; the client speaks 1.0 and strips it",
		func(d difference) bool {
			return d.what == "verdict" && strings.Contains(errorText(d.ours.err), "/encryptedValueType:")
		},
	},
	{
		"an encrypted value for nothing known is worth a warning",
		"events/reasoning, Error Handling: a consumer SHOULD warn",
		func(d difference) bool {
			return d.what == "warned" && slices.ContainsFunc(d.ours.warnings, func(w Warning) bool { return w.Code == UnknownEntity })
		},
	},
	{
		"another major version is worth a warning",
		"basic/versioning: versions are compared by number, and a foreign major is not served as one's own",
		func(d difference) bool {
			return d.what == "warned" && slices.ContainsFunc(d.ours.warnings, func(w Warning) bool { return w.Code == ForeignVersion })
		},
	},
}

// shown is how many examples of each kind of difference are shown.
const shown = 3

func TestDifferential(t *testing.T) {
	dir := os.Getenv("AGUI_DIFFERENTIAL")
	if dir == "" {
		t.Log("AGUI_DIFFERENTIAL names no folder: nothing was compared")
		return
	}
	file, err := os.Open(filepath.Join(dir, "cases.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	var total, differing int
	kinds, open, used := map[string]int{}, map[string][]difference{}, map[string]int{}
	for lines.Scan() {
		c := readCompared(t, lines.Bytes())
		c.read(t)
		total++
		for _, kind := range c.Kinds {
			kinds[kind]++
		}
		found := c.differences()
		if len(found) > 0 {
			differing++
		}
		for _, d := range found {
			i := slices.IndexFunc(decided, func(e decision) bool { return e.matches(d) })
			if i < 0 {
				open[d.group()] = append(open[d.group()], d)
			} else {
				used[decided[i].name]++
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d streams, %d read differently", total, differing)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("  %6d %s", kinds[kind], kind)
	}
	for _, e := range decided {
		t.Logf("  decided %5d %s (%s)", used[e.name], e.name, e.clause)
		if used[e.name] == 0 {
			t.Errorf("%s decides nothing; take it off the list", e.name)
		}
	}
	for _, group := range slices.SortedFunc(maps.Keys(open), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(open[b]), len(open[a])), cmp.Compare(a, b))
	}) {
		t.Errorf("%d streams differ without a decision: %s", len(open[group]), group)
		slices.SortStableFunc(open[group], func(a, b difference) int { return cmp.Compare(a.ours.at, b.ours.at) })
		for _, d := range open[group][:min(shown, len(open[group]))] {
			t.Log(d)
		}
	}
}

// group names what the difference is about, so that the like of it are shown together.
func (d difference) group() string {
	switch d.what {
	case "verdict", "warned":
		return d.what + ": client " + blank(fmt.Sprint(d.client)) + ", here " + blank(fmt.Sprint(d.here))
	case "delivered":
		for _, e := range []any{d.client, d.here} {
			if e, ok := e.(map[string]any); ok {
				return fmt.Sprintf("delivered: %v at %s", e["type"], place(d.client, d.here))
			}
		}
	case "messages":
		return "messages at " + place(d.client, d.here)
	}
	return d.what
}

// place returns where two values differ first, without the numbers of elements.
func place(a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return ""
		}
		names := maps.Clone(a)
		maps.Copy(names, b)
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !(ids{}).same(a[name], b[name]) {
				if _, both := a[name]; !both {
					return "/" + name + " (only here)"
				}
				if _, both := b[name]; !both {
					return "/" + name + " (only the client)"
				}
				return "/" + name + place(a[name], b[name])
			}
		}
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return " (length)"
		}
		for i := range a {
			if !(ids{}).same(a[i], b[i]) {
				return "/_" + place(a[i], b[i])
			}
		}
	}
	return ""
}

var (
	quoted  = regexp.MustCompile(`'[^']*'|"[^"]*"|\d+|(message|call|step|span|subagent|id) [^ ]*`)
	inWords = regexp.MustCompile(`[ \n]+`)
)

// blank takes out of an error what differs from stream to stream.
func blank(text string) string {
	text = inWords.ReplaceAllString(quoted.ReplaceAllString(text, "_"), " ")
	return text[:min(len(text), 120)]
}

// String shows a difference with the end of what was read of the stream.
func (d difference) String() string {
	b := fmt.Sprintf("%s of %s %v\n  client: %s\n  here:   %s", d.what, d.ID, d.Kinds, short(d.client), short(d.here))
	from := max(0, d.ours.at-2)
	for i := from; i < min(len(d.Stream), d.ours.at+1); i++ {
		b += fmt.Sprintf("\n  event %d: %s", i, cut(string(d.Stream[i])))
	}
	return b
}

func short(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Sprint(v)
	}
	return cut(string(b))
}

func cut(s string) string {
	const most = 600
	if len(s) <= most {
		return s
	}
	n := most
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}

// onlyActivities reports whether the messages differ in activities and in nothing else.
func (d difference) onlyActivities() bool {
	others := func(list any) (out []any) {
		for _, m := range elements(list) {
			if m["role"] != "activity" {
				out = append(out, m)
			}
		}
		return out
	}
	return d.what == "messages" && ids{}.same(others(d.client), others(d.here))
}

// order returns the ids of messages.
func order(list any) (out []any) {
	for _, m := range elements(list) {
		out = append(out, m["id"])
	}
	return out
}

// elements returns the objects of a list.
func elements(list any) []map[string]any {
	all, _ := list.([]any)
	var out []map[string]any
	for _, v := range all {
		if v, ok := v.(map[string]any); ok {
			out = append(out, v)
		}
	}
	return out
}
