package pdf_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/pdf"
	"github.com/citekit/citekit/workspace"
)

// A program that reads PDF alone cites the second page of a file without a map.
func Example() {
	files := fstest.MapFS{"tides.pdf": {Data: pdftest.Text(false, "The flood", "The ebb")}}
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Document: new(pdf.Resolver)}, nil)
	defer lib.Close()
	page := citekit.Location{Modality: citekit.Document, Pages: []citekit.Range{{First: 2, Last: 2}}}
	e, err := lib.ResolveFile(context.Background(), "tides.pdf", page, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.MediaType, e.Address.Fragment())
	// Output: application/pdf pages=2
}
