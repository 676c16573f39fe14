package agui

import "github.com/go-json-experiment/json/jsontext"

// A TokenUsage says what one model of one provider was used for in a run (AG-UI 1.1,
// TokenUsage). Counts are whole numbers, not negative, kept as they were written;
// TotalTokens includes its parts. Absent is not zero.
type TokenUsage struct {
	Provider              Text           `json:"provider,omitzero"`
	Model                 Text           `json:"model,omitzero"`
	InputTokens           jsontext.Value `json:"inputTokens,omitzero"`
	OutputTokens          jsontext.Value `json:"outputTokens,omitzero"`
	TotalTokens           jsontext.Value `json:"totalTokens,omitzero"`
	ReasoningTokens       jsontext.Value `json:"reasoningTokens,omitzero"`
	CachedInputTokens     jsontext.Value `json:"cachedInputTokens,omitzero"`
	CacheWriteInputTokens jsontext.Value `json:"cacheWriteInputTokens,omitzero"`
	Extra                 jsontext.Value `json:",embed"`
}
