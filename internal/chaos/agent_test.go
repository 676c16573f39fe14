package chaos

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"
)

// An agent of AG-UI that is never killed. It keeps book of what it was asked.
//
//	talk N     says N words
//	ask N TTL  asks for N tools to be allowed, for ever or for TTL ms, and runs those that were
type agent struct {
	mu       sync.Mutex
	posts    map[string]int  // how often each run came, by run id
	order    []string        // run ids as they came
	executed map[string]int  // how often each tool ran, by the id of its approval
	denied   map[string]bool // what it was told not to run
}

func newAgent() *agent {
	return &agent{posts: map[string]int{}, executed: map[string]int{}, denied: map[string]bool{}}
}

type runInput struct {
	ThreadID string `json:"threadId"`
	RunID    string `json:"runId"`
	Messages []struct {
		Role    string `json:"role"`
		Content string `json:"content"`
	} `json:"messages"`
	Resume []resumed `json:"resume,omitzero"`
}

type resumed struct {
	ID      string `json:"interruptId"`
	Status  string `json:"status"`
	Payload *struct {
		Approved bool `json:"approved"`
	} `json:"payload,omitzero"`
}

func (a *agent) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	var in runInput
	if err == nil {
		err = json.Unmarshal(body, &in)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	a.enter(in)
	w.Header().Set("Content-Type", "text/event-stream")
	say := func(format string, args ...any) {
		fmt.Fprintf(w, "data: "+format+"\n\n", args...)
		w.(http.Flusher).Flush()
	}
	start := func() { say(`{"type":"RUN_STARTED","threadId":%q,"runId":%q}`, in.ThreadID, in.RunID) }
	finish := func(outcome string) {
		say(`{"type":"RUN_FINISHED","threadId":%q,"runId":%q,"outcome":%s}`, in.ThreadID, in.RunID, outcome)
	}
	if len(in.Resume) > 0 {
		a.run(in.Resume)
		time.Sleep(40 * time.Millisecond) // it has run, and nobody knows yet
		start()
		say(`{"type":"TEXT_MESSAGE_START","messageId":"m-%s","role":"assistant"}`, in.RunID)
		say(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-%s","delta":"done"}`, in.RunID)
		say(`{"type":"TEXT_MESSAGE_END","messageId":"m-%s"}`, in.RunID)
		finish(`{"type":"success"}`)
		return
	}
	start()
	var n, ttl int
	said := in.Messages[len(in.Messages)-1].Content
	if _, err := fmt.Sscanf(said, "ask %d %d", &n, &ttl); err == nil {
		finish(ask(say, in.RunID, n, time.Duration(ttl)*time.Millisecond))
		return
	}
	_, _ = fmt.Sscanf(said, "talk %d", &n)
	say(`{"type":"TEXT_MESSAGE_START","messageId":"m-%s","role":"assistant"}`, in.RunID)
	for i := range n {
		say(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"m-%s","delta":"word%d "}`, in.RunID, i)
		time.Sleep(2 * time.Millisecond)
	}
	say(`{"type":"TEXT_MESSAGE_END","messageId":"m-%s"}`, in.RunID)
	finish(`{"type":"success"}`)
}

// ask proposes calls and returns the outcome that asks for them.
func ask(say func(string, ...any), runID string, n int, ttl time.Duration) string {
	var interrupts []string
	expires := ""
	if ttl > 0 {
		expires = fmt.Sprintf(`,"expiresAt":%q`, time.Now().Add(ttl).UTC().Format(time.RFC3339Nano))
	}
	for i := range n {
		call := fmt.Sprintf("c-%s-%d", runID, i)
		say(`{"type":"TOOL_CALL_START","toolCallId":%q,"toolCallName":"pay"}`, call)
		say(`{"type":"TOOL_CALL_ARGS","toolCallId":%q,"delta":"{\"n\":%d}"}`, call, i)
		say(`{"type":"TOOL_CALL_END","toolCallId":%q}`, call)
		interrupts = append(interrupts, fmt.Sprintf(`{"id":"q-%s-%d","reason":"tool_call","toolCallId":%q%s}`, runID, i, call, expires))
	}
	return `{"type":"interrupt","interrupts":[` + strings.Join(interrupts, ",") + `]}`
}

func (a *agent) enter(in runInput) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.posts[in.RunID]++
	a.order = append(a.order, in.RunID)
}

// run runs what was allowed.
func (a *agent) run(answers []resumed) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, r := range answers {
		if r.Status == "resolved" && r.Payload != nil && r.Payload.Approved {
			a.executed[r.ID]++
		} else {
			a.denied[r.ID] = true
		}
	}
}
