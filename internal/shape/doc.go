// Package shape checks one JSON value against a description of what a protocol
// knows, in a single pass, without reflection and without building a tree.
//
// The two wire packages describe their messages with it. The verdicts follow the
// rule both protocols share: what is unknown is reported and left in place, what
// is known and malformed is refused.
//
//	known member, value of the described form      accepted
//	known member, any other value                  *Violation, at any depth
//	unknown member of a closed object              Warning with its path
//	unknown member of an open object               accepted
//	unknown variant of a union, unknown enum word  Warning with its path
//	duplicate member name, invalid UTF-8, no JSON  *SyntaxError
//
// The bytes that were checked are the bytes that are passed on; nothing here
// rewrites them.
package shape
