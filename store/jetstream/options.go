package jetstream

import (
	"fmt"
	"regexp"
	"time"

	"go.uber.org/zap"
)

// Options says how a log behaves. The zero value will do.
type Options struct {
	// Logger gets what the engine has to say: its warnings and errors as such,
	// everything else as debug output. None is silent.
	Logger *zap.Logger
	// Name sets logs apart that share a cluster: lower-case letters, digits
	// and hyphens. Stream and subjects carry it. The default is agui-bridge.
	Name string
	// Replicas is how many servers of a cluster keep the stream, if it has to
	// be made: 1, 3 or 5. The default is 3 in a cluster and 1 elsewhere.
	Replicas int
	// MaxAppend is how many bytes the entries of one append may have together.
	// The default is 64 MiB. It bounds what a reader holds in memory.
	MaxAppend int
	// Patience is how long one exchange with the engine may take, including
	// the time without a connection. The default is 10 seconds.
	Patience time.Duration

	shared bool // other processes may write to the same threads
}

var allowedName = regexp.MustCompile(`^[a-z0-9-]{1,64}$`)

func (o Options) withDefaults() (Options, error) {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.Name == "" {
		o.Name = "agui-bridge"
	}
	if !allowedName.MatchString(o.Name) {
		return o, fmt.Errorf("store/jetstream: name %q: want lower-case letters, digits and hyphens", o.Name)
	}
	if o.MaxAppend <= 0 {
		o.MaxAppend = 64 << 20
	}
	if o.Patience <= 0 {
		o.Patience = 10 * time.Second
	}
	return o, nil
}
