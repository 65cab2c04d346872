package briefing_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/briefing"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// The passages that say most about a task, each below its address.
func ExampleWriter_Write() {
	ctx := context.Background()
	lib := tides(ctx)
	defer lib.Close()
	searcher := search.New(lib, nil)
	defer searcher.Close()

	writer := briefing.New(searcher)
	b, err := writer.Write(ctx, briefing.Request{Task: "Where is the refuge?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Pieces[0].Address)
	// Output:
	// text://notes#lines=5-7
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
