package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/agui-bridge/agui-bridge/internal/sse"
)

// patience is how long something is tried that has to succeed in the end.
const patience = 60 * time.Second

// A person works on one thread, and writes down what the bridge says.
type person struct {
	*ledger
	bridge *bridge
	thread string
	rand   *rand.Rand
	next   int
}

// work does one thing after another until ctx ends.
func (p *person) work(ctx context.Context) {
	for ctx.Err() == nil {
		switch v, ok := p.look(ctx); {
		case !ok:
		case len(v.Pending) > 0 && p.rand.IntN(8) == 0:
			p.giveUp(ctx)
		case len(v.Pending) > 0 && p.rand.IntN(3) == 0: // somebody thinks, and it may run out
			time.Sleep(time.Duration(p.rand.IntN(400)) * time.Millisecond)
		case len(v.Pending) > 0:
			if p.rand.IntN(3) == 0 { // it is held until everything is answered
				p.hold(ctx, p.rand.IntN(3)+1)
			}
			p.decide(ctx, v)
		case p.rand.IntN(4) == 0:
			p.readAgain(ctx)
		case p.rand.IntN(2) == 0:
			p.say(ctx, fmt.Sprintf("talk %d", p.rand.IntN(60)))
		default:
			ttl := 0
			if p.rand.IntN(4) == 0 {
				ttl = 300 + p.rand.IntN(1500)
			}
			p.say(ctx, fmt.Sprintf("ask %d %d", p.rand.IntN(3)+1, ttl))
		}
	}
}

// input is a new input of the thread.
func (p *person) input(said string, resume []resumed) *askedRun {
	p.next++
	r := &askedRun{id: fmt.Sprintf("%s-r%d", p.thread, p.next), thread: p.thread}
	type message struct {
		ID      string `json:"id"`
		Role    string `json:"role"`
		Content string `json:"content"`
	}
	body, err := json.Marshal(struct {
		ThreadID string    `json:"threadId"`
		RunID    string    `json:"runId"`
		Messages []message `json:"messages"`
		Resume   []resumed `json:"resume,omitzero"`
	}{p.thread, r.id, []message{{"u-" + r.id, "user", said}}, resume})
	if err != nil {
		panic(err)
	}
	r.body = body
	p.note(func() { p.runs[r.id] = r })
	return r
}

// say asks for a run and reads it, as far as it goes.
func (p *person) say(ctx context.Context, said string) {
	p.read(ctx, p.input(said, nil), nil)
}

// errRefused: the bridge did not take the input.
var errRefused = errors.New("refused")

// read sends an input, which is the same each time, and reads the answer to its end. It
// is an error if there was none. accepted is called when the bridge has taken it.
func (p *person) read(ctx context.Context, r *askedRun, accepted func()) (events []string, err error) {
	res, err := p.bridge.do(ctx, http.MethodPost, "/v1/agents/fake/agui", r.body)
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(res.Body)
		return nil, fmt.Errorf("%w: %s", errRefused, text)
	}
	p.note(func() {
		if !r.accepted {
			r.accepted = true
			p.threads[r.thread] = append(p.threads[r.thread], r)
		}
	})
	if accepted != nil {
		accepted()
	}
	for data, err := range sse.Read(res.Body, 0) {
		if err != nil {
			return nil, err
		}
		events = append(events, string(data))
	}
	if len(events) == 0 || !strings.Contains(events[len(events)-1], `"RUN_FINISHED"`) && !strings.Contains(events[len(events)-1], `"RUN_ERROR"`) {
		return nil, io.ErrUnexpectedEOF
	}
	p.ended(r, events)
	return events, nil
}

// ended holds what was read against what was read before, and takes down what is asked.
func (p *person) ended(r *askedRun, events []string) {
	last := events[len(events)-1]
	var end struct {
		Outcome struct {
			Interrupts []struct {
				ID string `json:"id"`
			} `json:"interrupts"`
		} `json:"outcome"`
	}
	if err := json.Unmarshal([]byte(last), &end); err != nil {
		p.fault("%s ends with %s: %v", r.id, last, err)
	}
	told := strings.Contains(last, "the bridge is") || strings.Contains(last, "did not begin") // of the process, not of the run
	var before []string
	p.note(func() {
		for _, q := range end.Outcome.Interrupts {
			p.shown[q.ID] = r.thread
		}
		if before = r.events; before == nil && !told {
			r.events = events
		}
	})
	if before != nil && !told && strings.Join(before, "\n") != strings.Join(events, "\n") {
		p.fault("%s was first\n  %s\nand is now\n  %s", r.id, strings.Join(before, "\n  "), strings.Join(events, "\n  "))
	}
}

// hold sends some inputs at once, in order, and reads their answers meanwhile.
func (p *person) hold(ctx context.Context, n int) {
	for range n {
		r := p.input("talk 3", nil)
		taken := make(chan struct{})
		go func() {
			once := sync.OnceFunc(func() { close(taken) })
			defer once()
			_, _ = p.read(ctx, r, once)
		}()
		<-taken
	}
}

// readAgain reads what was read before, or was broken off.
func (p *person) readAgain(ctx context.Context) {
	var known []*askedRun
	p.note(func() { known = append(known, p.threads[p.thread]...) })
	if len(known) > 0 {
		_, _ = p.read(ctx, known[p.rand.IntN(len(known))], nil)
	}
}

// look reads the thread and checks what it says.
func (p *person) look(ctx context.Context) (v view, ok bool) {
	shown, given := map[string]string{}, map[string]bool{}
	p.note(func() {
		for id, thread := range p.shown {
			shown[id] = thread
		}
		for id, approved := range p.given {
			given[id] = approved
		}
	})
	res, err := p.bridge.do(ctx, http.MethodGet, "/v1/threads/"+p.thread, nil)
	if err != nil {
		time.Sleep(10 * time.Millisecond)
		return v, false
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	switch {
	case err != nil:
		return v, false
	case res.StatusCode == http.StatusNotFound:
		if len(given) > 0 && p.next > 0 && shownOn(shown, p.thread) {
			p.fault("thread %s is gone", p.thread)
		}
		return v, true
	case res.StatusCode != http.StatusOK:
		p.fault("thread %s: %d %s", p.thread, res.StatusCode, text)
		return v, false
	}
	if err := json.Unmarshal(text, &v); err != nil {
		p.fault("thread %s: %v", p.thread, err)
		return v, false
	}
	p.check(p.thread, v, shown, given)
	p.note(func() {
		for _, q := range v.Pending {
			p.shown[q.ID] = p.thread
		}
	})
	return v, true
}

func shownOn(shown map[string]string, thread string) bool {
	for _, of := range shown {
		if of == thread {
			return true
		}
	}
	return false
}

// decide answers what is open: all at once in a run of its own, or one by one, sometimes
// with somebody else who decides otherwise.
func (p *person) decide(ctx context.Context, v view) {
	if p.rand.IntN(3) == 0 {
		p.resume(ctx, v)
		return
	}
	for _, q := range v.Pending {
		approved := p.rand.IntN(3) > 0
		if p.rand.IntN(4) > 0 {
			p.answer(ctx, q.ID, approved)
			continue
		}
		var mine, theirs bool
		var wg sync.WaitGroup
		wg.Go(func() { mine = p.answer(ctx, q.ID, approved) })
		wg.Go(func() { theirs = p.answer(ctx, q.ID, !approved) })
		wg.Wait()
		if mine && theirs {
			p.fault("%s was acknowledged as allowed and as denied", q.ID)
		}
	}
}

// resume answers everything in the input of a run.
func (p *person) resume(ctx context.Context, v view) {
	var answers []resumed
	decided := map[string]bool{}
	for _, q := range v.Pending {
		approved := p.rand.IntN(3) > 0
		decided[q.ID] = approved
		answer := resumed{ID: q.ID, Status: "resolved"}
		answer.Payload = &struct {
			Approved bool `json:"approved"`
		}{approved}
		answers = append(answers, answer)
		p.note(func() { p.wanted[q.ID] = p.wanted[q.ID] || approved })
	}
	_, _ = p.read(ctx, p.input("go on", answers), func() {
		p.note(func() {
			for id, approved := range decided {
				p.given[id] = approved
			}
		})
	})
}

// answer answers one request until the bridge has said what became of it, and reports
// whether this answer stands.
func (p *person) answer(ctx context.Context, id string, approved bool) bool {
	p.note(func() { p.wanted[id] = p.wanted[id] || approved })
	body := fmt.Appendf(nil, `{"decision":{"approved":%t}}`, approved)
	for begun := time.Now(); time.Since(begun) < patience && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		res, err := p.bridge.do(ctx, http.MethodPost, "/v1/threads/"+p.thread+"/requests/"+id, body)
		if err != nil {
			continue
		}
		text, err := io.ReadAll(res.Body)
		res.Body.Close()
		switch {
		case err != nil:
		case res.StatusCode == http.StatusOK:
			p.note(func() {
				if was, ok := p.given[id]; ok && was != approved {
					p.faults = append(p.faults, fmt.Sprintf("%s was acknowledged with both answers", id))
				}
				p.given[id] = approved
			})
			return true
		case res.StatusCode == http.StatusConflict, res.StatusCode == http.StatusGone: // somebody else, or too late
			return false
		case res.StatusCode >= http.StatusInternalServerError:
		default:
			p.fault("answer to %s: %d %s", id, res.StatusCode, bytes.TrimSpace(text))
			return false
		}
	}
	return false
}

// giveUp stops the thread.
func (p *person) giveUp(ctx context.Context) {
	res, err := p.bridge.do(ctx, http.MethodPost, "/v1/threads/"+p.thread+"/cancel", nil)
	if err == nil {
		res.Body.Close()
	}
}
