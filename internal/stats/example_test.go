package stats_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/stats"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// What a library holds.
func ExampleCollector_Collect() {
	ctx := context.Background()
	lib := tides(ctx)
	defer lib.Close()

	s, err := stats.New(lib, nil).Collect(ctx)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.Counts.Resources, "resources", s.Counts.Nodes, "nodes")
	// Output:
	// 2 resources 5 nodes
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
