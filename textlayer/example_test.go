package textlayer_test

import (
	"context"
	"fmt"
	"log"
	"strings"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/textlayer"
	"github.com/citekit/citekit/workspace"
)

// The text of a source, and the location of a part of it.
func ExampleStore_Open() {
	ctx := context.Background()
	lib := tides(ctx)
	defer lib.Close()

	layer, err := textlayer.New(lib, nil).Open(ctx, "notes")
	if err != nil {
		log.Fatal(err)
	}
	defer layer.Close()
	text, err := layer.Text(ctx, 0, layer.Len())
	if err != nil {
		log.Fatal(err)
	}
	at := int64(strings.Index(text, "The refuge"))
	location, err := layer.Location(at, at+10)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(citekit.Address{Resource: "notes", Location: location})
	// Output:
	// text://notes#lines=7-7
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
