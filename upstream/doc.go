// Package upstream calls agents. Each kind of agent implements session.Agent: it sends
// the call, checks what comes back against its protocol, and says how the run ended.
//
//	agui+http(s)://…   POST a RunAgentInput, AG-UI events back over SSE     agui_http.go
//	aisdk+http(s)://…  POST a chat request, UI message stream back over SSE  aisdk_http.go
//	builtin:…          the demo agents                                       package builtin
//
// Whatever goes wrong becomes one session.Failure: unreachable, an error status, a
// malformed or misordered message, an end without a terminal message. A stream that
// just ends is never a success.
package upstream
