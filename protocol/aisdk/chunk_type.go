package aisdk

import "strings"

// A ChunkType names what a chunk is; it is the value of its member "type".
type ChunkType string

// The chunk types of ai 6 and ai 7. Application data has types of its own, data-<name>.
const (
	TypeStart                ChunkType = "start"
	TypeFinish               ChunkType = "finish"
	TypeAbort                ChunkType = "abort"
	TypeError                ChunkType = "error"
	TypeMessageMetadata      ChunkType = "message-metadata"
	TypeStartStep            ChunkType = "start-step"
	TypeFinishStep           ChunkType = "finish-step"
	TypeResetStep            ChunkType = "reset-step" // ai 7
	TypeTextStart            ChunkType = "text-start"
	TypeTextDelta            ChunkType = "text-delta"
	TypeTextEnd              ChunkType = "text-end"
	TypeReasoningStart       ChunkType = "reasoning-start"
	TypeReasoningDelta       ChunkType = "reasoning-delta"
	TypeReasoningEnd         ChunkType = "reasoning-end"
	TypeToolInputStart       ChunkType = "tool-input-start"
	TypeToolInputDelta       ChunkType = "tool-input-delta"
	TypeToolInputAvailable   ChunkType = "tool-input-available"
	TypeToolInputError       ChunkType = "tool-input-error"
	TypeToolApprovalRequest  ChunkType = "tool-approval-request"
	TypeToolApprovalResponse ChunkType = "tool-approval-response" // ai 7
	TypeToolOutputAvailable  ChunkType = "tool-output-available"
	TypeToolOutputError      ChunkType = "tool-output-error"
	TypeToolOutputDenied     ChunkType = "tool-output-denied"
	TypeSourceURL            ChunkType = "source-url"
	TypeSourceDocument       ChunkType = "source-document"
	TypeFile                 ChunkType = "file"
	TypeReasoningFile        ChunkType = "reasoning-file"   // ai 7
	TypeCustom               ChunkType = "custom"           // ai 7
	TypeSteeringMessage      ChunkType = "steering-message" // ai 7
)

// dataPrefix begins the type of every data chunk and data part.
const dataPrefix = "data-"

// IsData reports whether the chunk carries application data, and under which name.
func (t ChunkType) IsData() (name string, ok bool) {
	return strings.CutPrefix(string(t), dataPrefix)
}
