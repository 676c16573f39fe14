// Package agui reads and writes AG-UI 1.1: events, run inputs, interrupts, and the
// order in which events may come.
//
// Bytes are the truth and a struct is a view of them. ParseFrame checks one event
// and keeps its bytes; whoever only passes it on never looks further. Frame.Event
// gives the typed view. The set of event types is closed by an unexported method
// and open by UnknownEvent, which carries a type this version does not know.
//
//	bytes ──ParseFrame──▶ Frame ──Verifier.Next──▶ in order? ──▶ forwarded as it came
//	                        └──Event()──▶ typed view, unknown members kept in Extra
//
// Where to find what:
//
//	which events exist, which members they have   event_type.go, shapes.go
//	the typed views, a file per family            run.go text.go tool.go reasoning.go state.go activity.go subagent.go custom.go
//	which event may follow which                  verify.go
//	what a client sends                           run_input.go, message.go
//	interrupts and resume ⇄ package hitl          interrupt.go, resume.go
//
// The package does no I/O and has no clock; it knows nothing of HTTP or sockets.
package agui
