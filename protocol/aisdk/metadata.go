package aisdk

import (
	"fmt"
	"strconv"
	"unicode/utf16"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// mergeMetadata merges what a chunk says of the message into what it holds: objects
// recursively, while everything else is replaced. Null says nothing.
func (r *Reducer) mergeMetadata(t ChunkType, add jsontext.Value) error {
	if isNull(add) {
		return nil
	}
	if isNull(r.message.Metadata) {
		r.message.Metadata = add
		return nil
	}
	merged, err := mergeJSON(t, r.message.Metadata, add)
	if err != nil {
		return err
	}
	r.message.Metadata = merged
	return nil
}

func isNull(v jsontext.Value) bool { return len(v) == 0 || v.Kind() == 'n' }

// mergeJSON merges as a chat does, for which the elements of an array and the characters
// of a text are members, too. Names that could reach a prototype are left out.
func mergeJSON(t ChunkType, base, add jsontext.Value) (jsontext.Value, error) {
	merged, err := membersOf(base)
	if err != nil {
		return nil, err
	}
	from, err := membersOf(add)
	if err != nil {
		return nil, err
	}
	holds := base.Kind() == '{' || base.Kind() == '['
	for name, value := range from {
		if name == protoName || name == constructorName || name == prototypeName {
			continue
		}
		if !holds {
			return nil, &SequenceError{Type: t, Rule: "metadata that is " + string(base) + " takes no members"}
		}
		if old := merged[name]; len(old) > 0 && old.Kind() == '{' && value.Kind() == '{' {
			if value, err = mergeJSON(t, old, value); err != nil {
				return nil, err
			}
		}
		merged[name] = value
	}
	return json.Marshal(merged, json.Deterministic(true))
}

// membersOf returns the members that a value has in JavaScript.
func membersOf(v jsontext.Value) (map[string]jsontext.Value, error) {
	out := map[string]jsontext.Value{}
	var err error
	switch v.Kind() {
	case '{':
		err = json.Unmarshal(v, &out)
	case '[':
		var list []jsontext.Value
		err = json.Unmarshal(v, &list)
		for i, e := range list {
			out[strconv.Itoa(i)] = e
		}
	case '"':
		var text string
		err = json.Unmarshal(v, &text)
		for i, unit := range utf16.Encode([]rune(text)) {
			quoted, _ := jsontext.AppendQuote(nil, string(rune(unit)))
			out[strconv.Itoa(i)] = quoted
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: metadata: %w", ErrMalformed, err)
	}
	return out, nil
}
