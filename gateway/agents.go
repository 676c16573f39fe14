package gateway

import "net/http"

type agentView struct {
	Name     string `json:"name"`
	Protocol string `json:"protocol"`
	Status   string `json:"status"` // "configured": it is called when a run asks for it
}

// agents lists the configured agents.
func (s *Server) agents(w http.ResponseWriter, _ *http.Request) {
	views := []agentView{}
	for _, a := range s.opts.Hub.Agents() {
		views = append(views, agentView{Name: a.Name(), Protocol: string(a.Protocol()), Status: "configured"})
	}
	writeJSON(w, http.StatusOK, map[string]any{"agents": views})
}
