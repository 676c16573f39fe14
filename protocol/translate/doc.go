// Package translate turns the AI SDK's chunks into AG-UI events and back, stream by
// stream and history by history. It is pure: the same frames give the same frames,
// with the same ids, every time, so that a replay repeats what was said.
//
// Ids are derived and map back. One AI SDK message M with several steps becomes
// several AG-UI messages: M, M#1, M#2, …; its reasoning is M#r0, M#r1, …; the result
// of call c is M#result-c. Everything before the first # names M again.
//
//	AI SDK chunk                        AG-UI event
//	start (first of a run)              RUN_STARTED
//	text-start, -delta, -end            TEXT_MESSAGE_START, _CONTENT, _END
//	reasoning-start, -delta, -end       REASONING_START + _MESSAGE_START, _MESSAGE_CONTENT, _MESSAGE_END + REASONING_END
//	tool-input-start, -delta            TOOL_CALL_START, _ARGS
//	tool-input-available                TOOL_CALL_END (with START and ARGS if nothing was streamed)
//	tool-input-error                    TOOL_CALL_END and TOOL_CALL_RESULT with the error
//	tool-output-available, -error       TOOL_CALL_RESULT
//	tool-output-denied                  TOOL_CALL_RESULT that says so, with the reason
//	tool-approval-request               an interrupt of the outcome
//	start-step, finish-step             nothing: a step is a message of its own
//	finish, abort, error                RUN_FINISHED success or interrupt, cancelled, RUN_ERROR
//	everything else                     CUSTOM "ai-sdk/<type>" with the chunk as its value
//
// The other direction stands in to_aisdk.go, histories in chat_request.go.
package translate
