package hitl

import "context"

// An Approver is what an in-process agent asks through. Both methods wait for a person,
// for as long as it takes; they return early with ctx's error when ctx ends. A caller
// that gets an error treats it as a denial and as a cancellation.
type Approver interface {
	// Decide asks whether the call of that id, which the agent has announced, may run.
	Decide(ctx context.Context, toolCallID string) (ToolDecision, error)
	// Input asks for what req describes.
	Input(ctx context.Context, req InputRequest) (InputResponse, error)
}

// Unattended is the [Approver] of a host where nobody can be asked: it denies every
// call and cancels every request.
type Unattended struct{}

// Decide denies.
func (Unattended) Decide(context.Context, string) (ToolDecision, error) {
	return ToolDecision{Reason: "Nobody can be asked here."}, nil
}

// Input cancels.
func (Unattended) Input(context.Context, InputRequest) (InputResponse, error) {
	return Cancel(), nil
}
