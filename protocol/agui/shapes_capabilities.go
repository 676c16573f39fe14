package agui

// What an agent says it can do (AG-UI 1.1, basic/capabilities).
var (
	subagentInfo         = object(members{req("name", aString), opt("description", aString)})
	identityCapabilities = object(optional(aString, "name", "type", "description", "version", "provider", "documentationUrl"), metadata)
	transportAbilities   = object(optional(aBool, "streaming", "websocket", "httpBinary", "pushNotifications", "resumable"))
	toolsCapabilities    = object(optional(aBool, "supported", "parallelCalls", "clientProvided"), members{opt("items", list(tool))})
	outputCapabilities   = object(members{opt("structuredOutput", aBool), opt("supportedMimeTypes", list(aString))})
	stateCapabilities    = object(optional(aBool, "snapshots", "deltas", "memory", "persistentState"))
	multiAgentAbilities  = object(optional(aBool, "supported", "delegation", "handoffs"), members{opt("subagents", list(subagentInfo))})
	reasoningAbilities   = object(optional(aBool, "supported", "streaming", "encrypted"))
	multimodalInput      = object(optional(aBool, "image", "audio", "video", "pdf", "file"))
	multimodalOutput     = object(optional(aBool, "image", "audio"))
	multimodal           = object(members{opt("input", multimodalInput), opt("output", multimodalOutput)})
	executionAbilities   = object(optional(aBool, "codeExecution", "sandboxed"), optional(count, "maxIterations", "maxExecutionTime"))
	humanInTheLoop       = object(optional(aBool, "supported", "approvals", "interventions", "feedback", "interrupts", "approveWithEdits"))

	capabilities = object(members{
		opt("identity", identityCapabilities), opt("transport", transportAbilities), opt("tools", toolsCapabilities),
		opt("output", outputCapabilities), opt("state", stateCapabilities), opt("multiAgent", multiAgentAbilities),
		opt("reasoning", reasoningAbilities), opt("multimodal", multimodal), opt("execution", executionAbilities),
		opt("humanInTheLoop", humanInTheLoop), opt("custom", anObject),
	})
)
