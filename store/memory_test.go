package store_test

import (
	"context"
	"testing"
	"time"

	"github.com/agui-bridge/agui-bridge/store"
	"github.com/agui-bridge/agui-bridge/store/storetest"
)

func TestMemory(t *testing.T) {
	storetest.Run(t, func(*testing.T) store.Log { return store.NewMemory() })
}

func BenchmarkMemoryAppend(b *testing.B) {
	log := store.NewMemory()
	body := make([]byte, 512)
	ctx, at, last := context.Background(), time.Now(), uint64(0)
	b.ReportAllocs()
	for b.Loop() {
		var err error
		if last, err = log.Append(ctx, "t", last, store.Entry{Kind: store.KindFrames, At: at, Body: body}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkMemoryRead(b *testing.B) {
	log := store.NewMemory()
	ctx := context.Background()
	for i := range uint64(1_000) {
		if _, err := log.Append(ctx, "t", i, store.Entry{Kind: store.KindFrames}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		n := 0
		for _, err := range log.Read(ctx, "t", 0) {
			if err != nil {
				b.Fatal(err)
			}
			n++
		}
		if n != 1_000 {
			b.Fatal(n)
		}
	}
}
