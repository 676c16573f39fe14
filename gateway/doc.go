// Package gateway is everything a front end can reach.
//
//	which path does what             server.go, routes
//	which error gives which status   errors.go
//	AG-UI over WebSocket             agui_ws.go, frames in agui_frame.go
//	AG-UI over HTTP and SSE          agui_sse.go
//	how a run reads in AG-UI         agui_events.go
//	the thread view                  threads.go
//
// A handler never runs an agent: it gives the input to session.Hub and reads the feed
// it gets. When it leaves, the run goes on.
package gateway
