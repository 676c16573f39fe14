package session

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
)

var writeTable = flag.Bool("update-table", false, "write the transition table of docs/sessions.md")

const tableFile = "../docs/sessions.md"

// A situation is a column of the transition table.
type situation struct {
	name  string
	state func(t *testing.T) State
}

var situations = []situation{
	{"idle", func(t *testing.T) State {
		s, _ := take(t, running(t), ended("r1", Success), few)
		return s
	}},
	{"running", func(t *testing.T) State { return running(t) }},
	{"paused, one held", func(t *testing.T) State {
		pauses := Limits{Queue: 2, PauseFailed: true}
		s, _ := take(t, running(t), plain("h1"), pauses)
		s, _ = take(t, s, ended("r1", Failed), pauses)
		return s
	}},
	{"running, one held", func(t *testing.T) State {
		s, _ := take(t, running(t), plain("h1"), few)
		return s
	}},
	{"awaiting one", func(t *testing.T) State { return askedBefore(t, "q") }},
	{"awaiting two, one held", func(t *testing.T) State {
		s, _ := take(t, askedBefore(t, "q", "p"), plain("h1"), few)
		return s
	}},
}

// askedBefore is a thread that waits for answers, and has got one before: to "old".
func askedBefore(t *testing.T, ids ...string) State {
	s, _ := take(t, awaiting(t, "old"), answering("r2", says("old", `{"approved":true}`)), few)
	s.Run.Sent = true
	var requests []hitl.Request
	for _, id := range ids {
		q := approvalOf(id)
		if id == "q" {
			q.ExpiresAt = now.Add(time.Hour)
		}
		requests = append(requests, q)
	}
	s, _ = take(t, s, ended("r2", Interrupted, requests...), few)
	return s
}

// A cause is a row of the transition table.
type cause struct {
	name   string
	event  func(s State) Event
	limits Limits
}

func causes() []cause {
	const yes, no = `{"approved":true}`, `{"approved":false}`
	input := func(change func(*Submit)) func(State) Event {
		return func(State) Event {
			e := plain("new")
			change(&e)
			return e
		}
	}
	answers := func(change func(*Submit), all ...Answer) func(State) Event {
		return func(State) Event {
			e := answering("new", all...)
			change(&e)
			return e
		}
	}
	asIs := func(*Submit) {}
	pending := func(s State, payload string) []Answer {
		var all []Answer
		for _, q := range s.Pending {
			all = append(all, says(q.ID, payload))
		}
		return all
	}
	resume := plain("new").Submission
	cancelled := Answer{RequestID: "q", Read: func(hitl.Request) (hitl.Response, error) {
		in := hitl.Cancel()
		return hitl.Response{Input: &in}, nil
	}}
	late := now.Add(2 * time.Hour)
	return []cause{
		{"an input", input(asIs), few},
		{"an input, and as many wait as may", input(asIs), Limits{}},
		{"an input, with `PENDING_INPUT=reject`", input(asIs), Limits{Queue: 2, RejectPending: true}},
		{"an input in place of what is asked", input(func(e *Submit) { e.Supersede = true }), few},
		{"an input that is known", func(State) Event { return plain("r1") }, few},
		{"an input under the run id of another", input(func(e *Submit) { e.RunID = "r1" }), few},
		{"answers to all that is open", func(s State) Event { return answering("new", pending(s, yes)...) }, few},
		{"answers to all that is open, to another agent", func(s State) Event {
			e := answering("new", pending(s, yes)...)
			e.Agent = "b"
			return e
		}, few},
		{"an answer to `q`", answers(asIs, says("q", yes)), few},
		{"an answer to `q`, and more may follow", answers(func(e *Submit) { e.Partial = true }, says("q", yes)), few},
		{"an answer to `q` after its time", answers(func(e *Submit) { e.Now = late }, says("q", yes)), few},
		{"`q` is cancelled after its time", answers(func(e *Submit) { e.Now = late; e.Partial = true }, cancelled), few},
		{"an answer to `q` that is none", answers(asIs, says("q", `{"approved":"yes"}`)), few},
		{"the answer to `old` again", answers(asIs, says("old", yes)), few},
		{"the answer to `old` again, and answers to all that is open", func(s State) Event {
			return answering("new", append(pending(s, yes), says("old", yes))...)
		}, few},
		{"another answer to `old`", answers(asIs, says("old", no)), few},
		{"an answer to what was never asked", answers(asIs, says("never", yes)), few},
		{"a single answer to `q`", func(State) Event {
			return Reply{Answer: says("q", yes), Actor: "bob", Now: now}
		}, few},
		{"a single answer to `q`, with an input to go on with", func(State) Event {
			return Reply{Answer: says("q", yes), Actor: "bob", Now: now, Resume: &resume}
		}, few},
		{"another single answer to `old`", func(State) Event {
			return Reply{Answer: says("old", no), Actor: "bob", Now: now}
		}, few},
		{"the time of `q` is over", func(State) Event { return Expire{Now: late, Resume: &resume} }, few},
		{"the run ends well, fails or is cancelled", func(s State) Event { return ended(s.Run.ID, Success) }, few},
		{"the run fails, with `AFTER_ERROR=pause`", func(s State) Event { return ended(s.Run.ID, Failed) }, Limits{Queue: 2, PauseFailed: true}},
		{"the run ends with the process", func(s State) Event {
			e := ended(s.Run.ID, Failed)
			e.Closing = true
			return e
		}, few},
		{"the run stops to ask", func(s State) Event { return ended(s.Run.ID, Interrupted, approvalOf("n")) }, few},
		{"a run ends that is not the active one", func(State) Event { return ended("gone", Success) }, few},
		{"the thread is stopped", func(State) Event { return Stop{Actor: "ada", Now: now} }, few},
		{"the run is stopped", func(s State) Event { return Stop{RunID: s.Run.ID, Actor: "ada", Now: now} }, few},
		{"the held run is stopped", func(State) Event { return Stop{RunID: "h1", Actor: "ada", Now: now} }, few},
		{"the run is about to be sent", func(s State) Event { return Send{RunID: s.Run.ID, By: "p"} }, few},
		{"another run is about to be sent", func(State) Event { return Send{RunID: "gone", By: "p"} }, few},
		{"another process takes the thread up", func(State) Event { return Recover{Now: now} }, few},
	}
}

// outcome says what an event does: what is recorded, what is to be done, and the phase.
func outcome(t *testing.T, s State, c cause) string {
	t.Helper()
	records, effects, err := Step(s, c.event(s), c.limits)
	if err != nil {
		return "*" + codeOf(t, err) + "*"
	}
	next := foldAll(t, s, records)
	var parts []string
	for _, effect := range effects {
		switch e := effect.(type) {
		case StartRun:
			launched, _, err := Step(next, Launch{RunID: e.Submission.RunID, Protocol: AGUI, Now: now}, c.limits)
			if err != nil {
				t.Fatal(err)
			}
			next = foldAll(t, next, launched)
			records = append(records, launched...)
		case AttachRun:
			parts = append(parts, "joins its run")
		case CancelRun:
			parts = append(parts, "stops the agent")
		case GiveUp:
			parts = append(parts, "tells the agent")
		case Compose:
			parts = append(parts, "wants an input")
		case Warn:
			parts = append(parts, "warns")
		case Hold, Await, DropHeld:
		default:
			t.Fatalf("%T has no words", e)
		}
	}
	var kinds []string
	for _, r := range records {
		kinds = append(kinds, string(r.kind()))
	}
	if len(kinds) > 0 {
		parts = append([]string{"`" + strings.Join(kinds, " ") + "`"}, parts...)
	}
	if len(parts) == 0 {
		return "–"
	}
	text := strings.Join(parts, ", ")
	if next.phase() != s.phase() {
		text += fmt.Sprintf(" → **%s**", next.phase())
	} else if next.Run.ID != s.Run.ID {
		text += " → another run"
	}
	return text
}

func codeOf(t *testing.T, err error) string {
	t.Helper()
	for rule, code := range map[error]string{
		ErrQueueFull: "queue_full", ErrInterruptsPending: "interrupts_pending", ErrRunReused: "run id in use", errNotSender: "not its to send", ErrWrongAgent: "wrong agent",
		hitl.ErrIncomplete: "resume_incomplete", hitl.ErrExpired: "resume_expired", hitl.ErrInvalidPayload: "resume_invalid_payload",
		hitl.ErrAlreadySettled: "already_settled", hitl.ErrUnknown: "not_found",
	} {
		if errors.Is(err, rule) {
			return code
		}
	}
	t.Fatalf("no code for %v", err)
	return ""
}

func table(t *testing.T) string {
	var b strings.Builder
	b.WriteString("| |")
	for _, s := range situations {
		b.WriteString(" " + s.name + " |")
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(situations)) + "\n")
	for _, c := range causes() {
		b.WriteString("| " + c.name + " |")
		for _, s := range situations {
			b.WriteString(" " + outcome(t, s.state(t), c) + " |")
		}
		b.WriteString("\n")
	}
	return b.String()
}

// What docs/sessions.md says of the machine is what it does.
func TestTheTransitionTableIsTrue(t *testing.T) {
	doc, err := os.ReadFile(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	marked := regexp.MustCompile(`(?s)(<!-- transitions -->\n).*?(<!-- /transitions -->)`)
	if !marked.Match(doc) {
		t.Fatalf("%s has no place for the table", tableFile)
	}
	want := marked.ReplaceAll(doc, []byte("${1}"+strings.ReplaceAll(table(t), "$", "$$")+"${2}"))
	if string(want) == string(doc) {
		return
	}
	if !*writeTable {
		t.Fatalf("%s is not what the machine does; go test ./session -run Table -update-table", tableFile)
	}
	if err := os.WriteFile(tableFile, want, 0o600); err != nil {
		t.Fatal(err)
	}
}
