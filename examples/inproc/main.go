// Command inproc is a bridge with an agent written in Go, in one process. Start it:
//
//	go run ./examples/inproc
//
// and talk to it as to any agent of a bridge. The agent asks before it sends an email:
//
//	curl -N http://127.0.0.1:8080/v1/agents/planner/agui -H 'content-type: application/json' -d '
//	  {"threadId":"t1","runId":"r1","messages":[{"id":"m1","role":"user","content":"write to Ada"}]}'
//
// Allow it with another address than the proposed one. The function goes on where it
// waited, sends the email to that address, and asks a question:
//
//	curl -N http://127.0.0.1:8080/v1/agents/planner/agui -H 'content-type: application/json' -d '
//	  {"threadId":"t1","runId":"r2","messages":[],"resume":[{"interruptId":"approve-r1-3","status":"resolved",
//	   "payload":{"approved":true,"editedArgs":{"to":"grace@example.com","subject":"Lunch?"}}}]}'
//
// Answer it, and stop what the agent does then:
//
//	curl -N http://127.0.0.1:8080/v1/agents/planner/agui -H 'content-type: application/json' -d '
//	  {"threadId":"t1","runId":"r3","messages":[],"resume":[{"interruptId":"ask-r2-6","status":"resolved",
//	   "payload":{"Reminder":"Tomorrow"}}]}' &
//	curl -X POST http://127.0.0.1:8080/v1/threads/t1/cancel
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, "127.0.0.1:8080"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// serve runs the bridge until ctx ends.
func serve(ctx context.Context, addr string) error {
	b := newBridge(planner{send: func(mail email) error {
		fmt.Printf("sent to %s: %s\n", mail.To, mail.Subject)
		return nil
	}})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: b.front, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	fmt.Println("listening on", listener.Addr())
	select {
	case err = <-failed:
	case <-ctx.Done():
		err = nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	stopped := make(chan error, 1)
	go func() { stopped <- server.Shutdown(ctx) }()
	return errors.Join(err, b.close(ctx), <-stopped)
}
