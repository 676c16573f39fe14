package session

import (
	"context"
	"testing"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/storetest"
)

// logOf returns a log that ends with the first entry of the given kind that follows n
// others of it.
func logOf(t *testing.T, whole store.Log, last store.Kind, n int) store.Log {
	t.Helper()
	cut := store.NewMemory()
	var entries []store.Entry
	for e, err := range whole.Read(t.Context(), "t", 0) {
		if err != nil {
			t.Fatal(err)
		}
		if entries = append(entries, e); e.Kind != last {
			continue
		}
		if n--; n < 0 {
			if _, err := cut.Append(t.Context(), "t", 0, entries...); err != nil {
				t.Fatal(err)
			}
			return cut
		}
	}
	t.Fatalf("the log has no such %s", last)
	return nil
}

// A counting agent asks at first, and counts by run how often it gets it.
func counting(calls chan<- Call) script {
	return func(ctx context.Context, c Call, yield func(Output, error) bool) {
		calls <- c
		if c.RunID == "r1" {
			saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}}, "one")(ctx, c, yield)
			return
		}
		saying(End{Status: Success, Spoken: true}, "two")(ctx, c, yield)
	}
}

// resumed is the log of a thread on which r1 asked, held waited, and r2 went on.
func resumed(t *testing.T) store.Log {
	t.Helper()
	log, calls := store.NewMemory(), make(chan Call, 10)
	h := NewHub(Options{Log: log, Agents: []Agent{counting(calls)}})
	readAll(t, submitTo(t, h, "t", "r1"))
	held := submitTo(t, h, "t", "held")
	admitted := resumeOn(t, h, "r2", says("q", `{"approved":true}`))
	readAll(t, admitted)
	readAll(t, held)
	if err := h.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return log
}

// At most once: a resume that was never sent is sent after a crash, and one that may have
// been sent is not, unless that is wanted.
func TestAfterACrashAResumeIsSentIfItNeverWas(t *testing.T) {
	whole := resumed(t)
	for _, tc := range []struct {
		rule  string
		last  store.Kind
		n     int
		again bool
		sent  bool // by the process that comes after
		code  Code // of the run's end
	}{
		{"started, and not sent", store.KindStarted, 1, false, true, ""},
		{"sent, perhaps", store.KindResumeSent, 0, false, false, CodeResumeUnknown},
		{"sent, perhaps, and that is to be repeated", store.KindResumeSent, 0, true, true, ""},
		{"the agent has said something", store.KindFrames, 1, false, false, CodeRunLost},
		{"the agent has said something, and resumes are to be repeated", store.KindFrames, 1, true, false, CodeRunLost},
		{"it has ended", store.KindEnded, 1, true, false, ""},
	} {
		t.Run(tc.rule, func(t *testing.T) {
			calls := make(chan Call, 10)
			h := NewHub(Options{Log: logOf(t, whole, tc.last, tc.n), Agents: []Agent{counting(calls)}, Limits: Limits{ResumeAgain: tc.again}})
			if err := h.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			untilCalm(t, h, "t")
			feed, err := h.Attach(t.Context(), "t", "r2")
			if err != nil {
				t.Fatal(err)
			}
			readAll(t, feed)
			switch end := feed.End(); {
			case tc.code == "" && (end.Status != Success || end.Failure != nil), tc.code != "" && (end.Failure == nil || end.Failure.Code != tc.code):
				t.Errorf("it ended as %+v", end)
			}
			if err := h.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			close(calls)
			sent, held := 0, 0
			for c := range calls {
				switch c.RunID {
				case "r2":
					sent++
					if len(c.Settled) != 1 || c.Settled[0].Response.Decision == nil || !c.Settled[0].Response.Decision.Approved ||
						c.First != "r1" || len(c.Turn) != 2 || string(c.Input) != `{"run":"r2"}` {
						t.Errorf("it was sent as %+v", c)
					}
				case "held":
					held++
				default:
					t.Errorf("%s was sent", c.RunID)
				}
			}
			if want := map[bool]int{true: 1}[tc.sent]; sent != want {
				t.Errorf("it was sent %d times, want %d", sent, want)
			}
			if held != 1 {
				t.Errorf("what was held was sent %d times", held)
			}
		})
	}
}

// What was held is sent after a crash that came between its release and its agent.
func TestAfterACrashAReleasedInputIsSent(t *testing.T) {
	whole := resumed(t)
	for last, want := range map[store.Kind]int{store.KindStarted: 1, store.KindResumeSent: 0} {
		n := map[store.Kind]int{store.KindStarted: 2, store.KindResumeSent: 1}[last]
		calls := make(chan Call, 10)
		h := openHub(t, logOf(t, whole, last, n), counting(calls))
		if err := h.Recover(t.Context()); err != nil {
			t.Fatal(err)
		}
		untilCalm(t, h, "t")
		if len(calls) != want {
			t.Errorf("after %s it was sent %d times, want %d", last, len(calls), want)
		}
	}
}

// A run that cannot be noted as sent is not sent, and is taken up when the log can be
// written again.
func TestWhatCannotBeNotedIsNotSent(t *testing.T) {
	log, calls := storetest.NewFaulty(store.NewMemory()), make(chan Call, 10)
	h := openHub(t, log, counting(calls))
	readAll(t, submitTo(t, h, "t", "r1"))
	<-calls
	for n := range recordTries {
		log.Fail(n+2, storetest.BeforeWrite)
	}
	admitted := resumeOn(t, h, "r2", says("q", `{"approved":true}`))
	readAll(t, admitted)
	if end := admitted.End(); end.Failure == nil || end.Failure.Code != CodeRunLost || len(calls) > 0 {
		t.Fatalf("it ended as %+v, after %d calls", end, len(calls))
	}
	untilCalm(t, h, "t")
	if len(calls) != 1 {
		t.Errorf("it was sent %d times", len(calls))
	}
}

// An acknowledgement that is lost does not keep a run from being sent, and it is sent once.
func TestALostAcknowledgementSendsOnce(t *testing.T) {
	log, calls := storetest.NewFaulty(store.NewMemory()), make(chan Call, 10)
	h := openHub(t, log, counting(calls))
	readAll(t, submitTo(t, h, "t", "r1"))
	<-calls
	log.Fail(2, storetest.AfterWrite)
	admitted := resumeOn(t, h, "r2", says("q", `{"approved":true}`))
	readAll(t, admitted)
	if end := admitted.End(); end.Status != Success || len(calls) != 1 {
		t.Errorf("it ended as %+v, after %d calls", end, len(calls))
	}
}
