// Package translate turns the AI SDK's chunks into AG-UI events and back, stream by
// stream and history by history. It is pure: the same frames give the same frames,
// with the same ids, every time, so that a replay repeats what was said.
//
// Ids are derived and map back. One AI SDK message M with several steps becomes
// several AG-UI messages: M, M#1, M#2, …; its reasoning is M#r0, M#r1, …; the result
// of call c is M#result-c. Everything before the first # names M again.
//
// What becomes of each chunk and each event, and what is lost, stands in
// docs/translation.md, which the tests of this package hold true.
package translate
