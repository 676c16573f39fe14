package agui

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// A producer writes a random legal stream: plain items and chunks of several owners, who
// never share an id.
type producer struct {
	t     *rapid.T
	lines []string
	plain []string // the lines that are no chunks
	open  []openItem
	ran   map[string]bool // subagents, whether at work
	n     int
	text  map[string]string // by family, owner and id, what the chunks say
	lane  map[string]string // by owner, what its chunks have open
}

type openItem struct{ family, owner, id string }

func (p *producer) say(line string) {
	p.lines, p.plain = append(p.lines, line), append(p.plain, line)
}

func tagged(owner string) string {
	if owner == "" {
		return ""
	}
	return `,"subagentRunId":"` + owner + `"`
}

func with(line, more string) string { return strings.TrimSuffix(line, "}") + more + "}" }

func (p *producer) owner() string {
	return rapid.SampledFrom([]string{"", "s", "u"}).Draw(p.t, "owner")
}

// start opens a plain item under an id of its own.
func (p *producer) start() {
	f := families[rapid.IntRange(0, len(families)-1).Draw(p.t, "family")]
	p.n++
	o := openItem{f.what, p.owner(), fmt.Sprint("p", p.n)}
	p.say(with(item(f.open, f.member, o.id), tagged(o.owner)))
	p.open = append(p.open, o)
	p.lane[o.owner] = ""
}

// goOn adds to a plain item, or ends it.
func (p *producer) goOn() {
	if len(p.open) == 0 {
		return
	}
	i := rapid.IntRange(0, len(p.open)-1).Draw(p.t, "item")
	o := p.open[i]
	f := families[slices.IndexFunc(families, func(f struct {
		what             string
		open, delta, end EventType
		member           string
	}) bool {
		return f.what == o.family
	})]
	kind := f.delta
	if kind == "" || rapid.Bool().Draw(p.t, "end") {
		kind, p.open = f.end, slices.Delete(p.open, i, i+1)
	}
	tag := tagged(o.owner)
	said := o.owner
	if f.what != "step" && rapid.Bool().Draw(p.t, "untagged") {
		tag, said = "", "" // an item keeps its owner
	}
	p.say(with(item(kind, f.member, o.id), tag))
	p.lane[said] = ""
}

// other says something that is no item.
func (p *producer) other() {
	o := p.owner()
	line := rapid.SampledFrom([]string{raw0, custom, `{"type":"STATE_SNAPSHOT","snapshot":null}`, `{"type":"FUTURE"}`}).Draw(p.t, "other")
	p.say(with(line, tagged(o)))
	if line != raw0 && line != `{"type":"FUTURE"}` {
		p.lane[o] = ""
	}
}

func (p *producer) subagent() {
	id := rapid.SampledFrom([]string{"s", "u"}).Draw(p.t, "subagent")
	switch atWork, known := p.ran[id]; {
	case !known:
		p.say(`{"type":"SUBAGENT_STARTED","name":"n","subagentRunId":"` + id + `"}`)
		p.ran[id] = true
	case atWork:
		p.say(`{"type":"SUBAGENT_FINISHED","subagentRunId":"` + id + `"}`)
		p.ran[id], p.lane[id] = false, ""
	}
}

// chunk says a chunk, with its id or, where its owner has one open, without.
func (p *producer) chunk() {
	family := rapid.SampledFrom([]string{"text", "call", "think"}).Draw(p.t, "family")
	o := p.owner()
	id := rapid.SampledFrom([]string{"1", "2"}).Draw(p.t, "id") + o
	key := family + "/" + o + "/"
	delta := rapid.SampledFrom([]string{"", "a", "bc"}).Draw(p.t, "delta")
	members := `"delta":"` + delta + `"` + tagged(o)
	if strings.HasPrefix(p.lane[o], key) && rapid.Bool().Draw(p.t, "goes on") {
		id = strings.TrimPrefix(p.lane[o], key)
	} else if family == "call" {
		members += `,"toolCallId":"` + id + `","toolCallName":"f"`
	} else {
		members += `,"messageId":"` + id + `"`
	}
	p.lane[o] = key + id
	p.text[key+id] += delta
	p.lines = append(p.lines, chunk(family, members))
}

func (p *producer) finish() {
	for len(p.open) > 0 {
		p.goOn()
	}
	for _, id := range []string{"s", "u"} {
		if p.ran[id] {
			p.say(`{"type":"SUBAGENT_FINISHED","subagentRunId":"` + id + `"}`)
		}
	}
	p.say(finished)
}

// Whatever legal stream chunks are strewn into, what comes out is clean, has no chunks,
// holds the plain events in their order and the text of the chunks, and is in order.
func TestChunksAlwaysBecomeItemsInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := &producer{t: rt, ran: map[string]bool{}, text: map[string]string{}, lane: map[string]string{}}
		p.say(started)
		for range rapid.IntRange(1, 40).Draw(rt, "events") {
			rapid.SampledFrom([]func(){p.start, p.goOn, p.other, p.subagent, p.chunk, p.chunk, p.chunk}).Draw(rt, "what")()
		}
		p.finish()
		var alone Verifier
		if n, err := feed(&alone, frames(t, p.plain...)); err != nil {
			rt.Fatalf("the plain events are not legal at %s: %v", p.plain[n], err)
		}
		var e Expander
		var v Verifier
		var plain []string
		text := map[string]string{}
		for _, in := range frames(t, p.lines...) {
			out, err := e.Next(in)
			if err != nil {
				rt.Fatalf("%s: %v", in.Raw, err)
			}
			for _, f := range out {
				again, warnings, err := ParseFrame(f.Raw)
				if err != nil || f.Known() && len(warnings) > 0 || again.Type != f.Type || f.kind != nil && f.kind.chunk != nil {
					rt.Fatalf("%s is not clean: %v, %v", f.Raw, warnings, err)
				}
				if err := v.Next(f); err != nil {
					rt.Fatalf("%s: %v\n%s", f.Raw, err, strings.Join(p.lines, "\n"))
				}
				if sign := signs[f.Type]; strings.HasSuffix(sign, ".") && !strings.HasPrefix(f.Text("messageId")+f.Text("toolCallId"), "p") {
					text[strings.TrimSuffix(sign, ".")+"/"+f.Text("subagentRunId")+"/"+f.Text("messageId")+f.Text("toolCallId")] += f.Text("delta")
				}
			}
			if in.kind == nil || in.kind.chunk == nil {
				plain = append(plain, string(out[len(out)-1].Raw))
			}
		}
		if !slices.Equal(plain, p.plain) {
			rt.Fatalf("plain events became\n%s", strings.Join(plain, "\n"))
		}
		for key, want := range p.text {
			if text[key] != want {
				rt.Fatalf("%s: %q, want %q", key, text[key], want)
			}
		}
		if len(e.lanes) > 0 || !v.Ended() {
			rt.Fatalf("lanes %v are left open", e.lanes)
		}
	})
}
