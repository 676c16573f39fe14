package gateway

import (
	"net/http"

	"github.com/agui-bridge/agui-bridge/protocol/agui"
)

// capabilities says what a front end gets of an agent through the bridge, as AG-UI
// AgentCapabilities (AG-UI 1.1, basic/capabilities): what the bridge itself adds, and who
// the agent is. What only the agent knows of itself is not declared.
func (s *Server) capabilities(w http.ResponseWriter, r *http.Request) {
	a, err := s.opts.Hub.Agent(r.PathValue("agent"))
	if err != nil {
		refuse(w, refusalOf(err))
		return
	}
	yes := true
	writeJSON(w, http.StatusOK, agui.AgentCapabilities{
		Identity:       &agui.IdentityCapabilities{Name: agui.Set(a.Name()), Kind: agui.Set(string(a.Protocol()))},
		Transport:      &agui.TransportCapabilities{Streaming: &yes, WebSocket: &yes, HTTPBinary: &yes},
		Tools:          &agui.ToolsCapabilities{ClientProvided: &yes},
		HumanInTheLoop: &agui.HumanInTheLoopCapabilities{Supported: &yes, Approvals: &yes, Interrupts: &yes},
	})
}
