package builtin

import (
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/invopop/jsonschema"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
)

// A booking is what the form of the book script asks for.
type booking struct {
	Guests  int    `json:"guests" jsonschema:"title=Guests,minimum=1,maximum=10"`
	Date    string `json:"date" jsonschema:"title=Date,format=date"`
	Email   string `json:"email" jsonschema:"title=Email,format=email"`
	Seating string `json:"seating" jsonschema:"title=Seating,enum=window,enum=garden,enum=bar"`
}

// bookingSchema is the JSON Schema of the booking form.
var bookingSchema = sync.OnceValue(func() jsontext.Value {
	reflector := jsonschema.Reflector{DoNotReference: true, Anonymous: true, AllowAdditionalProperties: true}
	schema := reflector.Reflect(&booking{})
	schema.Version = ""
	raw, err := schema.MarshalJSON()
	if err != nil {
		panic("the schema of a Go struct cannot be encoded: " + err.Error())
	}
	return raw
})

type question struct {
	Header      string   `json:"header"`
	Question    string   `json:"question"`
	Options     []option `json:"options"`
	MultiSelect bool     `json:"multi_select,omitzero"`
}

type option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
}

// questions are the arguments of the ask script's call.
func questions() any {
	return map[string][]question{"questions": {
		{Header: "Colour", Question: "Which colour do you like best?", Options: []option{
			{Label: "Red", Description: "Warm"}, {Label: "Blue", Description: "Cool"},
		}},
		{Header: "Toppings", Question: "What goes on your pizza?", MultiSelect: true, Options: []option{
			{Label: "Cheese"}, {Label: "Olives"}, {Label: "Basil"},
		}},
	}}
}

// renderPart is the hint that tells a chat which widget shows a client tool.
func renderPart(q hitl.Request) aisdk.Chunk {
	data, err := json.Marshal(map[string]any{"toolCallId": q.Call.ID, "render": q.Render}, json.Deterministic(true))
	if err != nil {
		panic("a render hint cannot be encoded: " + err.Error())
	}
	return &aisdk.Data{Head: top("data-render"), ID: aisdk.Set("render-" + q.Call.ID), Data: data}
}
