package agui

import (
	"testing"

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
	run("pipeline", func(b *testing.B) {
		if _, _, err := pipeline.Next(raw); err != nil {
			b.Fatal(err)
		}
	})
	run("typed", func(b *testing.B) {
		if _, err := parse(b).Event(); err != nil {
			b.Fatal(err)
		}
	})
}
