// Package session owns the conversation: what runs on a thread, what it waits for,
// and what an answer does to it. It knows no wire format; frames are bytes to it.
//
//	          Submit                                ended: success / cancelled / failed
//	idle ───────────────▶ running ────────────────────────────────▶ idle
//	 ▲                      │  ▲
//	 │                      │  │ Launched
//	 │   ended: interrupted ▼  │
//	 └──── cancelled ──── awaiting ──── Submit with all answers ───▶ resuming
//
// The package has two halves. The pure half is a state machine: State is a value,
// Step takes an input and returns the records to write and the effects to carry out,
// Fold applies a record. The state of a thread is the fold of its log and nothing
// else, so that a restart, a replay and a test see the same thing. It has no clock,
// no goroutine, no I/O and no random id.
//
//	step.go, submit.go   what an input does          record.go, fold.go   what a record means
//
// The other half runs it: a Hub holds the threads, a Session appends to one thread's
// log by compare-and-append and carries out effects, a Run keeps the frames of one run
// for any number of readers, who pull. A reader never delays the run, and a run belongs
// to its session: a reader that leaves ends nothing.
package session
