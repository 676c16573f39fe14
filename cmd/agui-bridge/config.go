package main

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"
	"go.uber.org/zap/zapcore"

	"github.com/agui-bridge/agui-bridge/upstream"
)

// prefix begins the name of every variable.
const prefix = "AGUI_BRIDGE_"

// A config is what the environment says. The field tags are the documentation that
// the config command prints.
type config struct {
	Addr            string        `env:"ADDR" envDefault:"127.0.0.1:8080" desc:"host:port to listen on; port 0 picks a free one"`
	Agents          string        `env:"AGENTS" envDefault:"demo=builtin:demo,demo-aisdk=builtin:demo-aisdk" desc:"comma-separated name=scheme+url: agui+http(s)://…, aisdk+http(s)://…, builtin:demo, builtin:demo-aisdk"`
	Store           string        `env:"STORE" envDefault:"embedded" desc:"where threads are kept: embedded, in files under DATA_DIR; memory, until the bridge stops; or in NATS, nats://host:port,…"`
	DataDir         string        `env:"DATA_DIR" envDefault:".agui-bridge" desc:"directory of the embedded store; one bridge at a time uses it"`
	Auth            string        `env:"AUTH" envDefault:"none" desc:"who may call: none"`
	Insecure        bool          `env:"INSECURE" envDefault:"false" desc:"true allows listening beyond loopback without authentication"`
	AllowedOrigins  []string      `env:"ALLOWED_ORIGINS" desc:"comma-separated origins of web pages that may call, besides the same origin"`
	MaxMessageBytes int64         `env:"MAX_MESSAGE_BYTES" envDefault:"8388608" desc:"largest input, and largest message of an agent, in bytes"`
	MaxConnections  int           `env:"MAX_CONNECTIONS" envDefault:"10000" desc:"sockets and streams at once"`
	PendingInput    string        `env:"PENDING_INPUT" envDefault:"hold" desc:"what becomes of a message while a request is open: hold or reject"`
	AfterError      string        `env:"AFTER_ERROR" envDefault:"continue" desc:"what becomes of held messages when a run has failed: continue, the next one runs; or pause, they wait for the next message"`
	Resume          string        `env:"RESUME" envDefault:"at-most-once" desc:"what becomes of answers that may have reached the agent before a crash: at-most-once, their run ends with resume_unknown; or at-least-once, they are sent again"`
	OnDisconnect    string        `env:"ON_DISCONNECT" envDefault:"detach" desc:"what becomes of a run when its last reader loses its connection: detach, it goes on; or cancel"`
	AISDKProfile    string        `env:"AISDK_PROFILE" envDefault:"v6" desc:"vocabulary of AI SDK front ends over HTTP that ask for none with ?profile=: v6 or v7"`
	Retention       time.Duration `env:"RETENTION" envDefault:"720h" desc:"how long a thread is kept after its last entry; 0 keeps it for ever"`
	UpstreamIdle    time.Duration `env:"UPSTREAM_IDLE_TIMEOUT" envDefault:"5m" desc:"how long an agent's stream may be silent"`
	DrainTimeout    time.Duration `env:"DRAIN_TIMEOUT" envDefault:"10s" desc:"how long a stop waits for connections and runs to end"`
	LogLevel        string        `env:"LOG_LEVEL" envDefault:"info" desc:"debug, info, warn or error"`
	LogFormat       string        `env:"LOG_FORMAT" envDefault:"console" desc:"console or json"`

	specs []upstream.Spec
	level zapcore.Level
}

// loadConfig reads and checks the environment. An error names the variable, its value
// and what is allowed.
func loadConfig(environ []string) (config, error) {
	vars := env.ToMap(environ)
	var c config
	if err := env.ParseWithOptions(&c, env.Options{Prefix: prefix, Environment: vars}); err != nil {
		return config{}, parseError(err, vars)
	}
	if err := c.check(vars); err != nil {
		return config{}, err
	}
	return c, nil
}

// parseError names the variable and its value, which the library's error does not.
func parseError(err error, vars map[string]string) error {
	var all env.AggregateError
	if !errors.As(err, &all) || len(all.Errors) == 0 {
		return err
	}
	var one env.ParseError
	if !errors.As(all.Errors[0], &one) {
		return all.Errors[0]
	}
	name := variable(one.Name)
	return bad(name, vars[name], "a value of type "+one.Type.String())
}

func bad(name, value, allowed string) error {
	return fmt.Errorf("%s=%q: want %s", name, value, allowed)
}

func (c *config) check(vars map[string]string) error {
	for _, choice := range []struct {
		name, value string
		allowed     []string
	}{
		{"AUTH", c.Auth, []string{"none"}},
		{"PENDING_INPUT", c.PendingInput, []string{"hold", "reject"}},
		{"AFTER_ERROR", c.AfterError, []string{"continue", "pause"}},
		{"RESUME", c.Resume, []string{"at-most-once", "at-least-once"}},
		{"ON_DISCONNECT", c.OnDisconnect, []string{"detach", "cancel"}},
		{"AISDK_PROFILE", c.AISDKProfile, []string{"v6", "v7"}},
		{"LOG_FORMAT", c.LogFormat, []string{"console", "json"}},
	} {
		if !slices.Contains(choice.allowed, choice.value) {
			return bad(prefix+choice.name, choice.value, strings.Join(choice.allowed, " or "))
		}
	}
	for _, number := range []struct {
		name  string
		value int64
	}{
		{"MAX_MESSAGE_BYTES", c.MaxMessageBytes}, {"MAX_CONNECTIONS", int64(c.MaxConnections)},
		{"UPSTREAM_IDLE_TIMEOUT", int64(c.UpstreamIdle)}, {"DRAIN_TIMEOUT", int64(c.DrainTimeout)},
	} {
		if number.value <= 0 {
			return bad(prefix+number.name, vars[prefix+number.name], "more than 0")
		}
	}
	if c.Retention < 0 {
		return bad(prefix+"RETENTION", vars[prefix+"RETENTION"], "0 or more")
	}
	if err := c.level.Set(c.LogLevel); err != nil || c.level > zapcore.ErrorLevel {
		return bad(prefix+"LOG_LEVEL", c.LogLevel, "debug, info, warn or error")
	}
	if err := c.checkStore(); err != nil {
		return err
	}
	if err := c.checkAddr(); err != nil {
		return err
	}
	if err := c.checkOrigins(); err != nil {
		return err
	}
	return c.readAgents(vars)
}

func (c *config) checkAddr() error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err != nil {
		return bad(prefix+"ADDR", c.Addr, "host:port, the port a number up to 65535")
	}
	if !isLoopback(host) && !c.Insecure {
		return bad(prefix+"ADDR", c.Addr, "a loopback address while "+prefix+"AUTH=none, or "+prefix+"INSECURE=true")
	}
	return nil
}

func isLoopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

func (c *config) checkOrigins() error {
	for i, origin := range c.AllowedOrigins {
		origin = strings.TrimSpace(origin)
		c.AllowedOrigins[i] = origin
		u, err := url.Parse(origin)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" || origin != u.Scheme+"://"+u.Host {
			return bad(prefix+"ALLOWED_ORIGINS", origin, "origins like https://app.example.com")
		}
	}
	return nil
}

// readAgents reads the list of agents, and each agent's headers.
func (c *config) readAgents(vars map[string]string) error {
	specs, err := upstream.ParseSpecs(c.Agents)
	if err != nil {
		return fmt.Errorf("%sAGENTS: %w", prefix, err)
	}
	owner := map[string]string{}
	for i := range specs {
		name := headersVariable(specs[i].Name)
		if other, taken := owner[name]; taken {
			return fmt.Errorf("%sAGENTS: the agents %q and %q would share %s; want names that differ in letters or digits", prefix, other, specs[i].Name, name)
		}
		owner[name] = specs[i].Name
		headers, err := parseHeaders(vars[name])
		if err != nil {
			return fmt.Errorf("%s: %w", name, err) // the value may be a secret
		}
		specs[i].Headers = headers
	}
	c.specs = specs
	return nil
}

// headersVariable names the variable with an agent's headers: the agent's name in
// capitals, with an underscore for what no variable name can have.
func headersVariable(agent string) string {
	clean := strings.Map(func(r rune) rune {
		if r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '_'
	}, strings.ToUpper(agent))
	return prefix + "AGENT_" + clean + "_HEADERS"
}

// What RFC 9110 allows in the name and in the value of a header.
var (
	headerName  = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	headerValue = regexp.MustCompile(`^[^\x00-\x08\x0a-\x1f\x7f]*$`)
)

var errHeaders = errors.New("want comma-separated Name: value")

func parseHeaders(list string) (http.Header, error) {
	headers := http.Header{}
	for item := range strings.SplitSeq(list, ",") {
		if strings.TrimSpace(item) == "" {
			continue
		}
		name, value, ok := strings.Cut(item, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		if !ok || !headerName.MatchString(name) || !headerValue.MatchString(value) {
			return nil, errHeaders
		}
		headers.Add(name, value)
	}
	return headers, nil
}
