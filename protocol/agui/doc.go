// Package agui reads and writes AG-UI 1.1: events, run inputs, interrupts, and the
// order in which events may come.
//
// Bytes are the truth and a struct is a view of them. ParseFrame checks one event
// and keeps its bytes; whoever only passes it on never looks further. Frame.Event
// gives the typed view. The set of event types is closed by an unexported method
// and open by UnknownEvent, which carries a type this version does not know.
//
//	bytes ──Pipeline──▶ delivered frames ──Conversation──▶ what a client holds
//	                        └──Event()──▶ typed view
//
// Where to find what:
//
//	which events exist, which members they have   event_type.go, shapes*.go
//	the typed views, a file per family            run.go text.go tool.go reasoning.go state.go activity.go subagent.go custom.go
//	the stages a stream passes, in order          pipeline.go: boundary*.go frame.go expand.go verify*.go
//	what events do to messages and state          conversation*.go, patch.go
//	what a client sends                           run_input.go, run_input_outgoing.go, message.go, content.go
//	interrupts and resume ⇄ package hitl          interrupt.go, resume.go; before 1.0: retired_interrupt.go
//	declared versions, and peers of before 1.0    version.go, downgrade*.go, legacy_input.go
//	what there is to warn about                   warning.go
//
// The package does no I/O and has no clock; it knows nothing of HTTP or sockets.
package agui
