package aisdk

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Text is a member that may be absent and is a string where it is not. The zero Text
// is absent, which a chat tells apart from the empty string.
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

// Is reports whether the member is there and the given text.
func (t Text) Is(text string) bool { return t.present && t.text == text }

// Equal reports whether both are absent, or the same text.
func (t Text) Equal(other Text) bool { return t == other }

// or returns t, or other when t is absent.
func (t Text) or(other Text) Text {
	if t.present {
		return t
	}
	return other
}

// MarshalJSONTo writes the text; an absent one is left out by the tag omitzero.
func (t Text) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.String(t.text))
}

// UnmarshalJSONFrom reads a string. Null, which histories hold here and there, is absent.
func (t *Text) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == 'n' {
		*t = Text{}
		return d.SkipValue()
	}
	t.present = true
	return json.UnmarshalDecode(d, &t.text)
}

// A Flag is a member that may be absent and is true or false where it is not. An
// explicit false is no absence: it takes back what was said of a call before.
type Flag uint8

// The values of a Flag; the zero value is absent.
const (
	Unset Flag = iota
	Off
	On
)

// FlagOf returns the Flag that is there with the given value.
func FlagOf(on bool) Flag {
	if on {
		return On
	}
	return Off
}

// True reports whether the member is there and true.
func (f Flag) True() bool { return f == On }

// or returns f, or other when f is absent.
func (f Flag) or(other Flag) Flag {
	if f != Unset {
		return f
	}
	return other
}

// MarshalJSONTo writes the value; an absent one is left out by the tag omitzero.
func (f Flag) MarshalJSONTo(e *jsontext.Encoder) error {
	return e.WriteToken(jsontext.Bool(f == On))
}

// UnmarshalJSONFrom reads true or false. Null is absent.
func (f *Flag) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == 'n' {
		*f = Unset
		return d.SkipValue()
	}
	var on bool
	if err := json.UnmarshalDecode(d, &on); err != nil {
		return err
	}
	*f = FlagOf(on)
	return nil
}
