package agui

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// upgradeEcho translates the input that RUN_STARTED repeats.
func (b *Boundary) upgradeEcho(o *rawObject) error {
	raw := o.get("input")
	if raw.Kind() != '{' {
		return nil
	}
	in, err := readObject(raw)
	if err != nil {
		return err
	}
	if err := b.upgradeInput(in, "/input"); err != nil {
		return err
	}
	if in.changed {
		o.set("input", in.bytes())
	}
	return nil
}

// UpgradeInput translates what is retired in a run input: binary content parts, and
// nulls that stood for absent members. It returns raw itself when nothing was. The error
// matches ErrMalformed: the bytes are no JSON object.
func UpgradeInput(raw []byte) ([]byte, []Warning, error) {
	in, err := readObject(raw)
	if err != nil {
		return nil, nil, malformed("RunAgentInput", err)
	}
	var b Boundary
	if err := b.upgradeInput(in, ""); err != nil {
		return nil, nil, malformed("RunAgentInput", err)
	}
	if !in.changed {
		return raw, nil, nil
	}
	return in.bytes(), b.warnings, nil
}

func (b *Boundary) upgradeInput(in *rawObject, at string) error {
	b.dropNull(in, "forwardedProps", at)
	for _, optional := range []struct{ list, name string }{{"tools", "parameters"}, {"resume", "payload"}} {
		if err := eachObject(in, optional.list, at, func(o *rawObject, at string) error {
			b.dropNull(o, optional.name, at)
			return nil
		}); err != nil {
			return err
		}
	}
	return b.upgradeMessages(in, at)
}

func (b *Boundary) upgradeMessages(o *rawObject, at string) error {
	return eachObject(o, "messages", at, func(m *rawObject, at string) error {
		parts := m.get("content")
		if parts.Kind() != '[' {
			return nil
		}
		modern, err := sources(parts)
		if err != nil {
			return err
		}
		return eachObject(m, "content", at, func(part *rawObject, at string) error {
			return b.upgradePart(part, modern, at)
		})
	})
}

// upgradePart translates a binary part into the media part of today. One that only
// names an id has no place today; it stays and enforcement takes it out.
func (b *Boundary) upgradePart(part *rawObject, modern map[string]bool, at string) error {
	kind := shape.Unquote(part.get("type"))
	if kind != "binary" {
		if kind != PartText {
			b.dropNull(part, "metadata", at)
		}
		return nil
	}
	mime := shape.Unquote(part.get("mimeType"))
	source := SourceData
	value := part.get("data")
	if shape.Unquote(value) == "" {
		source, value = SourceURL, part.get("url")
	}
	if mime == "" || shape.Unquote(value) == "" {
		return nil
	}
	media := PartDocument
	for _, known := range []string{PartImage, PartAudio, PartVideo} {
		if strings.HasPrefix(mime, known+"/") {
			media = known
		}
	}
	b.warn(at, "a binary part is "+media+" today")
	upgraded := []byte(`{"type":"` + source + `"`)
	upgraded = append(member(member(upgraded, "value", value), "mimeType", part.get("mimeType")), '}')
	name := part.get("filename")
	if modern[sourceKey(media, upgraded, shape.Unquote(name))] || shape.Unquote(name) == "" && modern[sourceKey(media, upgraded, "")] {
		part.gone = true // clients that send both shapes mean one attachment
		return nil
	}
	for _, m := range []string{"mimeType", "data", "url", "filename", "id"} {
		part.drop(m)
	}
	part.set("type", quote(media))
	part.set("source", upgraded)
	if shape.Unquote(name) != "" {
		part.set("metadata", append(append([]byte(`{"filename":`), name...), '}'))
	}
	return nil
}

// sources collects the media parts of today among content parts: the source of each,
// with the file name it has, and without.
func sources(parts jsontext.Value) (map[string]bool, error) {
	found := map[string]bool{}
	for element, err := range shape.Elements(parts) {
		if err != nil {
			return nil, err
		}
		if element.Kind() != '{' {
			continue
		}
		part, err := readObject(element)
		if err != nil {
			return nil, err
		}
		raw := part.get("source")
		if raw.Kind() != '{' {
			continue
		}
		source, err := readObject(raw)
		if err != nil {
			return nil, err
		}
		plain := []byte(`{"type":` + string(source.get("type")))
		plain = append(member(member(plain, "value", source.get("value")), "mimeType", source.get("mimeType")), '}')
		media := shape.Unquote(part.get("type"))
		found[sourceKey(media, plain, "")] = true
		if notes := part.get("metadata"); notes.Kind() == '{' {
			open, err := readObject(notes)
			if err != nil {
				return nil, err
			}
			found[sourceKey(media, plain, shape.Unquote(open.get("filename")))] = true
		}
	}
	return found, nil
}

func sourceKey(media string, source []byte, filename string) string {
	return media + "\x00" + string(source) + "\x00" + filename
}
