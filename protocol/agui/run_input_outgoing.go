package agui

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// Outgoing makes the input raw ready for an agent, as every client must before it sends
// one (AG-UI 1.1, basic/run-input): retired shapes are translated, what is unknown is
// taken out, a malformed known value is an error, and activity messages stay at home. It
// returns raw itself when nothing was to be done. The error matches ErrMalformed.
func Outgoing(raw []byte) ([]byte, []Warning, error) {
	raw, _, err := UpgradeInput(raw) // nothing is lost by it, so there is nothing to say
	if err != nil {
		return nil, nil, err
	}
	clean, warnings, err := shape.Enforce(raw, runInput, nil)
	if err != nil {
		return nil, warnings, malformed("RunAgentInput", err)
	}
	in, err := readObject(clean)
	if err != nil {
		return nil, warnings, malformed("RunAgentInput", err)
	}
	messages, dropped, err := withoutActivities(in.get("messages"))
	if err != nil {
		return nil, warnings, malformed("RunAgentInput", err)
	}
	if !dropped {
		return clean, warnings, nil
	}
	in.set("messages", messages)
	return in.bytes(), warnings, nil
}

func withoutActivities(messages jsontext.Value) (kept jsontext.Value, dropped bool, err error) {
	kept = append(kept, '[')
	for m, err := range shape.Elements(messages) {
		if err != nil {
			return nil, false, err
		}
		role, err := shape.StringMember(m, "role")
		if err != nil {
			return nil, false, err
		}
		if Role(role) == RoleActivity {
			dropped = true
			continue
		}
		if len(kept) > 1 {
			kept = append(kept, ',')
		}
		kept = append(kept, m...)
	}
	return append(kept, ']'), dropped, nil
}
