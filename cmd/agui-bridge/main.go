// Command agui-bridge lets AG-UI and AI SDK front ends talk over WebSocket to agents
// that speak either protocol, and keeps the moment when a run stops to ask a person.
//
//	agui-bridge          serve, configured by the environment
//	agui-bridge check    look for violations in a stream of events (docs/check.md)
//	agui-bridge config   print every setting, its meaning, default and current value
//	agui-bridge threads  list the threads that are kept, or print the log of one
//	agui-bridge version  print the version
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
)

// version is set when the binary is built.
var version = "dev"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Environ(), os.Stdout, os.Stderr)
	stop()
	if err == nil {
		return
	}
	status := 1
	var verdict *verdict
	if errors.As(err, &verdict) {
		status, err = verdict.status, verdict.err
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "agui-bridge:", err)
	}
	os.Exit(status)
}

// run carries out one command.
func run(ctx context.Context, args, environ []string, stdout, stderr io.Writer) error {
	command := "serve"
	if len(args) > 0 {
		command = args[0]
	}
	switch command {
	case "version":
		_, err := fmt.Fprintln(stdout, version)
		return err
	case "config":
		return printConfig(environ, stdout)
	case "check":
		return checkStream(ctx, args[1:], os.Stdin, stdout, stderr)
	case "threads":
		return showThreads(ctx, args[1:], environ, stdout, stderr)
	case "serve":
		cfg, err := loadConfig(environ)
		if err != nil {
			return err
		}
		return serve(ctx, cfg, stderr)
	}
	return fmt.Errorf("unknown command %q; the commands are serve, check, config, threads and version", command)
}
