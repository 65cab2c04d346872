package citekit_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/modality"
	"github.com/citekit/citekit/workspace"
)

// The text of any part can be read, with the place of each run.
func ExampleLibrary_ReadText() {
	files := fstest.MapFS{"poem.txt": {Data: []byte("one\ntwo\nthree\n")}}
	lib := citekit.New(workspace.NewMemory(files), modality.All(), nil)
	defer lib.Close()
	ctx := context.Background()
	if _, err := ingest.Run(ctx, lib, []string{"poem.txt"}, nil); err != nil {
		log.Fatal(err)
	}
	lines := citekit.Location{Modality: citekit.Text, Lines: citekit.Range{First: 2, Last: 3}}
	for run, err := range lib.ReadText(ctx, "poem", lines) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %q\n", citekit.Address{Resource: "poem", Location: run.Location}, run.Text)
	}
	// Output:
	// text://poem#lines=2-3: "two\nthree\n"
}
