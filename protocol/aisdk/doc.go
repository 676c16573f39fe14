// Package aisdk reads and writes the AI SDK's UI message stream: the chunks an
// agent streams, the messages a chat keeps, and the request a chat posts.
//
// As in package agui, bytes are the truth and a struct is a view: ParseFrame checks
// one chunk and keeps its bytes, Frame.Chunk gives the typed view, and a type this
// version does not know is carried as UnknownChunk.
//
// A Reducer builds the UIMessage that a chat holds after the same chunks; it is also
// what checks their order, since a delta without its opener ends a stream.
//
//	which chunks exist, which members they have   chunk_type.go, shapes.go
//	the typed views, a file per family            text.go tool.go step.go data.go
//	messages, parts and their states              message.go, part.go
//	what a chunk does to a message                reduce.go, reduce_tool.go
//	what a chat posts                             chat_request.go
//	approvals ⇄ package hitl                      approval.go
//
// The package does no I/O and has no clock; it knows nothing of HTTP or sockets.
package aisdk
