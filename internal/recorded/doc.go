// Package recorded reads streams of events that were written down, in the forms in which
// people have them: JSON lines, a JSON array, server-sent events as they came over the
// wire. It says of each event where it stands, and goes on after one that it cannot read.
//
//	jsonl   one event a line; blank lines are skipped
//	json    an array of events, events one after another, or an object whose member
//	        "stream" is an array of events and whose member "input" is the run input
//	sse     what package sse reads, with places; a test holds the two together
//
// A byte order mark, CRLF and blank lines are no matter in any of them. Not more than one
// event is held at a time.
package recorded
