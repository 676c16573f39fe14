package main

import (
	"bytes"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestConfigDefaults(t *testing.T) {
	c, err := loadConfig(nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.Addr != "127.0.0.1:8080" || c.MaxMessageBytes != 8<<20 || c.MaxConnections != 10_000 || c.PendingInput != "hold" ||
		c.UpstreamIdle != 5*time.Minute || c.DrainTimeout != 10*time.Second || c.Insecure || len(c.AllowedOrigins) > 0 {
		t.Errorf("defaults are %+v", c)
	}
	if len(c.specs) != 2 || c.specs[0].Name != "demo" || c.specs[1].Name != "demo-aisdk" {
		t.Errorf("agents are %+v", c.specs)
	}
}

func TestConfigAccepts(t *testing.T) {
	for _, vars := range []string{
		"ADDR=localhost:0", "ADDR=[::1]:80", "ADDR=127.9.9.9:1", "ADDR=0.0.0.0:1 INSECURE=true", "ADDR=:8080 INSECURE=true",
		"ALLOWED_ORIGINS=https://a.example,http://b.example:8080", "PENDING_INPUT=reject", "UPSTREAM_IDLE_TIMEOUT=90s",
		"LOG_LEVEL=debug", "LOG_LEVEL=error", "LOG_FORMAT=json", "MAX_CONNECTIONS=1", "AGENTS=a=agui+http://x",
	} {
		if _, err := loadConfig(environ(strings.Fields(vars)...)); err != nil {
			t.Errorf("%s: %v", vars, err)
		}
	}
}

func environ(vars ...string) []string {
	for i, v := range vars {
		vars[i] = prefix + v
	}
	return vars
}

// A bad value stops the start with one line: the variable, the value, what is allowed.
func TestConfigRefuses(t *testing.T) {
	for _, test := range []struct{ name, value, allowed string }{
		{"ADDR", "8080", "host:port"},
		{"ADDR", "127.0.0.1", "host:port"},
		{"ADDR", "0.0.0.0:8080", "AGUI_BRIDGE_INSECURE=true"},
		{"ADDR", ":8080", "AGUI_BRIDGE_INSECURE=true"},
		{"ADDR", "192.0.2.1:8080", "loopback"},
		{"ADDR", "bridge.example:8080", "loopback"},
		{"ADDR", "[::]:8080", "loopback"},
		{"AGENTS", "demo", "name=agui+http"},
		{"AGENTS", "a=agui+ftp://x", "name=agui+http"},
		{"AGENTS", "a=builtin:other", "demo and demo-aisdk"},
		{"STORE", "floppy", "memory"},
		{"AUTH", "hope", "none"},
		{"INSECURE", "perhaps", "bool"},
		{"ALLOWED_ORIGINS", "app.example.com", "https://app.example.com"},
		{"ALLOWED_ORIGINS", "https://app.example.com/", "https://app.example.com"},
		{"ALLOWED_ORIGINS", "https://app.example.com/path", "https://app.example.com"},
		{"ALLOWED_ORIGINS", "*", "https://app.example.com"},
		{"MAX_MESSAGE_BYTES", "8MiB", "int64"},
		{"MAX_MESSAGE_BYTES", "0", "more than 0"},
		{"MAX_MESSAGE_BYTES", "-1", "more than 0"},
		{"MAX_CONNECTIONS", "many", "int"},
		{"MAX_CONNECTIONS", "0", "more than 0"},
		{"PENDING_INPUT", "drop", "hold or reject"},
		{"RETENTION", "-1h", "0 or more"},
		{"RETENTION", "30", "Duration"},
		{"AFTER_ERROR", "stop", "continue or pause"},
		{"RESUME", "perhaps", "at-most-once or at-least-once"},
		{"UPSTREAM_IDLE_TIMEOUT", "5", "Duration"},
		{"UPSTREAM_IDLE_TIMEOUT", "-5s", "more than 0"},
		{"DRAIN_TIMEOUT", "soon", "Duration"},
		{"DRAIN_TIMEOUT", "0s", "more than 0"},
		{"LOG_LEVEL", "loud", "debug, info, warn or error"},
		{"LOG_LEVEL", "fatal", "debug, info, warn or error"},
		{"LOG_FORMAT", "xml", "console or json"},
	} {
		t.Run(test.name+"="+test.value, func(t *testing.T) {
			_, err := loadConfig(environ(test.name + "=" + test.value))
			if err == nil {
				t.Fatal("accepted")
			}
			for _, word := range []string{prefix + test.name, test.value, test.allowed} {
				if !strings.Contains(err.Error(), word) {
					t.Errorf("%q does not have %q", err, word)
				}
			}
			if strings.Contains(err.Error(), "\n") {
				t.Errorf("%q is more than one line", err)
			}
		})
	}
}

func TestConfigHeaders(t *testing.T) {
	c, err := loadConfig(environ(
		"AGENTS=my-agent.2=agui+http://x,b=aisdk+http://y",
		"AGENT_MY_AGENT_2_HEADERS=Authorization: Bearer a:b , X-Two:2,", "AGENT_OTHER_HEADERS=nonsense",
	))
	if err != nil {
		t.Fatal(err)
	}
	want := http.Header{"Authorization": {"Bearer a:b"}, "X-Two": {"2"}}
	if diff := cmp.Diff(want, c.specs[0].Headers); diff != "" {
		t.Errorf("headers (-want +got):\n%s", diff)
	}
	if len(c.specs[1].Headers) > 0 {
		t.Errorf("another agent has headers: %v", c.specs[1].Headers)
	}
}

// Headers are secrets: neither an error nor the list of settings shows them.
func TestSecretsStayInside(t *testing.T) {
	for _, headers := range []string{"Authorization: s3cret", "s3cret", "Author ization: s3cret", ": s3cret"} {
		vars := environ("AGENTS=a=agui+http://x", "AGENT_A_HEADERS="+headers)
		var out bytes.Buffer
		err := printConfig(vars, &out)
		if strings.Contains(out.String(), "s3cret") || err != nil && strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s is shown: %v\n%s", headers, err, &out)
		}
		if !strings.Contains(out.String(), "AGENT_A_HEADERS=*****") {
			t.Errorf("the list does not say that headers are set:\n%s", &out)
		}
		if _, loadErr := loadConfig(vars); (loadErr == nil) != (err == nil) {
			t.Errorf("config says %v, serve says %v", err, loadErr)
		} else if err != nil && !strings.Contains(err.Error(), "AGUI_BRIDGE_AGENT_A_HEADERS") {
			t.Errorf("%v does not name the variable", err)
		}
	}
}

func TestPrintConfig(t *testing.T) {
	var out bytes.Buffer
	if err := printConfig(environ("MAX_CONNECTIONS=7"), &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for f := range reflect.TypeFor[config]().Fields() {
		name := f.Tag.Get("env")
		if name == "" {
			continue
		}
		if f.Tag.Get("desc") == "" {
			t.Errorf("%s has no meaning", name)
		}
		found := false
		for _, line := range lines {
			found = found || strings.HasPrefix(line, prefix+name+" ") && strings.Contains(line, f.Tag.Get("envDefault")) && strings.HasSuffix(line, f.Tag.Get("desc"))
		}
		if !found {
			t.Errorf("%s is not listed with default and meaning", name)
		}
	}
	if !regexp.MustCompile(`MAX_CONNECTIONS +7 +10000 `).MatchString(out.String()) {
		t.Errorf("the value that is set is not shown:\n%s", &out)
	}
	// Also a bad configuration is listed; that is when somebody looks.
	out.Reset()
	if err := printConfig(environ("AUTH=hope"), &out); err == nil || !strings.Contains(err.Error(), "AGUI_BRIDGE_AUTH") || !strings.Contains(out.String(), "hope") {
		t.Errorf("bad value: %v\n%s", err, &out)
	}
}
