package translate

import (
	"encoding/base64"
	"net/url"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// unknownMedia is the media type of content that has none.
const unknownMedia = "application/octet-stream"

// saidMessage turns what a user, or the application, said into an AG-UI message. Text
// alone is text; with files it is content parts.
func saidMessage(m *aisdk.Message) agui.Message {
	out := agui.Message{ID: m.ID, Role: agui.Role(m.Role)}
	tag, metadata, _ := parted(m.Metadata, aguiKey)
	if role := tag.take("role"); role != nil {
		out.Role = agui.RoleDeveloper
	}
	if name := tag.take("name"); name != nil {
		out.Name = agui.Set(unquoted(name))
	}
	var keep note
	keep.set("metadata", metadata)
	content, kept := saidContent(m)
	keep.set("parts", kept)
	out.Content = content
	out.Metadata = under(aisdkKey, keep, tag.take("metadata"))
	restoreMessage(&out, tag)
	return out
}

// restoreMessage gives a message back what only AG-UI knows.
func restoreMessage(m *agui.Message, tag note) {
	if v := tag.get("encryptedValue"); v != nil {
		m.EncryptedValue = agui.Set(unquoted(v))
	}
	if v := tag.get("encryptedValueType"); v != nil {
		m.EncryptedValueType = agui.Set(unquoted(v))
	}
	if v := tag.get("subagentRunId"); v != nil {
		m.SubagentRunID = agui.Set(unquoted(v))
	}
}

// saidContent returns the content, and the parts as they were if the content cannot
// stand for them.
func saidContent(m *aisdk.Message) (content, kept jsontext.Value) {
	if len(m.Parts) == 1 && plainText(&m.Parts[0], m.Role) {
		return quoted(*m.Parts[0].Text), nil
	}
	var all strings.Builder
	parts, whole := []agui.ContentPart{}, true
	for i := range m.Parts {
		c, ok := contentPart(&m.Parts[i])
		if !ok {
			whole = false
			continue
		}
		parts = append(parts, c)
		all.WriteString(c.Text.String())
	}
	if !whole || m.Role == aisdk.RoleSystem {
		kept, _ = json.Marshal(m.Parts)
	}
	if m.Role == aisdk.RoleSystem {
		return quoted(all.String()), kept
	}
	content, err := json.Marshal(parts)
	if err != nil {
		return jsontext.Value("[]"), kept
	}
	return content, kept
}

// plainText reports whether a part is text and nothing else. What the application says
// is done; what a user says has no state.
func plainText(p *aisdk.Part, r aisdk.Role) bool {
	state := aisdk.PartState("")
	if r == aisdk.RoleSystem {
		state = aisdk.StateDone
	}
	return p.Type == aisdk.PartText && p.Text != nil && p.State == state && len(p.ProviderMetadata) == 0 && len(p.Citations) == 0 && len(p.Extra) == 0
}

// contentPart turns a text or file part into a content part of AG-UI.
func contentPart(p *aisdk.Part) (agui.ContentPart, bool) {
	tag, provider, _ := parted(p.ProviderMetadata, aguiKey)
	var keep note
	keep.set("providerMetadata", provider)
	keep.set("extra", p.Extra)
	c := agui.ContentPart{}
	switch {
	case p.Type == aisdk.PartText && p.Text != nil:
		c.Type, c.Text = agui.PartText, agui.Set(*p.Text)
		keep.text("state", string(p.State))
		keep.set("citations", p.Citations)
	case p.Type == aisdk.PartFile && p.URL.Present():
		c.Type, c.Source = mediaKind(p.MediaType.String()), mediaSource(p, &keep)
		if p.Filename.Present() {
			keep.set("filename", quoted(p.Filename.String()))
		}
		keep.set("providerReference", p.ProviderReference)
		if kind := tag.get("type"); kind != nil {
			c.Type = unquoted(kind)
		}
		if source := tag.get("source"); source != nil {
			var s agui.Source
			if json.Unmarshal(source, &s) == nil {
				c.Source = &s
			}
		}
	default:
		return c, false
	}
	if id := tag.get("id"); id != nil {
		c.ID = agui.Set(unquoted(id))
	}
	c.Metadata = tag.get("metadata")
	if c.Metadata == nil || c.Metadata.Kind() == '{' {
		c.Metadata = under(aisdkKey, keep, c.Metadata)
	}
	return c, true
}

// mediaKind is the content part that a media type belongs to.
func mediaKind(media string) string {
	for _, kind := range [...]string{agui.PartImage, agui.PartAudio, agui.PartVideo} {
		if strings.HasPrefix(media, kind+"/") {
			return kind
		}
	}
	return agui.PartDocument
}

// mediaSource is the source of a file part. A data URL is data, if it reads as one.
func mediaSource(p *aisdk.Part, keep *note) *agui.Source {
	raw, media := p.URL.String(), p.MediaType.String()
	data, isData := strings.CutPrefix(raw, "data:")
	if !isData {
		return &agui.Source{Type: agui.SourceURL, Value: raw, MimeType: agui.NotEmpty(media)}
	}
	head, value, ok := strings.Cut(data, ",")
	if _, base64d := strings.CutSuffix(head, ";base64"); !base64d && ok {
		text, err := url.PathUnescape(value)
		value, ok = base64.StdEncoding.EncodeToString([]byte(text)), err == nil
	}
	if !ok {
		return &agui.Source{Type: agui.SourceURL, Value: raw, MimeType: agui.NotEmpty(media)}
	}
	if media == "" {
		media = unknownMedia
	}
	if dataURL(media, value) != raw {
		keep.set("url", quoted(raw)) // written in another way
	}
	return &agui.Source{Type: agui.SourceData, Value: value, MimeType: agui.Set(media)}
}

func dataURL(media, value string) string { return "data:" + media + ";base64," + value }

// chatMessage turns what a user, or the application, said into a message of a chat.
func chatMessage(m agui.Message) aisdk.Message {
	said, rest, _ := parted(m.Metadata, aisdkKey)
	tag := tagOf(m, rest)
	out := aisdk.Message{ID: m.ID, Role: aisdk.RoleUser}
	if m.Role != agui.RoleUser {
		out.Role = aisdk.RoleSystem
		if m.Role == agui.RoleDeveloper {
			tag.set("role", quoted(string(m.Role)))
		}
	}
	out.Metadata = said.get("metadata")
	if out.Metadata == nil || out.Metadata.Kind() == '{' {
		out.Metadata = harmless(under(aguiKey, tag, out.Metadata))
	}
	var parts []aisdk.Part
	if kept := said.get("parts"); kept != nil && json.Unmarshal(kept, &parts) == nil {
		out.Parts = parts
		if content, _ := saidContent(&out); string(content) == string(m.Content) {
			return out // nobody has changed the content since
		}
	}
	if out.Role == aisdk.RoleSystem {
		out.Parts = []aisdk.Part{aisdk.TextPart(m.Text())}
		return out
	}
	out.Parts = userParts(m)
	return out
}

// userParts turns the content of a user message into text and file parts.
func userParts(m agui.Message) []aisdk.Part {
	parts := []aisdk.Part{}
	content := m.Parts()
	for _, c := range content {
		p, ok := chatPart(c)
		if !ok {
			continue
		}
		if len(content) == 1 && m.Content.Kind() == '[' && plainText(&p, aisdk.RoleUser) {
			tag := note{}
			tag.set("part", jsontext.Value("true")) // the content was a list
			p.ProviderMetadata = under(aguiKey, tag, nil)
		}
		parts = append(parts, p)
	}
	return parts
}

// chatPart turns one content part into a text or file part.
func chatPart(c agui.ContentPart) (aisdk.Part, bool) {
	said, rest, has := parted(c.Metadata, aisdkKey)
	if !has {
		rest = c.Metadata
	}
	tag := note{}
	if c.ID.Present() {
		tag.set("id", quoted(c.ID.String()))
	}
	tag.set("metadata", rest)
	p := aisdk.Part{Type: aisdk.PartText}
	if c.Type == agui.PartText {
		text := c.Text.String()
		p.Text, p.State, p.Citations = &text, aisdk.PartState(unquoted(said.get("state"))), said.get("citations")
	} else if !filePart(&p, c, said, &tag) {
		return p, false
	}
	p.Extra = said.get("extra")
	p.ProviderMetadata = harmless(under(aguiKey, tag, said.get("providerMetadata")))
	return p, true
}

func filePart(p *aisdk.Part, c agui.ContentPart, said note, tag *note) bool {
	if c.Source == nil {
		return false
	}
	media := c.Source.MimeType.String()
	if media == "" {
		media = unknownMedia
	}
	p.Type, p.MediaType = aisdk.PartFile, aisdk.Set(media)
	switch c.Source.Type {
	case agui.SourceURL:
		p.URL = aisdk.Set(c.Source.Value)
	case agui.SourceData:
		p.URL = aisdk.Set(dataURL(media, c.Source.Value))
	default:
		return false // a handle that only its provider can read
	}
	if v := said.get("url"); v != nil {
		p.URL = aisdk.Set(unquoted(v))
	}
	if v := said.get("filename"); v != nil {
		p.Filename = aisdk.Set(unquoted(v))
	}
	p.ProviderReference = said.get("providerReference")
	if mediaKind(media) != c.Type {
		tag.set("type", quoted(c.Type))
	}
	if again := mediaSource(p, &note{}); again.Type != c.Source.Type || again.Value != c.Source.Value || again.MimeType != c.Source.MimeType {
		if raw, err := json.Marshal(c.Source); err == nil {
			tag.set("source", raw)
		}
	}
	return true
}
