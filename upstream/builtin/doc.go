// Package builtin holds the demo agents: no model, no network, every behaviour that a
// front end has to cope with. The first word of the user's message picks the script.
//
//	hello            streams a greeting
//	email            proposes send_email and asks approval
//	delete           proposes delete_database and asks approval
//	parallel         proposes three calls at once and asks approval of each
//	book             asks for input with a form
//	ask              asks two questions with ask_user_question
//	locate           calls the client tool get_location
//	think            streams reasoning before the answer
//	state            streams a state snapshot and deltas
//	stream N         streams N text deltas as fast as it can
//	slow N           streams N text deltas, one every 100 ms
//	fail             ends in an error
//	drop             stops in the middle of a message, as a broken connection does
//	anything else    is echoed
//
// demo says it in AG-UI, demo-aisdk in the AI SDK's chunks. Both keep no memory: what
// was asked and answered comes with the call, so a restart loses nothing.
package builtin
