package hitl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/agui-bridge/agui-bridge/hitl"
)

// An agent that takes a reason and edits asks for this.
func ExampleApprovalSchema() {
	schema := hitl.ApprovalSchema(hitl.ApprovalAnswers{Reason: true, EditedArgs: true})
	if err := schema.Indent(); err != nil {
		panic(err)
	}
	fmt.Println(strings.ReplaceAll(schema.String(), "\t", "  "))
	// Output:
	// {
	//   "properties": {
	//     "approved": {
	//       "type": "boolean",
	//       "description": "Whether the tool may run."
	//     },
	//     "reason": {
	//       "type": "string",
	//       "description": "Why, in the person's own words."
	//     },
	//     "editedArgs": {
	//       "type": "object",
	//       "description": "Arguments that replace all of the proposed ones."
	//     }
	//   },
	//   "type": "object",
	//   "required": [
	//     "approved"
	//   ]
	// }
}

var approvalGolden = map[string]hitl.ApprovalAnswers{
	"yes_no.json":     {},
	"reason.json":     {Reason: true},
	"edits.json":      {EditedArgs: true},
	"everything.json": {Reason: true, EditedArgs: true},
}

func TestApprovalSchemaGolden(t *testing.T) {
	for name, answers := range approvalGolden {
		want, err := os.ReadFile(filepath.Join("testdata", "approval_schema", name))
		if err != nil {
			t.Fatal(err)
		}
		for _, answers.Remember = range []bool{false, true} {
			if diff := cmp.Diff(strings.TrimSpace(string(want)), indented(t, hitl.ApprovalSchema(answers))); diff != "" {
				t.Errorf("%s: (-want +got)\n%s", name, diff)
			}
		}
	}
}

func TestCallersCannotSpoilASchema(t *testing.T) {
	clear(hitl.ApprovalSchema(hitl.ApprovalAnswers{}))
	clear(hitl.ParameterSchema())
	if !hitl.ApprovalSchema(hitl.ApprovalAnswers{}).IsValid() || !hitl.ParameterSchema().IsValid() {
		t.Error("what one caller changed, the next one got")
	}
}

func TestApprovalSchemaAcceptsWhatADecisionCarries(t *testing.T) {
	d := hitl.ToolDecision{Approved: true, Reason: "r", EditedArgs: raw(`{"a":[1]}`), Remember: true}
	for name, answers := range approvalGolden {
		schema := compile(t, hitl.ApprovalSchema(answers))
		if payload := string(d.Payload(answers)); !valid(t, schema, payload) {
			t.Errorf("%s refuses %s", name, payload)
		}
		for _, payload := range []string{`{}`, `null`, `true`, `{"approved":1}`, `{"approved":"true"}`, `{"approved":null}`} {
			if valid(t, schema, payload) {
				t.Errorf("%s accepts %s", name, payload)
			}
		}
	}
}
