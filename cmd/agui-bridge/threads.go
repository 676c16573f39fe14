package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/store"
)

// showThreads lists the threads of the configured store, or prints the log of one. The
// embedded store is used by one process at a time: a bridge that runs has to be stopped.
func showThreads(ctx context.Context, args, environ []string, stdout, stderr io.Writer) (err error) {
	flags := flag.NewFlagSet("threads", flag.ContinueOnError)
	flags.SetOutput(stderr)
	verbatim := flags.Bool("v", false, "print inputs and frames, as they came")
	flags.Usage = func() {
		_, _ = fmt.Fprintln(stderr, "usage: agui-bridge threads [-v] [thread]")
		flags.PrintDefaults()
	}
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return nil
		}
		return err
	}
	if flags.NArg() > 1 {
		return fmt.Errorf("threads: one thread at a time, not %s", strings.Join(flags.Args(), " "))
	}
	cfg, err := loadConfig(environ)
	if err != nil {
		return err
	}
	if cfg.Store == storeMemory {
		return errors.New("threads: " + prefix + "STORE=memory keeps none")
	}
	if _, err := os.Stat(cfg.DataDir); cfg.Store == storeEmbedded && err != nil {
		return fmt.Errorf("threads: %sDATA_DIR: %w", prefix, err) // opening the store would make it
	}
	log, err := openStore(ctx, cfg, zap.NewNop())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	if flags.NArg() == 0 {
		return listThreads(ctx, log, stdout)
	}
	return printThread(ctx, log, flags.Arg(0), *verbatim, stdout)
}

// listThreads prints all threads, the one that was used last first.
func listThreads(ctx context.Context, log store.Log, out io.Writer) error {
	var all []store.ThreadInfo
	for info, err := range log.Threads(ctx) {
		if err != nil {
			return fmt.Errorf("list threads: %w", err)
		}
		all = append(all, info)
	}
	slices.SortFunc(all, func(a, b store.ThreadInfo) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(a.ID, b.ID)) })
	// What cannot be written shows when the table is flushed.
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintln(table, "LAST ENTRY\tENTRIES\tPHASE\tOPEN\tHELD\tRUNS\tTHREAD")
	for _, info := range all {
		s, err := session.Read(ctx, log, info.ID)
		if err != nil {
			return err
		}
		_, _ = fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%d\t%d\t%s\n", stamp(info.At), info.Last, cmp.Or(s.Phase, session.Idle), len(s.Pending), len(s.Queue), len(s.Runs), plain(info.ID))
	}
	return table.Flush()
}

// printThread prints the log of a thread, an entry a line.
func printThread(ctx context.Context, log store.Log, thread string, verbatim bool, out io.Writer) error {
	known := false
	for e, err := range log.Read(ctx, thread, 0) {
		if err != nil {
			return fmt.Errorf("read thread %q: %w", thread, err)
		}
		known = true
		gist, raw, err := session.Tell(e)
		if err != nil {
			gist = "damaged: " + err.Error()
		}
		if _, err := fmt.Fprintf(out, "%5d  %s  %-11s  %s\n", e.Seq, stamp(e.At), e.Kind, plain(gist)); err != nil {
			return err
		}
		for _, line := range raw {
			if !verbatim {
				break
			}
			if _, err := fmt.Fprintf(out, "       %s\n", plain(string(line))); err != nil {
				return err
			}
		}
	}
	if !known {
		return fmt.Errorf("%w: %q", session.ErrUnknownThread, thread)
	}
	return nil
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02 15:04:05.000") }

// plain takes out what would move the cursor of a terminal: ids and frames are other
// people's text.
func plain(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '\uFFFD'
		}
		return r
	}, text)
}
