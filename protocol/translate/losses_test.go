package translate

import (
	"slices"
	"strings"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// The losses, by the names that docs/translation.md gives them. What the round trips do
// not keep is taken out on both sides, in the name of the loss; a loss that never takes
// anything out is none.
const (
	lossSpans  = "reasoning spans"
	lossOpen   = "texts left open"
	lossEnding = "unsafe endings"
)

var exercised = map[string]bool{}

// lose takes out of both sides what the loss is about.
func lose(name string, want, have []string, lost func(string) bool) (keptWant, keptHave []string) {
	before := slices.Clone(want)
	keptWant = slices.DeleteFunc(slices.Clone(want), lost)
	keptHave = slices.DeleteFunc(slices.Clone(have), lost)
	if !slices.Equal(before, have) && slices.Equal(keptWant, keptHave) {
		exercised[name] = true
	}
	return keptWant, keptHave
}

func loseSpans(want, have []string) (keptWant, keptHave []string) {
	return lose(lossSpans, want, have, func(raw string) bool {
		return strings.HasPrefix(raw, `{"type":"`+string(agui.TypeReasoningStart)+`"`) || strings.HasPrefix(raw, `{"type":"`+string(agui.TypeReasoningEnd)+`"`)
	})
}

// loseEnding takes out the step that keeps a chat from posting.
func loseEnding(want, have []string) (keptWant, keptHave []string) {
	if n := len(want); len(have) == n+1 && have[n] == `{"type":"step-start"}` {
		exercised[lossEnding] = true
		have = have[:n]
	}
	if want[0] == "metadata " && have[0] == "metadata {}" {
		have[0] = want[0]
	}
	return want, have
}

func loseChunks(want, have []string) (keptWant, keptHave []string) {
	return loseEnding(loseOpen(want, have))
}

// loseOpen takes what an answer has left open for closed.
func loseOpen(want, have []string) (keptWant, keptHave []string) {
	for i := range want {
		closed := strings.Replace(want[i], `"state":"streaming"`, `"state":"done"`, 1)
		if closed != want[i] && i < len(have) && have[i] == closed {
			exercised[lossOpen] = true
			want[i] = closed
		}
	}
	return want, have
}
