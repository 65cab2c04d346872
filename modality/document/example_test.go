package document_test

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"log"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/internal/test/pdftest"
	"github.com/citekit/citekit/modality/document"
	"github.com/citekit/citekit/modality/text"
)

// One resolver reads all formats. It looks at the content, as names may lie.
func ExampleResolver() {
	documents := new(document.Resolver)
	documents.Archive.Members = citekit.Resolvers{citekit.Document: documents, citekit.Text: new(text.Resolver)}
	for _, data := range [][]byte{
		pdftest.Text(false, "one", "two"),
		zipped("notes.txt"),
	} {
		source := citekit.NewSource(bytes.NewReader(data), citekit.SourceInfo{Name: "download.bin", Size: int64(len(data))})
		defer source.Close()
		extent, err := documents.Measure(context.Background(), source)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(extent.MediaType, extent.Pages, "pages", extent.Members, "members")
	}
	// Output:
	// application/pdf 2 pages 0 members
	// application/zip 0 pages 1 members
}

// zipped returns an archive with a file of that name.
func zipped(name string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Fprintln(w, "Start two hours before low water.")
	if err := z.Close(); err != nil {
		log.Fatal(err)
	}
	return b.Bytes()
}
