package search_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/citekit/citekit/search"
)

// BenchmarkChange measures from a changed map to a search that finds what is new,
// among a thousand of small texts.
func BenchmarkChange(b *testing.B) {
	files := make(map[string]string)
	for i := range 1000 {
		files[fmt.Sprintf("notes%03d.md", i)] = fmt.Sprintf("# Note %d\n\n%s\n", i, strings.Repeat("Words of a note that is not long. ", 20))
	}
	s := newShelf(b, files)
	if err := s.Update(ctx); err != nil {
		b.Fatal(err)
	}
	for i := 0; b.Loop(); i++ {
		b.StopTimer()
		name := fmt.Sprintf("notes%03d.md", i%1000)
		write(b, s.dir, name, fmt.Sprintf("# Note\n\nNow it has word%d in it.\n", i))
		s.ingest(b)
		b.StartTimer()
		if err := s.Update(ctx); err != nil {
			b.Fatal(err)
		}
		found, err := s.Search(ctx, search.Request{Query: fmt.Sprintf("word%d", i)})
		if err != nil || len(found.Results) != 1 {
			b.Fatal(found, err)
		}
	}
}
