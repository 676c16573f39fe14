package agui

// A SequenceRule names a rule of the order of a stream. The names are stable: tools
// print them and people look them up.
type SequenceRule string

// The rules that a SequenceError can be about.
const (
	RunNotStarted      SequenceRule = "run_not_started"      // a stream opens with RUN_STARTED or RUN_ERROR
	AfterRunFinished   SequenceRule = "after_run_finished"   // only RUN_STARTED or RUN_ERROR may follow RUN_FINISHED
	AfterRunError      SequenceRule = "after_run_error"      // only RUN_STARTED may follow RUN_ERROR
	NestedRun          SequenceRule = "nested_run"           // a run may not start inside a run
	ThreadMismatch     SequenceRule = "thread_mismatch"      // every run of a stream carries the input's threadId
	RunMismatch        SequenceRule = "run_mismatch"         // RUN_FINISHED names the run that RUN_STARTED opened
	DuplicateInterrupt SequenceRule = "duplicate_interrupt"  // an interrupt id asks once in a run
	AlreadyOpen        SequenceRule = "already_open"         // what is open may not be opened again
	NotOpen            SequenceRule = "not_open"             // only what is open goes on or ends
	StillOpen          SequenceRule = "still_open"           // everything is closed before RUN_FINISHED
	WrongOwner         SequenceRule = "wrong_owner"          // what is streamed belongs to one subagent, or to the agent
	SubagentRestarted  SequenceRule = "subagent_restarted"   // a subagent id names one invocation of a run
	SubagentNotStarted SequenceRule = "subagent_not_started" // a subagent starts before it ends, or has children
	IncompleteChunk    SequenceRule = "incomplete_chunk"     // the first chunk of an item says what it opens
	AmbiguousChunk     SequenceRule = "ambiguous_chunk"      // a chunk belongs to exactly one open item
	ConflictingChunk   SequenceRule = "conflicting_chunk"    // a later chunk repeats only what the first one said
)
