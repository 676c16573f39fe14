package storetest

import (
	"strings"
	"testing"

	"github.com/agui-bridge/agui-bridge/store"
)

func endOfThread(t *testing.T, log store.Log) {
	end := func() uint64 {
		t.Helper()
		seq, err := log.Last(t.Context(), "t")
		if err != nil {
			t.Fatal(err)
		}
		return seq
	}
	if seq := end(); seq != 0 {
		t.Errorf("a thread that is not there ends at %d", seq)
	}
	mustAppend(t, log, "other", 0, entry("one"), entry("two"))
	for want := uint64(1); want < 5; want++ {
		mustAppend(t, log, "t", want-1, entry("one"))
		if seq := end(); seq != want {
			t.Errorf("it ends at %d, want %d", seq, want)
		}
	}
	mustAppend(t, log, "t", 4, entry("one"), entry(strings.Repeat("x", 3<<20)), entry("two"))
	if seq := end(); seq != 7 {
		t.Errorf("it ends at %d, want 7", seq)
	}
}
