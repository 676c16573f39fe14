package jetstream

import (
	"context"

	"github.com/nats-io/nats.go"
)

// Connect returns the log that a NATS server or cluster keeps, reached by one URL
// or several with commas between. The stream is made if it is not there; one
// that could lose entries is refused.
//
// How durable an acknowledged append is, is the cluster's to say: see
// docs/store.md.
func Connect(ctx context.Context, url string, opts Options) (*Log, error) {
	opts, err := opts.withDefaults()
	if err != nil {
		return nil, err
	}
	opts.shared = true
	return newLog(ctx, opts, func(o ...nats.Option) (*nats.Conn, error) { return nats.Connect(url, o...) }, func() {})
}
