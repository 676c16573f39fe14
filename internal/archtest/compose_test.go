package archtest

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// A compose file, as far as the test looks at it.
type compose struct {
	Services map[string]struct {
		Image       string
		Build       string
		Environment map[string]string
		Profiles    []string
		Ports       []string
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
		Healthcheck struct{ Test []string }
		Volumes     []string
	}
	Volumes map[string]any
}

// TestComposeFile checks what can be checked without a Docker engine: that the
// file is well formed, that what it refers to is there, and that nothing it
// starts is open to the network or is taken for healthy unasked.
func TestComposeFile(t *testing.T) {
	var c compose
	if err := yaml.Unmarshal([]byte(read(t, "docker-compose.yml")), &c); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"bridge", "agent", "nats"} {
		if _, ok := c.Services[name]; !ok {
			t.Errorf("there is no service %s", name)
		}
	}
	for name, s := range c.Services {
		if len(s.Healthcheck.Test) < 2 || s.Healthcheck.Test[0] != "CMD" {
			t.Errorf("%s: health check is %q", name, s.Healthcheck.Test)
		}
		if s.Build != "" && !exists(filepath.Join(top, s.Build, "Dockerfile")) {
			t.Errorf("%s: builds from %q, which has no Dockerfile", name, s.Build)
		}
		if s.Build == "" && s.Image == "" {
			t.Errorf("%s: has neither an image nor what to build one from", name)
		}
		for _, port := range s.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s: publishes port %q beyond loopback", name, port)
			}
		}
		for other, how := range s.DependsOn {
			if _, ok := c.Services[other]; !ok || how.Condition != "service_healthy" {
				t.Errorf("%s: depends on %s, condition %q", name, other, how.Condition)
			}
		}
		for _, volume := range s.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, ok := c.Volumes[source]; !ok {
				t.Errorf("%s: mounts %q, which is no volume", name, source)
			}
		}
	}
	// The bridge must not need what does not start by itself.
	if s := c.Services["bridge"]; s.Environment["AGUI_BRIDGE_STORE"] != "memory" || len(s.Profiles) > 0 {
		t.Errorf("the bridge uses the store %q", s.Environment["AGUI_BRIDGE_STORE"])
	}
	if !slices.Contains(c.Services["nats"].Profiles, "nats") {
		t.Error("nats starts without being asked for")
	}
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
