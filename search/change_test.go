package search_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/search"
)

// BenchmarkChange measures a search that finds what is new in one of a thousand
// changed maps of small texts.
func BenchmarkChange(b *testing.B) {
	files := make(map[string]string)
	for i := range 1000 {
		files[fmt.Sprintf("note%03d.md", i)] = fmt.Sprintf("# Note %d\n\n%s\n", i, strings.Repeat("Words of a note that is not long. ", 20))
	}
	s := newShelf(b, files)
	if err := s.Update(ctx); err != nil {
		b.Fatal(err)
	}
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		name := fmt.Sprintf("note%03d.md", i%1000)
		write(b, s.dir, name, fmt.Sprintf("# Note\n\nNow it has word%d in it.\n", i))
		if _, err := ingest.Run(ctx, s.Library, []string{name}, nil); err != nil {
			b.Fatal(err)
		}
		began := time.Now()
		found, err := s.Search(ctx, search.Request{Query: fmt.Sprintf("word%d", i)})
		if err != nil || len(found.Results) != 1 {
			b.Fatal(found, err)
		}
		took = append(took, time.Since(began))
	}
	slices.Sort(took)
	b.ReportMetric(took[0].Seconds()*1000, "least-ms")
	b.ReportMetric(took[len(took)/2].Seconds()*1000, "p50-ms")
}
