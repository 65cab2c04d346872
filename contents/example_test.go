package contents_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/contents"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/search"
	"github.com/citekit/citekit/workspace"
)

// Nodes and addresses are read as text, within a number of tokens.
func ExampleReader_Read() {
	ctx := context.Background()
	lib := tides(ctx)
	defer lib.Close()
	reader := contents.New(lib, nil)

	read, err := reader.Read(ctx, contents.Request{IDs: []string{"notes.notes.safety", "text://guide#lines=5-7"}})
	if err != nil {
		log.Fatal(err)
	}
	for _, item := range read.Items {
		fmt.Printf("%s: %q\n", item.Address, item.Text)
	}
	// Output:
	// text://notes#lines=5-7: "## Safety\n\nThe refuge stands on stilts.\n"
	// text://guide#lines=5-7: "## Spring tide\n\nAt new and full moon the range is widest. See [the notes](notes.md#safety).\n"
}

// The passages that say most about a task, each below its address.
func ExampleBriefer_Write() {
	ctx := context.Background()
	lib := tides(ctx)
	defer lib.Close()
	searcher := search.New(lib, nil)
	defer searcher.Close()

	briefer := contents.NewBriefer(searcher)
	b, err := briefer.Write(ctx, contents.BriefingRequest{Task: "Where is the refuge?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(b.Pieces[0].Address)
	// Output:
	// text://notes#lines=5-7
}

// An agent reads the maps first, within a number of tokens.
func ExampleDigestOf() {
	ctx := context.Background()
	lib := tides(ctx)
	defer lib.Close()

	d, err := contents.DigestOf(ctx, lib, []string{"guide", "notes"}, &contents.DigestOptions{NoSummaries: true})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Print(d.Text)
	// Output:
	// # Tides
	// guide, text://guide
	// - `tides` Tides (lines=1-11)
	//   - `tides.spring-tide` Spring tide (lines=5-8)
	//   - `tides.neap-tide` Neap tide (lines=9-11)
	//
	// # Notes
	// notes, text://notes
	// - `notes` Notes (lines=1-7)
	//   - `notes.safety` Safety (lines=5-7)
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
