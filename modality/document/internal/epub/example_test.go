package epub_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/epub"
	"github.com/citekit/citekit/workspace"
)

// The table of contents of a book becomes nodes, which are parts of the book or
// blocks of them.
func ExampleResolver() {
	ctx := context.Background()
	files := fstest.MapFS{"tides.epub": {Data: tides()}}
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Document: new(epub.Resolver)}, nil)
	defer lib.Close()
	if _, err := ingest.Run(ctx, lib, []string{"tides.epub"}, nil); err != nil {
		log.Fatal(err)
	}
	m, err := lib.Map(ctx, "tides")
	if err != nil {
		log.Fatal(err)
	}
	for _, node := range m.Nodes {
		fmt.Println(node.Title, citekit.Address{Resource: m.ResourceID, Location: node.Location})
	}
	for run, err := range lib.ReadText(ctx, "tides", m.Node("neap-tide").Location) {
		fmt.Printf("%q %v\n", run.Text, err)
	}
	e, err := lib.Resolve(ctx, "tides", "neap-tide", nil) // a book of these blocks
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Address, e.MediaType)
	// Output:
	// Spring tide doc://tides#part=1&blocks=1-2
	// Neap tide doc://tides#part=1&blocks=3-4
	// "Neap tide\n" <nil>
	// "At the quarters it is smallest.\n" <nil>
	// doc://tides#part=1&blocks=3-4 application/epub+zip
}

// tides returns an EPUB of one part with two headings.
func tides() []byte {
	return doctest.Zip(
		"mimetype", "application/epub+zip",
		"META-INF/container.xml", `<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
		"book.opf", `<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">urn:tides</dc:identifier><dc:title>The Book of Tides</dc:title><dc:language>en</dc:language></metadata>`+
			`<manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/><item id="one" href="one.xhtml" media-type="application/xhtml+xml"/></manifest><spine><itemref idref="one"/></spine></package>`,
		"nav.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><body><nav epub:type="toc"><ol><li><a href="one.xhtml#spring">Spring tide</a></li><li><a href="one.xhtml#neap">Neap tide</a></li></ol></nav></body></html>`,
		"one.xhtml", `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Tides</title></head><body><h2 id="spring">Spring tide</h2><p>At new and full moon the range is widest.</p><h2 id="neap">Neap tide</h2><p>At the quarters it is smallest.</p></body></html>`,
	)
}
