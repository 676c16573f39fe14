package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/agui-bridge/agui-bridge/internal/findings"
	"github.com/agui-bridge/agui-bridge/internal/recorded"
)

const checkUsage = `usage: agui-bridge check [flags] [FILE | - | URL]

Looks for violations of AG-UI in a stream of events: a recorded one, "-" or nothing for
standard input, or that of a live agent, which is sent the run input of --input.

exit status: 0 no violation, 1 violations, 2 input that cannot be used, or wrong usage

`

// errHelp says that help was asked for, and given.
var errHelp = errors.New("help")

// checkOptions is what the command line of the check command says.
type checkOptions struct {
	source        string
	format        string
	input         string
	headers       http.Header
	badHeader     bool
	timeout       time.Duration
	maxEventBytes int
	maxFindings   int
	json, sarif   bool
	quiet, strict bool
	rules         bool
}

func (o checkOptions) live() bool { return isURL(o.source) }

func (o checkOptions) writer(out io.Writer) findings.Writer {
	switch {
	case o.json:
		return findings.NewJSON(out)
	case o.sarif:
		return findings.NewSARIF(out, version)
	}
	return findings.NewText(out)
}

// parseCheckOptions reads the command line. Flags may stand before and after the source.
func parseCheckOptions(args []string, stdout io.Writer) (checkOptions, error) {
	o := checkOptions{headers: http.Header{}}
	f := flag.NewFlagSet("check", flag.ContinueOnError)
	f.SetOutput(io.Discard) // errors are printed by main, once
	f.StringVar(&o.format, "format", "", "`format` of a recorded stream: jsonl, sse or json; found out if it is not given")
	f.StringVar(&o.input, "input", "", "`file` with the RunAgentInput to send to a URL, or that a recorded run began with; - is standard input")
	f.Func("header", "`header` to send to a URL, 'Name: value'; may be given more than once", o.addHeader)
	f.DurationVar(&o.timeout, "timeout", 2*time.Minute, "how long a live stream may take")
	f.IntVar(&o.maxEventBytes, "max-event-bytes", recorded.DefaultMaxEvent, "largest event, in bytes")
	f.IntVar(&o.maxFindings, "max-findings", 1000, "how many findings are shown; the others are counted")
	f.BoolVar(&o.json, "json", false, "print one JSON object a line")
	f.BoolVar(&o.sarif, "sarif", false, "print one SARIF 2.1.0 document")
	f.BoolVar(&o.quiet, "quiet", false, "print only what makes the exit status 1, and no summary")
	f.BoolVar(&o.strict, "strict", false, "warnings make the exit status 1, too")
	f.BoolVar(&o.rules, "rules", false, "print every rule and its meaning")

	var sources []string
	for rest := args; len(rest) > 0; {
		if err := f.Parse(rest); errors.Is(err, flag.ErrHelp) {
			_, _ = io.WriteString(stdout, checkUsage)
			f.SetOutput(stdout)
			f.PrintDefaults()
			return o, errHelp
		} else if err != nil {
			return o, fmt.Errorf("%w; see agui-bridge check --help", err)
		}
		at := len(rest) - f.NArg()
		if at > 0 && rest[at-1] == "--" {
			sources = append(sources, f.Args()...)
			break
		}
		if f.NArg() == 0 {
			break
		}
		sources, rest = append(sources, f.Arg(0)), f.Args()[1:]
	}
	return o, o.complete(sources)
}

// complete checks what the flags say together.
func (o *checkOptions) complete(sources []string) error {
	o.source = "-"
	if len(sources) > 0 {
		o.source = sources[0]
	}
	switch {
	case len(sources) > 1:
		return fmt.Errorf("one stream is checked at a time, not %d", len(sources))
	case o.format != "" && !slices.Contains([]string{"jsonl", "sse", "json"}, o.format):
		return fmt.Errorf("--format %q: want jsonl, sse or json", o.format)
	case o.json && o.sarif:
		return errors.New("want --json or --sarif, not both")
	case o.maxEventBytes <= 0:
		return fmt.Errorf("--max-event-bytes %d: want more than 0", o.maxEventBytes)
	case o.maxFindings < 0:
		return fmt.Errorf("--max-findings %d: want 0 or more", o.maxFindings)
	case o.timeout <= 0:
		return fmt.Errorf("--timeout %s: want more than 0", o.timeout)
	case o.live() && o.input == "":
		return errors.New("a URL needs --input, the RunAgentInput to send; - is standard input")
	case o.live() && o.format != "" && o.format != string(recorded.SSE):
		return errors.New("a URL is read as server-sent events; --format is for files")
	case o.badHeader:
		return errors.New("--header: want 'Name: value'")
	case !o.live() && len(o.headers) > 0:
		return errors.New("--header is for a URL")
	case o.source == "-" && o.input == "-":
		return errors.New("standard input cannot be both the stream and the --input")
	}
	return nil
}

// addHeader takes one header. It gives no error, since package flag would show the header
// in it, which may be a secret.
func (o *checkOptions) addHeader(text string) error {
	name, value, ok := strings.Cut(text, ":")
	name, value = strings.TrimSpace(name), strings.TrimSpace(value)
	if !ok || !headerName.MatchString(name) || !headerValue.MatchString(value) {
		o.badHeader = true
		return nil
	}
	o.headers.Add(name, value)
	return nil
}

func isURL(source string) bool {
	return strings.HasPrefix(source, "http://") || strings.HasPrefix(source, "https://")
}

// publicURL is a URL without what may be a secret in it.
func publicURL(source string) string {
	u, err := url.Parse(source)
	if err != nil {
		return "URL"
	}
	return u.Scheme + "://" + u.Host + u.EscapedPath()
}
