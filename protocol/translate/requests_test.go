package translate

import (
	"github.com/go-json-experiment/json"
	"pgregory.net/rapid"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// heardOutcome is the outcome as it is read off the events.
func heardOutcome(t *rapid.T, events []agui.Frame, o Outcome) Outcome {
	var calls agui.Calls
	for _, f := range events {
		calls.Observe(f)
	}
	var said struct {
		Outcome agui.Outcome `json:"outcome"`
	}
	if err := json.Unmarshal(events[len(events)-1].Raw, &said); err != nil {
		t.Fatalf("%v", err)
	}
	o.Requests = nil
	for _, i := range said.Outcome.Interrupts {
		o.Requests = append(o.Requests, i.Request(calls.Call(i.About())))
	}
	return o
}
