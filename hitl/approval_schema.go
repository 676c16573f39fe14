package hitl

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"
)

// An approvalPayload is what an agent is answered to "may this tool run?".
type approvalPayload struct {
	Approved   bool    `json:"approved" jsonschema_description:"Whether the tool may run."`
	Reason     string  `json:"reason,omitzero" jsonschema_description:"Why, in the person's own words."`
	EditedArgs anyJSON `json:"editedArgs,omitzero" jsonschema_description:"Arguments that replace all of the proposed ones."`
}

// anyJSON is a JSON object of any members.
type anyJSON struct{}

// JSONSchema describes it without naming a member.
func (anyJSON) JSONSchema() *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

// approvalSchemas holds the schemas for each choice of Reason and EditedArgs.
var approvalSchemas = func() map[ApprovalAnswers]jsontext.Value {
	all := map[ApprovalAnswers]jsontext.Value{}
	for _, a := range []ApprovalAnswers{{}, {Reason: true}, {EditedArgs: true}, {Reason: true, EditedArgs: true}} {
		all[a] = makeApprovalSchema(a)
	}
	return all
}()

// ApprovalSchema is the JSON Schema of the payload that answers an approval (AG-UI 1.1,
// basic/patterns/interrupt-resume): the boolean approved, and reason and editedArgs if
// they can be carried back. That a schema has editedArgs is how an agent says that it
// takes edits. Remember is the bridge's own affair and in no schema.
func ApprovalSchema(a ApprovalAnswers) jsontext.Value {
	return bytes.Clone(approvalSchemas[ApprovalAnswers{Reason: a.Reason, EditedArgs: a.EditedArgs}])
}

func makeApprovalSchema(a ApprovalAnswers) jsontext.Value {
	reflector := jsonschema.Reflector{Anonymous: true, ExpandedStruct: true, DoNotReference: true, AllowAdditionalProperties: true}
	s := reflector.Reflect(approvalPayload{})
	if !a.Reason {
		s.Properties.Delete("reason")
	}
	if !a.EditedArgs {
		s.Properties.Delete("editedArgs")
	}
	return schemaText(s)
}

// schemaText writes a schema that this package made, without the version of the dialect.
func schemaText(s *jsonschema.Schema) jsontext.Value {
	s.Version = ""
	text, err := s.MarshalJSON()
	if err != nil {
		panic("hitl: a schema of its own cannot be written: " + err.Error())
	}
	v := jsontext.Value(text)
	if err := v.Format(); err != nil { // undoes the escaping for HTML
		panic("hitl: a schema of its own is no JSON: " + err.Error())
	}
	return v
}
