package hitl

import (
	"errors"
	"maps"
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A reader takes JSON values apart and notes what is wrong with them, so that every
// fault of a value is reported at once and each with its place.
type reader struct{ issues []Issue }

// members are the members of one JSON object.
type members map[string]jsontext.Value

const (
	required = true
	optional = false
)

// maxIssues bounds what is noted of one value, however large the value is.
const maxIssues = 100

func (r *reader) add(path, message string) {
	if len(r.issues) < maxIssues {
		r.issues = append(r.issues, Issue{Path: path, Message: message})
	}
}

// answerError is what was noted, as the error of an answer, or nil.
func (r *reader) answerError() error {
	if len(r.issues) == 0 {
		return nil
	}
	return &AnswerError{Rule: ErrInvalidPayload, Issues: r.issues}
}

// object returns the members of v, or nil if it is not an object.
func (r *reader) object(path string, v jsontext.Value) members {
	if v.Kind() != jsontext.KindBeginObject {
		r.add(path, "expected an object")
		return nil
	}
	m := members{}
	if err := json.Unmarshal(v, &m); err != nil {
		r.malformed(path, err)
		return nil
	}
	return m
}

// list returns the elements of v, or nil if it is not an array.
func (r *reader) list(path string, v jsontext.Value) []jsontext.Value {
	if v.Kind() != jsontext.KindBeginArray {
		r.add(path, "expected an array")
		return nil
	}
	list := []jsontext.Value{}
	if err := json.Unmarshal(v, &list); err != nil {
		r.malformed(path, err)
		return nil
	}
	return list
}

// malformed notes that the value at path is no well-formed JSON.
func (r *reader) malformed(path string, err error) {
	message := "expected well-formed JSON"
	if syntax, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		path += string(syntax.JSONPointer)
		if syntax.Err != nil {
			message += ": " + syntax.Err.Error()
		}
	}
	r.add(path, message)
}

// member returns the named member. An optional one may be null, which counts as absent.
func (r *reader) member(m members, name string, must bool) (jsontext.Value, bool) {
	v, there := m[name]
	if there && !must && v.Kind() == jsontext.KindNull {
		return nil, false
	}
	return v, there
}

func (r *reader) boolean(m members, path, name string, must bool) bool {
	v, there := r.member(m, name, must)
	kind := v.Kind()
	if there && kind != jsontext.KindTrue && kind != jsontext.KindFalse || must && !there {
		r.add(pointer(path, name), "expected true or false")
	}
	return there && kind == jsontext.KindTrue
}

func (r *reader) text(m members, path, name string, must bool) string {
	v, there := r.member(m, name, must)
	if !there && !must {
		return ""
	}
	return r.str(pointer(path, name), v)
}

func (r *reader) str(path string, v jsontext.Value) string {
	if v.Kind() != jsontext.KindString {
		r.add(path, "expected a string")
		return ""
	}
	var s string
	if err := json.Unmarshal(v, &s); err != nil {
		r.malformed(path, err)
	}
	return s
}

func (r *reader) objectMember(m members, path, name string) jsontext.Value {
	v, there := r.member(m, name, optional)
	if there && v.Kind() != jsontext.KindBeginObject {
		r.add(pointer(path, name), "expected an object")
		return nil
	}
	return v
}

// refuseOthers notes every member that is not named.
func (r *reader) refuseOthers(m members, path string, known ...string) {
	for _, name := range m.names() {
		if !slices.Contains(known, name) {
			r.add(pointer(path, name), "expected no such member")
		}
	}
}

func (m members) names() []string { return slices.Sorted(maps.Keys(m)) }

// pointer is path extended by one token (RFC 6901).
func pointer(path, token string) string {
	return string(jsontext.Pointer(path).AppendToken(token))
}

// encode writes a value that consists of strings, or of JSON that was read before.
func encode(v any) jsontext.Value {
	text, err := json.Marshal(v)
	if err != nil { // a string that is no UTF-8, in a value that no function here made
		return jsontext.Value("null")
	}
	return text
}
