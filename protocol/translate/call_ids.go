package translate

import (
	"maps"
	"strconv"
)

// CallIDs gives the tool calls of a chat ids that are unique in it. Agents and their
// providers use an id again, call_0 in every turn, while readers find a call by its id:
// the result of the second one would settle the first. The first call keeps the agent's
// id, the n-th that is called the same is told as <id>@n, or with the next number that
// is free. The same calls in the same order get the same ids. The zero value is ready.
//
// Chats and clients keep what the agent said (providerMetadata, metadata), so that
// Messages and History give the agent its own ids back.
type CallIDs struct {
	taken map[string]bool
	given map[string]string // the agent's id → what the newest call of it is told as
	own   map[string]string // and back
	known map[string]bool   // taken from the beginning
}

// A KnownCall is a call that a reader holds from before.
type KnownCall struct {
	Own   string // what the agent called it
	Given string // what the reader was told
}

// NewCallIDs knows the calls that the reader holds already, oldest first. Those of a reader
// that was told the agent's own ids, some of them twice, are known as another reader was
// told them.
func NewCallIDs(known ...KnownCall) *CallIDs {
	c := &CallIDs{}
	for _, call := range known {
		c.open(call.Own, call.Given)
	}
	c.known = maps.Clone(c.taken)
	return c
}

func (c *CallIDs) take(id string) {
	if c.taken == nil {
		c.taken, c.given, c.own = map[string]bool{}, map[string]string{}, map[string]string{}
	}
	c.taken[id] = true
}

// Open returns the id by which the reader is told of a call that begins.
func (c *CallIDs) Open(own string) string { return c.open(own, "") }

// open prefers the given id, if there is one and it is free.
func (c *CallIDs) open(own, wanted string) string {
	given := own
	if wanted != "" && !c.taken[wanted] {
		given = wanted
	}
	for n := 2; c.taken[given]; n++ {
		given = own + "@" + strconv.Itoa(n)
	}
	c.take(given)
	c.given[own], c.own[given] = given, own
	return given
}

// Given returns the id by which the reader knows the newest call that the agent calls
// own; one that nobody opened is known by the agent's id.
func (c *CallIDs) Given(own string) string {
	if given, ok := c.given[own]; ok {
		return given
	}
	return own
}

// Own returns what the agent calls the call that the reader names.
func (c *CallIDs) Own(given string) string {
	if own, ok := c.own[given]; ok {
		return own
	}
	return given
}
