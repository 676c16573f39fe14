package jetstream

import (
	"fmt"
	"sync"

	"go.uber.org/zap"
)

// A serverLog passes on what the embedded server says. It is a server to nobody
// but this process, so its notices are details.
type serverLog struct {
	*zap.Logger

	mu   sync.Mutex
	last string
}

// Noticef logs what a server of its own would tell its operator.
func (l *serverLog) Noticef(format string, v ...any) { l.Debug(fmt.Sprintf(format, v...)) }

// Warnf logs a warning.
func (l *serverLog) Warnf(format string, v ...any) { l.Warn(fmt.Sprintf(format, v...)) }

// Errorf logs an error.
func (l *serverLog) Errorf(format string, v ...any) { l.Error(fmt.Sprintf(format, v...)) }

// Debugf logs a detail.
func (l *serverLog) Debugf(format string, v ...any) { l.Debug(fmt.Sprintf(format, v...)) }

// Tracef logs a detail.
func (l *serverLog) Tracef(format string, v ...any) { l.Debug(fmt.Sprintf(format, v...)) }

// Fatalf keeps what it is told: the process does not end because of it.
func (l *serverLog) Fatalf(format string, v ...any) {
	text := fmt.Sprintf(format, v...)
	l.Error(text)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last = text
}

// fatal returns why the server gave up, if it did.
func (l *serverLog) fatal() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.last
}
