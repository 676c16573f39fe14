package builtin

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/agui-bridge/agui-bridge/session"
)

// slowPace is the time between two deltas of the slow script.
const slowPace = 100 * time.Millisecond

// A scene is one script at work.
type scene struct {
	voice
	ctx  context.Context
	out  *outlet
	rest string // what the user wrote after the first word
}

// play finds the script and lets it speak. A script that says nothing of how the run
// ends lets it succeed.
func play(ctx context.Context, v voice, call session.Call, said hearing, out *outlet) {
	word, rest, _ := strings.Cut(said.text, " ")
	s := scene{voice: v, ctx: ctx, out: out, rest: strings.TrimSpace(rest)}
	switch {
	case len(call.Settled) > 0:
		s.resume(call.Settled)
	case said.hasRes:
		s.text("The client tool returned: ", said.result)
	default:
		s.begin(strings.ToLower(word), said.text)
	}
	out.setEnd(success())
}

func (s scene) begin(word, whole string) {
	script, known := scripts[word]
	if !known {
		s.text("You said: ", whole)
		return
	}
	script(s)
}

var scripts map[string]func(scene)

func init() {
	scripts = map[string]func(scene){
		"hello": scene.hello, "email": scene.email, "delete": scene.deleteDatabase, "parallel": scene.parallel,
		"book": scene.book, "ask": scene.ask, "locate": scene.locate, "think": scene.think, "state": scene.showState,
		"stream": scene.streamFast, "slow": scene.streamSlow, "fail": scene.fail, "drop": scene.drop,
	}
}

func (s scene) hello() { s.text("Hello", "! ", "How can ", "I help", " you?") }

func (s scene) think() {
	s.reasoning("The user wants ", "to see me think. ", "So I think.")
	s.text("I thought about it.")
}

func (s scene) showState() {
	s.state(jsontext.Value(`{"steps":[],"done":false}`))
	s.stateDelta(jsontext.Value(`[{"op":"add","path":"/steps/-","value":"first"}]`))
	s.stateDelta(jsontext.Value(`[{"op":"add","path":"/steps/-","value":"second"},{"op":"replace","path":"/done","value":true}]`))
	s.text("The state has two steps and is done.")
}

// number reads N of "stream N", at least 1 and at most a million.
func (s scene) number() int {
	n, err := strconv.Atoi(s.rest)
	if err != nil {
		return 10
	}
	return min(max(n, 1), 1_000_000)
}

func (s scene) streamFast() {
	n, i := s.number(), 0
	s.stream(func() (string, bool) {
		i++
		return fmt.Sprintf("word%d ", i), i <= n
	})
}

func (s scene) streamSlow() {
	n, i := s.number(), 0
	pace := time.NewTicker(slowPace)
	defer pace.Stop()
	s.stream(func() (string, bool) {
		if i > 0 {
			select {
			case <-pace.C:
			case <-s.ctx.Done():
				return "", false
			}
		}
		i++
		return fmt.Sprintf("word%d ", i), i <= n
	})
}

func (s scene) fail() {
	s.text("This will not end well.")
	s.out.setEnd(session.End{Status: session.Failed, Failure: &session.Failure{Message: "the demo agent failed, as it was told to"}})
}

// drop stops in the middle of a message, as an agent does whose connection breaks.
func (s scene) drop() {
	s.half("This message is not fin")
	s.out.abandon(&session.Failure{Code: "upstream_truncated", Message: "the stream of the demo agent ended before its run did"})
}
