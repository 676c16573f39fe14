package gateway

import (
	"net/http"
	"testing"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

func TestCapabilitiesAreThoseOfTheProtocol(t *testing.T) {
	r := newRig(t)
	status, body := r.get("/v1/agents/demo/capabilities")
	c, warnings, err := agui.ParseCapabilities([]byte(body))
	if status != http.StatusOK || err != nil || len(warnings) > 0 {
		t.Fatalf("%d %s: %v %v", status, body, err, warnings)
	}
	if c.Identity.Name.String() != "demo" || !*c.Transport.WebSocket || !*c.HumanInTheLoop.Interrupts {
		t.Errorf("declared %s", body)
	}
	if status, _ = r.get("/v1/agents/nobody/capabilities"); status != http.StatusNotFound {
		t.Errorf("an unknown agent has status %d", status)
	}
}
