package anchor_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/reanchor/internal/anchor"
)

func BenchmarkHundredThousandLines(b *testing.B) {
	var old, now strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&old, "line %d says that %d is a number of its own\n", i, i*7919%100_003)
		if i%50 != 0 {
			fmt.Fprintf(&now, "line %d says that %d is a number of its own\n", i, i*7919%100_003)
		}
	}
	p := anchor.Align(old.String(), now.String(), anchor.Options{})
	b.Run("Align", func(b *testing.B) {
		for b.Loop() {
			anchor.Align(old.String(), now.String(), anchor.Options{})
		}
	})
	b.Run("AlignFlowing", func(b *testing.B) {
		for b.Loop() {
			anchor.Align(old.String(), now.String(), anchor.Options{Flows: true})
		}
	})
	b.Run("Find", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			p.Find(i%1000*4000, i%1000*4000+500)
		}
	})
}
