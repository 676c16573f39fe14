package session

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/store"
)

// forgetful is a log that deletes all threads when it is told to, whatever the time.
type forgetful struct {
	store.Log
	asked time.Time
	fails error
}

func (f *forgetful) Retain(_ context.Context, before time.Time) (int, error) {
	f.asked = before
	if f.fails != nil {
		return 0, f.fails
	}
	f.Log = store.NewMemory()
	return 2, nil
}

func TestOldThreadsAreForgotten(t *testing.T) {
	log := &forgetful{Log: store.NewMemory()}
	h := openHub(t, log, saying(End{Status: Interrupted, Spoken: true, Requests: []hitl.Request{approvalOf("q")}}))
	readAll(t, submitTo(t, h, "old", "r1"))
	if n, err := h.Retain(t.Context(), now); err != nil || n != 2 || !log.asked.Equal(now) {
		t.Fatalf("%d deleted, %v, before %s", n, err, log.asked)
	}
	inbox, err := h.Inbox(t.Context())
	if err != nil || len(inbox.Open()) > 0 {
		t.Errorf("%v, still open: %v", err, inbox.Open())
	}
	if _, err := h.Thread(t.Context(), "old"); !errors.Is(err, ErrUnknownThread) {
		t.Errorf("the thread is there: %v", err)
	}
	readAll(t, submitTo(t, h, "old", "r1")) // it may begin anew
	log.fails = errors.New("no")
	if _, err := h.Retain(t.Context(), now); !errors.Is(err, log.fails) {
		t.Error(err)
	}
	if s, err := h.Thread(t.Context(), "old"); err != nil || len(s.Pending) != 1 {
		t.Errorf("%v, %+v", err, s.Pending)
	}
}

func TestALogThatCannotForgetKeepsEverything(t *testing.T) {
	h := openHub(t, store.NewMemory(), saying(End{Status: Success}))
	readAll(t, submitTo(t, h, "old", "r1"))
	if n, err := h.Retain(t.Context(), time.Now().Add(time.Hour)); n != 0 || err != nil {
		t.Error(n, err)
	}
	if _, err := h.Thread(t.Context(), "old"); err != nil {
		t.Error(err)
	}
}
