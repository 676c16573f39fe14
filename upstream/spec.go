package upstream

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/agui-bridge/agui-bridge/hitl"
	"github.com/agui-bridge/agui-bridge/session"
	"github.com/agui-bridge/agui-bridge/upstream/builtin"
)

// ErrSpec: text that describes no agent. The message says what is allowed.
var ErrSpec = errors.New("bad agent")

// A Spec describes one configured agent.
type Spec struct {
	Name    string
	Scheme  string // agui+http, agui+https, aisdk+http, aisdk+https, builtin
	Target  string // the URL to post to; for builtin the name of the demo agent
	Headers http.Header
}

// Options are what all agents of a process share.
type Options struct {
	Client      *http.Client  // nil: one that pools connections and follows no redirect
	IdleTimeout time.Duration // how long a stream may be silent; 0: 5 minutes
	MaxMessage  int           // bytes of one message of a stream; 0: 8 MiB
	Logger      *zap.Logger   // nil: silent
	// Check holds an answer to its schema: where one asks for more than yes or no, what is
	// remembered does not answer it. nil: no answer with a schema of its own is remembered.
	Check hitl.SchemaCheck
}

// The defaults of Options.
const (
	DefaultIdleTimeout = 5 * time.Minute
	DefaultMaxMessage  = 8 << 20
)

var agentName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

const specForm = "want name=agui+http(s)://…, name=aisdk+http(s)://… or name=builtin:demo"

// ParseSpecs reads a comma-separated list of name=scheme+url. The error matches ErrSpec.
func ParseSpecs(list string) ([]Spec, error) {
	var specs []Spec
	seen := map[string]bool{}
	for item := range strings.SplitSeq(list, ",") {
		item = strings.TrimSpace(item)
		if item == "" {
			continue
		}
		spec, err := parseSpec(item)
		if err != nil {
			return nil, err
		}
		if seen[spec.Name] {
			return nil, fmt.Errorf("%w: the name %q is used twice", ErrSpec, spec.Name)
		}
		seen[spec.Name] = true
		specs = append(specs, spec)
	}
	if len(specs) == 0 {
		return nil, fmt.Errorf("%w: the list is empty; %s", ErrSpec, specForm)
	}
	return specs, nil
}

// userinfo is the name and password that a URL may hold; an error must not show them.
var userinfo = regexp.MustCompile(`://[^/@,\s]*@`)

func masked(item string) string { return userinfo.ReplaceAllString(item, "://*****@") }

func parseSpec(item string) (Spec, error) {
	name, where, ok := strings.Cut(item, "=")
	if !ok {
		return Spec{}, fmt.Errorf("%w: %q; %s", ErrSpec, masked(item), specForm)
	}
	if !agentName.MatchString(name) {
		return Spec{}, fmt.Errorf("%w: the name %q; want letters, digits, '.', '_' and '-', at most 64", ErrSpec, name)
	}
	if demo, ok := strings.CutPrefix(where, "builtin:"); ok {
		if !builtin.Has(demo) {
			return Spec{}, fmt.Errorf("%w: %q; built in are %s", ErrSpec, masked(item), strings.Join(builtin.Names(), " and "))
		}
		return Spec{Name: name, Scheme: "builtin", Target: demo}, nil
	}
	protocol, target, _ := strings.Cut(where, "+")
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") || (protocol != "agui" && protocol != "aisdk") {
		return Spec{}, fmt.Errorf("%w: %q; %s", ErrSpec, masked(item), specForm)
	}
	return Spec{Name: name, Scheme: protocol + "+" + u.Scheme, Target: target}, nil
}

// New makes the agent that a spec describes. The error matches ErrSpec.
func New(spec Spec, o Options) (session.Agent, error) {
	a, err := plain(spec, o)
	if err != nil {
		return nil, err
	}
	return Remembering(a, o.Check), nil
}

func plain(spec Spec, o Options) (session.Agent, error) {
	c := newCaller(spec, o)
	switch spec.Scheme {
	case "builtin":
		return builtin.New(spec.Name, spec.Target)
	case "agui+http", "agui+https":
		return &aguiHTTP{caller: c}, nil
	case "aisdk+http", "aisdk+https":
		return &aisdkHTTP{caller: c}, nil
	}
	return nil, fmt.Errorf("%w: %q; %s", ErrSpec, spec.Scheme, specForm)
}
