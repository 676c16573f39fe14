package protobuf

import "testing"

func benchmarkAppend(b *testing.B, json string) {
	f := frame(b, json)
	buf := make([]byte, 0, 4096)
	b.SetBytes(int64(len(json)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Append(buf, f); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAppendTextDelta(b *testing.B) {
	benchmarkAppend(b, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-8c1d","delta":" the quick brown fox"}`)
}

func BenchmarkAppendEscapedTextDelta(b *testing.B) {
	benchmarkAppend(b, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-8c1d","delta":"a line\nand another","timestamp":1796000000000}`)
}

func BenchmarkAppendSnapshot(b *testing.B) {
	benchmarkAppend(b, `{"type":"STATE_SNAPSHOT","snapshot":{"rows":[{"id":1,"name":"a","tags":["x","y"]},{"id":2,"name":"b","tags":[]}],"total":2,"open":true}}`)
}

func BenchmarkDecodeTextDelta(b *testing.B) {
	raw, err := Append(nil, frame(b, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"msg-8c1d","delta":" the quick brown fox"}`))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Decode(raw); err != nil {
			b.Fatal(err)
		}
	}
}

func TestATextDeltaIsWrittenWithoutAllocating(t *testing.T) {
	f := frame(t, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"m","delta":"a\nb","timestamp":1}`)
	buf := make([]byte, 0, 256)
	if n := testing.AllocsPerRun(100, func() { _, _ = Append(buf, f) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}
