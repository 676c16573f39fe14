package upstream

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when goroutines outlive the tests; pooled connections may.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("net/http.(*persistConn).readLoop"),
		goleak.IgnoreAnyFunction("net/http.(*persistConn).writeLoop"))
}
