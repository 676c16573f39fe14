package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

const people = 6

// number reads a setting of the test.
func number(t *testing.T, name string, otherwise int) int {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatalf("%s=%q: want a number", name, text)
	}
	return n
}

func TestWhatWasAcknowledgedSurvivesBeingKilled(t *testing.T) {
	kills := number(t, "CHAOS_KILLS", 20)
	seed := number(t, "CHAOS_SEED", int(time.Now().UnixNano()%1_000_000))
	t.Logf("%d kills, CHAOS_SEED=%d", kills, seed)
	fake := newAgent()
	web := httptest.NewServer(fake)
	defer web.Close()
	b := &bridge{bin: build(t), dir: t.TempDir(), addr: freeAddr(t), agent: web.URL}
	if err := b.start(); err != nil {
		t.Fatal(err)
	}
	defer b.kill()

	book := newLedger()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	var all []*person
	var working sync.WaitGroup
	for i := range people {
		p := &person{
			ledger: book, bridge: b, thread: fmt.Sprint("t", i),
			rand: rand.New(rand.NewPCG(uint64(seed), uint64(i))),
		}
		all = append(all, p)
		working.Go(func() { p.work(ctx) })
	}
	for n := range kills {
		time.Sleep(time.Duration(50+rand.IntN(500)) * time.Millisecond)
		if err := b.kill(); err != nil {
			t.Fatalf("kill %d: %v", n+1, err)
		}
		if err := b.start(); err != nil {
			t.Fatalf("after kill %d: %v", n+1, err)
		}
	}
	time.Sleep(time.Second) // of peace
	stop()
	working.Wait()
	for _, p := range all {
		settleDown(t, p)
	}
	account(t, kills, book, fake)
}

// settleDown answers what is still open and waits until the thread rests; then every input
// that was taken has an end, and what was shown of it to the end is shown again.
func settleDown(t *testing.T, p *person) {
	t.Helper()
	for begun := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		v, ok := p.look(t.Context())
		if ok && (v.Phase == "idle" || v.Phase == "") && v.Queued == 0 {
			break
		}
		if time.Since(begun) > patience/2 {
			t.Errorf("%s does not come to rest: %+v", p.thread, v)
			return
		}
		for _, q := range v.Pending {
			p.answer(t.Context(), q.ID, false)
		}
	}
	for _, r := range p.threads[p.thread] {
		ctx, cancel := context.WithTimeout(t.Context(), patience/2)
		if _, err := p.read(ctx, r, nil); err != nil {
			p.fault("%s was taken, and has no end: %v", r.id, err)
		}
		cancel()
	}
}

// account holds the books of the agent against those of the people.
func account(t *testing.T, kills int, book *ledger, fake *agent) {
	t.Helper()
	for run, n := range fake.posts {
		if n > 1 {
			t.Errorf("run %s was sent %d times", run, n)
		}
	}
	for id, n := range fake.executed {
		switch approved, known := book.given[id]; {
		case n > 1:
			t.Errorf("%s ran %d times", id, n)
		case !book.wanted[id]:
			t.Errorf("%s ran, and nobody allowed it", id)
		case known && !approved:
			t.Errorf("%s ran, and was denied", id)
		case book.expired[id]:
			t.Errorf("%s ran, and had run out", id)
		case fake.denied[id]:
			t.Errorf("the agent was told two things of %s", id)
		}
	}
	at := map[string]int{}
	for i, run := range fake.order {
		at[run] = i + 1
	}
	taken, ended, lost, unknown := 0, 0, 0, 0
	for thread, runs := range book.threads {
		before := 0
		for _, r := range runs {
			taken++
			if len(r.events) > 0 {
				ended++
				last := r.events[len(r.events)-1]
				lost += strings.Count(last, `"run_lost"`)
				unknown += strings.Count(last, `"resume_unknown"`)
			}
			if strings.Contains(string(r.body), `"resume"`) || at[r.id] == 0 {
				continue
			}
			if at[r.id] < before {
				t.Errorf("%s: %s reached the agent before one that was taken earlier", thread, r.id)
			}
			before = at[r.id]
		}
	}
	for _, fault := range book.faults {
		t.Error(fault)
	}
	t.Logf("%d inputs taken, %d read to their end, %d lost, %d unknown; %d requests shown, %d answers acknowledged, %d ran out, %d tools ran",
		taken, ended, lost, unknown, len(book.shown), len(book.given), len(book.expired), len(fake.executed))
	rare := len(book.expired) > 0 && unknown > 0 // too rare to be sure of in a short run
	if ended == 0 || len(book.given) == 0 || len(fake.executed) == 0 || lost == 0 || !rare && kills >= 100 {
		t.Error("too little happened for this to mean anything")
	}
}
