package aisdk

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

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// The differential test reads streams, generated and mutated, with what the published
// packages made of them (see e2e/aisdk-differential), and compares it with what is made
// of them here: which chunk ends the stream and why, the errors that were told, the
// message that a chat shows and the one it holds, and whether either may be kept.

// compared is one stream, and what became of it there and here.
type compared struct {
	ID      string         `json:"id"`
	Major   int            `json:"major"`
	Message jsontext.Value `json:"message"`
	Lines   []string       `json:"lines"`
	Kinds   []string       `json:"kinds"`

	theirs reading
	ours   reading
	err    error
}

// A reading is what became of a stream.
type reading struct {
	Error    string         `json:"error"` // the class of the error that ended it
	Says     string         `json:"says"`
	At       int            `json:"at"` // how many chunks were read
	Failures []string       `json:"failures"`
	Shown    jsontext.Value `json:"shown"`
	Final    jsontext.Value `json:"final"`
	Valid    *bool          `json:"valid"`
}

// The classes of errors, as the packages name them.
const (
	noJSON       = "AI_JSONParseError"
	noChunk      = "AI_TypeValidationError"
	outOfOrder   = "AI_UIMessageStreamError"
	typeConfused = "TypeError" // where JavaScript itself gave up
)

// read reads a stream here as the transport and the reader of the package do.
func (c *compared) read(t testing.TB) {
	t.Helper()
	p := Profile(c.Major - 5)
	o := ReducerOptions{Profile: p, Separate: true}
	if c.Message != nil {
		m, err := ParseMessage(c.Message)
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		o.Message = &m
	}
	r := NewReducer(o)
	c.ours = reading{At: len(c.Lines), Failures: []string{}}
	for i, line := range c.Lines {
		f, _, err := ParseFrame([]byte(line))
		if err == nil {
			err = p.Check(f)
		}
		if err == nil {
			err = r.Apply(f)
		}
		if err != nil {
			c.err, c.ours.Error, c.ours.At = err, class(line, err), i
			break
		}
		if f.Type == TypeError {
			c.ours.Failures = append(c.ours.Failures, r.Failure())
		}
	}
	shown, shows := r.Shown()
	if shows {
		c.ours.Shown = encoded(t, shown)
		valid := p.CheckMessage(c.ours.Shown) == nil
		c.ours.Valid = &valid
	}
	c.ours.Final = encoded(t, *r.Message())
}

func encoded(t testing.TB, m Message) jsontext.Value {
	t.Helper()
	raw, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// class says what the package would call the error. It looks at the whole text first.
func class(line string, err error) string {
	var syntax *shape.SyntaxError
	_, forbidden := forbiddenName([]byte(line))
	switch {
	case errors.As(err, &syntax), forbidden, !jsontext.Value(line).IsValid():
		return noJSON
	case errors.Is(err, ErrSequence) && strings.Contains(err.Error(), "metadata that is"):
		return typeConfused
	case errors.Is(err, ErrSequence):
		return outOfOrder
	}
	return noChunk
}

// jsValue is a JSON value with its numbers as JavaScript has them.
func jsValue(t testing.TB, raw []byte) any {
	t.Helper()
	if len(raw) == 0 {
		return nil
	}
	var v any
	if err := json.Unmarshal(raw, &v); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	return v
}

// A difference is one way in which the two readings of a stream differ.
type difference struct {
	what         string // verdict, failures, shown, final or valid
	theirs, here any
	*compared
}

// differences compares the two readings. What comes after the first difference follows
// from it, and is not looked at.
func (c *compared) differences(t testing.TB) []difference {
	t.Helper()
	theirs, ours := c.theirs, c.ours
	verdict := func(r reading) string { return fmt.Sprintf("%s at %d", cmp.Or(r.Error, "completed"), r.At) }
	if a, b := verdict(theirs), verdict(ours); a != b {
		return []difference{{"verdict", a + ": " + theirs.Says, b + ": " + fmt.Sprint(c.err), c}}
	}
	if !slices.Equal(theirs.Failures, ours.Failures) {
		return []difference{{"failures", theirs.Failures, ours.Failures, c}}
	}
	if a, b := jsValue(t, theirs.Shown), jsValue(t, ours.Shown); !reflect.DeepEqual(a, b) {
		return []difference{{"shown", a, b, c}}
	}
	if a, b := jsValue(t, theirs.Final), jsValue(t, ours.Final); theirs.Error == "" && !reflect.DeepEqual(a, b) {
		return []difference{{"final", a, b, c}}
	}
	if !reflect.DeepEqual(theirs.Valid, ours.Valid) {
		return []difference{{"valid", theirs.Valid != nil && *theirs.Valid, ours.Valid != nil && *ours.Valid, c}}
	}
	return nil
}

// A decision is a kind of difference that is meant, and what decides it.
type decision struct {
	name, clause string
	matches      func(d difference) bool
}

var decidedDifferences = []decision{
	{
		"a name stands once in an object",
		"RFC 8259, section 4, and I-JSON (RFC 7493, section 2.3): of two, software would take this or that one; JavaScript takes the later",
		func(d difference) bool {
			return d.what == "verdict" && strings.Contains(fmt.Sprint(d.err), "duplicate object member name")
		},
	},
	{
		"a member of ai 7 has one form",
		"facts, table of chunks: ai 6 passes over what it does not know; who sends it means what ai 7 means",
		func(d difference) bool {
			return d.what == "verdict" && d.Major == 6 && regexp.MustCompile(`(text-end: /citations|tool-approval-request: /(reason|isAutomatic))`).MatchString(fmt.Sprint(d.err))
		},
	},
	{
		"text is Unicode",
		"RFC 7493, section 2.1: no unpaired surrogates; JavaScript has them",
		func(d difference) bool {
			return d.what == "verdict" && strings.Contains(fmt.Sprint(d.err), "invalid surrogate pair")
		},
	},
}

// shownExamples is how many examples of each kind of difference are shown.
const shownExamples = 3

func TestDifferential(t *testing.T) {
	dir := os.Getenv("AISDK_DIFFERENTIAL")
	if dir == "" {
		t.Log("AISDK_DIFFERENTIAL names no folder: nothing was compared")
		return
	}
	used := map[string]int{}
	for _, p := range []Profile{V6, V7} {
		compareAll(t, filepath.Join(dir, p.String()+".jsonl"), used)
	}
	for _, e := range decidedDifferences {
		t.Logf("decided %5d %s (%s)", used[e.name], e.name, e.clause)
		if used[e.name] == 0 {
			t.Errorf("%s decides nothing; take it off the list", e.name)
		}
	}
}

func compareAll(t *testing.T, name string, used map[string]int) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	var total, differing int
	verdicts, kinds, undecided := map[string]int{}, map[string]int{}, map[string][]difference{}
	for lines.Scan() {
		c := readCompared(t, lines.Bytes())
		c.read(t)
		total++
		verdicts[cmp.Or(c.theirs.Error, "completed")]++
		for _, kind := range c.Kinds {
			kinds[kind]++
		}
		found := c.differences(t)
		if len(found) > 0 {
			differing++
		}
		for _, d := range found {
			if i := slices.IndexFunc(decidedDifferences, func(e decision) bool { return e.matches(d) }); i >= 0 {
				used[decidedDifferences[i].name]++
			} else {
				undecided[d.group()] = append(undecided[d.group()], d)
			}
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	t.Logf("%s: %d streams, %d read differently; %v", filepath.Base(name), total, differing, verdicts)
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		t.Logf("  %6d %s", kinds[kind], kind)
	}
	for _, group := range slices.Sorted(maps.Keys(undecided)) {
		t.Errorf("%d streams differ without a decision: %s", len(undecided[group]), group)
		for _, d := range undecided[group][:min(shownExamples, len(undecided[group]))] {
			t.Log(d)
		}
	}
}

// The committed vectors are a part of the same, and hold the package without Node: what
// the bridge makes of AG-UI events, what the server side of both packages was recorded to
// stream, and generated streams.
func TestVectors(t *testing.T) {
	for _, p := range []Profile{V6, V7} {
		compareAll(t, filepath.Join("testdata", "vectors-"+p.String()+".jsonl"), map[string]int{})
	}
}

func readCompared(t testing.TB, line []byte) *compared {
	t.Helper()
	var l struct {
		Case   compared `json:"case"`
		Result reading  `json:"result"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		t.Fatal(err)
	}
	if string(l.Result.Shown) == "null" {
		l.Result.Shown = nil
	}
	l.Case.theirs = l.Result
	return &l.Case
}

var inErrors = regexp.MustCompile(`"[^"]*"|'[^']*'|\d+|(part|tool call|approval) [^ ]*`)

// group names what the difference is about, so that the like of it are shown together.
func (d difference) group() string {
	if d.what != "verdict" {
		return d.what
	}
	text := inErrors.ReplaceAllString(fmt.Sprintf("%.60v | %.100v", d.theirs, d.here), "_")
	return d.what + ": " + text
}

// String shows a difference with the chunks around the place where reading ended.
func (d difference) String() string {
	b := fmt.Sprintf("%s of %s %v\n  theirs: %s\n  here:   %s", d.what, d.ID, d.Kinds, short(d.theirs), short(d.here))
	if d.Message != nil {
		b += fmt.Sprintf("\n  before: %.300s", d.Message)
	}
	from := 0
	if d.what == "verdict" {
		from = max(0, min(d.compared.theirs.At, d.ours.At)-1)
	}
	for i := from; i < min(len(d.Lines), from+25); i++ {
		b += fmt.Sprintf("\n  chunk %d: %.400s", i, d.Lines[i])
	}
	return b
}

func short(v any) string {
	b, err := json.Marshal(v, json.Deterministic(true))
	if err != nil {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%.1500s", b)
}
