package search_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// Each result has the address to cite.
func ExampleSearcher_Search() {
	ctx := context.Background()
	lib := tides(ctx)
	defer lib.Close()
	searcher := search.New(lib, nil)
	defer searcher.Close()

	found, err := searcher.Search(ctx, search.Request{Query: "widest range"})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range found.Results {
		fmt.Println(r.Address, r.Title)
	}
	// Output:
	// text://guide#lines=5-8 Spring tide
	// text://guide#lines=9-11 Neap tide
}

// tides returns a library over a folder with a guide and notes, mapped.
func tides(ctx context.Context) *citekit.Library {
	files := fstest.MapFS{
		"guide.md": {Data: []byte("# Tides\n\nThe sea rises twice a day.\n\n## Spring tide\n\nAt new and full moon the range is widest. See [the notes](notes.md#safety).\n\n## Neap tide\n\nAt the quarters the range is smallest.\n")},
		"notes.md": {Data: []byte("# Notes\n\nStart two hours before low water.\n\n## Safety\n\nThe refuge stands on stilts.\n")},
	}
	lib := citekit.New(workspace.NewMemory(files), modality.All(), nil)
	if _, err := ingest.Run(ctx, lib, []string{"."}, nil); err != nil {
		log.Fatal(err)
	}
	return lib
}

// An ingest that is given a Searcher leaves nothing to read for the searches after it.
func ExampleSearcher_Index() {
	ctx := context.Background()
	files := fstest.MapFS{
		"guide.md": {Data: []byte("# Tides\n\nThe sea rises twice a day.\n")},
		"notes.md": {Data: []byte("# Notes\n\nStart two hours before low water.\n")},
	}
	lib := citekit.New(workspace.NewMemory(files), modality.All(), nil)
	defer lib.Close()
	searcher := search.New(lib, nil)
	defer searcher.Close()

	report, err := ingest.Run(ctx, lib, []string{"."}, &ingest.Options{Index: searcher})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Index.Searchable, "of", report.Index.Resources, "searchable")
	for _, one := range report.Index.Missing {
		fmt.Println(one.Path, one.Err)
	}
	found, err := searcher.Search(ctx, search.Request{Query: "low water"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(found.Results[0].Address, found.Complete)
	// Output:
	// 2 of 2 searchable
	// text://notes#lines=1-3 true
}
