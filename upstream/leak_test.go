package upstream

import (
	"fmt"
	"net/http"
	"os"
	"runtime"
	"testing"
	"time"
)

// TestMain fails when goroutines outlive the tests.
func TestMain(m *testing.M) {
	before := runtime.NumGoroutine()
	code := m.Run()
	http.DefaultClient.CloseIdleConnections()
	if code == 0 && !settles(before) {
		stacks := make([]byte, 1<<20)
		fmt.Fprintf(os.Stderr, "goroutines outlive the tests:\n%s\n", stacks[:runtime.Stack(stacks, true)])
		code = 1
	}
	os.Exit(code)
}

// settles waits until no more goroutines live than before.
func settles(before int) bool {
	for range 300 {
		if runtime.NumGoroutine() <= before {
			return true
		}
		time.Sleep(10 * time.Millisecond)
	}
	return false
}
