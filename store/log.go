package store

import (
	"context"
	"iter"
	"time"
)

// A Log keeps an append-only log for each thread. It is safe for concurrent use.
//
// A thread id is any non-empty string of up to 256 bytes. A thread comes into
// being with its first entry; one without entries does not exist, which is no
// error to a reader.
//
// After Close, every method reports [ErrClosed].
type Log interface {
	// Append appends entries to the log of a thread: all of them or none.
	// After is the sequence of the last entry that the writer knows, 0 for a
	// thread that must not exist yet; if it is not the last one, the error
	// matches ErrConflict. Append assigns Seq, ignoring what it is given,
	// copies each Body, and returns the sequence of the last entry.
	//
	// Any other error leaves open whether the entries were written: to find
	// out, read on from after.
	Append(ctx context.Context, thread string, after uint64, entries ...Entry) (last uint64, err error)

	// Read yields the entries of a thread that follow after, in order, as far
	// as the log reaches when Read is ranged over, and ends. An error is the
	// last thing yielded. The bodies are shared with other readers and must
	// not be changed.
	Read(ctx context.Context, thread string, after uint64) iter.Seq2[Entry, error]

	// Last returns the sequence of the last entry of a thread, 0 for a thread that does not
	// exist. An entry that was appended before the call is not passed over.
	Last(ctx context.Context, thread string) (seq uint64, err error)

	// Watch returns a doorbell that rings when something may have been
	// appended to the thread after the call, or the log was closed. It is a
	// hint and promises no delivery: who rings and what was appended is for
	// Read to tell. The channel holds one ring, is never closed, and is
	// released by stop, which can be called more than once.
	Watch(thread string) (ch <-chan struct{}, stop func())

	// Threads yields every thread that exists, in no particular order.
	Threads(ctx context.Context) iter.Seq2[ThreadInfo, error]

	// Close releases what the log holds. Closing twice is no error.
	Close() error
}

// An Entry is one record of a thread's log.
type Entry struct {
	Seq  uint64    // assigned by Append; the first entry of a thread has 1
	Kind Kind      // what Body is
	At   time.Time // when it was recorded, to the nanosecond
	Body []byte    // means nothing to the store
}

// A Kind says what an entry records.
type Kind string

// The kinds of entries.
const (
	KindInput        Kind = "input"         // a front end asked for a run
	KindStarted      Kind = "started"       // a run was started
	KindFrames       Kind = "frames"        // frames of the agent, verbatim, many to an entry
	KindAsked        Kind = "asked"         // a request was raised
	KindAnswered     Kind = "answered"      // a request was settled
	KindQueued       Kind = "queued"        // an input was held
	KindReleased     Kind = "released"      // a held input was let go
	KindResumeIntent Kind = "resume-intent" // a resume is about to be sent
	KindResumeSent   Kind = "resume-sent"   // a resume may have reached the agent
	KindEnded        Kind = "ended"         // a run ended
	KindCancelled    Kind = "cancelled"     // what was pending was withdrawn
	KindSnapshot     Kind = "snapshot"      // the fold of all entries before it
)

// A ThreadInfo names a thread and the end of its log.
type ThreadInfo struct {
	ID   string
	Last uint64    // sequence of the last entry
	At   time.Time // of the last entry
	End  Entry     // the last entry, if it was at hand; Seq 0 otherwise
}
