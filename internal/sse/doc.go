// Package sse writes and reads server-sent events, to the letter of the
// WHATWG standard: https://html.spec.whatwg.org/multipage/server-sent-events.html
//
// [Append] and [AppendComment] write, without allocating. [Read] yields the
// data of each event of a stream. The fields event, id and retry carry nothing
// this project uses, so they are neither written nor returned.
package sse
