package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"

	"github.com/agui-bridge/agui-bridge/store"
)

// ErrFault is what an append that was told to fail fails with.
var ErrFault = errors.New("storetest: injected fault")

// A Fault says when an append fails.
type Fault string

// The faults.
const (
	// BeforeWrite fails an append before it reaches the log: nothing is written.
	BeforeWrite Fault = "before the write"
	// AfterWrite fails an append that was written: the acknowledgement is lost.
	AfterWrite Fault = "after the write"
)

// Faulty is a [store.Log] whose appends fail when told to. It is safe for
// concurrent use.
type Faulty struct {
	store.Log

	mu      sync.Mutex
	appends int
	faults  map[int]Fault // by number of the append, the first being 1
}

// NewFaulty wraps a log. It passes everything on until told otherwise.
func NewFaulty(inner store.Log) *Faulty {
	return &Faulty{Log: inner, faults: map[int]Fault{}}
}

// Fail makes the nth append from now fail; 1 is the next one. Each call adds
// one failure.
func (f *Faulty) Fail(n int, when Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults[f.appends+n] = when
}

// Heal takes back the failures that have not happened yet.
func (f *Faulty) Heal() {
	f.mu.Lock()
	defer f.mu.Unlock()
	maps.DeleteFunc(f.faults, func(n int, _ Fault) bool { return n > f.appends })
}

// Appends returns how many appends there were, failed ones included.
func (f *Faulty) Appends() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.appends
}

// Append implements [store.Log].
func (f *Faulty) Append(ctx context.Context, thread string, after uint64, entries ...store.Entry) (uint64, error) {
	n, fault := f.count()
	if fault == BeforeWrite {
		return 0, fmt.Errorf("%w: append %d, %s", ErrFault, n, fault)
	}
	last, err := f.Log.Append(ctx, thread, after, entries...)
	if err == nil && fault == AfterWrite {
		return 0, fmt.Errorf("%w: append %d, %s", ErrFault, n, fault)
	}
	return last, err
}

func (f *Faulty) count() (int, Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.appends++
	return f.appends, f.faults[f.appends]
}
