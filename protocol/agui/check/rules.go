package check

import (
	"slices"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// The rules that are this package's own, beside agui's SequenceRules and WarningCodes.
const (
	invalidJSON     = "invalid_json"
	malformedValue  = "malformed_value"
	missingMember   = "missing_member"
	truncated       = "truncated"
	eventTooLarge   = "event_too_large"
	unfinishedEvent = "unfinished_event"
	limitExceeded   = "limit_exceeded"
	notFollowed     = "not_followed"
	// ContentType is the rule of a live endpoint that answers with something else than an
	// event stream. A Checker does not see it.
	ContentType = "wrong_content_type"
	// FindingsCut is the rule of the note that some findings are not shown. A Checker gives
	// all of them; whoever prints them may stop.
	FindingsCut = "findings_cut"
)

// A Rule is what a finding can be about.
type Rule struct {
	ID       string
	Severity Severity // of its findings, as a rule
	Help     string   // one sentence
}

var rules = []Rule{
	{invalidJSON, Error, "An event is one JSON value: well-formed, in UTF-8, without a member named twice, with nothing after it."},
	{missingMember, Error, "A member that the event's type requires is there."},
	{malformedValue, Error, "A member that the protocol knows has a value of the form that it describes; nothing is coerced or repaired."},
	{eventTooLarge, Error, "An event is not larger than the reader accepts (--max-event-bytes)."},
	{unfinishedEvent, Error, "The stream does not end inside an event; a server-sent event ends with a blank line, and readers drop one that does not."},
	{truncated, Error, "A stream ends with RUN_FINISHED or RUN_ERROR; one that just ends is no success."},
	{limitExceeded, Error, "A run does not name more ids than a consumer is ready to remember."},
	{ContentType, Error, "An endpoint answers a run with 200 and text/event-stream."},

	{string(agui.RunNotStarted), Error, "A stream opens with RUN_STARTED or RUN_ERROR."},
	{string(agui.AfterRunFinished), Error, "After RUN_FINISHED only RUN_STARTED or a late RUN_ERROR may follow."},
	{string(agui.AfterRunError), Error, "After RUN_ERROR only RUN_STARTED may follow."},
	{string(agui.NestedRun), Error, "A run may not start inside a run."},
	{string(agui.ThreadMismatch), Error, "Every run of a stream carries the threadId of the input."},
	{string(agui.RunMismatch), Error, "RUN_FINISHED carries the runId of RUN_STARTED."},
	{string(agui.DuplicateInterrupt), Error, "The ids of a run's interrupts are unique."},
	{string(agui.AlreadyOpen), Error, "A message, tool call, reasoning span or step that is open is not opened again."},
	{string(agui.NotOpen), Error, "Content and ends need something that is open: its start comes first."},
	{string(agui.StillOpen), Error, "Everything that a run opened is closed before RUN_FINISHED."},
	{string(agui.WrongOwner), Error, "What is streamed belongs to the subagent that opened it, or to the agent itself; nobody else goes on with it."},
	{string(agui.SubagentRestarted), Error, "A subagentRunId names one invocation; it does not start twice in a run."},
	{string(agui.SubagentNotStarted), Error, "A subagent starts before it ends, and before another one names it as its parent."},
	{string(agui.IncompleteChunk), Error, "The first chunk of a message or tool call carries what its start needs: messageId, or toolCallId and toolCallName."},
	{string(agui.AmbiguousChunk), Error, "A chunk that leaves its id out continues exactly one thing that is open."},
	{string(agui.ConflictingChunk), Error, "A later chunk may repeat what the first one said, not change it."},

	{string(agui.UnknownEventType), Warning, "The type of an event is one that the protocol has; consumers drop others."},
	{string(agui.UnknownProperty), Warning, "A closed object has only the members that the protocol describes; consumers take others out. A note if the producer declares a newer minor version."},
	{string(agui.UnknownValue), Warning, "A word or variant is one that the protocol has; consumers take out what holds another. A note if the producer declares a newer minor version."},
	{string(agui.RetiredShape), Warning, "A shape of an older version of the protocol is not sent any more; consumers translate it for now."},
	{string(agui.PatchFailed), Warning, "A JSON Patch applies to what the consumer holds; if not, the old value stays."},
	{string(agui.UnknownEntity), Warning, "An event is about a message or tool call that the consumer has."},
	{string(agui.EntityClash), Warning, "An id is not used by messages of kinds that do not mix, nor by tool calls of two names."},
	{string(agui.NewerVersion), Warning, "The producer declares a newer minor version than " + agui.Version + ", which is checked here."},
	{string(agui.ForeignVersion), Warning, "The producer declares another major version than " + agui.Version + ", which is checked here."},
	{string(agui.UnreadableVersion), Warning, "A declared protocolVersion reads MAJOR.MINOR."},

	{notFollowed, Note, "What a consumer would hold has become too large to follow; from there on patch_failed, unknown_entity and entity_clash are not looked for."},
	{FindingsCut, Note, "There were more findings than are shown (--max-findings)."},
}

// Rules returns every rule, the severe ones first.
func Rules() []Rule { return slices.Clone(rules) }

var severities = func() map[string]Severity {
	m := make(map[string]Severity, len(rules))
	for _, r := range rules {
		m[r.ID] = r.Severity
	}
	return m
}()
