package agui

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// How much is generated for each definition of the schema. Everything follows from
// the seed, so that a failure comes back.
const (
	seed             = 11
	fullRounds       = 3  // documents with every member; three, for each variant of the widest small union
	someRounds       = 8  // documents with a part of the members
	mutationRounds   = 12 // documents with several things wrong, beside one for each thing that can be wrong
	deepest          = 6  // levels below which only what is required is generated
	nearTop          = 2  // levels of a document in which each place is made wrong in each way
	schemaAddress    = "https://ag-ui.com/spec/1.1/schema.json"
	definitionPrefix = "#/$defs/"
)

// A protocolSchema is the protocol's JSON Schema, read twice: by a validator that
// knows nothing of this package, and into forms, for the generator and the oracle.
type protocolSchema struct {
	names      []string // of the definitions, in order
	members    []string // every name that any object of the schema knows
	forms      map[string]*form
	validators map[string]*jsonschema.Schema
	nodes      map[string]any
}

// A form is what one place of a document may hold: its schema with every reference
// followed and every composition merged.
type form struct {
	kind     string // the JSON type, "" for any
	notNull  bool
	constant string   // the one string that is accepted, if any
	words    []string // the strings that are known, if they are listed
	pattern  *regexp.Regexp
	min, max int64 // of an integer
	minItems int
	item     *form
	members  map[string]*form
	required []string
	closed   bool    // no member beside members
	variants []*form // exactly one of them
	tag      string  // the member that tells the variants apart, if they are objects
}

// theSchema returns the schema, or nil if the conformance data is not here.
func theSchema(t *testing.T) *protocolSchema {
	t.Helper()
	dir := conformance(t)
	if dir == "" {
		return nil
	}
	s, err := readSchema(filepath.Join(dir, "schema-1.1.json"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var readSchema = onceForEach(func(file string) (*protocolSchema, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	s := &protocolSchema{forms: map[string]*form{}, validators: map[string]*jsonschema.Schema{}}
	s.nodes = doc.(map[string]any)["$defs"].(map[string]any)
	s.names = slices.Sorted(maps.Keys(s.nodes))
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaAddress, doc); err != nil {
		return nil, err
	}
	s.members = memberNames(doc)
	for _, name := range s.names {
		if s.validators[name], err = c.Compile(schemaAddress + definitionPrefix + name); err != nil {
			return nil, err
		}
		if s.forms[name], err = s.flatten(s.nodes[name]); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return s, nil
})

// memberNames returns the names under every "properties" of the schema.
func memberNames(node any) (names []string) {
	switch node := node.(type) {
	case []any:
		for _, part := range node {
			names = append(names, memberNames(part)...)
		}
	case map[string]any:
		for keyword, part := range node {
			if properties, ok := part.(map[string]any); ok && keyword == "properties" {
				names = append(names, slices.Collect(maps.Keys(properties))...)
			}
			names = append(names, memberNames(part)...)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// onceForEach keeps what f returned for an argument: the schema takes a while to compile.
func onceForEach[T any](f func(string) (T, error)) func(string) (T, error) {
	var known sync.Map
	return func(arg string) (T, error) {
		once, _ := known.LoadOrStore(arg, sync.OnceValues(func() (T, error) { return f(arg) }))
		return once.(func() (T, error))()
	}
}

// valid reports whether the schema accepts the value as the named definition.
func (s *protocolSchema) valid(name string, v any) bool { return s.validators[name].Validate(v) == nil }

func (s *protocolSchema) flatten(node any) (*form, error) {
	f := &form{members: map[string]*form{}}
	if err := s.merge(f, node.(map[string]any)); err != nil {
		return nil, err
	}
	return f, f.findTag()
}

// merge adds what one schema says to f. A keyword it does not know is an error: the
// generator and the oracle would otherwise pass over a rule of a later schema.
func (s *protocolSchema) merge(f *form, node map[string]any) error {
	for keyword, v := range node {
		if err := s.mergeKeyword(f, keyword, v); err != nil {
			return fmt.Errorf("%s: %w", keyword, err)
		}
	}
	return nil
}

var errNotRead = errors.New("this test does not know how to read that")

func (s *protocolSchema) mergeKeyword(f *form, keyword string, v any) (err error) {
	switch keyword {
	case "$anchor", "description", "default", "contentEncoding": // no rules for a validator
	case "$ref":
		return s.merge(f, s.nodes[strings.TrimPrefix(v.(string), definitionPrefix)].(map[string]any))
	case "allOf":
		for _, part := range v.([]any) {
			err = errors.Join(err, s.merge(f, part.(map[string]any)))
		}
		return err
	case "oneOf":
		for _, part := range v.([]any) {
			variant, err := s.flatten(part)
			if err != nil {
				return err
			}
			f.variants = append(f.variants, variant)
		}
	case "properties":
		return s.mergeMembers(f, v.(map[string]any))
	case "items":
		f.item, err = s.flatten(v)
		return err
	case "required":
		f.required = append(f.required, texts(v)...)
	case "unevaluatedProperties", "additionalProperties":
		f.closed = v == false
	default:
		return f.mergeScalar(keyword, v)
	}
	return nil
}

func (s *protocolSchema) mergeMembers(f *form, properties map[string]any) error {
	for name, sub := range properties {
		m := f.members[name]
		if m == nil {
			m = &form{members: map[string]*form{}}
			f.members[name] = m
		}
		if err := s.merge(m, sub.(map[string]any)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if err := m.findTag(); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func (f *form) mergeScalar(keyword string, v any) (err error) {
	switch keyword {
	case "type":
		f.kind = v.(string)
	case "const":
		f.constant, f.kind = v.(string), "string"
	case "enum":
		f.words = texts(v)
	case "pattern":
		f.pattern, err = regexp.Compile(v.(string))
	case "minItems":
		_, err = fmt.Sscan(fmt.Sprint(v), &f.minItems)
	case "minimum":
		_, err = fmt.Sscan(fmt.Sprint(v), &f.min)
	case "maximum":
		_, err = fmt.Sscan(fmt.Sprint(v), &f.max)
	case "not":
		if n, ok := v.(map[string]any); !ok || len(n) != 1 || n["type"] != "null" {
			return errNotRead
		}
		f.notNull = true
	default:
		return errNotRead
	}
	return err
}

// findTag finds the member that every variant fixes to a string of its own.
func (f *form) findTag() error {
	if len(f.variants) == 0 || f.tag != "" || f.variant("string") != nil && f.variant("array") != nil {
		return nil
	}
	for name := range f.variants[0].members {
		fixed := func(v *form) bool { m := v.members[name]; return m != nil && m.constant != "" }
		if !slices.ContainsFunc(f.variants, func(v *form) bool { return !fixed(v) }) {
			f.tag = name
			return nil
		}
	}
	return errNotRead
}

// variant returns the variant of the given JSON type, or nil.
func (f *form) variant(kind string) *form {
	for _, v := range f.variants {
		if v.kind == kind {
			return v
		}
	}
	return nil
}

// tagged returns the variant whose tag is the given word, or nil.
func (f *form) tagged(word string) *form {
	for _, v := range f.variants {
		if v.members[f.tag].constant == word {
			return v
		}
	}
	return nil
}

func texts(v any) (all []string) {
	for _, text := range v.([]any) {
		all = append(all, text.(string))
	}
	return all
}

// number is the tree's form of a number, which keeps its text.
func number(text string) any {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		panic(err)
	}
	return v
}

// What strings and numbers are made of: whatever a parser or an editor of bytes may trip over.
var (
	someStrings  = []string{"", "a", "null", "text with spaces", `"quoted" \ and /`, "line\nbreak\ttab", "ünïcödé ☃ 😀", "{\"type\":\"text\"}", "]},", "function"}
	somePointers = []string{"", "/", "/a", "/a/0", "//", "/~0/~1", "/~01", "/a b/ü", "/-"}
	someNumbers  = []string{"0", "-0", "1", "42", "1.0", "2e3", "1785000000000", "9007199254740991", "-1", "-9007199254740991"}
	someMembers  = []string{"future", "a/b", "~", "", "toString", "__proto__", "Type", "ünïcödé", "ag-ui"}
)

// A generator makes documents. Which of the optional members are there: all of
// them, none, or each by chance.
type generator struct {
	*rand.Rand
	all, none bool
	empty     bool // every string that may be is empty
	depth     int  // all: down to here; only what is required below
	round     int  // all: which variant is taken
}

func newGenerator(name string, n uint64) *generator {
	h := uint64(seed)
	for _, b := range []byte(name) {
		h = h*31 + uint64(b)
	}
	return &generator{Rand: rand.New(rand.NewPCG(h, n)), depth: deepest}
}

func pick[T any](g *generator, from []T) T { return from[g.IntN(len(from))] }

// valid generates a value that the schema accepts.
func (g *generator) valid(f *form, depth int) any {
	switch {
	case f.constant != "":
		return f.constant
	case len(f.words) > 0:
		return pick(g, f.words)
	case len(f.variants) > 0 && g.all:
		return g.valid(f.variants[g.round%len(f.variants)], depth)
	case len(f.variants) > 0:
		return g.valid(pick(g, f.variants), depth)
	}
	switch f.kind {
	case "object":
		return g.object(f, depth)
	case "array":
		return g.array(f, depth)
	case "string":
		if g.empty {
			return ""
		}
		if f.pattern != nil {
			return pick(g, somePointers)
		}
		return pick(g, someStrings)
	case "integer":
		text := pick(g, someNumbers)
		if f.min >= 0 {
			text = strings.TrimPrefix(text, "-")
		}
		return number(text)
	case "boolean":
		return g.IntN(2) == 0
	}
	v := g.anything(0)
	for f.notNull && v == nil {
		v = g.anything(0)
	}
	return v
}

func (g *generator) object(f *form, depth int) any {
	m := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(f.members)) {
		if slices.Contains(f.required, name) || !g.none && depth < g.depth && (g.all || g.IntN(2) == 0) {
			m[name] = g.valid(f.members[name], depth+1)
		}
	}
	if !f.closed && !g.none {
		for range 1 + g.IntN(2) {
			if name := pick(g, someMembers); f.members[name] == nil {
				m[name] = g.anything(0)
			}
		}
	}
	return m
}

// array makes a list. One of variants, in a full document, holds one of each, or two
// of them if the document is not full all the way down.
func (g *generator) array(f *form, depth int) any {
	a := []any{}
	n := f.minItems
	switch full := g.all && depth < g.depth; {
	case full && f.item.tag != "":
		n = len(f.item.variants)
		if g.depth < deepest {
			n = 2
		}
		for i := range n {
			a = append(a, g.valid(f.item.variants[(g.round+i)%len(f.item.variants)], depth+1))
		}
		return a
	case full:
		n = max(n, 1)
	case !g.none && depth < g.depth:
		n += g.IntN(3)
	}
	for range n {
		a = append(a, g.valid(f.item, depth+1))
	}
	return a
}

// anything makes an arbitrary JSON value. Its members look like the protocol's, so
// that whoever looks for those inside an open object is found out.
func (g *generator) anything(depth int) any {
	switch n := g.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return g.IntN(2) == 0
	case n < 4:
		return number(pick(g, append(someNumbers, "1.5", "1e400", "-0.25")))
	case n < 6 || depth > 2:
		return pick(g, someStrings)
	case n == 6:
		a := []any{}
		for range g.IntN(3) {
			a = append(a, g.anything(depth+1))
		}
		return a
	}
	m := map[string]any{}
	for range g.IntN(4) {
		m[pick(g, append(someMembers, "type", "role", "op", "id", "messageId"))] = g.anything(depth + 1)
	}
	return m
}

// documents returns valid documents of the named definition.
func (s *protocolSchema) documents(name string) (docs []any) {
	docs = append(s.fullDocuments(name, deepest), s.bareDocument(name))
	for n := range someRounds {
		docs = append(docs, newGenerator(name, uint64(100+n)).valid(s.forms[name], 0))
	}
	return docs
}

// bareDocument returns a document of the named definition with what is required and no more.
func (s *protocolSchema) bareDocument(name string) any {
	g := newGenerator(name, 0)
	g.none = true
	return g.valid(s.forms[name], 0)
}

// fullDocuments returns documents of the named definition that have every member,
// down to the given depth.
func (s *protocolSchema) fullDocuments(name string, depth int) (docs []any) {
	for round := range fullRounds {
		g := newGenerator(name, uint64(1+round))
		g.all, g.round, g.depth = true, round, depth
		docs = append(docs, g.valid(s.forms[name], 0))
	}
	return docs
}

// emptyStrings returns full documents of the named definition in which every string is empty.
func (s *protocolSchema) emptyStrings(name string) (docs []any) {
	for round := range fullRounds {
		g := newGenerator(name, uint64(50+round))
		g.all, g.round, g.empty = true, round, true
		docs = append(docs, g.valid(s.forms[name], 0))
	}
	return docs
}

// The generator is only worth something if the schema accepts what it makes.
func TestGeneratedDocumentsAreValid(t *testing.T) {
	s := theSchema(t)
	if s == nil {
		return
	}
	for _, name := range s.names {
		for _, doc := range s.documents(name) {
			if err := s.validators[name].Validate(doc); err != nil {
				t.Errorf("%s: %v\n%v", name, doc, err)
			}
		}
	}
}

// A member that no document has would be checked by nothing.
func TestFullDocumentsHaveEveryMember(t *testing.T) {
	s := theSchema(t)
	if s == nil {
		return
	}
	for _, name := range s.names {
		f := s.forms[name]
		for _, doc := range s.fullDocuments(name, 1) {
			m, ok := doc.(map[string]any)
			for member := range f.members {
				if _, has := m[member]; !ok || !has {
					t.Errorf("%s: no %s in %v", name, member, doc)
				}
			}
		}
	}
}
