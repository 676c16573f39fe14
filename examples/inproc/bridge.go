package main

import (
	"context"
	"errors"

	"github.com/agui-bridge/agui-bridge/gateway"
	"github.com/agui-bridge/agui-bridge/internal/schema"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/upstream"
	"github.com/agui-bridge/agui-bridge/upstream/inproc"
)

// A bridge is all that a program needs to be one: a log, agents, a hub that runs them,
// and a server, which is an http.Handler and can stand beside others.
type bridge struct {
	log   store.Log
	agent *inproc.Agent
	hub   *session.Hub
	front *gateway.Server
}

func newBridge(p planner) *bridge {
	b := &bridge{log: store.NewMemory(), agent: inproc.New("planner", p.run, inproc.Options{})}
	check := schema.New().Check // answers are held to the schema of what was asked
	b.hub = session.NewHub(session.Options{
		Log: b.log, Agents: []session.Agent{upstream.Remembering(b.agent, check)}, Check: check,
	})
	b.front = gateway.NewServer(gateway.Options{Hub: b.hub})
	return b
}

// close ends runs first, then the functions that are parked, then tells the readers, so
// that each of them learns how it ended.
func (b *bridge) close(ctx context.Context) error {
	return errors.Join(b.hub.Close(ctx), b.agent.Close(ctx), b.front.Close(ctx), b.log.Close())
}
