package chaos

import (
	"fmt"
	"slices"
	"sync"
)

// A ledger is what people know: what they were shown, and what was acknowledged to them.
type ledger struct {
	mu      sync.Mutex
	shown   map[string]string      // request → thread: somebody was shown it
	wanted  map[string]bool        // request → somebody tried to allow it
	given   map[string]bool        // request → the decision that was acknowledged
	runs    map[string]*askedRun   // by id
	threads map[string][]*askedRun // inputs in the order in which they were accepted
	expired map[string]bool        // requests that the bridge gave up because they ran out
	faults  []string
}

// An askedRun is an input that somebody sent.
type askedRun struct {
	id, thread string
	body       []byte
	accepted   bool
	events     []string // as they were first shown, if to the end
}

func newLedger() *ledger {
	return &ledger{
		shown: map[string]string{}, wanted: map[string]bool{}, given: map[string]bool{}, expired: map[string]bool{},
		runs: map[string]*askedRun{}, threads: map[string][]*askedRun{},
	}
}

func (l *ledger) fault(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if text := fmt.Sprintf(format, args...); !slices.Contains(l.faults, text) {
		l.faults = append(l.faults, text)
	}
}

func (l *ledger) note(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// A view is what the bridge says of a thread.
type view struct {
	Phase   string `json:"phase"`
	Queued  int    `json:"queued"`
	Pending []struct {
		ID string `json:"id"`
	} `json:"pending"`
	Journal []struct {
		RequestID string `json:"requestId"`
		Response  struct {
			Decision *struct {
				Approved bool `json:"approved"`
			} `json:"decision"`
		} `json:"response"`
		Actor   string `json:"actor"`
		Expired bool   `json:"expired"`
	} `json:"journal"`
}

// check holds what the bridge says of a thread against what people know. What they knew
// has to be read before the bridge was asked.
func (l *ledger) check(thread string, v view, shown map[string]string, given map[string]bool) {
	open, settled := map[string]bool{}, map[string]int{}
	for _, q := range v.Pending {
		open[q.ID] = true
	}
	decided := map[string]*bool{}
	for _, j := range v.Journal {
		settled[j.RequestID]++
		if j.Expired {
			l.note(func() { l.expired[j.RequestID] = true })
		}
		if j.Response.Decision != nil {
			decided[j.RequestID] = &j.Response.Decision.Approved
		}
	}
	for id, n := range settled {
		if n > 1 {
			l.fault("%s is settled %d times", id, n)
		}
		if open[id] {
			l.fault("%s is settled and open", id)
		}
	}
	for id, of := range shown {
		if of == thread && !open[id] && settled[id] == 0 {
			l.fault("%s was shown, and is neither open nor settled", id)
		}
	}
	for id, approved := range given {
		if shown[id] != thread {
			continue
		}
		if got := decided[id]; got == nil || *got != approved {
			l.fault("%s was acknowledged as approved=%t, and the journal has %v", id, approved, got)
		}
	}
}
