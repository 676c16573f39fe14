package agui

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A verdict is what the protocol says of a document: it is malformed; or the whole
// of it is unknown and goes; or clean is what is left of it. Places are JSON Pointers.
type verdict struct {
	wrong   []string // what makes it malformed
	gone    bool
	removed []string // what was taken out of clean
	clean   any
}

// judge is the oracle: the rules of basic/processing, read off the schema alone.
//
//	unknown member of a closed object        it goes
//	unknown variant, unknown word            its place goes
//	a place that goes, in an optional member the member goes
//	a place that goes, in a required member  the object that holds it goes
//	a place that goes, in a list             the element goes
//	anything else the schema does not accept malformed
//
// What goes is not judged: its wrong values are part of what nobody here knows, and
// the reference removes before it validates. An object without the tag that would
// tell its variant, or with one that is no string, is malformed and not unknown: a
// required member is missing, and a later version does not leave it out either.
func (f *form) judge(v any) verdict {
	switch {
	case f.constant != "":
		return scalar(v, v == f.constant)
	case len(f.words) > 0:
		if word, ok := v.(string); ok && !slices.Contains(f.words, word) {
			return verdict{gone: true}
		}
		return scalar(v, kindOf(v) == "string")
	case f.tag != "":
		return f.judgeTagged(v)
	case len(f.variants) > 0:
		if variant := f.variant(kindOf(v)); variant != nil {
			return variant.judge(v)
		}
		return scalar(v, false)
	}
	switch f.kind {
	case "object":
		return f.judgeObject(v)
	case "array":
		return f.judgeArray(v)
	case "integer":
		return scalar(v, f.holdsInteger(v))
	case "":
		return scalar(v, !f.notNull || v != nil)
	}
	text, _ := v.(string)
	return scalar(v, kindOf(v) == f.kind && (f.pattern == nil || f.pattern.MatchString(text)))
}

// scalar is the verdict on a value that is right as a whole or wrong as a whole.
func scalar(v any, right bool) verdict {
	if right {
		return verdict{clean: v}
	}
	return verdict{wrong: []string{""}}
}

func (f *form) judgeTagged(v any) verdict {
	m, ok := v.(map[string]any)
	if !ok {
		return scalar(v, false)
	}
	word, ok := m[f.tag].(string)
	if !ok {
		return verdict{wrong: []string{"/" + f.tag}}
	}
	if variant := f.tagged(word); variant != nil {
		return variant.judge(v)
	}
	return verdict{gone: true}
}

func (f *form) judgeObject(v any) verdict {
	m, ok := v.(map[string]any)
	if !ok {
		return scalar(v, false)
	}
	var all verdict
	clean := map[string]any{}
	for _, name := range f.required {
		if _, ok := m[name]; !ok {
			all.wrong = append(all.wrong, "/"+name)
		}
	}
	for name, v := range m {
		at := "/" + pointerEscapes.Replace(name)
		member := f.members[name]
		if member == nil {
			if f.closed {
				all.removed = append(all.removed, at)
			} else {
				clean[name] = v
			}
			continue
		}
		inner := member.judge(v)
		switch {
		case inner.gone && slices.Contains(f.required, name):
			return verdict{gone: true}
		case inner.gone:
			all.removed = append(all.removed, at)
		default:
			clean[name] = inner.clean
			all.within(at, inner)
		}
	}
	all.clean = clean
	return all
}

func (f *form) judgeArray(v any) verdict {
	a, ok := v.([]any)
	if !ok {
		return scalar(v, false)
	}
	var all verdict
	clean := []any{}
	for i, v := range a {
		at := "/" + strconv.Itoa(i)
		inner := f.item.judge(v)
		if inner.gone {
			all.removed = append(all.removed, at)
			continue
		}
		clean = append(clean, inner.clean)
		all.within(at, inner)
	}
	if len(clean) < f.minItems {
		all.wrong = append(all.wrong, "")
	}
	all.clean = clean
	return all
}

func (v *verdict) within(at string, inner verdict) {
	for _, path := range inner.wrong {
		v.wrong = append(v.wrong, at+path)
	}
	for _, path := range inner.removed {
		v.removed = append(v.removed, at+path)
	}
}

var pointerEscapes = strings.NewReplacer("~", "~0", "/", "~1")

// holdsInteger reads the number as the mathematics of JSON Schema has it: 1.0 and 2e3 are whole.
func (f *form) holdsInteger(v any) bool {
	if kindOf(v) != "number" {
		return false
	}
	n, err := strconv.ParseFloat(fmt.Sprint(v), 64)
	return err == nil && n == float64(int64(n)) && n >= float64(f.min) && n <= float64(f.max)
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return "number"
}

// A spot is one described place of a document.
type spot struct {
	path []any // names and indices from the top
	form *form
}

// spots returns every described place of a document, the whole of it too.
func (f *form) spots(v any, path []any) []spot {
	all := []spot{{slices.Clone(path), f}}
	switch v := v.(type) {
	case map[string]any:
		if f.tag != "" {
			if word, ok := v[f.tag].(string); ok && f.tagged(word) != nil {
				f = f.tagged(word)
			}
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if m := f.members[name]; m != nil {
				all = append(all, m.spots(v[name], append(path, name))...)
			}
		}
	case []any:
		if array := f.variant("array"); array != nil {
			f = array
		}
		for i := range v {
			if f.item != nil {
				all = append(all, f.item.spots(v[i], append(path, i))...)
			}
		}
	}
	return all
}

// edit returns a copy of v in which f has replaced, or taken out, what is at path.
func edit(v any, path []any, f func(any) (any, bool)) (any, bool) {
	if len(path) == 0 {
		return f(v)
	}
	switch at := path[0].(type) {
	case string:
		m := maps.Clone(v.(map[string]any))
		inner, keep := edit(m[at], path[1:], f)
		if m[at] = inner; !keep {
			delete(m, at)
		}
		return m, true
	case int:
		a := slices.Clone(v.([]any))
		inner, keep := edit(a[at], path[1:], f)
		if a[at] = inner; !keep {
			a = slices.Delete(a, at, at+1)
		}
		return a, true
	}
	panic("a path of names and indices")
}

// What may stand in a place: of every JSON type, near the limits of every rule.
var (
	anyScalar     = []any{nil, true, number("7"), "x", map[string]any{}}
	anyKind       = append(slices.Clone(anyScalar), []any{}, []any{nil}, map[string]any{"type": "x"})
	oddIntegers   = []string{"9007199254740991", "9007199254740992", "-9007199254740991", "-9007199254740992", "-1", "0.5", "1e400", "12.0", "1e2"}
	oddPointers   = []string{"a", "a/b", "~", "/~", "/~2", "/a~", "#/a", " /a", "/~0~1", ""}
	unknownWords  = []string{"hologram", "", "Tool", "TEXT", "binary"} // binary is retired: the compatibility boundary translates it before
	unknownMember = "futureMember"
)

// replacements returns what a place is tried with: mostly wrong, sometimes right.
func (f *form) replacements(g *generator, v any) (all []any) {
	all = slices.Clone(anyKind)
	if f.kind != "" && f.kind != "object" && f.kind != "array" {
		all = slices.Clone(anyScalar)
	}
	switch v := v.(type) {
	case map[string]any:
		for _, name := range []string{unknownMember, pick(g, someMembers)} {
			more := maps.Clone(v)
			more[name] = g.anything(0)
			all = append(all, more)
		}
		all = append(all, f.retagged(v)...)
	case []any:
		all = append(all, append(slices.Clone(v), nil), append(slices.Clone(v), v...))
		if f.item != nil || f.variant("array") != nil {
			all = append(all, append([]any{map[string]any{"type": "hologram", "role": "hologram", "op": "hologram"}}, v...))
		}
	case string:
		words := []string{"", pick(g, someStrings)}
		if f.constant != "" || len(f.words) > 0 {
			words = unknownWords
		} else if f.pattern != nil {
			words = oddPointers
		}
		for _, word := range words {
			all = append(all, word)
		}
	}
	if f.kind == "integer" {
		for _, text := range oddIntegers {
			all = append(all, number(text))
		}
	}
	return all
}

// retagged gives an object the tags of its siblings, which want other members, and unknown ones.
func (f *form) retagged(v map[string]any) (all []any) {
	if f.tag == "" {
		return nil
	}
	words := slices.Clone(unknownWords)
	for _, sibling := range f.variants {
		words = append(words, sibling.members[f.tag].constant)
	}
	for _, word := range words {
		other := maps.Clone(v)
		other[f.tag] = word
		all = append(all, other)
	}
	return all
}

// mutations calls yield with documents of the named definition that are not quite
// right: each place near the top of a full document wrong in each way, for what lies
// deeper lies near the top of a definition of its own; the same of a bare document,
// which a reader may take a shorter way through; the members of other definitions; and
// several things wrong at once, at any depth.
func (s *protocolSchema) mutations(name string, yield func(doc any)) {
	f := s.forms[name]
	for round, doc := range append(s.fullDocuments(name, nearTop), s.bareDocument(name)) {
		g := newGenerator(name, uint64(1000+round))
		for _, at := range f.spots(doc, nil) {
			if len(at.path) > nearTop || round > 0 && round < fullRounds && len(at.path) > 0 && len(at.form.variants) == 0 {
				continue // in a later round: the same place, wrong in the same ways
			}
			for _, broken := range at.broken(g, doc) {
				yield(broken)
			}
		}
		if m, ok := doc.(map[string]any); ok && len(f.variants) == 0 {
			for names := range slices.Chunk(s.members, 50) { // what is removed has a warning, and their number has a limit
				yield(f.withForeign(m, names))
			}
		}
	}
	for n := range mutationRounds {
		g := newGenerator(name, uint64(2000+n))
		doc := g.valid(f, 0)
		for range 1 + g.IntN(4) {
			if broken := pick(g, f.spots(doc, nil)).broken(g, doc); len(broken) > 0 {
				doc = pick(g, broken)
			}
		}
		yield(doc)
	}
}

// withForeign adds those of the members that the object does not know.
func (f *form) withForeign(m map[string]any, names []string) any {
	all := maps.Clone(m)
	for _, name := range names {
		if f.members[name] == nil {
			all[name] = "foreign"
		}
	}
	return all
}

// broken returns the document with one place replaced in each way, and without it.
func (at spot) broken(g *generator, doc any) (all []any) {
	var found any
	edit(doc, at.path, func(v any) (any, bool) { found = v; return v, true })
	for _, v := range at.form.replacements(g, found) {
		broken, _ := edit(doc, at.path, func(any) (any, bool) { return v, true })
		all = append(all, broken)
	}
	if len(at.path) > 0 {
		without, _ := edit(doc, at.path, func(any) (any, bool) { return nil, false })
		all = append(all, without)
	}
	return all
}

// A writer writes a document, either as most producers do, or as bytes that a strict
// reader takes and nobody expects: white space anywhere, escapes that nothing needs.
type writer struct {
	*generator
	out    []byte
	odd    bool
	object int // counts the objects
	twice  int // the object, counted from 1, in which a member is named twice
}

// write returns the document as JSON.
func (g *generator) write(v any) []byte {
	w := writer{generator: g, odd: g.IntN(2) == 0}
	w.value(v)
	return w.out
}

func (w *writer) value(v any) {
	w.space()
	switch v := v.(type) {
	case nil:
		w.out = append(w.out, "null"...)
	case string:
		w.text(v)
	case []any:
		w.list('[', ']', len(v), func(i int) { w.value(v[i]) })
	case map[string]any:
		names := slices.Sorted(maps.Keys(v))
		w.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		if w.object++; w.object == w.twice {
			if len(names) == 0 {
				names = []string{"a"}
			}
			names = append(names, names[0])
		}
		w.list('{', '}', len(names), func(i int) {
			w.space()
			w.text(names[i])
			w.space()
			w.out = append(w.out, ':')
			w.value(v[names[i]])
		})
	default:
		w.out = fmt.Append(w.out, v)
	}
	w.space()
}

func (w *writer) list(open, end byte, n int, item func(int)) {
	w.out = append(w.out, open)
	w.space()
	for i := range n {
		if i > 0 {
			w.out = append(w.out, ',')
		}
		item(i)
	}
	w.out = append(w.out, end)
}

func (w *writer) space() {
	if w.odd && w.IntN(12) == 0 {
		w.out = append(w.out, pick(w.generator, []string{" ", "\n", "\t", " \r\n "})...)
	}
}

func (w *writer) text(s string) {
	w.out = append(w.out, '"')
	for _, r := range s {
		switch {
		case (r == '"' || r == '\\') && !w.odd:
			w.out = append(w.out, '\\', byte(r))
		case r == '"' || r == '\\' || r < ' ' || w.odd && r < 128 && w.IntN(40) == 0:
			w.out = fmt.Appendf(w.out, `\u%04x`, r)
		default:
			w.out = append(w.out, string(r)...)
		}
	}
	w.out = append(w.out, '"')
}

// The oracle has to agree with the schema, or what is held to it is held to an
// error: it calls a document clean exactly if the schema accepts it, what it leaves
// of one is valid, and nothing can be saved of what it calls malformed.
func TestOracleAgreesWithTheSchema(t *testing.T) {
	t.Parallel()
	s := theSchema(t)
	if s == nil {
		return
	}
	count := map[string]int{}
	for _, name := range s.names {
		f := s.forms[name]
		s.mutations(name, func(doc any) {
			v := f.judge(doc)
			count[v.String()]++
			if clean := v.String() == "clean"; clean != s.valid(name, doc) {
				t.Errorf("%s: the oracle says %s, the schema %v\n%v", name, v, s.validators[name].Validate(doc), doc)
			}
			if v.String() == "stripped" && !s.valid(name, v.clean) {
				t.Errorf("%s: the schema does not accept what is left without %q: %v\n%v", name, v.removed, s.validators[name].Validate(v.clean), v.clean)
			}
			if len(v.removed) > 0 && v.String() == "malformed" && s.valid(name, v.clean) {
				t.Errorf("%s: malformed, but valid without %q\n%v", name, v.removed, doc)
			}
		})
	}
	t.Log(count)
	for _, kind := range []string{"clean", "stripped", "gone", "malformed"} {
		if count[kind] < 100 {
			t.Errorf("%d documents are %s: the mutations do not reach the rule", count[kind], kind)
		}
	}
}

// String names the verdict.
func (v verdict) String() string {
	switch {
	case v.gone:
		return "gone"
	case len(v.wrong) > 0:
		return "malformed"
	case len(v.removed) > 0:
		return "stripped"
	}
	return "clean"
}
