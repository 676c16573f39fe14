package agui

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// AgentCapabilities says what an agent can do (AG-UI 1.1, basic/capabilities). What is
// absent is not declared, which is not the same as not supported.
type AgentCapabilities struct {
	Identity       *IdentityCapabilities       `json:"identity,omitzero"`
	Transport      *TransportCapabilities      `json:"transport,omitzero"`
	Tools          *ToolsCapabilities          `json:"tools,omitzero"`
	Output         *OutputCapabilities         `json:"output,omitzero"`
	State          *StateCapabilities          `json:"state,omitzero"`
	MultiAgent     *MultiAgentCapabilities     `json:"multiAgent,omitzero"`
	Reasoning      *ReasoningCapabilities      `json:"reasoning,omitzero"`
	Multimodal     *MultimodalCapabilities     `json:"multimodal,omitzero"`
	Execution      *ExecutionCapabilities      `json:"execution,omitzero"`
	HumanInTheLoop *HumanInTheLoopCapabilities `json:"humanInTheLoop,omitzero"`
	Custom         jsontext.Value              `json:"custom,omitzero"` // an object, open by key
	Extra          jsontext.Value              `json:",embed"`
}

// IdentityCapabilities says who the agent is.
type IdentityCapabilities struct {
	Name             Text           `json:"name,omitzero"`
	Kind             Text           `json:"type,omitzero"`
	Description      Text           `json:"description,omitzero"`
	Version          Text           `json:"version,omitzero"`
	Provider         Text           `json:"provider,omitzero"`
	DocumentationURL Text           `json:"documentationUrl,omitzero"`
	Metadata         jsontext.Value `json:"metadata,omitzero"`
	Extra            jsontext.Value `json:",embed"`
}

// TransportCapabilities says how the agent is reached.
type TransportCapabilities struct {
	Streaming         *bool          `json:"streaming,omitzero"`
	WebSocket         *bool          `json:"websocket,omitzero"`
	HTTPBinary        *bool          `json:"httpBinary,omitzero"` // the protobuf binding
	PushNotifications *bool          `json:"pushNotifications,omitzero"`
	Resumable         *bool          `json:"resumable,omitzero"`
	Extra             jsontext.Value `json:",embed"`
}

// ToolsCapabilities says which tools the agent has of its own, and how it calls tools.
type ToolsCapabilities struct {
	Supported      *bool          `json:"supported,omitzero"`
	Items          []Tool         `json:"items,omitzero"`
	ParallelCalls  *bool          `json:"parallelCalls,omitzero"`
	ClientProvided *bool          `json:"clientProvided,omitzero"`
	Extra          jsontext.Value `json:",embed"`
}

// OutputCapabilities says which forms the agent's output takes.
type OutputCapabilities struct {
	StructuredOutput   *bool          `json:"structuredOutput,omitzero"`
	SupportedMimeTypes []string       `json:"supportedMimeTypes,omitzero"`
	Extra              jsontext.Value `json:",embed"`
}

// StateCapabilities says what the agent does with state.
type StateCapabilities struct {
	Snapshots       *bool          `json:"snapshots,omitzero"`
	Deltas          *bool          `json:"deltas,omitzero"`
	Memory          *bool          `json:"memory,omitzero"`
	PersistentState *bool          `json:"persistentState,omitzero"`
	Extra           jsontext.Value `json:",embed"`
}

// MultiAgentCapabilities says how the agent works with other agents.
type MultiAgentCapabilities struct {
	Supported  *bool          `json:"supported,omitzero"`
	Delegation *bool          `json:"delegation,omitzero"`
	Handoffs   *bool          `json:"handoffs,omitzero"`
	Subagents  []SubagentInfo `json:"subagents,omitzero"`
	Extra      jsontext.Value `json:",embed"`
}

// SubagentInfo names a subagent the agent can call.
type SubagentInfo struct {
	Name        string         `json:"name"`
	Description Text           `json:"description,omitzero"`
	Extra       jsontext.Value `json:",embed"`
}

// ReasoningCapabilities says what the agent shows of its reasoning.
type ReasoningCapabilities struct {
	Supported *bool          `json:"supported,omitzero"`
	Streaming *bool          `json:"streaming,omitzero"`
	Encrypted *bool          `json:"encrypted,omitzero"`
	Extra     jsontext.Value `json:",embed"`
}

// MultimodalCapabilities says which media the agent takes and makes.
type MultimodalCapabilities struct {
	Input  *MultimodalInput  `json:"input,omitzero"`
	Output *MultimodalOutput `json:"output,omitzero"`
	Extra  jsontext.Value    `json:",embed"`
}

// MultimodalInput says which media the agent takes.
type MultimodalInput struct {
	Image *bool          `json:"image,omitzero"`
	Audio *bool          `json:"audio,omitzero"`
	Video *bool          `json:"video,omitzero"`
	PDF   *bool          `json:"pdf,omitzero"`
	File  *bool          `json:"file,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// MultimodalOutput says which media the agent makes.
type MultimodalOutput struct {
	Image *bool          `json:"image,omitzero"`
	Audio *bool          `json:"audio,omitzero"`
	Extra jsontext.Value `json:",embed"`
}

// ExecutionCapabilities says what the agent may run and for how long.
type ExecutionCapabilities struct {
	CodeExecution    *bool          `json:"codeExecution,omitzero"`
	Sandboxed        *bool          `json:"sandboxed,omitzero"`
	MaxIterations    jsontext.Value `json:"maxIterations,omitzero"`    // a whole number, not negative
	MaxExecutionTime jsontext.Value `json:"maxExecutionTime,omitzero"` // milliseconds, a whole number
	Extra            jsontext.Value `json:",embed"`
}

// HumanInTheLoopCapabilities says how the agent asks people.
type HumanInTheLoopCapabilities struct {
	Supported        *bool          `json:"supported,omitzero"`
	Approvals        *bool          `json:"approvals,omitzero"`
	Interventions    *bool          `json:"interventions,omitzero"`
	Feedback         *bool          `json:"feedback,omitzero"`
	Interrupts       *bool          `json:"interrupts,omitzero"`
	ApproveWithEdits *bool          `json:"approveWithEdits,omitzero"`
	Extra            jsontext.Value `json:",embed"`
}

// ParseCapabilities checks and decodes what an agent declares. What is unknown is taken
// out and reported. The error matches ErrMalformed and names the place.
func ParseCapabilities(raw []byte) (AgentCapabilities, []Warning, error) {
	var c AgentCapabilities
	clean, warnings, err := shape.Enforce(raw, capabilities, nil)
	if err != nil {
		return c, nil, fmt.Errorf("%w: AgentCapabilities: %w", ErrMalformed, err)
	}
	if err := json.Unmarshal(clean, &c); err != nil {
		return c, nil, fmt.Errorf("%w: AgentCapabilities: %w", ErrMalformed, err)
	}
	return c, warnings, nil
}
