package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"unicode"

	"github.com/agui-bridge/agui-bridge/internal/findings"
	"github.com/agui-bridge/agui-bridge/internal/recorded"
	"github.com/agui-bridge/agui-bridge/protocol/agui"
	"github.com/agui-bridge/agui-bridge/protocol/agui/check"
)

// The exit status of the check command; 0 is a stream without a violation.
const (
	statusViolations = 1
	statusUnusable   = 2
)

// A verdict is an error that decides the exit status. It has no text of its own.
type verdict struct {
	status int
	err    error // what to say, if anything
}

// Error implements error.
func (v *verdict) Error() string {
	if v.err == nil {
		return fmt.Sprintf("exit status %d", v.status)
	}
	return v.err.Error()
}

// Unwrap returns what was said.
func (v *verdict) Unwrap() error { return v.err }

// checkStream carries out the check command.
func checkStream(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	o, err := parseCheckOptions(args, stdout)
	if errors.Is(err, errHelp) {
		return nil
	}
	if err == nil && o.rules {
		return printRules(stdout)
	}
	if err == nil {
		err = runCheck(ctx, o, stdin, stdout, stderr)
	}
	var v *verdict
	if err != nil && !errors.As(err, &v) {
		return &verdict{statusUnusable, fmt.Errorf("check: %w", err)}
	}
	return err
}

// runCheck reads the stream and reports what it finds.
func runCheck(ctx context.Context, o checkOptions, stdin io.Reader, stdout, stderr io.Writer) error {
	r := &report{out: o.writer(stdout), max: o.maxFindings, quiet: o.quiet, strict: o.strict}
	err := r.stream(ctx, o, stdin, stderr)
	if closeErr := r.close(); err == nil {
		err = closeErr
	}
	if !o.quiet {
		_, _ = fmt.Fprintln(stderr, r.summary()) // there is nobody else to tell
	}
	switch {
	case err != nil:
		return err
	case r.bad():
		return &verdict{status: statusViolations}
	}
	return nil
}

// stream finds out what there is to read, and reads it.
func (r *report) stream(ctx context.Context, o checkOptions, stdin io.Reader, stderr io.Writer) error {
	var sent []byte
	var options check.Options
	if o.input != "" {
		raw, in, err := r.input(o, stdin)
		if err != nil {
			return err
		}
		sent, options.Input = raw, &in
	}
	r.file = displayName(o.source)
	c := check.New(options)
	if o.live() {
		return r.live(ctx, o, sent, c, stderr)
	}
	in := stdin
	if o.source != "-" {
		f, err := os.Open(o.source)
		if err != nil {
			return err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return fmt.Errorf("%s is a directory; want one file", o.source)
		}
		in = f
	}
	in, stop := interruptible(ctx, in)
	defer stop()
	return r.events(c, in, o)
}

// interruptible returns what in gives until ctx ends. Reading a terminal or a pipe does
// not end by itself when the user wants it to.
func interruptible(ctx context.Context, in io.Reader) (out io.Reader, stop func()) {
	r, w := io.Pipe()
	go func() {
		_, err := io.Copy(w, in)
		w.CloseWithError(err)
	}()
	forget := context.AfterFunc(ctx, func() { w.CloseWithError(errors.New("interrupted")) })
	return r, func() {
		forget()
		_ = r.Close() // always nil
	}
}

// events reads the events of one stream to its end.
func (r *report) events(c *check.Checker, in io.Reader, o checkOptions) error {
	buffered := recorded.NewReader(in)
	format := recorded.Format(o.format)
	if format == "" {
		var err error
		if format, err = recorded.Detect(buffered); err != nil {
			return fmt.Errorf("%s: %w; want JSON lines, JSON or server-sent events, or say which with --format", r.file, err)
		}
	}
	var fault error
	for e, err := range recorded.Read(buffered, format, o.maxEventBytes) {
		if err != nil {
			fault, r.lost = fmt.Errorf("%s: %w", r.file, err), true
			break
		}
		if e.Input == nil {
			r.seen++
		}
		if err := r.add(c.Next(e)); err != nil {
			return err
		}
	}
	if fault != nil && !o.live() {
		return fault // what is behind is not known, so neither is whether the run ends
	}
	if err := r.add(c.End()); err != nil {
		return err
	}
	return fault
}

// input reads what a run is started with, as it would be sent.
func (r *report) input(o checkOptions, stdin io.Reader) ([]byte, agui.RunInput, error) {
	var in agui.RunInput
	r.file = displayName(o.input)
	raw, err := readAll(o.input, stdin, o.maxEventBytes)
	if err != nil {
		return nil, in, err
	}
	clean, warnings, err := agui.Outgoing([]byte(strings.TrimPrefix(string(raw), "\uFEFF")))
	if err == nil {
		in, _, err = agui.ParseRunInput(clean)
	}
	if addErr := r.add(check.Input(warnings, err)); addErr != nil {
		return nil, in, addErr
	}
	if err != nil {
		return nil, in, fmt.Errorf("%s: the input is malformed; nothing was sent or checked", r.file)
	}
	return clean, in, nil
}

func readAll(name string, stdin io.Reader, limit int) ([]byte, error) {
	in := stdin
	if name != "-" {
		f, err := os.Open(name) //nolint:gosec // the user says which file; that is what the command is for
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	raw, err := io.ReadAll(io.LimitReader(in, int64(limit)+1))
	if err == nil && len(raw) > limit {
		err = fmt.Errorf("%s: more than %d bytes", displayName(name), limit)
	}
	return raw, err
}

// displayName is how findings name a source: on one line, and without what may be a
// secret in a URL.
func displayName(source string) string {
	if source == "-" {
		return "stdin"
	}
	if isURL(source) {
		source = publicURL(source)
	}
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return '_'
		}
		return r
	}, source)
}

// A report passes findings on and counts them.
type report struct {
	out           findings.Writer
	file          string
	max           int
	quiet, strict bool

	seen   int // events
	shown  int
	cut    int // not shown any more
	counts map[check.Severity]int
	lost   bool // the stream could not be read to its end
}

// decides reports whether a finding makes the exit status 1.
func (r *report) decides(s check.Severity) bool {
	return s == check.Error || s == check.Warning && r.strict
}

func (r *report) bad() bool {
	return r.counts[check.Error] > 0 || r.strict && r.counts[check.Warning] > 0
}

// add takes in what was found. What is too much is still counted, since it may decide
// the exit status.
func (r *report) add(found []check.Finding) error {
	for _, f := range found {
		if r.counts == nil {
			r.counts = map[check.Severity]int{}
		}
		r.counts[f.Severity]++
		switch {
		case r.quiet && !r.decides(f.Severity):
		case r.shown >= r.max:
			r.cut++
		default:
			r.shown++
			if err := r.out.Write(r.file, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// close says what was cut, and ends the output.
func (r *report) close() error {
	var err error
	if r.cut > 0 {
		err = r.out.Write(r.file, check.Finding{
			Severity: check.Note, Rule: check.FindingsCut, Index: -1, Line: 1,
			Message: fmt.Sprintf("%d more findings are not shown (--max-findings %d)", r.cut, r.max),
		})
	}
	return errors.Join(err, r.out.Close())
}

func (r *report) summary() string {
	s := fmt.Sprintf("agui-bridge check: %s, %s, %s", plural(r.seen, "event"), plural(r.counts[check.Error], "error"), plural(r.counts[check.Warning], "warning"))
	if n := r.counts[check.Note]; n > 0 {
		s += ", " + plural(n, "note")
	}
	if r.cut > 0 {
		s += fmt.Sprintf("; %d not shown", r.cut)
	}
	return s
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// printRules lists what findings can be about.
func printRules(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 4, 2, ' ', 0) // Flush reports what could not be written
	_, _ = fmt.Fprintln(w, "RULE\tSEVERITY\tMEANING")
	for _, rule := range check.Rules() {
		_, _ = fmt.Fprintf(w, "%s\t%s\t%s\n", rule.ID, rule.Severity, rule.Help)
	}
	return w.Flush()
}
