package agui

import (
	"bytes"
	"errors"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// noShape lists the definitions that have no shape of their own, and why. It is exact.
var noShape = map[string]string{
	"Event":        "an event is judged by the shape of its type; ParseFrame finds it",
	"EventType":    "the keys of eventShapes; each shape holds its own as a constant",
	"Role":         "the keys of message; each variant holds its own as a constant",
	"BaseEvent":    "a part of every event, open only because the whole is closed",
	"Attributable": "a part of events, messages and interrupts, open only because the whole is closed",
	"BaseMessage":  "a part of messages, open only because the whole is closed",
}

// noType lists the definitions without a typed view, and why. It is exact.
var noType = map[string]string{
	"Event": "the typed view is that of its type", "EventType": aWord, "TextMessageRole": aWord, "Role": aWord,
	"ReasoningEncryptedValueSubtype": aWord, "SubagentRunId": aWord, "JsonPointer": aWord,
	"BaseEvent": aPart, "Attributable": aPart, "BaseMessage": aPart,
	"Metadata": asBytes, "State": asBytes, "JsonPatch": asBytes, "JsonPatchOperation": asBytes,
	"AddOperation": asBytes, "RemoveOperation": asBytes, "ReplaceOperation": asBytes,
	"MoveOperation": asBytes, "CopyOperation": asBytes, "TestOperation": asBytes,
}

const (
	aWord   = "a string"
	aPart   = "a part of other definitions"
	asBytes = "kept as the bytes that came"
)

// A codec decodes a document into its typed view and encodes that again.
type codec func(raw []byte) (view any, out []byte, err error)

// codecs holds one for each definition with a typed view.
var codecs = func() map[string]codec {
	all := map[string]codec{
		"RunAgentInput": through[RunInput], "Tool": through[Tool], "Context": through[Context], "ResumeEntry": through[ResumeEntry],
		"Interrupt": through[Interrupt], "ToolCall": through[ToolCall], "FunctionCall": through[FunctionCall], "TokenUsage": through[TokenUsage],
		"AgentCapabilities": through[AgentCapabilities], "IdentityCapabilities": through[IdentityCapabilities],
		"TransportCapabilities": through[TransportCapabilities], "ToolsCapabilities": through[ToolsCapabilities],
		"OutputCapabilities": through[OutputCapabilities], "StateCapabilities": through[StateCapabilities],
		"MultiAgentCapabilities": through[MultiAgentCapabilities], "SubagentInfo": through[SubagentInfo],
		"ReasoningCapabilities": through[ReasoningCapabilities], "MultimodalCapabilities": through[MultimodalCapabilities],
		"MultimodalInputCapabilities": through[MultimodalInput], "MultimodalOutputCapabilities": through[MultimodalOutput],
		"ExecutionCapabilities": through[ExecutionCapabilities], "HumanInTheLoopCapabilities": through[HumanInTheLoopCapabilities],
	}
	each := func(c codec, before, after string, names ...string) {
		for _, name := range names {
			all[before+name+after] = c
		}
	}
	each(through[Outcome], "RunFinished", "Outcome", "", "Success", "Interrupt", "Cancelled")
	each(through[SubagentOutcome], "SubagentFinished", "Outcome", "", "Success", "Suspended")
	each(through[Message], "", "Message", "", "Developer", "System", "Assistant", "User", "Tool", "Activity", "Reasoning")
	each(through[ContentPart], "", "Part", "Content", "Text", "Image", "Audio", "Video", "Document")
	each(through[Source], "", "Source", "Part", "Data", "Url", "File")
	for t := range eventShapes {
		all[eventDefinition(t)] = throughEvent
	}
	return all
}()

func through[T any](raw []byte) (any, []byte, error) {
	var v T
	if err := json.Unmarshal(raw, &v); err != nil {
		return nil, nil, err
	}
	out, err := json.Marshal(v)
	return v, out, err
}

func throughEvent(raw []byte) (any, []byte, error) {
	f, _, err := ParseFrame(raw)
	if err != nil {
		return nil, nil, err
	}
	e, err := f.Event()
	if err != nil {
		return nil, nil, err
	}
	f, err = Encode(e)
	return e, f.Raw, err
}

// eventDefinition is the name of an event's definition: RUN_ERROR is RunErrorEvent, RAW RawEvent.
func eventDefinition(t EventType) string {
	name := ""
	for _, word := range strings.Split(string(t), "_") {
		name += word[:1] + strings.ToLower(word[1:])
	}
	return name + "Event"
}

func TestEveryDefinitionHasAShapeAndATypeOrAReason(t *testing.T) {
	s := theSchema(t)
	if s == nil {
		return
	}
	for _, name := range s.names {
		if has := definitions[name] != nil; has != (noShape[name] == "") {
			t.Errorf("%s: has a shape: %v; why it has none: %q", name, has, noShape[name])
		}
		if has := codecs[name] != nil; has != (noType[name] == "") {
			t.Errorf("%s: has a typed view: %v; why it has none: %q", name, has, noType[name])
		}
	}
	for _, name := range slices.Concat(keys(definitions), keys(codecs), keys(noShape), keys(noType)) {
		if s.forms[name] == nil {
			t.Errorf("the schema does not define %s", name)
		}
	}
}

func keys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// The decoder against the oracle: valid documents pass as they are, whatever else
// gets the oracle's verdict, and what is left of it is the oracle's.
func TestDecoderJudgesAsTheSchemaDoes(t *testing.T) {
	t.Parallel()
	s := theSchema(t)
	if s == nil {
		return
	}
	count := map[string]int{}
	for _, name := range s.names {
		if definitions[name] == nil {
			continue // TestEveryDefinitionHasAShapeAndATypeOrAReason says so
		}
		t.Run(name, func(t *testing.T) {
			g, faults := newGenerator(name, 3000), 0
			compare := func(doc any) {
				want, raw := s.forms[name].judge(doc), g.write(doc)
				count[want.String()]++
				if fault := disagreement(raw, definitions[name], want); fault != "" && faults < 3 {
					faults++
					t.Errorf("%s\n%s", fault, raw)
				}
			}
			for _, doc := range s.documents(name) {
				compare(doc)
			}
			s.mutations(name, compare)
		})
	}
	t.Log(count)
}

// disagreement says how the verdict of shape.Enforce differs from the wanted one.
func disagreement(raw []byte, s *shape.Shape, want verdict) string {
	clean, warnings, err := shape.Enforce(raw, s, nil)
	var v *shape.Violation
	switch {
	case want.gone:
		if err != nil || clean != nil || len(warnings) == 0 {
			return "is unknown as a whole, and not " + outcomeOf(clean, warnings, err)
		}
		return ""
	case len(want.wrong) > 0:
		if !errors.As(err, &v) || !slices.Contains(want.wrong, v.Path) {
			return "is malformed at " + strings.Join(want.wrong, ", ") + ", and not " + outcomeOf(clean, warnings, err)
		}
		return ""
	case err != nil || clean == nil:
		return "is " + want.String() + ", and not " + outcomeOf(clean, warnings, err)
	case len(want.removed) == 0:
		if len(warnings) > 0 || len(clean) != len(raw) || &clean[0] != &raw[0] {
			return "is clean: the bytes are to pass as they are, and not as " + outcomeOf(clean, warnings, err)
		}
		return ""
	}
	if !reflect.DeepEqual(tree(clean), want.clean) {
		return "is stripped of " + strings.Join(want.removed, ", ") + ", and not " + outcomeOf(clean, warnings, err)
	}
	return unreported(want.removed, warnings)
}

// unreported says which warning names nothing that was removed, and the reverse. A
// warning may name what was unknown inside of what had to go for it.
func unreported(removed []string, warnings []Warning) string {
	for _, w := range warnings {
		if !slices.ContainsFunc(removed, func(path string) bool { return w.Path == path || strings.HasPrefix(w.Path, path+"/") }) {
			return "a warning names " + w.Path + ", which is still there"
		}
	}
	for _, path := range removed {
		if !slices.ContainsFunc(warnings, func(w Warning) bool { return w.Path == path || strings.HasPrefix(w.Path, path+"/") }) {
			return "no warning names " + path
		}
	}
	return ""
}

func outcomeOf(clean []byte, warnings []Warning, err error) string {
	switch {
	case err != nil:
		return "an error: " + err.Error()
	case clean == nil:
		return "gone"
	case len(warnings) > 0:
		return "stripped: " + string(clean)
	}
	return "clean"
}

// A peer that reads the first of two members of a name and one that reads the last
// would not see the same event, so there is no such event, open object or not.
func TestMemberNamedTwiceIsNoJSONAtAnyDepth(t *testing.T) {
	t.Parallel()
	s := theSchema(t)
	if s == nil {
		return
	}
	for name, described := range definitions {
		for twice := 1; ; twice++ {
			w := writer{generator: newGenerator(name, uint64(4000+twice)), odd: twice%2 == 0, twice: twice}
			w.value(s.fullDocuments(name, deepest)[0])
			if w.object < twice {
				break
			}
			var syntax *shape.SyntaxError
			if clean, _, err := shape.Enforce(w.out, described, nil); !errors.As(err, &syntax) || clean != nil {
				t.Fatalf("%s: accepted, or not a syntax error: %v\n%s", name, err, w.out)
			}
		}
	}
}

// The union of all events is the one that no shape reads. An event of unknown type is
// kept whole, under a name that nobody takes for a known one; one without a type is wrong.
func TestEventIsJudgedByItsType(t *testing.T) {
	t.Parallel()
	s := theSchema(t)
	if s == nil {
		return
	}
	g := newGenerator("Event", 5000)
	s.mutations("Event", func(doc any) {
		want, raw := s.forms["Event"].judge(doc), g.write(doc)
		f, warnings, err := ParseFrame(raw)
		var right bool
		switch want.String() {
		case "malformed":
			right = errors.Is(err, ErrMalformed) && f.Raw == nil
		case "gone":
			right = err == nil && len(warnings) > 0 && (!f.Known() && bytes.Equal(f.Raw, raw) || f.Known() && f.Raw == nil)
		default:
			right = err == nil && (want.String() == "clean") == (len(warnings) == 0) && f.Known() && reflect.DeepEqual(tree(f.Raw), want.clean)
		}
		if !right {
			t.Errorf("is %s, got %v, %q, warnings %v\n%s", want, err, f.Raw, warnings, raw)
		}
	})
}

// tree reads JSON as the oracle does, or returns an error.
func tree(raw []byte) any {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		return err
	}
	return v
}

// The encoder against the schema: nothing that a valid document says is lost or
// changed on the way through the typed view, nothing is added, and the view has a
// field for all of it.
func TestEncoderKeepsWhatTheSchemaAccepts(t *testing.T) {
	t.Parallel()
	s := theSchema(t)
	if s == nil {
		return
	}
	for _, name := range s.names {
		if codecs[name] == nil {
			continue
		}
		t.Run(name, func(t *testing.T) {
			g := newGenerator(name, 6000)
			for _, doc := range append(s.documents(name), s.emptyStrings(name)...) {
				raw := g.write(doc)
				view, out, err := codecs[name](raw)
				if err != nil {
					t.Fatalf("%v\n%s", err, raw)
				}
				if left := extra(reflect.ValueOf(view)); left != "" {
					t.Fatalf("%T has no field for %s", view, left)
				}
				again := tree(out)
				if at := firstDifference(doc, again); at != "" || !s.valid(name, again) {
					t.Fatalf("differs at %q, valid: %v\n%s\n%s", at, s.valid(name, again), raw, out)
				}
			}
		})
	}
}

// extra returns what a typed view has left over in a field Extra, at any depth.
func extra(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return extra(v.Elem())
		}
	case reflect.Slice:
		if v.Type() != reflect.TypeFor[jsontext.Value]() {
			for i := range v.Len() {
				if left := extra(v.Index(i)); left != "" {
					return left
				}
			}
		}
	case reflect.Struct:
		for field, inner := range v.Fields() {
			left := extra(inner)
			if field.Name == "Extra" {
				left = string(inner.Bytes())
			}
			if left != "" {
				return left
			}
		}
	}
	return ""
}

// firstDifference returns the first place where b is not a, or "".
func firstDifference(a, b any) string {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return "/"
		}
		for name := range b {
			if _, ok := a[name]; !ok {
				return "/" + name
			}
		}
		for name, inner := range a {
			other, ok := b[name]
			if at := firstDifference(inner, other); !ok || at != "" {
				return "/" + name + at
			}
		}
		return ""
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return "/"
		}
		for i := range a {
			if at := firstDifference(a[i], b[i]); at != "" {
				return "/" + strconv.Itoa(i) + at
			}
		}
		return ""
	}
	if !reflect.DeepEqual(a, b) {
		return "/"
	}
	return ""
}
