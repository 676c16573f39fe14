package shape

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

// A Span is a place in the checked bytes: from Start up to, not including, End.
// The zero Span means the member is absent.
type Span struct{ Start, End int }

// Present reports whether the member is there.
func (s Span) Present() bool { return s.End > 0 }

// Check reads raw as exactly one JSON value of shape s. For a Struct, it stores
// where each described member's value lies in spans, which must be as long as
// s.Members, or nil. It returns *SyntaxError for bytes that are not one JSON value,
// *Violation for a known place with a wrong value, and otherwise what was unknown.
func Check(raw []byte, s *Shape, spans []Span) ([]Warning, error) {
	if flat(raw, s, spans) {
		return nil, nil
	}
	if at := tooDeep(raw); at >= 0 {
		return nil, &SyntaxError{Offset: int64(at), Err: ErrTooDeep}
	}
	w := walkers.Get().(*walker)
	defer w.release()
	w.start(raw)
	if err := w.value(s, spans); err != nil {
		return nil, w.located(err)
	}
	if _, err := w.dec.ReadToken(); !errors.Is(err, io.EOF) {
		if err == nil {
			err = errTrailing
		}
		return nil, &SyntaxError{Offset: w.dec.InputOffset(), Err: err}
	}
	return bounded(w.warnings), nil
}

// maxWarnings bounds how many warnings one value gives; a peer may send any number
// of unknown members.
const maxWarnings = 100

// bounded keeps the first warnings and says how many more there were.
func bounded(warnings []Warning) []Warning {
	if n := len(warnings); n > maxWarnings {
		warnings = append(warnings[:maxWarnings:maxWarnings], Warning{
			Code: warnings[maxWarnings].Code, Detail: strconv.Itoa(n-maxWarnings) + " more warnings",
		})
	}
	return warnings
}

var errTrailing = errors.New("something follows the value")

// MaxDepth is how deep objects and arrays may be nested.
const MaxDepth = 1000

// ErrTooDeep: a value nested deeper than MaxDepth.
var ErrTooDeep = errors.New("nested deeper than " + strconv.Itoa(MaxDepth))

// tooDeep returns where raw goes over MaxDepth, or -1. It does not judge the text: what
// is no JSON is found by the parser.
func tooDeep(raw []byte) int {
	depth, inString := 0, false
	for i := 0; i < len(raw); i++ {
		switch b := raw[i]; {
		case inString && b == '\\':
			i++
		case b == '"':
			inString = !inString
		case inString:
		case b == '{' || b == '[':
			if depth++; depth > MaxDepth {
				return i
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return -1
}

// A walker is the state of one Check; walkers are reused, their decoders are costly.
type walker struct {
	raw      []byte
	buf      bytes.Buffer
	dec      *jsontext.Decoder
	warnings []Warning
	path     []string
}

var walkers = sync.Pool{New: func() any { return &walker{dec: jsontext.NewDecoder(new(bytes.Buffer))} }}

func (w *walker) start(raw []byte) {
	w.raw, w.warnings, w.path = raw, nil, w.path[:0]
	// A bytes.Buffer over the caller's slice is read in place, without a copy.
	w.buf = *bytes.NewBuffer(raw)
	w.dec.Reset(&w.buf)
}

func (w *walker) release() {
	w.raw, w.warnings, w.buf = nil, nil, bytes.Buffer{}
	walkers.Put(w)
}

// located turns the parser's errors into SyntaxError and leaves violations alone.
func (w *walker) located(err error) error {
	var v *Violation
	if errors.As(err, &v) {
		return err
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return &SyntaxError{Offset: w.dec.InputOffset(), Err: err}
}

func (w *walker) value(s *Shape, spans []Span) error {
	kind := w.dec.PeekKind()
	switch s.Type {
	case Any:
		return w.dec.SkipValue()
	case NotNull:
		return w.scalar(s, kind, kind != 'n')
	case String:
		return w.word(s, kind)
	case Const:
		return w.constant(s, kind)
	case Bool:
		return w.scalar(s, kind, kind == 't' || kind == 'f')
	case Number:
		return w.scalar(s, kind, kind == '0')
	case Integer:
		return w.integer(s, kind)
	case Pointer:
		return w.pointer(s, kind)
	case Object:
		return w.scalar(s, kind, kind == '{')
	case Struct:
		return w.members(s, kind, spans)
	case Union:
		return w.union(s, kind)
	case Map:
		return w.each(s, kind)
	case StringOrArray:
		if kind == '"' {
			return w.dec.SkipValue()
		}
		return w.array(s, kind)
	default:
		return w.array(s, kind)
	}
}

// scalar accepts the next value whole if ok, and refuses it otherwise.
func (w *walker) scalar(s *Shape, kind jsontext.Kind, ok bool) error {
	if !ok {
		return w.refuse(s, kind)
	}
	return w.dec.SkipValue()
}

// refuse reports the next value as a violation, or as a syntax error if it is no value.
func (w *walker) refuse(s *Shape, kind jsontext.Kind) error {
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	return &Violation{Want: s.want(), Got: describe(kind, raw)}
}

func describe(kind jsontext.Kind, raw []byte) string {
	switch kind {
	case 'n', 't', 'f':
		return string(raw)
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		if len(raw) > 34 {
			return "a string"
		}
		return "the string " + string(raw)
	default:
		if len(raw) > 32 {
			return "a number"
		}
		return "the number " + string(raw)
	}
}

func (w *walker) word(s *Shape, kind jsontext.Kind) error {
	if kind != '"' {
		return w.refuse(s, kind)
	}
	if s.Words == nil {
		return w.dec.SkipValue()
	}
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	for _, known := range s.Words {
		if isString(raw, known) {
			return nil
		}
	}
	w.warn(UnknownValue, "unknown value "+string(raw))
	return nil
}

func (w *walker) constant(s *Shape, kind jsontext.Kind) error {
	if kind != '"' {
		return w.refuse(s, kind)
	}
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	if !isString(raw, s.Words[0]) {
		return &Violation{Want: s.want(), Got: describe(kind, raw)}
	}
	return nil
}

func (w *walker) integer(s *Shape, kind jsontext.Kind) error {
	if kind != '0' {
		return w.refuse(s, kind)
	}
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	f, err := strconv.ParseFloat(string(raw), 64)
	if err != nil || f != float64(int64(f)) || f < s.Min || f > s.Max {
		return &Violation{Want: s.want(), Got: describe(kind, raw)}
	}
	return nil
}

func (w *walker) pointer(s *Shape, kind jsontext.Kind) error {
	if kind != '"' {
		return w.refuse(s, kind)
	}
	raw, err := w.dec.ReadValue()
	if err != nil {
		return err
	}
	if !isPointer(Unquote(raw)) {
		return &Violation{Want: s.want(), Got: describe(kind, raw)}
	}
	return nil
}

// isPointer reports whether the text is a JSON Pointer (RFC 6901, section 3).
func isPointer(text string) bool {
	if text != "" && text[0] != '/' {
		return false
	}
	for i := range len(text) {
		if text[i] == '~' && (i+1 == len(text) || text[i+1] != '0' && text[i+1] != '1') {
			return false
		}
	}
	return true
}

func (w *walker) array(s *Shape, kind jsontext.Kind) error {
	if kind != '[' {
		return w.refuse(s, kind)
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	n := 0
	for ; w.dec.PeekKind() != ']'; n++ {
		w.path = append(w.path, strconv.Itoa(n))
		if err := w.value(s.Item, nil); err != nil {
			return within(err, strconv.Itoa(n))
		}
		w.path = w.path[:len(w.path)-1]
	}
	if _, err := w.dec.ReadToken(); err != nil {
		return err
	}
	if n < s.MinItems {
		return &Violation{Want: "at least " + strconv.Itoa(s.MinItems) + " element", Got: "an array of " + strconv.Itoa(n)}
	}
	return nil
}

func within(err error, place string) error {
	var v *Violation
	if errors.As(err, &v) {
		return v.within(place)
	}
	return err
}

func (w *walker) warn(code Code, detail string) {
	path := ""
	for _, place := range w.path {
		path += "/" + escape(place)
	}
	w.warnings = append(w.warnings, Warning{Code: code, Path: path, Detail: detail})
}
