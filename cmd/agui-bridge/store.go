package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/jetstream"
)

// Where threads are kept, besides the URLs of a NATS cluster.
const (
	storeMemory   = "memory"
	storeEmbedded = "embedded"
)

// checkStore refuses what names no place for threads.
func (c *config) checkStore() error {
	switch c.Store {
	case storeMemory, storeEmbedded:
		return nil
	}
	for address := range strings.SplitSeq(c.Store, ",") {
		u, err := url.Parse(strings.TrimSpace(address))
		if err != nil || u.Scheme != "nats" && u.Scheme != "tls" || u.Host == "" {
			return bad(prefix+"STORE", maskUserinfo(c.Store), "memory, embedded, or nats://host:port")
		}
	}
	return nil
}

// openStore opens the log of threads. What it returns is to be closed.
func openStore(ctx context.Context, cfg config, log *zap.Logger) (store.Log, error) {
	opts := jetstream.Options{Logger: log}
	switch cfg.Store {
	case storeMemory:
		return store.NewMemory(), nil
	case storeEmbedded:
		threads, err := jetstream.OpenEmbedded(ctx, cfg.DataDir, opts)
		if err != nil {
			return nil, fmt.Errorf("%sDATA_DIR=%q: %w", prefix, cfg.DataDir, err)
		}
		return threads, nil
	}
	threads, err := jetstream.Connect(ctx, cfg.Store, opts)
	if err != nil {
		return nil, fmt.Errorf("%sSTORE=%q: %w", prefix, maskUserinfo(cfg.Store), err)
	}
	return threads, nil
}
