// Package chaos holds a test that kills the bridge. It starts the real program with the
// embedded store, kills it at any moment, starts it again, and holds what it promises
// (docs/sessions.md) against a ledger that is kept outside: by the people who asked and
// answered, and by the agent that was asked.
//
// CHAOS_KILLS says how often it is killed, CHAOS_SEED repeats what people do; when the
// blows fall is chance.
package chaos
