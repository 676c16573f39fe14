package gateway

import (
	"net/http"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
)

// The views below are the JSON shapes of the HTTP interface: camelCase, absent rather
// than null.

type threadView struct {
	ThreadID string         `json:"threadId"`
	Agent    string         `json:"agent,omitzero"`
	Phase    session.Phase  `json:"phase"`
	Run      *runView       `json:"run,omitzero"`
	Pending  []requestView  `json:"pending"`
	Queued   int            `json:"queued"`
	Journal  []journalEntry `json:"journal"`
}

type runView struct {
	RunID     string    `json:"runId"`
	StartedAt time.Time `json:"startedAt"`
}

type requestView struct {
	ID        string               `json:"id"`
	Kind      hitl.RequestKind     `json:"kind"`
	ThreadID  string               `json:"threadId"`
	Agent     string               `json:"agent"`
	RunID     string               `json:"runId"`
	ToolCall  *hitl.ToolCall       `json:"toolCall,omitzero"`
	Message   string               `json:"message,omitzero"`
	Schema    jsontext.Value       `json:"schema,omitzero"`
	URL       string               `json:"url,omitzero"`
	Answers   hitl.ApprovalAnswers `json:"answers"`
	Render    *hitl.Render         `json:"render,omitzero"`
	RaisedAt  time.Time            `json:"raisedAt"`
	ExpiresAt time.Time            `json:"expiresAt,omitzero"`
}

type journalEntry struct {
	RequestID string       `json:"requestId"`
	Response  responseView `json:"response"`
	Actor     string       `json:"actor,omitzero"`
	At        time.Time    `json:"at"`
	Expired   bool         `json:"expired,omitzero"`   // nobody answered; it ran out
	Automatic bool         `json:"automatic,omitzero"` // by what the actor said before
}

type responseView struct {
	Decision    *hitl.ToolDecision  `json:"decision,omitzero"`
	Input       *hitl.InputResponse `json:"input,omitzero"`
	Output      jsontext.Value      `json:"output,omitzero"`
	OutputError string              `json:"outputError,omitzero"`
}

func viewThread(id string, s session.State) threadView {
	v := threadView{ThreadID: id, Agent: s.Agent, Phase: s.Phase, Pending: []requestView{}, Journal: []journalEntry{}, Queued: len(s.Queue)}
	if v.Phase == "" {
		v.Phase = session.Idle
	}
	if v.Phase == session.Running {
		v.Run = &runView{RunID: s.Run.ID, StartedAt: s.Run.StartedAt}
	}
	for _, q := range s.Pending {
		v.Pending = append(v.Pending, viewRequest(id, s.Run, q))
	}
	for _, a := range s.Settled {
		v.Journal = append(v.Journal, journalEntry{
			RequestID: a.Request.ID, Response: viewResponse(a.Response), Actor: a.Response.Actor, At: a.Response.At, Expired: a.Expired, Automatic: a.Automatic,
		})
	}
	return v
}

func viewRequest(thread string, run session.Run, q hitl.Request) requestView {
	v := requestView{
		ID: q.ID, Kind: q.Kind, ThreadID: thread, Agent: run.Agent, RunID: q.RaisedInRun, ToolCall: q.Call,
		Schema: q.Schema, Answers: q.Answers, Render: q.Render, RaisedAt: q.RaisedAt, ExpiresAt: q.ExpiresAt,
	}
	if q.Input != nil {
		v.Message, v.URL = q.Input.Message, q.Input.URL
		if len(v.Schema) == 0 {
			v.Schema = q.Input.Schema
		}
	}
	return v
}

func viewResponse(r hitl.Response) responseView {
	v := responseView{Decision: r.Decision, Input: r.Input}
	if r.ToolOutput != nil {
		v.Output, v.OutputError = r.ToolOutput.Output, r.ToolOutput.Error
	}
	return v
}

func (s *Server) thread(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("thread")
	state, err := s.opts.Hub.Thread(r.Context(), id)
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	writeJSON(w, http.StatusOK, viewThread(id, state))
}

func (s *Server) cancelThread(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("thread")
	if err := s.opts.Hub.Cancel(r.Context(), id, actor(r)); err != nil {
		refuse(w, refusalOf(err))
		return
	}
	s.thread(w, r)
}

// actor names who is asking. Without authentication everybody is the same person.
func actor(*http.Request) string { return "anonymous" }
