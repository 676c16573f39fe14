package agui

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Text is a member that may be absent and is a string where it is not. The zero Text
// is absent, which the protocol tells apart from the empty string.
type Text struct {
	text    string
	present bool
}

// Set returns a Text that is there, also when it is empty.
func Set(text string) Text { return Text{text: text, present: true} }

// NotEmpty returns a Text that is absent when text is empty.
func NotEmpty(text string) Text { return Text{text: text, present: text != ""} }

// String returns the text, "" when it is absent.
func (t Text) String() string { return t.text }

// Present reports whether the member is there.
func (t Text) Present() bool { return t.present }

// IsZero reports whether the member is absent.
func (t Text) IsZero() bool { return !t.present }

// Equal reports whether both are absent, or the same text.
func (t Text) Equal(other Text) bool { return t == other }

// MarshalJSONTo writes the text; an absent one is left out by the tag omitzero.
func (t Text) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.String(t.text))
}

// UnmarshalJSONFrom reads a string.
func (t *Text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	t.present = true
	return json.UnmarshalDecode(d, &t.text)
}
