package inproc

import (
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails when goroutines outlive the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
