package agui

import (
	"maps"

	"github.com/agui-bridge/agui-bridge/internal/shape"
)

// definitions holds every definition of the protocol's JSON Schema that has a shape of
// its own, by its name there.
var definitions = func() map[string]*shape.Shape {
	d := map[string]*shape.Shape{
		"TextMessageRole": textRole, "ReasoningEncryptedValueSubtype": encryptedKind,
		"RunFinishedOutcome": outcome, "RunFinishedSuccessOutcome": successOutcome,
		"RunFinishedInterruptOutcome": interruptOutcome, "RunFinishedCancelledOutcome": cancelledOutcome,
		"SubagentFinishedOutcome": subagentOutcome, "SubagentFinishedSuccessOutcome": subagentSuccess,
		"SubagentFinishedSuspendedOutcome": subagentSuspended,
		"Interrupt":                        interrupt, "ResumeEntry": resumeEntry, "TokenUsage": usage,
		"Message": message, "ToolCall": toolCall, "FunctionCall": functionCall,
		"DeveloperMessage": message.Variants["developer"], "SystemMessage": message.Variants["system"],
		"AssistantMessage": message.Variants["assistant"], "UserMessage": message.Variants["user"],
		"ToolMessage": message.Variants["tool"], "ActivityMessage": message.Variants["activity"],
		"ReasoningMessage": message.Variants["reasoning"],
		"ContentPart":      contentPart, "TextPart": textPart, "ImagePart": contentPart.Variants["image"],
		"AudioPart": contentPart.Variants["audio"], "VideoPart": contentPart.Variants["video"],
		"DocumentPart": contentPart.Variants["document"],
		"PartSource":   partSource, "DataSource": dataSource, "UrlSource": urlSource, "FileSource": fileSource,
		"Context": context, "Tool": tool, "RunAgentInput": runInput, "Metadata": anObject, "State": anyValue,
		"SubagentRunId": aString, "SubagentInfo": subagentInfo, "IdentityCapabilities": identityCapabilities,
		"TransportCapabilities": transportAbilities, "ToolsCapabilities": toolsCapabilities,
		"OutputCapabilities": outputCapabilities, "StateCapabilities": stateCapabilities,
		"MultiAgentCapabilities": multiAgentAbilities, "ReasoningCapabilities": reasoningAbilities,
		"MultimodalInputCapabilities": multimodalInput, "MultimodalOutputCapabilities": multimodalOutput,
		"MultimodalCapabilities": multimodal, "ExecutionCapabilities": executionAbilities,
		"HumanInTheLoopCapabilities": humanInTheLoop, "AgentCapabilities": capabilities,
		"JsonPatch": patch, "JsonPatchOperation": patchOperation, "JsonPointer": aPointer,
		"AddOperation": addOperation, "RemoveOperation": removeOperation, "ReplaceOperation": replaceOperation,
		"MoveOperation": moveOperation, "CopyOperation": copyOperation, "TestOperation": testOperation,
	}
	maps.Copy(d, map[string]*shape.Shape{
		"TextMessageStartEvent": eventShapes[TypeTextMessageStart], "TextMessageContentEvent": eventShapes[TypeTextMessageContent],
		"TextMessageEndEvent": eventShapes[TypeTextMessageEnd], "TextMessageChunkEvent": eventShapes[TypeTextMessageChunk],
		"ToolCallStartEvent": eventShapes[TypeToolCallStart], "ToolCallArgsEvent": eventShapes[TypeToolCallArgs],
		"ToolCallEndEvent": eventShapes[TypeToolCallEnd], "ToolCallChunkEvent": eventShapes[TypeToolCallChunk],
		"ToolCallResultEvent": eventShapes[TypeToolCallResult], "StateSnapshotEvent": eventShapes[TypeStateSnapshot],
		"StateDeltaEvent": eventShapes[TypeStateDelta], "MessagesSnapshotEvent": eventShapes[TypeMessagesSnapshot],
		"ActivitySnapshotEvent": eventShapes[TypeActivitySnapshot], "ActivityDeltaEvent": eventShapes[TypeActivityDelta],
		"RawEvent": eventShapes[TypeRaw], "CustomEvent": eventShapes[TypeCustom], "RunStartedEvent": eventShapes[TypeRunStarted],
		"RunFinishedEvent": eventShapes[TypeRunFinished], "RunErrorEvent": eventShapes[TypeRunError],
		"StepStartedEvent": eventShapes[TypeStepStarted], "StepFinishedEvent": eventShapes[TypeStepFinished],
		"ReasoningStartEvent": eventShapes[TypeReasoningStart], "ReasoningMessageStartEvent": eventShapes[TypeReasoningMessageStart],
		"ReasoningMessageContentEvent": eventShapes[TypeReasoningMessageContent],
		"ReasoningMessageEndEvent":     eventShapes[TypeReasoningMessageEnd],
		"ReasoningMessageChunkEvent":   eventShapes[TypeReasoningMessageChunk], "ReasoningEndEvent": eventShapes[TypeReasoningEnd],
		"ReasoningEncryptedValueEvent": eventShapes[TypeReasoningEncryptedValue],
		"SubagentStartedEvent":         eventShapes[TypeSubagentStarted], "SubagentFinishedEvent": eventShapes[TypeSubagentFinished],
		"SubagentErrorEvent": eventShapes[TypeSubagentError],
	})
	return d
}()
