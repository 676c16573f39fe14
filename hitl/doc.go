// Package hitl is the neutral model of the moment when a run stops to ask a person: what
// is asked, what may be answered, and what an answer does. The protocols, the session and
// the inbox all speak of it in these types.
//
// It owns the rules and nothing else. It knows no protocol, keeps no list of what is
// open, and has no clock, no I/O, no goroutine and no random id: the moment and the
// check of JSON Schemas are arguments. It imports no other package of the project.
//
// # What an answer does
//
// A [Request] is settled by one [Response]. [Request.Check] decides whether it may:
//
//	answer                              to             outcome
//	----------------------------------  -------------  ---------------------------------------
//	cancel                              any request    settles, even when expired; nothing was
//	                                                   decided: no denial and no answer
//	anything else, expired              any request    ErrExpired
//	of another kind than the request,   any request    ErrInvalidPayload
//	none of the three parts, or two
//	approved                            approval       the proposed call runs
//	approved + editedArgs, an object    approval that  the call runs with these arguments
//	                                    takes edits    in place of all proposed ones
//	approved + editedArgs               one that does  ErrEditsNotSupported; nothing runs,
//	                                    not            least of all the unedited call
//	approved + editedArgs, no object    approval       ErrInvalidPayload
//	denied, with or without a reason    approval       the call does not run; settled; edits
//	                                                   and the wish to remember have no effect
//	payload that says other than the    approval       ErrInvalidPayload
//	decision
//	payload, or an approval without     approval with  ErrInvalidPayload
//	one, that breaks the schema         a schema
//	accept, content fits the schema     input          settles
//	accept, content breaks the schema   input          ErrInvalidPayload
//	or is absent where there is one
//	decline                             input          settles; the agent goes on without
//	output, or error text               client tool    settles; an output is data, never read
//	                                                   as a decision
//	both, or neither                    client tool    ErrInvalidPayload
//
// Three rules are for whoever keeps the list of open requests: an answer to nothing that
// was asked is [ErrUnknown]; answers that leave some requests of the run open, where the
// agent wants all at once, are [ErrIncomplete]; an answer to a settled request is the
// same answer again if [Same] says so, and else [ErrAlreadySettled]. A refused answer
// changes nothing.
//
// # Deny by default
//
// [ParseDecision] and [ParseInput] read what a front end sent. A decision is an approval
// only if approved is the JSON value true and every other known member is well-formed;
// text or numbers that stand for yes do not. [Policy] says which calls are asked about
// at all; of what a tool says of itself only readOnlyHint true counts. [ToolCall.Key]
// ties an approval to the arguments that were shown.
package hitl
