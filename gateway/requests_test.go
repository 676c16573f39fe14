package gateway

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/session"
)

// answerOne posts an answer to one request.
func (r *rig) answerOne(thread, request, body string) (status int, answer string) {
	r.t.Helper()
	resp, err := http.Post(r.web.URL+"/v1/threads/"+url.PathEscape(thread)+"/requests/"+url.PathEscape(request), "application/json", strings.NewReader(body))
	return r.answer(resp, err)
}

// asked returns the ids of the open requests of thread t.
func (r *rig) asked() (ids []string) {
	for _, q := range r.view("t").Pending {
		ids = append(ids, q.ID)
	}
	return ids
}

func settledDown(v viewOfThread) bool { return v.Phase == session.Idle && len(v.Pending) == 0 }

func bothAgents(t *testing.T, test func(t *testing.T, agent string)) {
	for _, agent := range []string{"demo", "demo-aisdk"} {
		t.Run(agent, func(t *testing.T) { test(t, agent) })
	}
}

// A run goes on when its request is answered, with no front end attached; one that comes
// later with the same answer reads what it did.
func TestAnAnswerOverHTTPResumesTheRun(t *testing.T) {
	bothAgents(t, func(t *testing.T, agent string) {
		r := newRig(t)
		r.dial(agent).do(input("t", "r1", "email"))
		id := r.asked()[0]
		status, body := r.answerOne("t", id, `{"decision":{"approved":true}}`)
		if status != http.StatusOK || !strings.Contains(body, `"journal":[{"requestId":"`+id) {
			t.Fatalf("%d %s", status, body)
		}
		r.await("t", "idle", settledDown)
		frames := r.dial(agent).do(resume("t", "r9", `{"interruptId":"`+id+`","status":"resolved","payload":{"approved":true}}`))
		if got := said(frames); !strings.Contains(got, "I sent the email") {
			t.Errorf("said %q", got)
		}
		conformant(t, frames)
		for range 2 { // the same answer is one answer
			if status, body = r.answerOne("t", id, `{"decision":{"approved":true}}`); status != http.StatusOK {
				t.Errorf("again: %d %s", status, body)
			}
		}
		status, body = r.answerOne("t", id, `{"decision":{"approved":false}}`)
		if status != http.StatusConflict {
			t.Errorf("another answer: %d", status)
		}
		if e := refusalBody(t, body, session.CodeAlreadySettled); !strings.Contains(e.Error.Message, "anonymous") {
			t.Errorf("it does not say who won: %s", body)
		}
	})
}

// Several people answer several requests; the run goes on when the last one has.
func TestPartialAnswersResumeOnce(t *testing.T) {
	bothAgents(t, func(t *testing.T, agent string) {
		r := newRig(t)
		r.dial(agent).do(input("t", "r1", "parallel"))
		ids := r.asked()
		if len(ids) != 3 {
			t.Fatalf("asked %v", ids)
		}
		r.answerOne("t", ids[1], `{"decision":{"approved":false,"reason":"not this one"}}`)
		if v := r.view("t"); v.Phase != session.Awaiting || len(v.Pending) != 2 {
			t.Fatalf("after one of three the thread is %+v", v)
		}
		entry := func(i int, payload string) string {
			return `{"interruptId":"` + ids[i] + `","status":"resolved","payload":` + payload + `}`
		}
		// A front end that contradicts what was settled elsewhere changes nothing.
		refused := r.dial(agent).do(resume("t", "r2", entry(0, `{"approved":true}`), entry(1, `{"approved":true}`), entry(2, `{"approved":true}`)))
		if refused[0].Text("code") != string(session.CodeAlreadySettled) || len(r.asked()) != 2 {
			t.Fatalf("refused with %s, still asked %v", refused[0].Raw, r.asked())
		}
		// One that agrees, or knows nothing of it, resumes with all answers.
		frames := r.dial(agent).do(resume("t", "r3", entry(0, `{"approved":true}`), entry(2, `{"approved":true}`)))
		results := 0
		for _, f := range frames {
			if f.Type == agui.TypeToolCallResult {
				results++
			}
		}
		if results != 3 || !strings.Contains(said(frames), "not this one") {
			t.Errorf("%d results, said %q", results, said(frames))
		}
		conformant(t, frames)
	})
}

// Of two answers at once one wins, and the run resumes once.
func TestConcurrentAnswers(t *testing.T) {
	bothAgents(t, func(t *testing.T, agent string) {
		r := newRig(t)
		r.dial(agent).do(input("t", "r1", "email"))
		id := r.asked()[0]
		statuses := make([]int, 8)
		var all sync.WaitGroup
		for i := range statuses {
			all.Go(func() {
				body := `{"decision":{"approved":true}}`
				if i%2 == 1 {
					body = `{"decision":{"approved":false}}`
				}
				statuses[i], _ = r.answerOne("t", id, body)
			})
		}
		all.Wait()
		won := -1
		for i, status := range statuses {
			if status == http.StatusOK && won < 0 {
				won = i % 2
			}
			if (status == http.StatusOK) != (i%2 == won) && won >= 0 || status != http.StatusOK && status != http.StatusConflict {
				t.Errorf("statuses %v", statuses)
				break
			}
		}
		r.await("t", "idle", settledDown)
		payload := []string{`{"approved":true}`, `{"approved":false}`}[max(won, 0)]
		frames := r.dial(agent).do(resume("t", "r9", `{"interruptId":"`+id+`","status":"resolved","payload":`+payload+`}`))
		if sent := strings.Contains(said(frames), "I sent the email"); sent != (won == 0) {
			t.Errorf("answer %d won, and the agent said %q", won, said(frames))
		}
	})
}

func TestAnswersThatAreNone(t *testing.T) {
	for _, tc := range []struct {
		rule, agent, ask, body string
		status                 int
		code                   session.Code
	}{
		{"no JSON", "demo", "email", `{`, http.StatusBadRequest, session.CodeInvalidInput},
		{"nothing", "demo", "email", `{}`, http.StatusBadRequest, session.CodeInvalidInput},
		{"two answers", "demo", "email", `{"decision":{"approved":true},"output":1}`, http.StatusBadRequest, session.CodeInvalidInput},
		{"a condition that would be lost", "demo", "email", `{"decision":{"approved":true},"only":"today"}`, http.StatusBadRequest, session.CodeInvalidInput},
		{"no boolean", "demo", "email", `{"decision":{"approved":"yes"}}`, http.StatusUnprocessableEntity, session.CodeResumeInvalid},
		{"edits that are no object", "demo", "email", `{"decision":{"approved":true,"editedArgs":[]}}`, http.StatusUnprocessableEntity, session.CodeResumeInvalid},
		{"edits that cannot be passed on", "demo-aisdk", "email", `{"decision":{"approved":true,"editedArgs":{"to":"x"}}}`, http.StatusUnprocessableEntity, session.CodeEditsNotSupported},
		{"another kind of answer", "demo", "email", `{"input":{"action":"accept","content":{}}}`, http.StatusUnprocessableEntity, session.CodeResumeInvalid},
		{"against the schema", "demo", "book", `{"input":{"action":"accept","content":{"guests":11}}}`, http.StatusUnprocessableEntity, session.CodeResumeInvalid},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			r := newRig(t)
			r.dial(tc.agent).do(input("t", "r1", tc.ask))
			status, body := r.answerOne("t", r.asked()[0], tc.body)
			if status != tc.status {
				t.Errorf("status %d: %s", status, body)
			}
			refusalBody(t, body, tc.code)
			if len(r.asked()) != 1 {
				t.Error("the request is no longer open")
			}
		})
	}
}

func TestAnswersToNothing(t *testing.T) {
	r := newRig(t)
	r.dial("demo").do(input("t", "r1", "email"))
	if status, _ := r.answerOne("nobody", "x", `{"decision":{"approved":true}}`); status != http.StatusNotFound {
		t.Errorf("unknown thread: %d", status)
	}
	if status, _ := r.answerOne("t", "x", `{"decision":{"approved":true}}`); status != http.StatusNotFound {
		t.Errorf("unknown request: %d", status)
	}
}

func TestOtherAnswersOverHTTP(t *testing.T) {
	for _, tc := range []struct{ rule, agent, ask, body, want string }{
		{"edited arguments run as they were edited", "demo", "email", `{"decision":{"approved":true,"editedArgs":{"to":"bob@example.com","subject":"s","body":"b"}}}`, "bob@example.com"},
		{"a reason reaches the agent", "demo-aisdk", "email", `{"decision":{"approved":false,"reason":"too early"}}`, "too early"},
		{"a form is filled in", "demo", "book", `{"input":{"action":"accept","content":{"guests":3,"date":"2027-01-01","email":"a@b.example","seating":"bar"}}}`, "3"},
		{"a form is given up", "demo", "book", `{"input":{"action":"cancel"}}`, ""},
		{"a form is declined", "demo", "book", `{"input":{"action":"decline"}}`, ""},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			r := newRig(t)
			r.dial(tc.agent).do(input("t", "r1", tc.ask))
			if status, body := r.answerOne("t", r.asked()[0], tc.body); status != http.StatusOK {
				t.Fatalf("%d %s", status, body)
			}
			r.await("t", "idle", settledDown)
			state, err := r.hub.Thread(t.Context(), "t")
			if err != nil {
				t.Fatal(err)
			}
			feed, err := r.hub.Attach(t.Context(), "t", state.Settled[0].ResumedBy)
			if err != nil {
				t.Fatal(err)
			}
			var all strings.Builder
			for frames, err := range feed.Batches(t.Context(), 0) {
				if err != nil {
					t.Fatal(err)
				}
				for _, f := range frames {
					all.Write(f)
				}
			}
			if !strings.Contains(all.String(), tc.want) {
				t.Errorf("the run said %s, want %q", all.String(), tc.want)
			}
		})
	}
}
