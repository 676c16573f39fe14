package session

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/storetest"
)

func expiring(id string, in time.Duration) hitl.Request {
	q := approvalOf(id)
	q.ExpiresAt = time.Now().Add(in)
	return q
}

// impatient asks the given requests in the first run, and again in the next ones if it
// is stubborn. The requests run out after the given times; 0 is never.
func impatient(calls chan<- Call, stubborn bool, after ...time.Duration) script {
	return func(ctx context.Context, c Call, yield func(Output, error) bool) {
		calls <- c
		if len(c.Turn) > 0 && !stubborn {
			saying(End{Status: Success, Spoken: true})(ctx, c, yield)
			return
		}
		var asks []hitl.Request
		for i, d := range after {
			q := approvalOf(c.RunID + "-" + string(rune('a'+i)))
			if d != 0 {
				q = expiring(q.ID, d)
			}
			asks = append(asks, q)
		}
		saying(End{Status: Interrupted, Spoken: true, Requests: asks})(ctx, c, yield)
	}
}

// composing is a hub that can go on without a front end.
func composing(log store.Log, a Agent) *Hub {
	return NewHub(Options{Log: log, Agents: []Agent{a}, Compose: func(r Resumption) (Submission, error) {
		return Submission{RunID: r.RunID, Protocol: AGUI, Input: []byte(`{}`)}, nil
	}})
}

// told is what a resumed run is told of a request.
func told(c Call, id string) (Settled, bool) {
	for _, a := range c.Settled {
		if a.Request.ID == id {
			return a, true
		}
	}
	return Settled{}, false
}

func TestWhatRanOutIsGivenUpAndTheRunGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := make(chan Call, 10)
		h := composing(store.NewMemory(), impatient(calls, false, time.Hour))
		defer h.Close(context.Background())
		readAll(t, submitTo(t, h, "t", "r1"))
		<-calls
		time.Sleep(time.Hour - time.Second)
		synctest.Wait()
		if len(calls) > 0 {
			t.Fatal("it was given up too early")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if len(calls) != 1 {
			t.Fatalf("the agent went on %d times", len(calls))
		}
		a, ok := told(<-calls, "r1-a")
		if !ok || !a.Response.Cancelled() || !a.Expired || a.Response.Actor != "" {
			t.Errorf("it was told %+v", a)
		}
		err := h.Answer(t.Context(), "t", says("r1-a", `{"approved":true}`), "ada")
		if !errors.Is(err, hitl.ErrExpired) {
			t.Errorf("an answer that comes too late gives %v", err)
		}
		cancel := Answer{RequestID: "r1-a", Read: func(hitl.Request) (hitl.Response, error) {
			in := hitl.Cancel()
			return hitl.Response{Input: &in}, nil
		}}
		if err := h.Answer(t.Context(), "t", cancel, "ada"); err != nil {
			t.Errorf("a late cancel gives %v", err)
		}
		s, err := h.Thread(t.Context(), "t")
		if err != nil || s.phase() != Idle || len(s.Settled) != 1 {
			t.Errorf("%v, %s, %+v", err, s.phase(), s.Settled)
		}
	})
}

// What has run out does not keep the others from being answered.
func TestOthersStayOpenWhenOneRunsOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := make(chan Call, 10)
		h := composing(store.NewMemory(), impatient(calls, false, time.Hour, 0, time.Minute))
		defer h.Close(context.Background())
		readAll(t, submitTo(t, h, "t", "r1"))
		<-calls
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		s, err := h.Thread(t.Context(), "t")
		if err != nil || len(s.Pending) != 2 || len(s.Settled) != 1 || len(calls) > 0 {
			t.Fatalf("%v, open %+v, settled %+v", err, s.Pending, s.Settled)
		}
		if err := h.Answer(t.Context(), "t", says("r1-b", `{"approved":true}`), "ada"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(calls) != 1 {
			t.Fatalf("the agent went on %d times", len(calls))
		}
		c := <-calls
		for id, cancelled := range map[string]bool{"r1-a": true, "r1-b": false, "r1-c": true} {
			if a, ok := told(c, id); !ok || a.Response.Cancelled() != cancelled || a.Expired != cancelled {
				t.Errorf("%s: it was told %+v", id, a)
			}
		}
	})
}

func TestWhatRunsOutIsGivenUpAfterARestart(t *testing.T) {
	for _, late := range []time.Duration{time.Minute, 2 * time.Hour} { // before it runs out, and after
		synctest.Test(t, func(t *testing.T) {
			log, calls := store.NewMemory(), make(chan Call, 10)
			h := composing(log, impatient(calls, false, time.Hour))
			readAll(t, submitTo(t, h, "t", "r1"))
			<-calls
			if err := h.Close(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(late)
			synctest.Wait()
			if len(calls) > 0 {
				t.Fatal("a hub that was closed goes on")
			}
			h = composing(log, impatient(calls, false))
			defer h.Close(context.Background())
			if err := h.Recover(t.Context()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Hour)
			synctest.Wait()
			if len(calls) != 1 {
				t.Errorf("the agent went on %d times", len(calls))
			}
		})
	}
}

// An agent that asks again and again goes on by itself once; then a person has to do
// something. What had run out before it was asked was never anybody's to answer.
func TestNothingGoesOnForEverBecauseItRunsOut(t *testing.T) {
	for after, want := range map[time.Duration]int{time.Minute: 1, -time.Minute: 0} {
		synctest.Test(t, func(t *testing.T) {
			calls := make(chan Call, 100)
			h := composing(store.NewMemory(), impatient(calls, true, after))
			defer h.Close(context.Background())
			readAll(t, submitTo(t, h, "t", "r1"))
			<-calls
			time.Sleep(time.Hour)
			synctest.Wait()
			s, err := h.Thread(t.Context(), "t")
			if err != nil || len(s.Pending) != 1 || len(calls) != want {
				t.Fatalf("%v, open %+v, the agent went on %d times", err, s.Pending, len(calls))
			}
			if err := h.Cancel(t.Context(), "t", "ada"); err != nil {
				t.Error(err)
			}
		})
	}
}

// Giving up is tried again while the log cannot be written.
func TestWhatRanOutIsGivenUpWhenTheLogIsBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		calls := make(chan Call, 10)
		log := storetest.NewFaulty(store.NewMemory())
		h := composing(log, impatient(calls, false, time.Minute))
		defer h.Close(context.Background())
		readAll(t, submitTo(t, h, "t", "r1"))
		<-calls
		for n := range 1000 {
			log.Fail(n+1, storetest.BeforeWrite)
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if len(calls) > 0 {
			t.Fatal("it went on without a log")
		}
		log.Heal()
		time.Sleep(expiryRetry)
		synctest.Wait()
		if len(calls) != 1 {
			t.Errorf("the agent went on %d times", len(calls))
		}
	})
}

func TestTheFirstToRunOutRingsFirst(t *testing.T) {
	at := func(minutes int) time.Time {
		if minutes == 0 {
			return time.Time{}
		}
		return now.Add(time.Duration(minutes) * time.Minute)
	}
	for _, tc := range []struct {
		minutes []int // 0 never runs out, less was over before it was asked
		want    int
	}{
		{nil, 0}, {[]int{0}, 0}, {[]int{5}, 5}, {[]int{1, 5}, 1}, {[]int{5, 1}, 1}, {[]int{1, 0}, 1}, {[]int{0, 1}, 1},
		{[]int{5, 0, 1}, 1}, {[]int{1, 0, 5}, 1}, {[]int{1, 5, 0}, 1}, {[]int{-1}, 0}, {[]int{-1, 5}, 5}, {[]int{5, -1}, 5},
	} {
		s := State{Phase: Awaiting}
		for _, m := range tc.minutes {
			s.Pending = append(s.Pending, hitl.Request{RaisedAt: now, ExpiresAt: at(m)})
		}
		if got := s.expires(); !got.Equal(at(tc.want)) {
			t.Errorf("of %v, %s comes first", tc.minutes, got)
		}
	}
}
