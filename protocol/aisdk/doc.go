// Package aisdk reads and writes the AI SDK's UI message stream: the chunks an
// agent streams, the messages a chat keeps, and the request a chat posts.
//
// As in package agui, bytes are the truth and a struct is a view: ParseFrame checks
// one chunk and keeps its bytes, Frame.Chunk gives the typed view, and a type this
// version does not know is carried as UnknownChunk.
//
// The two majors, ai 6 and ai 7, are Profiles. What is emitted is held to one of them,
// since a chat ends an answer over a chunk it does not know (Profile.Encode); what is
// read is whatever either knows, and histories are read leniently (ParseMessages), since
// a message that nobody acts on can do no harm. Text and Flag tell absent from empty.
//
// A Reducer builds the UIMessage that a chat holds after the same chunks; it is also
// what checks their order, since a delta without its opener ends a stream. The published
// packages are what it is held to: testdata/vectors-*.jsonl, and e2e/aisdk-differential.
//
//	which chunks exist, which members they have   chunk_type.go, shapes.go
//	what each major lacks                         profile.go
//	names that no chat accepts                    forbidden.go
//	the typed views, a file per family            text.go tool.go step.go data.go file.go source.go
//	messages, parts and their states              message.go, part.go, part_json.go
//	what a major takes into a conversation        message_check.go, shapes_part.go
//	what a chunk does to a message                reduce.go, reduce_part.go, reduce_tool.go
//	input that is still streamed                  reduce_input.go, partial_json.go
//	the message's metadata                        metadata.go
//	what a chat posts                             chat_request.go
//	the frames of a WebSocket                     socket.go, socket_response.go
//	approvals ⇄ package hitl                      approval.go
//
// The package does no I/O and has no clock; it knows nothing of HTTP or sockets.
package aisdk
