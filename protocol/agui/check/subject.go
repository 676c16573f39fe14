package check

import (
	"github.com/agui-bridge/agui-bridge/internal/shape"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// A namespace says which member of an event names what the event is about.
type namespace struct{ kind, member string }

var namespaces = map[agui.EventType]namespace{
	agui.TypeTextMessageStart: {"message", "messageId"}, agui.TypeTextMessageContent: {"message", "messageId"},
	agui.TypeTextMessageEnd: {"message", "messageId"}, agui.TypeToolCallResult: {"message", "messageId"},
	agui.TypeToolCallStart: {"call", "toolCallId"}, agui.TypeToolCallArgs: {"call", "toolCallId"}, agui.TypeToolCallEnd: {"call", "toolCallId"},
	agui.TypeReasoningMessageStart: {"reasoning", "messageId"}, agui.TypeReasoningMessageContent: {"reasoning", "messageId"},
	agui.TypeReasoningMessageEnd: {"reasoning", "messageId"},
	agui.TypeReasoningStart:      {"span", "messageId"}, agui.TypeReasoningEnd: {"span", "messageId"},
	agui.TypeStepStarted: {"step", "stepName"}, agui.TypeStepFinished: {"step", "stepName"},
	agui.TypeSubagentStarted: {"subagent", "subagentRunId"}, agui.TypeSubagentFinished: {"subagent", "subagentRunId"},
	agui.TypeSubagentError:    {"subagent", "subagentRunId"},
	agui.TypeActivitySnapshot: {"activity", "messageId"}, agui.TypeActivityDelta: {"activity", "messageId"},
	agui.TypeReasoningEncryptedValue: {"entity", "entityId"},
}

// neutral are types that open and close nothing: when such an event is left out since it
// is malformed, the order of the others is what it was.
var neutral = map[agui.EventType]bool{
	agui.TypeTextMessageContent: true, agui.TypeToolCallArgs: true, agui.TypeReasoningMessageContent: true,
	agui.TypeToolCallResult: true, agui.TypeActivitySnapshot: true, agui.TypeActivityDelta: true,
	agui.TypeReasoningEncryptedValue: true, agui.TypeStateSnapshot: true, agui.TypeStateDelta: true,
	agui.TypeMessagesSnapshot: true, agui.TypeRaw: true, agui.TypeCustom: true,
}

// maxBlamed bounds what is remembered of a run's faults. Beyond it, nothing more is said
// of its order.
const maxBlamed = 10_000

// eventType returns the type of the current event, as far as it can be read.
func (c *Checker) eventType() agui.EventType {
	if !c.named {
		name, err := shape.StringMember(c.event.Raw, "type")
		if err == nil {
			c.name = agui.EventType(name)
		}
		c.named = true
	}
	return c.name
}

// subjects names what the current event is about; none if that cannot be told.
func (c *Checker) subjects() []string {
	t := c.eventType()
	in, ok := namespaces[t]
	if !ok {
		return nil
	}
	id, err := shape.StringMember(c.event.Raw, in.member)
	if err != nil {
		return nil
	}
	subjects := []string{in.kind + " " + id}
	if t == agui.TypeSubagentStarted {
		if parent, err := shape.StringMember(c.event.Raw, "parentSubagentRunId"); err == nil {
			subjects = append(subjects, "subagent "+parent)
		}
	}
	return subjects
}

// blame remembers what the current event is about. It reports whether there was room.
func (c *Checker) blame(subjects []string) bool {
	if len(c.blamed) >= maxBlamed {
		return false
	}
	if c.blamed == nil {
		c.blamed = map[string]bool{}
	}
	c.blamed[subjects[0]] = true
	return true
}

func (c *Checker) blamedAlready(subjects []string) bool {
	for _, s := range subjects {
		if c.blamed[s] {
			return true
		}
	}
	return false
}

// place points to the member of the event that a rule of the order is about.
func place(rule agui.SequenceRule, t agui.EventType) string {
	switch rule {
	case agui.ThreadMismatch:
		return "/threadId"
	case agui.RunMismatch:
		return "/runId"
	case agui.DuplicateInterrupt:
		return "/outcome/interrupts"
	case agui.RunNotStarted, agui.AfterRunFinished, agui.AfterRunError, agui.NestedRun:
		return "/type"
	case agui.WrongOwner:
		return "/subagentRunId"
	case agui.AlreadyOpen, agui.NotOpen, agui.SubagentRestarted:
		if in, ok := namespaces[t]; ok {
			return "/" + in.member
		}
	}
	return ""
}
