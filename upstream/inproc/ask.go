package inproc

import (
	"context"
	"errors"
	"reflect"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
)

func approvalKey(callID string) string { return "approval " + callID }
func inputKey(id string) string        { return "input " + id }

// Approver returns the run as what it can be passed on as, to code that only asks.
func (r *Run) Approver() hitl.Approver { return r }

// Decide asks whether the call, which was shown before, may run, and waits for a person.
// An error is a denial; the documentation of the package has a table of them. When the
// decision edits the arguments, the call is to be carried out with those and no others:
// see [hitl.ToolDecision.Edits].
func (r *Run) Decide(ctx context.Context, toolCallID string) (hitl.ToolDecision, error) {
	q, err := r.f.raiseApproval(ctx, toolCallID)
	if err != nil {
		return hitl.ToolDecision{}, err
	}
	return r.f.decision(ctx, q)
}

// DecideAll asks about several calls in one interrupt, and returns the decisions in that
// order. On an error none of them may run.
func (r *Run) DecideAll(ctx context.Context, toolCallIDs ...string) ([]hitl.ToolDecision, error) {
	questions := make([]*question, len(toolCallIDs))
	var failed error
	for i, id := range toolCallIDs {
		questions[i], failed = r.f.raiseApproval(ctx, id)
		if failed != nil {
			questions = questions[:i]
			break
		}
	}
	if failed != nil {
		for _, q := range questions {
			r.f.leaveQuestion(q)
		}
		return nil, failed
	}
	decisions := make([]hitl.ToolDecision, len(questions))
	for i, q := range questions {
		var err error
		decisions[i], err = r.f.decision(ctx, q)
		failed = errors.Join(failed, err)
	}
	if failed != nil {
		return nil, failed
	}
	return decisions, nil
}

func (f *function) raiseApproval(ctx context.Context, callID string) (*question, error) {
	return f.raise(ctx, approvalKey(callID), func() (hitl.Request, error) {
		call := f.calls[callID]
		switch {
		case call == nil:
			return hitl.Request{}, ErrNotShown
		case call.done:
			return hitl.Request{}, ErrDone
		}
		id := f.newID("approve")
		proposed := call.ToolCall
		q := hitl.Request{
			ID: id, Kind: hitl.KindApproval, Call: &proposed, ExpiresAt: call.proposal.ExpiresAt,
			Answers: hitl.ApprovalAnswers{Reason: true, EditedArgs: !call.proposal.NoEdits},
			Input:   &hitl.InputRequest{ID: id, Message: call.proposal.Question, ToolCallID: callID},
		}
		q.Schema = hitl.ApprovalSchema(q.Answers)
		return q, nil
	})
}

// decision waits for the answer to an approval. What is not a decision through and
// through is none.
func (f *function) decision(ctx context.Context, q *question) (hitl.ToolDecision, error) {
	r, err := f.await(ctx, q)
	switch {
	case err != nil:
		return hitl.ToolDecision{}, err
	case r.Cancelled():
		return hitl.ToolDecision{}, ErrGivenUp
	case r.Decision == nil, r.Input != nil, r.ToolOutput != nil:
		return hitl.ToolDecision{}, ErrNoAnswer
	}
	d := *r.Decision
	if !d.Approved {
		return hitl.ToolDecision{Reason: d.Reason}, nil
	}
	if d.Edits() && (!q.request.Answers.EditedArgs || d.EditedArgs.Kind() != jsontext.KindBeginObject) {
		return hitl.ToolDecision{}, hitl.ErrEditsNotSupported
	}
	d.EditedArgs = d.EditedArgs.Clone() // two may have asked the same
	return d, nil
}

// Input asks for what req describes, and waits for a person. Declining and cancelling are
// answers and no errors; on an error there is no answer. An id that was asked before,
// with the same request, gives the same answer; without an id, each call asks anew.
func (r *Run) Input(ctx context.Context, req hitl.InputRequest) (hitl.InputResponse, error) {
	f := r.f
	key := inputKey(req.ID)
	if req.ID == "" {
		f.mu.Lock()
		req.ID = f.newID("input")
		f.mu.Unlock()
		key = inputKey(req.ID)
	}
	if req.Kind == "" {
		req.Kind = kindOf(req)
	}
	q, err := f.raise(ctx, key, func() (hitl.Request, error) { return f.inputRequest(req) })
	if err != nil {
		return hitl.InputResponse{}, err
	}
	if !reflect.DeepEqual(*q.request.Input, req) {
		f.leaveQuestion(q)
		return hitl.InputResponse{}, ErrReused
	}
	resp, err := f.await(ctx, q)
	switch {
	case err != nil:
		return hitl.InputResponse{}, err
	case resp.Input == nil:
		return hitl.InputResponse{}, ErrNoAnswer
	}
	in := *resp.Input
	in.Content = in.Content.Clone()
	return in, nil
}

func kindOf(req hitl.InputRequest) hitl.InputKind {
	switch {
	case req.URL != "":
		return hitl.InputURL
	case len(req.Schema) > 0:
		return hitl.InputForm
	}
	return hitl.InputConfirmation
}

// inputRequest is called with mu held. The id of the request is not that of the input:
// an author may use that one again in a later turn, where an old answer must not count.
func (f *function) inputRequest(req hitl.InputRequest) (hitl.Request, error) {
	q := hitl.Request{ID: f.newID("ask"), Kind: hitl.KindInput, Input: &req, Schema: req.Schema, ExpiresAt: req.ExpiresAt}
	if req.ToolCallID != "" {
		call := f.calls[req.ToolCallID]
		if call == nil {
			return hitl.Request{}, ErrNotShown
		}
		about := call.ToolCall
		q.Call = &about
	}
	return q, nil
}

// Ask puts multiple-choice questions to the user as a call of ask_user_question, result
// included. It returns, by header, the labels that were picked or the one text the user
// gave instead; nil if the user declined or gave the questions up. Questions that break
// a limit give a [*hitl.CallError] and reach nobody.
func (r *Run) Ask(ctx context.Context, questions hitl.AskUser) (map[string][]string, error) {
	args, err := json.Marshal(questions, json.Deterministic(true))
	if err != nil {
		return nil, &hitl.CallError{Tool: hitl.AskUserTool, Issues: []hitl.Issue{{Message: err.Error()}}}
	}
	questions, err = hitl.ParseAskUser(args)
	if err != nil {
		return nil, err
	}
	call := r.ToolCall(hitl.AskUserTool, jsontext.Value(args))
	answer, err := r.Input(ctx, questions.InputRequest(call.ID))
	if err != nil {
		return nil, err
	}
	result, err := questions.Result(answer)
	if err != nil {
		r.Failed(call.ID, err.Error())
		return nil, err
	}
	r.Result(call.ID, result)
	if answer.Action != hitl.ActionAccept {
		return nil, nil
	}
	var picked map[string][]string
	if err := json.Unmarshal(result, &picked); err != nil {
		return nil, err
	}
	return picked, nil
}
