package media

import (
	"os"
	"testing"

	"github.com/citekit/citekit"
)

// BenchmarkHour maps a file that CITEKIT_HOUR names, as from nothing.
func BenchmarkHour(b *testing.B) {
	path := os.Getenv("CITEKIT_HOUR")
	if path == "" {
		b.Skip("CITEKIT_HOUR names no file")
	}
	b.ReportAllocs()
	for b.Loop() {
		e := &Engine{Modality: citekit.Video}
		s, err := e.Map(b.Context(), openFile(b, path), citekit.MapRequest{Modality: citekit.Video})
		if err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(float64(len(s.Nodes)), "nodes")
	}
}
