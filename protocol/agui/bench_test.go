package agui

import (
	"strconv"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// One fragment of text is what a bridge handles most.
func BenchmarkTextDelta(b *testing.B) {
	raw := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-01JE5Y","delta":" and some more words"}`)
	parse := func(b *testing.B) Frame {
		f, _, err := ParseFrame(raw)
		if err != nil {
			b.Fatal(err)
		}
		return f
	}
	run := func(name string, each func(b *testing.B)) {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				each(b)
			}
		})
	}
	var v Verifier
	if _, err := feed(&v, frames(b, started, item(TypeTextMessageStart, "messageId", "msg-01JE5Y"))); err != nil {
		b.Fatal(err)
	}
	run("valid", func(b *testing.B) {
		if !jsontext.Value(raw).IsValid() {
			b.Fatal("not JSON")
		}
	})
	run("parse", func(b *testing.B) { parse(b) })
	run("parse+verify", func(b *testing.B) {
		if err := v.Next(parse(b)); err != nil {
			b.Fatal(err)
		}
	})
	pipeline := NewPipeline(PipelineOptions{})
	for _, line := range []string{started, item(TypeTextMessageStart, "messageId", "msg-01JE5Y")} {
		if _, _, err := pipeline.Next([]byte(line)); err != nil {
			b.Fatal(err)
		}
	}
	b.Run("pipeline", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, _, err := pipeline.Next(raw); err != nil {
				b.Fatal(err)
			}
		}
		// The same machine's bare scan of the same bytes, as the measure of all this.
		spent, start := b.Elapsed(), time.Now()
		for range b.N {
			_ = jsontext.Value(raw).IsValid()
		}
		b.ReportMetric(float64(spent)/float64(time.Since(start)), "×valid")
	})
	run("typed", func(b *testing.B) {
		if _, err := parse(b).Event(); err != nil {
			b.Fatal(err)
		}
	})
}

// What one event costs does not depend on how many came before it.
func BenchmarkTextDeltaAfter(b *testing.B) {
	for _, earlier := range []int{10, 1_000, 100_000} {
		b.Run(strconv.Itoa(earlier), func(b *testing.B) {
			p := NewPipeline(PipelineOptions{Limit: 1 << 20})
			next := func(line string) {
				if _, _, err := p.Next([]byte(line)); err != nil {
					b.Fatal(err)
				}
			}
			next(started)
			for i := range earlier {
				id := "m" + strconv.Itoa(i)
				next(item(TypeTextMessageStart, "messageId", id))
				next(item(TypeTextMessageEnd, "messageId", id))
			}
			next(item(TypeTextMessageStart, "messageId", "msg-01JE5Y"))
			b.ReportAllocs()
			raw := []byte(`{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-01JE5Y","delta":" and some more words"}`)
			for b.Loop() {
				if _, _, err := p.Next(raw); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A chunk that goes on with what is open is the dearest of the frequent events.
func BenchmarkTextChunk(b *testing.B) {
	p := NewPipeline(PipelineOptions{})
	for _, line := range []string{started, `{"type":"TEXT_MESSAGE_CHUNK","messageId":"msg-01JE5Y"}`} {
		if _, _, err := p.Next([]byte(line)); err != nil {
			b.Fatal(err)
		}
	}
	raw := []byte(`{"type":"TEXT_MESSAGE_CHUNK","delta":" and some more words"}`)
	b.ReportAllocs()
	for b.Loop() {
		if _, _, err := p.Next(raw); err != nil {
			b.Fatal(err)
		}
	}
}
