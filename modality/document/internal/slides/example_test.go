package slides_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/slides"
	"github.com/citekit/citekit/workspace"
)

// Slides become nodes. Evidence is a presentation of the slides at an address.
func ExampleResolver() {
	ctx := context.Background()
	files := fstest.MapFS{"talk.pptx": {Data: talk()}}
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Document: new(slides.Resolver)}, nil)
	defer lib.Close()
	if _, err := ingest.Run(ctx, lib, []string{"talk.pptx"}, nil); err != nil {
		log.Fatal(err)
	}
	m, err := lib.Map(ctx, "talk")
	if err != nil {
		log.Fatal(err)
	}
	for _, node := range m.Nodes {
		fmt.Println(node.Title, citekit.Address{Resource: m.ResourceID, Location: node.Location})
	}
	for run, err := range lib.ReadText(ctx, "talk", citekit.Document.Pages(2, 2)) {
		fmt.Printf("%q %v\n", run.Text, err)
	}
	e, err := lib.ResolveFile(ctx, "talk.pptx", citekit.Document.Pages(2, 2), nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Address, e.MediaType)
	// Output:
	// Tides doc://talk#pages=1
	// Spring tide doc://talk#pages=2
	// "Spring tide\nAt new and full moon the range is widest.\n" <nil>
	// doc://talk#pages=2 application/vnd.openxmlformats-officedocument.presentationml.presentation
}

// talk returns a PPTX of two slides.
func talk() []byte {
	const (
		office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
		types  = "application/vnd.openxmlformats-officedocument.presentationml"
		spaces = `xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:r="` + office + `" xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"`
		rels   = `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`
	)
	return doctest.Zip(
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="`+types+`.slide+xml"/><Override PartName="/ppt/presentation.xml" ContentType="`+types+`.presentation.main+xml"/></Types>`,
		"_rels/.rels", rels+`<Relationship Id="r1" Type="`+office+`/officeDocument" Target="ppt/presentation.xml"/></Relationships>`,
		"ppt/_rels/presentation.xml.rels", rels+`<Relationship Id="r1" Type="`+office+`/slide" Target="one.xml"/><Relationship Id="r2" Type="`+office+`/slide" Target="two.xml"/></Relationships>`,
		"ppt/presentation.xml", `<p:presentation `+spaces+`><p:sldIdLst><p:sldId id="256" r:id="r1"/><p:sldId id="257" r:id="r2"/></p:sldIdLst></p:presentation>`,
		"ppt/one.xml", `<p:sld `+spaces+`><p:cSld><p:spTree>`+titled("title", "Tides")+`</p:spTree></p:cSld></p:sld>`,
		"ppt/two.xml", `<p:sld `+spaces+`><p:cSld><p:spTree>`+titled("title", "Spring tide")+titled("body", "At new and full moon the range is widest.")+`</p:spTree></p:cSld></p:sld>`,
	)
}

// titled returns a shape of a slide with a text.
func titled(kind, text string) string {
	return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="` + kind + `"/><p:cNvSpPr/><p:nvPr><p:ph type="` + kind + `"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:p><a:r><a:t>` + text + `</a:t></a:r></a:p></p:txBody></p:sp>`
}
