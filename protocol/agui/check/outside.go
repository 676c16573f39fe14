package check

import (
	"strconv"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// runInput stands where the type of an event stands in findings about an input.
const runInput = "RunAgentInput"

// Input returns the findings about a run input: what its parser gave.
func Input(warnings []agui.Warning, err error) []Finding {
	c := Checker{pipeline: agui.NewPipeline(agui.PipelineOptions{}), event: Event{Index: -1, Line: 1}, named: true, name: runInput}
	c.warn(warnings)
	if err != nil {
		c.malformed(err)
	}
	return c.findings
}

// WrongContentType returns the finding about an answer that is no event stream.
func WrongContentType(got string) []Finding {
	message := "expected text/event-stream, got " + strconv.Quote(got)
	if got == "" {
		message = "expected text/event-stream, got no Content-Type"
	}
	return []Finding{{Severity: Error, Rule: ContentType, Index: -1, Line: 1, Message: line(message)}}
}
