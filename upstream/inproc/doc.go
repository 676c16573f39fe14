// Package inproc makes an agent of a Go function. The function writes what it says
// through a [Run], and asks a person through it as a hitl.Approver: the call waits, and
// returns the answer, in the middle of the function.
//
// # Stopping and going on
//
// A run of the bridge ends when it asks, and another run goes on with the answers. The
// function does not end in between: it is parked. It runs on a goroutine of the agent,
// not of the run; when it waits in [Run.Decide], [Run.Input] or [Run.Ask], the run ends
// with the outcome interrupt, and when the answers come, what the function says next
// belongs to the run that they started. What it says while no run is there waits.
//
// Several goroutines of one function may ask at once. The run stops when Options.Gather
// has passed since the newest question, and asks all of them in one interrupt. A message
// that another goroutine was writing is closed then, and goes on as a new one.
//
// # What is never an approval
//
//	what happens                              what Decide returns
//	----------------------------------------  ------------------------------------------------
//	approved, with or without edits           the decision
//	denied                                    the decision, Approved false, and its reason
//	the person gave the request up            ErrGivenUp (Input: the action cancel, no error)
//	it expired before it was answered         hitl.ErrExpired, at that moment
//	the context of the asker ended            its cause; an answer that comes later is kept
//	                                          for whoever asks about the same call again
//	the run or the thread was cancelled       session.ErrCancelled
//	a new turn began on the thread            session.ErrCancelled
//	the process goes down                     session.ErrShutdown
//	parked for longer than Options.ParkFor    ErrParkedTooLong
//	too many functions are parked             ErrTooManyParked; the run goes on
//	the call was never shown                  ErrNotShown
//	the function has returned                 ErrOver
//	the same call asked again                 the same answer; nobody is asked twice
//
// # When the process is gone
//
// A parked function lives in memory, so a restart loses it. It is not run again: between
// two questions a Go function does what nobody recorded, and running it a second time to
// get back to the question would do that twice, or come to another question than the one
// that was answered. The run that brings the answers fails with resume_unknown, unless
// the author opted in to go on by hand: Options.Recover is called with the answers, in
// place of the function.
//
// # Ends
//
// A function that returns nil ends its run as a success. A *session.Failure is shown as it
// is; any other error is logged and shown as "the agent failed", since errors may hold
// what is not for users. An error that matches ErrGivenUp or hitl.ErrExpired ends the run
// as cancelled. A panic fails the run, not the process; one on a goroutine that the
// function started itself cannot be caught here. A function that ignores its context
// does not hold up the end of its run; what it says is dropped, and it counts as parked
// until it returns.
package inproc
