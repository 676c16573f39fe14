package store

import "errors"

var (
	// ErrConflict says that the log of the thread does not end where the
	// writer thought. Nothing was written.
	ErrConflict = errors.New("store: another writer was faster")
	// ErrClosed says that the log is closed.
	ErrClosed = errors.New("store: log is closed")
)
