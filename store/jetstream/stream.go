package jetstream

import (
	"context"
	"errors"
	"fmt"
	"slices"

	js "github.com/nats-io/nats.go/jetstream"
)

// openStream finds the stream or makes it.
func (l *Log) openStream(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.opts.Patience)
	defer cancel()
	api, err := js.New(l.conn)
	if err != nil {
		return fmt.Errorf("store/jetstream: %w", err)
	}
	stream, err := api.Stream(ctx, l.names.stream)
	if errors.Is(err, js.ErrStreamNotFound) {
		// Another process may be making it, too; making it twice alike is no error.
		stream, err = api.CreateStream(ctx, l.wanted())
		if errors.Is(err, js.ErrStreamNameAlreadyInUse) {
			stream, err = api.Stream(ctx, l.names.stream)
		}
	}
	if err != nil {
		return fmt.Errorf("store/jetstream: stream %s: %w", l.names.stream, err)
	}
	config := stream.CachedInfo().Config
	if err := l.check(config); err != nil {
		return err
	}
	l.stream, l.replicas = stream, config.Replicas
	return nil
}

// wanted is the stream as it is made. It has no limits: what ends a thread is
// retention, and never the engine.
func (l *Log) wanted() js.StreamConfig {
	replicas := l.opts.Replicas
	if replicas == 0 {
		replicas = 1
		if l.conn.ConnectedClusterName() != "" {
			replicas = 3
		}
	}
	return js.StreamConfig{
		Name: l.names.stream, Description: "the logs of threads, one subject each",
		Subjects: []string{l.thread + ">"}, Retention: js.LimitsPolicy, Discard: js.DiscardNew, Storage: js.FileStorage,
		MaxConsumers: -1, MaxMsgs: -1, MaxBytes: -1, MaxMsgsPerSubject: -1, MaxMsgSize: -1,
		Replicas: replicas, AllowDirect: true,
		RePublish: &js.RePublish{Source: l.thread + ">", Destination: l.bell + ">", HeadersOnly: true},
	}
}

// check refuses a stream in which a log would lose entries or readers would
// not learn of them. What remains is the operator's choice.
func (l *Log) check(c js.StreamConfig) error {
	want := l.wanted()
	var fault string
	switch {
	case !slices.Contains(c.Subjects, want.Subjects[0]):
		fault = "subjects must contain " + want.Subjects[0]
	case c.Retention != js.LimitsPolicy:
		fault = "retention must be by limits"
	case c.Storage != js.FileStorage:
		fault = "storage must be files"
	case c.MaxAge > 0 || c.MaxMsgs > 0 || c.MaxMsgsPerSubject > 0 || c.MaxBytes > 0 && c.Discard != js.DiscardNew:
		fault = "limits must not drop messages"
	case !c.AllowDirect:
		fault = "direct access must be allowed"
	case c.DenyPurge:
		fault = "purging must be allowed"
	case c.RePublish == nil || *c.RePublish != *want.RePublish:
		fault = "messages must be republished, headers only, to " + want.RePublish.Destination
	default:
		return nil
	}
	return fmt.Errorf("store/jetstream: stream %s is not set up for threads: %s", c.Name, fault)
}
