package agui

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// echo makes the input that RUN_STARTED repeats one of before 1.0.
func (d *Downgrader) echo(o *rawObject) error {
	raw := o.get("input")
	if raw.Kind() != '{' {
		return nil
	}
	in, err := readObject(raw)
	if err != nil {
		return err
	}
	in.drop("protocolVersion")
	for _, list := range []string{"tools", "context"} { // required then, and the event is refused without
		if in.get(list) == nil {
			in.set(list, jsontext.Value("[]"))
		}
	}
	if err := d.messages(in, "/input"); err != nil {
		return err
	}
	if in.changed {
		o.set("input", in.bytes())
	}
	return nil
}

func (d *Downgrader) messages(o *rawObject, at string) error {
	return eachObject(o, "messages", at, func(m *rawObject, at string) error {
		d.unattribute(m, at)
		if m.get("content").Kind() != '[' {
			return nil
		}
		if Role(shape.Unquote(m.get("role"))) == RoleTool {
			return d.resultText(m, at)
		}
		return eachObject(m, "content", at, d.part)
	})
}

// resultText makes a tool's result, if it is made of parts, the text of its parts.
func (d *Downgrader) resultText(o *rawObject, at string) error {
	if o.get("content").Kind() != '[' {
		return nil
	}
	var text strings.Builder
	err := eachObject(o, "content", at, func(part *rawObject, at string) error {
		if kind := shape.Unquote(part.get("type")); kind != PartText {
			d.warn(LostContent, at, "a tool's result is text to this peer; its "+kind+" is dropped")
			return nil
		}
		text.WriteString(shape.Unquote(part.get("text")))
		return nil
	})
	if err != nil {
		return err
	}
	o.set("content", quote(text.String()))
	return nil
}

// anyMedia are the types of media whose own type nobody said; a binary part needs one.
var anyMedia = map[string]string{
	PartImage: `"image/*"`, PartAudio: `"audio/*"`, PartVideo: `"video/*"`, PartDocument: `"application/octet-stream"`,
}

// part makes a media part a binary part. UpgradeInput turns it back when the peer sends
// it again with its next input, but for files, which an input has no place for then.
func (d *Downgrader) part(part *rawObject, at string) error {
	kind := shape.Unquote(part.get("type"))
	media, known := anyMedia[kind]
	if !known {
		return nil // text, which both read
	}
	source, err := readObject(part.get("source"))
	if err != nil {
		return err
	}
	member := map[string]string{SourceData: "data", SourceURL: "url", SourceFile: "id"}[shape.Unquote(source.get("type"))]
	if member == "" || shape.Unquote(source.get("value")) == "" {
		part.gone = true
		d.warn(LostContent, at, "a part of type "+kind+" without a source that this peer can read is dropped")
		return nil
	}
	mime := source.get("mimeType")
	if mime == nil {
		mime = jsontext.Value(media)
	}
	if member == "id" {
		d.warn(LostContent, at+"/source", "of a file, only its id is kept; it is lost when the peer sends it back")
	}
	notes := part.get("metadata")
	for _, name := range []string{"id", "source", "metadata"} {
		part.drop(name)
	}
	part.set("type", jsontext.Value(`"binary"`))
	part.set("mimeType", mime)
	part.set(member, source.get("value"))
	return d.notes(part, notes, at)
}

// notes keeps the file name among a part's metadata, all that a binary part can hold.
func (d *Downgrader) notes(part *rawObject, raw jsontext.Value, at string) error {
	if raw == nil {
		return nil
	}
	lost := true
	if raw.Kind() == '{' {
		notes, err := readObject(raw)
		if err != nil {
			return err
		}
		if name := notes.get("filename"); name.Kind() == '"' {
			part.set("filename", name)
			notes.drop("filename")
		}
		lost = len(notes.fields) > 0
	}
	if lost {
		d.warn(LostContent, at+"/metadata", "metadata of a media part is dropped")
	}
	return nil
}
