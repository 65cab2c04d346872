package search_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/citekit/citekit/search"
)

// Resources that are put at the same time are all there when each call ends; what
// cannot be read is left.
func TestIndexMapped(t *testing.T) {
	files := make(map[string]string)
	for i := range 24 {
		files[fmt.Sprintf("note%02d.txt", i)] = fmt.Sprintf("A note about subject%d.\n", i)
	}
	s := newShelf(t, files)
	if err := os.Remove(filepath.Join(s.dir, "note23.txt")); err != nil {
		t.Fatal(err)
	}
	var calls sync.WaitGroup
	for i := range 12 {
		calls.Go(func() {
			ids := []string{fmt.Sprintf("note%02d", 2*i), fmt.Sprintf("note%02d", 2*i+1)}
			if all, err := s.IndexMapped(ctx, ids); err != nil || all != (i < 11) {
				t.Errorf("%q: %t, %v", ids, all, err)
			}
		})
	}
	calls.Wait()
	if stats, err := s.Stats(ctx); err != nil || stats.Resources != 23 {
		t.Errorf("%+v, %v; want all but one", stats, err)
	}
	found, err := s.Search(ctx, search.Request{Query: "subject17"})
	if err != nil || len(found.Results) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if all, err := s.IndexMapped(ctx, []string{"note01"}); !errors.Is(err, fs.ErrClosed) {
		t.Errorf("%t, %v after Close; want fs.ErrClosed", all, err)
	}
}
