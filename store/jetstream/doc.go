// Package jetstream keeps the log of each thread in NATS JetStream.
//
// [OpenEmbedded] runs a server inside the process, without a listener, and
// keeps everything under one directory: an append that was acknowledged is on
// disk. [Connect] uses a cluster, which any number of processes may share. Both
// give the same [Log].
//
// All threads live in one stream, each under a subject of its own. One message
// holds the entries of one append, so an append is there or is not. What makes
// two writers take turns is the engine's check of the last message of a subject.
// What is too large for one message is several, and counts only with the last.
// No consumer is ever made: readers ask for batches of messages, and a doorbell
// is a plain subscription to what the stream announces after it has stored it.
//
// docs/store.md argues for each of these.
package jetstream
