package storetest

import (
	"errors"
	"testing"

	"github.com/agui-bridge/agui-bridge/store"
)

func TestFaultyPassesTheSuite(t *testing.T) {
	Run(t, func(*testing.T) store.Log { return NewFaulty(store.NewMemory()) })
}

func TestFaulty(t *testing.T) {
	for when, written := range map[Fault]int{BeforeWrite: 1, AfterWrite: 2} {
		t.Run(string(when), func(t *testing.T) {
			log := NewFaulty(store.NewMemory())
			log.Fail(2, when)
			mustAppend(t, log, "t", 0, entry("one"))
			if _, err := log.Append(t.Context(), "t", 1, entry("two")); !errors.Is(err, ErrFault) {
				t.Fatalf("second append: %v", err)
			}
			if got := bodies(t, log, "t", 0); len(got) != written {
				t.Errorf("the log holds %q, want %d entries", got, written)
			}
			mustAppend(t, log, "t", uint64(written), entry("three"))
			if n := log.Appends(); n != 3 {
				t.Errorf("%d appends, want 3", n)
			}
		})
	}
}

func TestFaultyKeepsAConflict(t *testing.T) {
	log := NewFaulty(store.NewMemory())
	log.Fail(1, AfterWrite)
	if _, err := log.Append(t.Context(), "t", 7, entry("x")); !errors.Is(err, store.ErrConflict) {
		t.Errorf("got %v", err)
	}
}

func TestFaultyHeals(t *testing.T) {
	log := NewFaulty(store.NewMemory())
	log.Fail(1, BeforeWrite)
	log.Heal()
	mustAppend(t, log, "t", 0, entry("x"))
}
