// Package check finds what is wrong with a stream of AG-UI events, and what a consumer
// would warn about. It reads the stream as a consumer does, with the same Pipeline and
// the same Conversation, so that its verdict is the consumer's: a stream without an
// error here is one that every consumer of the protocol takes.
//
// A consumer stops at the first fault. A Checker goes on, since whoever mends a stream
// wants to hear of all faults at once, and of each of them once. What it does after one:
//
//	malformed event             left out. If it would have opened or closed something, its
//	                            id is not judged again in this run, since what is said of
//	                            it may be about the event that is missing
//	event out of order          left out; its id is not judged again in this run
//	event that cannot be read,  nothing more is said of the order in this run: any event
//	whose id cannot be read,    may have been lost, and what follows would be guesses; the
//	chunk or run event out of   form of every event is still judged. The next RUN_STARTED
//	order, limit                begins anew.
//	RUN_STARTED out of order    begins anew with this event
//	stream that ends early      reported, unless what could not be read may be its end
//
// After an event was left out that changes what a consumer holds, that is known no longer:
// patches of the state are judged again from the next STATE_SNAPSHOT on, references to
// messages from the next MESSAGES_SNAPSHOT on.
//
// Memory does not grow with the stream: text and arguments are not kept, ids only for a
// run, and what else a consumer holds up to a bound (Options.MaxHeld), which is told.
package check
