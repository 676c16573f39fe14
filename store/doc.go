// Package store keeps the log of each thread.
//
// One append-only log per thread is the truth about that thread; everything
// else is a fold over it. A log numbers its entries 1, 2, 3 … and never changes
// or drops one. What an entry's body means is the writer's business.
//
// [Log] is all that an implementation offers. Its compare-and-append is the one
// lock that writers have: who appends names the last sequence it knows, and of
// two writers who know the same one, one wins and the other gets [ErrConflict],
// reads on and decides again. That holds across processes, where the
// implementation reaches across them.
//
// [Memory] is an implementation for tests and throw-away runs. The suite in
// store/storetest says what every implementation must do.
package store
