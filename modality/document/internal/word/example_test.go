package word_test

import (
	"context"
	"fmt"
	"log"
	"testing/fstest"

	"github.com/citekit/citekit"
	"github.com/citekit/citekit/ingest"
	"github.com/citekit/citekit/internal/test/doctest"
	"github.com/citekit/citekit/modality/document/internal/word"
	"github.com/citekit/citekit/workspace"
)

// The headings of a contract become nodes, whose blocks can be read and
// extracted.
func ExampleResolver() {
	ctx := context.Background()
	files := fstest.MapFS{"contract.docx": {Data: contract()}}
	lib := citekit.New(workspace.NewMemory(files), citekit.Resolvers{citekit.Document: new(word.Resolver)}, nil)
	defer lib.Close()
	if _, err := ingest.Run(ctx, lib, []string{"contract.docx"}, nil); err != nil {
		log.Fatal(err)
	}
	m, err := lib.Map(ctx, "contract")
	if err != nil {
		log.Fatal(err)
	}
	for _, node := range m.Nodes {
		fmt.Println(node.ID, citekit.Address{Resource: m.ResourceID, Location: node.Location})
	}
	for run, err := range lib.ReadText(ctx, "contract", citekit.Document.Blocks(4, 4)) {
		fmt.Printf("%q %v\n", run.Text, err)
	}
	e, err := lib.Resolve(ctx, "contract", "term", nil) // a DOCX of two blocks
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(e.Address, e.MediaType)
	// Output:
	// parties doc://contract#blocks=1-2
	// term doc://contract#blocks=3-4
	// "The term is two years.\n" <nil>
	// doc://contract#blocks=3-4 application/vnd.openxmlformats-officedocument.wordprocessingml.document
}

// contract returns a DOCX of two headings with a paragraph each.
func contract() []byte {
	const office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
	return doctest.Zip(
		"[Content_Types].xml", `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"_rels/.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="`+office+`/officeDocument" Target="word/document.xml"/></Relationships>`,
		"word/document.xml", `<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>`+
			heading("Parties")+paragraph("", "Lessor and lessee.")+heading("Term")+paragraph("", "The term is two years.")+`</w:body></w:document>`,
	)
}

func heading(text string) string {
	return paragraph(`<w:pPr><w:outlineLvl w:val="0"/></w:pPr>`, text)
}

func paragraph(properties, text string) string {
	return "<w:p>" + properties + "<w:r><w:t>" + text + "</w:t></w:r></w:p>"
}
