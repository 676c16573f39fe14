package aisdk

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

func (r *Reducer) applyPart(c Chunk) error {
	switch c := c.(type) {
	case *TextStart:
		r.open(&r.text, c.ID, Part{Type: PartText, ProviderMetadata: c.ProviderMetadata})
	case *TextEnd:
		return r.textEnd(c)
	case *ReasoningStart:
		r.open(&r.reasoning, c.ID, Part{Type: PartReasoning, ID: Set(c.ID), ProviderMetadata: c.ProviderMetadata})
	case *ReasoningEnd:
		_, err := r.closePart(r.reasoning, c, c.ID, c.ProviderMetadata)
		return err
	case *Data:
		r.data(c)
	case *File:
		r.push(Part{Type: PartFile, MediaType: Set(c.MediaType), URL: Set(c.URL), ProviderMetadata: c.ProviderMetadata})
	case *ReasoningFile:
		r.push(Part{Type: PartReasoningFile, MediaType: Set(c.MediaType), URL: Set(c.URL), ProviderMetadata: c.ProviderMetadata})
	case *SourceURL:
		r.push(Part{Type: PartSourceURL, SourceID: Set(c.SourceID), URL: Set(c.URL), Title: c.Title, ProviderMetadata: c.ProviderMetadata})
	case *SourceDocument:
		r.push(Part{
			Type: PartSourceDocument, SourceID: Set(c.SourceID), MediaType: Set(c.MediaType), Title: Set(c.Title),
			Filename: c.Filename, ProviderMetadata: c.ProviderMetadata,
		})
	case *Custom:
		r.push(Part{Type: PartCustom, Kind: Set(c.CustomKind), ProviderMetadata: c.ProviderMetadata})
	case *SteeringMessage:
		r.push(Part{Type: PartSteeringMessage, ID: Set(c.ID), Parts: c.Parts})
	default:
		return r.applyTool(c)
	}
	return nil
}

// open begins a text. One that is open under the same id stays as it is, for ever.
func (r *Reducer) open(open *map[string]*openText, id string, p Part) {
	empty := ""
	p.State, p.Text = StateStreaming, &empty
	if *open == nil {
		*open = map[string]*openText{}
	}
	if replaced := (*open)[id]; replaced != nil {
		r.flush(replaced)
	}
	(*open)[id] = &openText{part: r.push(p)}
}

func (r *Reducer) flush(o *openText) {
	text := string(o.text)
	r.message.Parts[o.part].Text = &text
}

// appendText is what runs once a token.
func (r *Reducer) appendText(open map[string]*openText, f Frame) error {
	o, ok := shape.Lookup(open, f.Record, "id")
	if !ok {
		return notOpen(f.Type, f.Text("id"))
	}
	o.text = append(o.text, f.Text("delta")...)
	if metadata := f.Member("providerMetadata"); metadata != nil {
		r.message.Parts[o.part].ProviderMetadata = metadata
	}
	r.write()
	return nil
}

func notOpen(t ChunkType, id string) error {
	return &SequenceError{Type: t, Rule: "part " + id + " is not open"}
}

func (r *Reducer) closePart(open map[string]*openText, c Chunk, id string, metadata jsontext.Value) (*Part, error) {
	o := open[id]
	if o == nil {
		return nil, notOpen(c.Type(), id)
	}
	r.flush(o)
	p := &r.message.Parts[o.part]
	p.State = StateDone
	if len(metadata) > 0 {
		p.ProviderMetadata = metadata
	}
	delete(open, id)
	return p, nil
}

func (r *Reducer) textEnd(c *TextEnd) error {
	p, err := r.closePart(r.text, c, c.ID, c.ProviderMetadata)
	if err != nil || len(c.Citations) == 0 || r.profile == V6 {
		return err
	}
	// A chat keeps of a citation what is described, and nothing else.
	clean, _, err := shape.Enforce(c.Citations, citations, nil)
	if err != nil {
		return fmt.Errorf("%w: %s: %w", ErrMalformed, c.Kind, err)
	}
	p.Citations = clean
	return nil
}

// data stores application data: it replaces the part of the same type and id. What is
// stored is the chunk, with all its members.
func (r *Reducer) data(c *Data) {
	if c.Transient.True() {
		return
	}
	if c.ID.Present() {
		for i := range r.message.Parts {
			if p := &r.message.Parts[i]; p.Type == string(c.Kind) && p.ID == c.ID {
				p.Data = c.Data
				return
			}
		}
	}
	extra := c.Extra
	if c.Transient == Off {
		extra = withMember(extra, `"transient":false`)
	}
	r.push(Part{Type: string(c.Kind), ID: c.ID, Data: c.Data, Extra: extra})
}

// withMember puts one member, as text, into an object that may be absent.
func withMember(object jsontext.Value, member string) jsontext.Value {
	if len(object) <= len("{}") {
		return jsontext.Value("{" + member + "}")
	}
	return append(jsontext.Value("{"+member+","), object[1:]...)
}
