package upstream

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/upstream/asked"
)

// refuse settles the calls that nobody can be shown, as failed calls. The
// agent is to go on with them at once, which is refused, if nothing else of the answer waits
// for anybody and it is the first time in this turn. A model that asks like that again
// ends its run with the failed call, and hears of it with the next input.
func (r *aisdkReader) refuse() error {
	m := r.reduce.Message()
	if len(m.Requests()) == 0 {
		return nil
	}
	faults := m.Unaskable(asked.Tools(r.call))
	if len(faults) == 0 {
		return nil
	}
	repeated := m.Refused()
	for _, fault := range faults {
		f, err := aisdk.Encode(&aisdk.ToolOutputError{
			Head: aisdk.Head{Kind: aisdk.TypeToolOutputError}, ToolCallID: fault.CallID, ErrorText: fault.Error(),
			Dynamic: fault.Dynamic,
		})
		if err != nil {
			return err
		}
		if err := r.take(f); err != nil {
			return err
		}
	}
	r.refused = !repeated && len(r.reduce.Message().Requests()) == 0
	return nil
}

// metadata passes on what a chunk that begins or ends an answer in the middle of a run
// says about the message.
func (r *aisdkReader) metadata(f aisdk.Frame) error {
	f, said, err := metadataOf(f)
	if err != nil || !said {
		return err
	}
	return r.take(f)
}

// metadataOf is the chunk that says of the message what a start or a finish says of it.
func metadataOf(f aisdk.Frame) (out aisdk.Frame, said bool, err error) {
	c, err := f.Chunk()
	if err != nil {
		return out, false, err
	}
	var metadata jsontext.Value
	switch c := c.(type) {
	case *aisdk.Start:
		metadata = c.MessageMetadata
	case *aisdk.Finish:
		metadata = c.MessageMetadata
	}
	if len(metadata) == 0 || metadata.Kind() == 'n' {
		return out, false, nil
	}
	out, err = aisdk.Encode(&aisdk.MessageMetadata{Head: aisdk.Head{Kind: aisdk.TypeMessageMetadata}, MessageMetadata: metadata})
	return out, true, err
}
