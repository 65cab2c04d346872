package relations_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/relations"
	"github.com/citekit/citekit/workspace"
)

// A link in the guide leads to a section of the notes.
func ExampleGraph_Around() {
	ctx := context.Background()
	lib := tides(ctx)
	defer lib.Close()

	guide := citekit.Address{Resource: "guide", Location: citekit.Text.Lines(5, 8)}
	around, err := relations.New(lib).Around(ctx, guide, relations.Reach{Hops: 1, Most: 10})
	if err != nil {
		log.Fatal(err)
	}
	for _, place := range around.Places {
		fmt.Println(place.Address, place.Node)
	}
	// Output:
	// text://notes#lines=5-7 notes.safety
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
