package pdf_test

import (
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document/internal/pdf"
)

// A page can be read, and extracted as a file of its own.
func ExampleResolver() {
	data := pdftest.Text(false, "one", "two", "three") // in place of your own
	source := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "book.pdf", Size: int64(len(data))})
	defer source.Close()

	ctx, books := context.Background(), new(pdf.Resolver)
	extent, err := books.Measure(ctx, source)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(extent.Pages, "pages")

	address, err := citekit.ParseAddress("doc://book#pages=2")
	if err != nil {
		log.Fatal(err)
	}
	for run, err := range books.ReadText(ctx, source, address.Location) {
		fmt.Printf("%q %v\n", run.Text, err)
	}
	content, err := books.Resolve(ctx, source, citekit.Request{Location: address.Location})
	if err != nil {
		log.Fatal(err)
	}
	defer content.Body.Close()
	fmt.Println(content.MediaType, content.Ext)
	// Output:
	// 3 pages
	// "This is page two" <nil>
	// application/pdf .pdf
}
