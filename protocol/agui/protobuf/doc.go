// Package protobuf is the binary form of AG-UI events: the bytes that the published
// package @ag-ui/proto 1.0.0 makes of the same JSON, and what it reads out of them.
//
// Both directions are lists of fields, one for each message of the protocol, that one
// walk interprets. The committed vectors, which the published package generates, hold
// them to it byte for byte.
//
// # What the binary form does not carry
//
// It is a form of AG-UI 1.0 with a fixed place for every member, so it holds less than
// JSON does. What follows is lost where [Append] meets it; an [Encoder] reports it.
//
//   - encryptedValueType, which 1.1 added, has no place.
//   - Members of a JSON Patch operation that JSON Patch does not define have none.
//   - A member named __proto__ is left out of metadata, state and all other free JSON,
//     at any depth and in both directions. The reference does so too: in JavaScript it
//     is no member.
//   - Numbers in free JSON are 64-bit floats. One that has more digits than such a float
//     holds, or lies below its range, is rounded, as JSON.parse would round it.
//
// These differences are no losses, but a reader that compares the JSON forms sees them:
//
//   - Optional lists that are empty are absent after a round trip (toolCalls, usage,
//     pendingToolCallIds, interruptIds); in the input of RUN_STARTED the absent ones
//     come back empty (tools, context, resume).
//   - Free JSON comes back with the names that are whole numbers first, in their order.
//   - A number comes back as JavaScript would write it.
//
// What cannot be carried without changing what the event means is an error: an event
// of an unknown type, a number beyond the range of a float, free JSON that nests deeper
// than [MaxDepth]. Unknown members, roles, content parts and operations do not come
// here, since agui.ParseFrame takes them out, and neither do lone surrogates, which it
// refuses.
//
// # Where it differs from the reference
//
// Append reads nothing but the protocol's members. The reference lets some unknown ones
// take the place of its own fields (baseEvent in an event, activityContent in a
// message), writes "[object Object]" for an object where it expects a string, and takes
// any case for an op. [Decode] is stricter: it refuses text that is not UTF-8, which the
// reference replaces, a number that is not finite, and a list element without a value.
package protobuf
