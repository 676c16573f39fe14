package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/agui-bridge/agui-bridge/gateway"
	"github.com/agui-bridge/agui-bridge/internal/schema"
	"github.com/agui-bridge/agui-bridge/protocol/aisdk"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/upstream"
)

// serve runs the bridge until ctx ends, and then stops it in order: no new
// connections, runs ended, their readers told, log closed.
func serve(ctx context.Context, cfg config, stderr io.Writer) error {
	log := newLogger(cfg, stderr)
	defer func() { _ = log.Sync() }() // stderr cannot always be synced, and nothing is lost then
	agents, err := openAgents(cfg, log)
	if err != nil {
		return err
	}
	// First of all, so that a bridge that cannot listen takes nothing up.
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", cfg.Addr)
	if err != nil {
		return fmt.Errorf("%sADDR=%q: %w", prefix, cfg.Addr, err)
	}
	threads, err := openStore(ctx, cfg, log)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	hub := session.NewHub(session.Options{
		Log: threads, Agents: agents, Check: schema.New().Check, Logger: log,
		Compose: gateway.Compose, Limits: session.Limits{RejectPending: cfg.PendingInput == "reject", ResumeAgain: cfg.Resume == "at-least-once", PauseFailed: cfg.AfterError == "pause"},
	})
	profile, _ := aisdk.ParseProfile(cfg.AISDKProfile) // it was checked
	front := gateway.NewServer(gateway.Options{
		Hub: hub, MaxMessageBytes: cfg.MaxMessageBytes, MaxConnections: cfg.MaxConnections,
		AllowedOrigins: cfg.AllowedOrigins, Version: version, Logger: log,
		ChatProfile: profile, CancelOnDisconnect: cfg.OnDisconnect == "cancel",
	})
	if err := hub.Recover(ctx); err != nil {
		return errors.Join(fmt.Errorf("take up what was going on: %w", err), hub.Close(ctx), threads.Close(), listener.Close())
	}
	server := &http.Server{Handler: front, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: 2 * time.Minute}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	announce(log, listener.Addr().String(), agents)
	cleaning, stopCleaning := context.WithCancel(ctx)
	cleaned := make(chan struct{})
	go func() {
		defer close(cleaned)
		retain(cleaning, hub, cfg.Retention, log)
	}()

	select {
	case err = <-failed:
	case <-ctx.Done():
		log.Info("stopping")
		err = nil
	}
	stopCleaning()
	<-cleaned
	return errors.Join(err, shutdown(cfg, server, front, hub, threads))
}

// retain deletes old threads, now and every hour, until ctx ends. A retention of 0 keeps
// everything.
func retain(ctx context.Context, hub *session.Hub, retention time.Duration, log *zap.Logger) {
	if retention == 0 {
		return
	}
	tick := time.NewTicker(time.Hour)
	defer tick.Stop()
	for {
		deleted, err := hub.Retain(ctx, time.Now().Add(-retention))
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			log.Error("old threads could not be deleted", zap.Error(err))
		case deleted > 0:
			log.Info("old threads deleted", zap.Int("threads", deleted))
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func shutdown(cfg config, server *http.Server, front *gateway.Server, hub *session.Hub, threads store.Log) error {
	ctx, cancel := context.WithTimeout(context.Background(), cfg.DrainTimeout)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- server.Shutdown(ctx) }()
	// Runs end first, so that everybody who reads one learns that it is lost.
	return errors.Join(hub.Close(ctx), front.Close(ctx), <-stopped, threads.Close())
}

func openAgents(cfg config, log *zap.Logger) ([]session.Agent, error) {
	opts := upstream.Options{
		Client: upstream.NewClient(), IdleTimeout: cfg.UpstreamIdle, MaxMessage: int(cfg.MaxMessageBytes), Logger: log,
		Check: schema.New().Check,
	}
	agents := make([]session.Agent, len(cfg.specs))
	for i, spec := range cfg.specs {
		a, err := upstream.New(spec, opts)
		if err != nil {
			return nil, err
		}
		agents[i] = a
	}
	return agents, nil
}

func newLogger(cfg config, stderr io.Writer) *zap.Logger {
	enc := zap.NewProductionEncoderConfig()
	enc.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewConsoleEncoder(enc)
	if cfg.LogFormat == "json" {
		encoder = zapcore.NewJSONEncoder(enc)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(stderr)), cfg.level))
}

// announce says where front ends connect.
func announce(log *zap.Logger, addr string, agents []session.Agent) {
	log.Info("agui-bridge is listening", zap.String("version", version), zap.String("address", addr))
	for _, a := range agents {
		log.Info("agent "+a.Name(), zap.String("protocol", string(a.Protocol())),
			zap.String("websocket", "ws://"+addr+"/v1/agents/"+a.Name()+"/agui"),
			zap.String("http", "http://"+addr+"/v1/agents/"+a.Name()+"/agui"),
			zap.String("aisdk", "http://"+addr+"/v1/agents/"+a.Name()+"/aisdk"))
	}
}
